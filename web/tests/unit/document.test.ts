import { describe, expect, it, vi } from "vitest";
import { fixture } from "../../fixtures/make.mjs";
import type { DocumentData, FigureBlock, Panel } from "../../src/document/data";

vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => {} }));
const { ticksOf, powerOfTen } = await import("../../src/document/axes");
const { placeBars } = await import("../../src/document/grid");
const { Doc } = await import("../../src/document/model");
const { reduced } = await import("../../src/document/panels");
const { domainOf, plan } = await import("../../src/document/scales");
const { Series } = await import("../../src/document/series");
const { alignOf, groupsOf } = await import("../../src/document/tables");
const { dark, light } = await import("../../src/theme");

function documentOf(...figures: FigureBlock[]): DocumentData {
  return {
    schema: 1,
    kind: "document",
    title: "",
    summary: [],
    generator: { version: "0" },
    meshes: {
      square: { dimension: 2, cell_type: "quadrilateral", nodes: [0, 0, 2, 0, 2, 1, 0, 1], cells: [0, 1, 2, 3] },
    },
    sections: [{ id: "section", title: "", blocks: figures }],
  };
}
const figure = (panels: (Panel | null)[][], more: Partial<FigureBlock> = {}): FigureBlock => ({
  type: "figure",
  id: "figure",
  title: "",
  caption: "",
  panels,
  ...more,
});
const planned = (one: FigureBlock) => plan(new Doc(documentOf(one)), one);
const line = (y: number[], label = "y"): Panel => ({
  kind: "curves",
  lines: [{ series: "a", x: y.map((_, k) => k), y }],
  y_axis: { label },
});
const map = (value: number, scale?: string): Panel => ({
  kind: "map",
  mesh: "square",
  values: [value],
  ...(scale ? { scale } : {}),
});

describe("series", () => {
  const methods = ["HMC", "pCN", "MFVB", "FCVB", "PMVB", "NUTS", "Laplace", "exact", "truth"];
  it("have colours of their own, whatever comes before", () => {
    for (const theme of [light, dark]) {
      const colors = methods.map((name) => new Series(["other", "another"]).style(theme, name).color);
      expect(new Set(colors).size).toBe(methods.length);
      expect(methods.map((name) => new Series([]).style(theme, name).color)).toEqual(colors);
    }
  });

  /** CIE Lab of a colour as seen with a matrix on linear RGB. */
  const seen = (hex: string, [r, g, b]: number[][]) => {
    const linear = [1, 3, 5]
      .map((k) => Number.parseInt(hex.slice(k, k + 2), 16) / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    const dot = (row: number[], v: number[]) => row.reduce((sum, w, k) => sum + w * v[k], 0);
    const rgb = [r, g, b].map((row) => Math.min(1, Math.max(0, dot(row, linear))));
    const [x, y, z] = [
      [0.4339, 0.3762, 0.1899],
      [0.2126, 0.7152, 0.0722],
      [0.0177, 0.1095, 0.8728],
    ].map((row) => Math.cbrt(dot(row, rgb)));
    return { lab: [116 * y - 16, 500 * (x - y), 200 * (y - z)], luminance: dot([0.2126, 0.7152, 0.0722], linear) };
  };
  // Machado, Oliveira and Fernandes (2009), full deficiency.
  const eyes = {
    all: [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ],
    deuteranopes: [
      [0.367322, 0.860646, -0.227968],
      [0.280085, 0.672501, 0.047413],
      [-0.01182, 0.04294, 0.968881],
    ],
    protanopes: [
      [0.152286, 1.052583, -0.204868],
      [0.114503, 0.786281, 0.099216],
      [-0.003882, -0.048116, 1.051998],
    ],
  };

  it.each(Object.entries(eyes))("can be told apart by %s, and stand out from the page", (_, matrix) => {
    for (const theme of [light, dark]) {
      const page = seen(theme.background, eyes.all).luminance;
      const colors = methods.map((name) => new Series([]).style(theme, name).color);
      for (const [i, one] of colors.entries()) {
        const { luminance } = seen(one, eyes.all);
        const contrast = (Math.max(page, luminance) + 0.05) / (Math.min(page, luminance) + 0.05);
        expect(contrast).toBeGreaterThan(3);
        for (const other of colors.slice(0, i)) {
          const [p, q] = [seen(one, matrix).lab, seen(other, matrix).lab];
          expect(Math.hypot(...p.map((v, k) => v - q[k]))).toBeGreaterThan(14);
        }
      }
    }
  });

  it("without fixed colours have them by order", () => {
    const series = new Series(["HMC", "b", "a", "b"]);
    expect(series.style(light, "b")).not.toEqual(series.style(light, "a"));
    expect(series.style(light, "b")).toEqual(new Series(["x"]).style(light, "x"));
  });
});

describe("axes", () => {
  const ends = (one: FigureBlock, axis: "x" | "y") => planned(one).slots.map((slot) => slot[axis]?.domain[1] ?? 0);

  it("are shared by row and column unless the figure says otherwise", () => {
    const panels = [
      [line([0, 1]), line([0, 10, 0])],
      [line([0, 100]), line([0, 1000])],
    ];
    const [a, b, c, d] = ends(figure(panels), "y");
    expect(a).toBe(b);
    expect(c).toBe(d);
    expect(c).toBeGreaterThan(a);
    expect(ends(figure(panels), "x")).toEqual([1, 2, 1, 2]);
    expect(new Set(ends(figure(panels, { shared: { y: "all", x: "all" } }), "y")).size).toBe(1);
    expect(ends(figure(panels, { shared: { x: "all" } }), "x")).toEqual([2, 2, 2, 2]);
    expect(new Set(ends(figure(panels, { shared: { y: "none" } }), "y")).size).toBe(4);
  });

  it("with other labels are not shared", () => {
    const [a, b] = ends(figure([[line([0, 1], "u"), line([0, 10], "κ")]]), "y");
    expect(b).toBeGreaterThan(5 * a);
  });

  it("of bars begin at zero, and those of logarithms above", () => {
    const bars = (log: boolean): Panel => ({
      kind: "bars",
      groups: [{ label: "g", bars: [{ series: "a", value: 5, low: 4, high: 6 }] }],
      y_axis: { log },
    });
    expect(planned(figure([[bars(false)]])).slots[0].y?.domain[0]).toBe(0);
    const [lo, hi] = planned(figure([[bars(true)]])).slots[0].y?.domain ?? [0, 0];
    expect(lo).toBeGreaterThan(3.5);
    expect(hi).toBeLessThan(7);
  });

  it("leave out what logarithms cannot show", () => {
    const need = { label: "", log: true, values: [Float64Array.of(0, -1, 10, 1000)], padding: 0, zero: false };
    const [lo, hi] = domainOf([need]);
    expect(lo).toBeCloseTo(10);
    expect(hi).toBeCloseTo(1000);
  });

  it("have few ticks with few digits", () => {
    const axis = (domain: [number, number], log = false) => ({ label: "", log, domain, group: "" });
    expect(ticksOf(axis([0, 1]), 100, true).map(({ text }) => text)).toEqual(["0.0", "0.5", "1.0"]);
    expect(ticksOf(axis([0.5, 2e4], true), 200, false).map(({ text }) => text)).toEqual([
      "1",
      "10",
      "10²",
      "10³",
      "10⁴",
    ]);
    expect(ticksOf(axis([20, 900], true), 200, false).map(({ text }) => text)).toContain("200");
    expect(powerOfTen(-12)).toBe("10⁻¹²");
  });
});

describe("colour scales", () => {
  const domains = (one: FigureBlock) => planned(one).slots.map((slot) => slot.color?.domain);

  it("are shared by row, by name, or not at all", () => {
    const rows = [
      [map(0), map(4)],
      [map(10), map(20)],
    ];
    expect(domains(figure(rows))).toEqual([
      [0, 4],
      [0, 4],
      [10, 20],
      [10, 20],
    ]);
    expect(domains(figure(rows, { shared: { color: "all" } }))[0]).toEqual([0, 20]);
    const named = [
      [map(0, "one"), map(4, "two")],
      [map(10, "one"), map(20, "two")],
    ];
    expect(domains(figure(named))).toEqual([
      [0, 10],
      [4, 20],
      [0, 10],
      [4, 20],
    ]);
    const scales = { one: { domain: [-1, 1] as [number, number] }, two: { scheme: "diverging" as const } };
    expect(domains(figure(named, { scales })).slice(0, 2)).toEqual([
      [-1, 1],
      [-20, 20],
    ]);
  });

  it("have one bar for as many panels as possible", () => {
    const bars = (one: FigureBlock) => placeBars(planned(one).slots);
    const [a, b, c, d] = [map(0, "one"), map(1, "two"), map(2, "one"), map(3, "two")];
    expect(
      bars(
        figure([
          [a, c],
          [b, d],
        ]),
      ).map(({ rows }) => rows),
    ).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(
      bars(
        figure([
          [a, c],
          [a, c],
        ]),
      ).map(({ rows }) => rows),
    ).toEqual([[0, 1]]);
    expect(
      bars(
        figure([
          [a, b],
          [c, d],
        ]),
      ).map(({ column }) => column),
    ).toEqual([0, 1]);
    expect(
      bars(
        figure([
          [a, b],
          [d, c],
        ]),
      ).map(({ slot }) => slot?.row),
    ).toEqual([0, 1, 0, 1]);
    expect(bars(figure([[a], [b], [c]])).map(({ rows }) => rows)).toEqual([
      [0, 0],
      [2, 2],
      [1, 1],
    ]);
  });

  it("of matrices count the largest magnitude of all", () => {
    const matrix = (value: number): Panel => ({ kind: "matrix", size: 1, values: [value] });
    const [one, other] = planned(figure([[matrix(-7), matrix(3)]])).slots;
    expect([one.color?.largest, other.color?.largest]).toEqual([7, 7]);
  });
});

describe("panels whose numbers do not fit", () => {
  it.each<[Panel, string]>([
    [{ kind: "band", edges: [0, 1], mean: [1, 2] }, "There are 2 edges, not 3."],
    [{ kind: "curves", lines: [{ series: "a", x: [0, 1], y: [1, 2, 3] }] }, "3 y over 2 x."],
    [{ kind: "matrix", size: 2, values: [1, 2, 3] }, "There are 3 entries of a matrix, not 4."],
    [{ kind: "map", mesh: "square", values: [1], at: "node" }, "There are 1 values of the mesh square, not 4."],
    [{ kind: "map", mesh: "circle" }, "There is no mesh circle."],
    [{ kind: "contour", x: [0, 1], y: [0, 1], z: [1] }, "There are 1 values of a grid, not 4."],
  ])("are refused: %#", (panel, words) => {
    expect(() => planned(figure([[panel]]))).toThrow(words);
  });
});

describe("documents", () => {
  it("are checked", () => {
    expect(() => new Doc({ ...documentOf(), schema: 2 as 1 })).toThrow("schema 2");
    expect(() => new Doc(documentOf(figure([]), figure([])))).toThrow("figure is given twice");
    const paper = new Doc(JSON.parse(fixture("paper")));
    expect(paper.claims).toHaveLength(20);
    expect(paper.titleOf("times-1d")).toMatch(/^Table 1/);
  });
});

describe("tables", () => {
  it("align numbers to the right and have headings over groups", () => {
    const columns = [
      { label: "a" },
      { label: "b", group: "G" },
      { label: "c", group: "G" },
      { label: "d" },
      { label: "e" },
    ];
    const block = { type: "table" as const, columns, rows: [["x", 1, null, 2, "1–2"]] };
    expect(columns.map((_, c) => alignOf(block, c))).toEqual(["left", "right", "right", "right", "left"]);
    expect(groupsOf(columns)).toEqual([
      { group: "", span: 1 },
      { group: "G", span: 2 },
      { group: "", span: 1 },
      { group: "", span: 1 },
    ]);
  });
});

describe("a large matrix", () => {
  it("keeps the largest entry of each block, with its sign", () => {
    expect([...reduced(Float64Array.of(1, -5, 0, 2, 3, 0, 0, 0, -1), 3, 2)]).toEqual([-5, 0, 0, -1]);
  });
});
