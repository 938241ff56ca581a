import { describe, expect, it, vi } from "vitest";
import { fixture } from "../../fixtures/make.mjs";
import type { ReportData } from "../../src/data";
import { kappaFields } from "../../src/fields";
import { Report } from "../../src/model";

vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => {} }));
const { LineMesh } = await import("../../src/line_mesh");

const read = (name: string) => JSON.parse(fixture(name)) as ReportData;

describe("a report", () => {
  it("puts values of blocks on cells", () => {
    const report = new Report(read("blocks"));
    expect(report.unknownCount).toBe(64);
    expect(report.cellCount).toBe(1024);
    const values = Float32Array.from({ length: 64 }, (_, k) => k);
    const field = report.fieldOf(values);
    expect(field.at).toBe("cell");
    expect(field.values[0]).toBe(0);
    expect(field.values[1023]).toBe(63);
  });

  it("has no value where a conductivity is known", () => {
    const data = read("blocks");
    const unknowns = Array.from({ length: 1024 }, (_, cell) => (cell < 24 ? -1 : cell % 64));
    const report = new Report({ ...data, mesh: { ...data.mesh, unknown_of_cell: unknowns } });
    expect(report.unknownCount).toBe(64);
    const { values } = report.fieldOf(Float32Array.from({ length: 64 }, (_, k) => k));
    expect([values[23], values[24], values[1023]]).toEqual([Number.NaN, 24, 63]);
  });

  it("leaves values at nodes where they are", () => {
    const report = new Report(read("nodes"));
    expect(report.unknownCount).toBe(report.nodeCount);
    const values = Float32Array.from({ length: report.nodeCount }, (_, k) => k);
    expect(report.fieldOf(values)).toEqual({ at: "node", values });
    for (const { field } of kappaFields(report, report.data.runs[0])) expect(field.at).toBe("node");
  });

  it("joins values at the nodes of a line, and steps from cell to cell", () => {
    const data = read("line");
    const steps = new LineMesh(new Report(data)).unknowns({ y: Float32Array.from({ length: 32 }, (_, k) => k) });
    expect(steps).toHaveLength(64);
    const values = Array.from({ length: 33 }, (_, k) => k);
    const kappa = { mean: values, sd: values, q05: values, q50: values, q95: values };
    const report = new Report({
      ...data,
      mesh: { ...data.mesh, unknowns: "nodes" },
      runs: [{ ...data.runs[0], kappa }],
    });
    const points = new LineMesh(report).unknowns({ y: report.floats(values) });
    expect(points).toHaveLength(33);
    expect(points[8]).toEqual({ x: 0.25, y: 8 });
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
