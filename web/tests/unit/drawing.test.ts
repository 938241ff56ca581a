import { describe, expect, it } from "vitest";
import { colorIndex, colorTable, extent, symmetricExtent } from "../../src/colors";
import {
  formatCount,
  formatEstimate,
  formatNumber,
  formatSeconds,
  formatShort,
  formatTicks,
  sentence,
} from "../../src/format";
import { bounds, type Geometry, type Patch, planePatch, slicePatch } from "../../src/geometry";
import { paint, rasterize, valueAt } from "../../src/raster";
import { signedLogTicks } from "../../src/signed_log";

function areaOf({ xy }: Patch): number {
  let area = 0;
  for (let k = 0; k < xy.length; k += 6) {
    area += Math.abs((xy[k + 2] - xy[k]) * (xy[k + 5] - xy[k + 1]) - (xy[k + 4] - xy[k]) * (xy[k + 3] - xy[k + 1])) / 2;
  }
  return area;
}

const cubeNodes = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1];
const hexahedron: Geometry = {
  dimension: 3,
  cellType: "hexahedron",
  nodes: Float32Array.from(cubeNodes),
  cells: Int32Array.from([0, 1, 2, 3, 4, 5, 6, 7]),
};
const tetrahedra: Geometry = {
  ...hexahedron,
  cellType: "tetrahedron",
  cells: Int32Array.from([0, 1, 2, 6, 0, 2, 3, 6, 0, 3, 7, 6, 0, 7, 4, 6, 0, 4, 5, 6, 0, 5, 1, 6]),
};
const square: Geometry = {
  dimension: 2,
  cellType: "quadrilateral",
  nodes: Float32Array.from([0, 0, 1, 0, 1, 1, 0, 1]),
  cells: Int32Array.from([0, 1, 2, 3]),
};

describe("patches", () => {
  it("cover a plane mesh", () => {
    const patch = planePatch(square);
    expect([...patch.cell]).toEqual([0, 0]);
    expect(areaOf(patch)).toBeCloseTo(1);
    expect(patch.edges.length).toBe(16);
    expect(bounds(square, 1)).toEqual([0, 1]);
  });

  it.each([0, 1, 2])("cut a cube across axis %i into a square", (axis) => {
    for (const position of [0.1, 0.5, 0.93]) {
      expect(areaOf(slicePatch(hexahedron, axis, position))).toBeCloseTo(1);
      expect(areaOf(slicePatch(tetrahedra, axis, position))).toBeCloseTo(1);
    }
  });

  it("of a cut lie in the plane, and interpolate linear fields exactly", () => {
    const patch = slicePatch(tetrahedra, 1, 0.3);
    const f = (node: number) => 2 * cubeNodes[3 * node] - 3 * cubeNodes[3 * node + 1] + cubeNodes[3 * node + 2];
    for (let v = 0; v < patch.a.length; v++) {
      const value = (1 - patch.t[v]) * f(patch.a[v]) + patch.t[v] * f(patch.b[v]);
      expect(value).toBeCloseTo(2 * patch.xy[2 * v] - 0.9 + patch.xy[2 * v + 1], 5);
    }
  });

  it("of a hexahedron have no outlines inside", () => {
    const { edges } = slicePatch(hexahedron, 2, 0.4);
    for (let k = 0; k < edges.length; k += 4) {
      const onSide = [0, 1].some((d) => [0, 1].some((side) => edges[k + d] === side && edges[k + 2 + d] === side));
      expect(onSide).toBe(true);
    }
  });

  it("are empty beside the mesh", () => {
    expect(slicePatch(tetrahedra, 2, 1.5).cell.length).toBe(0);
  });
});

describe("rasters", () => {
  const patch = planePatch(square);
  const raster = rasterize(patch, { x: [-1, 1], y: [0, 1] }, 40, 20);

  it("find the mesh, all of it, and nothing else", () => {
    for (let pixel = 0; pixel < 800; pixel++) expect(raster.triangle[pixel] >= 0).toBe(pixel % 40 >= 20);
  });

  it("interpolate between nodes", () => {
    const values = Float32Array.from([0, 1, 3, 2]);
    const pixel = 4 * 40 + 30;
    expect(valueAt(patch, raster, { at: "node", values }, pixel)).toBeCloseTo(10.5 / 20 + (2 * 15.5) / 20, 4);
  });

  it("are painted in the colours of the values, grey where there is none", () => {
    const pixels = new Uint8ClampedArray(3200);
    paint(patch, raster, { at: "cell", values: Float32Array.of(1) }, [0, 1], "viridis", pixels);
    expect([...pixels.slice(0, 4)]).toEqual([0, 0, 0, 0]);
    expect([...pixels.slice(120, 124)]).toEqual([...colorTable("viridis").slice(765), 255]);
    paint(patch, raster, { at: "cell", values: Float32Array.of(Number.NaN) }, [0, 1], "viridis", pixels);
    expect([...pixels.slice(120, 124)]).toEqual([128, 128, 128, 255]);
  });
});

describe("scales", () => {
  it("mark powers of ten of a signed logarithmic scale, where their values are", () => {
    const ticks = signedLogTicks(508_579);
    expect(ticks.map(({ text }) => text)).toEqual(["−10⁵", "−10³", "0", "10³", "10⁵"]);
    expect(ticks[4].at).toBeCloseTo(4 - Math.log10(5.08579), 12);
    expect(ticks[4].at - ticks[3].at).toBeCloseTo(2, 12);
    expect(signedLogTicks(1000).map(({ text }) => text)).toEqual(["−10³", "−10", "0", "10", "10³"]);
    expect(signedLogTicks(0.05).map(({ text }) => text)).toEqual(["−10⁻²", "−10⁻⁴", "0", "10⁻⁴", "10⁻²"]);
  });

  it("span the finite values", () => {
    expect(extent(Float32Array.of(1, Number.NaN, 4), Float32Array.of(-2, Number.POSITIVE_INFINITY))).toEqual([-2, 4]);
    expect(extent(Float32Array.of(2, 2))).toEqual([1, 3]);
    expect(extent(Float32Array.of())).toEqual([0, 1]);
    expect(symmetricExtent(Float32Array.of(-3, 1))).toEqual([-3, 3]);
  });

  it("clamp to their ends", () => {
    expect([-1, 0, 0.5, 2].map((v) => colorIndex(v, [0, 1]))).toEqual([0, 0, 128, 255]);
    expect(colorIndex(Number.NaN, [0, 1])).toBe(-1);
  });
});

describe("numbers in words", () => {
  it("have the same decimals along an axis", () => {
    expect(formatTicks([-0.5, 0, 0.5, 1])).toEqual(["−0.5", "0.0", "0.5", "1.0"]);
    expect(formatTicks([0, 5000, 10_000])).toEqual(["0", "5000", "10\u202f000"]);
    expect(formatTicks([0, 2e-7, 4e-7])).toEqual(["0", "2e−7", "4e−7"]);
    expect(formatTicks([5_400_000, 5_400_200])).toEqual(["5\u202f400\u202f000", "5\u202f400\u202f200"]);
    expect(formatTicks([-1234.3, -1234.2])).toEqual(["−1234.3", "−1234.2"]);
    expect(formatTicks([3])).toEqual(["3"]);
  });

  it("have the digits that matter", () => {
    expect(formatNumber(-0.012345)).toBe("−0.01235");
    expect(formatNumber(1234.567)).toBe("1235");
    expect(formatNumber(1.5e-7)).toBe("1.5e−7");
    expect(formatNumber(null)).toBe("–");
    expect(formatNumber(Number.POSITIVE_INFINITY)).toBe("∞");
    expect(formatShort(0.006)).toBe("0.006");
    expect(formatCount(412_300)).toBe("412\u202f300");
    expect(formatEstimate(-212.3987, 0.0312)).toBe("−212.399 ± 0.031");
    expect(formatEstimate(3, null)).toBe("3");
    expect(formatEstimate(2311.3, 356.2)).toBe("2311 ± 356");
    expect(formatEstimate(10666782.3, 492966)).toBe("10666782 ± 492966");
    expect(formatSeconds(0.0123)).toBe("12.3 ms");
    expect(formatSeconds(300)).toBe("5 min");
  });

  it("stand in sentences", () => {
    expect(sentence("converged: within 0.01 nats of the best κ")).toBe("Converged: within 0.01 nats of the best κ.");
    expect(sentence("4 chains of 20 draws.")).toBe("4 chains of 20 draws.");
    expect(sentence("")).toBe("");
  });
});
