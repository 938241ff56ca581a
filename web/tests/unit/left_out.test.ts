import { describe, expect, it, vi } from "vitest";
import { fixture } from "../../fixtures/make.mjs";
import type { ReportData } from "../../src/data";
import { Report } from "../../src/model";

vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => {} }));
const { placesOf } = await import("../../src/sections/left_out");

const read = (name: string) => JSON.parse(fixture(name)) as ReportData;

describe("sensors left out", () => {
  it("are drawn with the largest residual on top", () => {
    const report = new Report(read("plate"));
    const places = placesOf(report, report.data.runs[0]);
    expect(places.at(-1)?.sensor).toBe(3);
    expect(places.at(-1)?.position).toHaveLength(2);
    const sizes = places.map((d) => Math.abs(d.residual));
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
  });

  it("are not too many, and keep the worst", () => {
    const report = new Report(read("plate"));
    const places = placesOf(report, report.data.runs[0], 4);
    expect(places).toHaveLength(4);
    expect(places.at(-1)?.sensor).toBe(3);
  });

  it("include the worst of those that are not on the page", () => {
    const data = read("line");
    const run = data.runs[0];
    run.leave_one_out?.worst.unshift({
      sensor: 4711,
      position: [0.3],
      residual: -9,
      khat: null,
      field_shift: null,
      quantity_shifts: [],
      label: "north well",
    });
    expect(placesOf(new Report(data), run).at(-1)).toEqual({
      sensor: 4711,
      name: "sensor 4711 (north well)",
      position: [0.3],
      residual: -9,
    });
  });

  it("are none of a run without them", () => {
    const data = read("line");
    delete data.runs[0].leave_one_out;
    expect(placesOf(new Report(data), data.runs[0])).toEqual([]);
  });
});
