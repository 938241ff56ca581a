import { describe, expect, it, vi } from "vitest";
import { fixture } from "../../fixtures/make.mjs";
import type { ReportData } from "../../src/data";
import { kappaFields } from "../../src/fields";
import { Report } from "../../src/model";

vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => {} }));
const { intervalsOf } = await import("../../src/sections/other_priors");

const read = (name: string) => JSON.parse(fixture(name)) as ReportData;

describe("other priors", () => {
  it("stand below the prior as assumed, those without a fit left out", () => {
    const found = read("plate").runs[0].prior_sensitivity!;
    const intervals = intervalsOf(found, 0);
    expect(intervals.map((d) => d.name)).toEqual([
      "the prior as assumed",
      ...found.alternatives.filter((d) => d.failure === "").map((d) => d.name),
    ]);
    expect(intervals[0].shift).toBeNull();
    expect(intervals[1].mean).toBe(found.alternatives[0].quantity_means[0]);
    expect(intervals[1].high - intervals[1].low).toBeCloseTo(2 * 1.645 * found.alternatives[0].quantity_sds[0]!);
  });

  it("have no interval of a quantity that a fit does not know", () => {
    const found = read("plate").runs[0].prior_sensitivity!;
    found.alternatives[0].quantity_means[0] = null;
    expect(intervalsOf(found, 0).map((d) => d.name)).not.toContain(found.alternatives[0].name);
  });

  it("have a map that says which prior it is of", () => {
    const report = new Report(read("plate"));
    const field = kappaFields(report, report.data.runs[0]).find((d) => d.name === "prior");
    expect(field?.note).toContain("kernel matern12");
    expect(field?.domain[0]).toBe(-(field?.domain[1] ?? 0));
  });
});
