import { describe, expect, it } from "vitest";
import { fixture } from "../../fixtures/make.mjs";
import type { ReportData } from "../../src/data";
import { kappaFields } from "../../src/fields";
import { Report } from "../../src/model";

const read = (name: string) => JSON.parse(fixture(name)) as ReportData;

describe("a report", () => {
  it("puts values of blocks on cells", () => {
    const report = new Report(read("blocks"));
    expect(report.unknownCount).toBe(64);
    expect(report.cellCount).toBe(1024);
    const values = Float32Array.from({ length: 64 }, (_, k) => k);
    expect(report.onCells(values)[0]).toBe(0);
    expect(report.onCells(values)[1023]).toBe(63);
  });

  it("shows the mean and the truth on one scale", () => {
    const report = new Report(read("plate"));
    const fields = kappaFields(report, report.data.runs[0]);
    const domainOf = (name: string) => fields.find((field) => field.name === name)?.domain;
    expect(domainOf("mean")).toEqual(domainOf("truth"));
  });

  it("says what is wrong with its data", () => {
    const other = { ...read("line"), schema: 2 } as unknown as ReportData;
    expect(() => new Report(other)).toThrow("schema 2");
    expect(() => new Report({ ...read("line"), runs: [] })).toThrow("no run");
    const short = read("line");
    short.runs[0].kappa.mean = [1, 2];
    expect(() => new Report(short)).toThrow("PMVB: kappa has 2 values, but the mesh needs 32");
    const broken = read("line");
    broken.mesh.cells = [0, 99];
    expect(() => new Report(broken)).toThrow("does not exist");
  });
});
