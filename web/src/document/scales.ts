// Which scales panels have: ranges of axes and colours, shared as the figure says.

import { extent, symmetricExtent } from "../colors";
import type { Floats } from "../decode";
import { largestOf } from "../matrix";
import type { AxisSpec, BandPanel, FigureBlock, Panel, Points, Scheme } from "./data";
import { type Doc, expectLength } from "./model";

export interface Axis {
  label: string;
  log: boolean;
  domain: [number, number];
  /** Panels of the same group have the same scale. */
  group: string;
  /** Of groups of bars, in place of numbers. */
  categories?: string[];
  /** No ticks between whole numbers. */
  whole?: boolean;
}

export interface ColorScale {
  key: string;
  label: string;
  scheme: Scheme;
  domain: [number, number];
  /** Of a signed-log scale. */
  largest?: number;
}

/** A panel in its place. */
export interface Slot {
  panel: Panel;
  row: number;
  column: number;
  x?: Axis;
  y?: Axis;
  color?: ColorScale;
}

export interface Plan {
  figure: FigureBlock;
  rowCount: number;
  columnCount: number;
  slots: Slot[];
}

/** What a panel needs of an axis, before it is shared. */
interface Need {
  label: string;
  log: boolean;
  values: Floats[];
  fixed?: [number, number] | undefined;
  /** Space beyond the values as a share of their range. */
  padding: number;
  zero: boolean;
  categories?: string[];
  whole?: boolean;
}

const none = new Float64Array(0);
const need = (spec: AxisSpec | undefined, values: Floats[], padding: number, zero = false): Need => ({
  label: spec?.label ?? "",
  log: spec?.log ?? false,
  values,
  fixed: spec?.domain,
  padding,
  zero: spec?.zero ?? zero,
});

/** The values of a band, with twice the sd to either side. */
function bandValues(doc: Doc, panel: BandPanel): Floats[] {
  const mean = doc.floats(panel.mean);
  const edges = doc.floats(panel.edges);
  expectLength("edges", edges, mean.length + 1);
  const sd = panel.sd ? doc.floats(panel.sd) : mean.map(() => 0);
  expectLength("standard deviations", sd, mean.length);
  const others = [...(panel.truth ? [panel.truth] : []), ...(panel.lines ?? []).map((line) => line.values)];
  for (const values of others) expectLength("values of cells", doc.floats(values), mean.length);
  return [
    Float64Array.from(mean, (m, i) => m - 2 * sd[i]),
    Float64Array.from(mean, (m, i) => m + 2 * sd[i]),
    ...others.map((values) => doc.floats(values)),
  ];
}

function pointNeeds(doc: Doc, points: Points[] | undefined): { x: Floats[]; y: Floats[] } {
  const all = points ?? [];
  for (const p of all) expectLength("y of points", doc.floats(p.y), doc.floats(p.x).length);
  return {
    x: all.map((p) => doc.floats(p.x)),
    y: all.flatMap((p) => {
      const y = doc.floats(p.y);
      if (!p.error) return [y];
      const error = doc.floats(p.error);
      expectLength("error bars", error, y.length);
      return [Float64Array.from(y, (v, i) => v - error[i]), Float64Array.from(y, (v, i) => v + error[i])];
    }),
  };
}

function needs(doc: Doc, panel: Panel): { x: Need; y: Need } | undefined {
  switch (panel.kind) {
    case "bars": {
      const bars = panel.groups.flatMap((group) => group.bars);
      const values = Float64Array.from(
        bars.flatMap((bar) => [bar.value, bar.low, bar.high]).map((value) => value ?? Number.NaN),
      );
      const single = bars.flatMap((bar) => (bar.points ? [doc.floats(bar.points)] : []));
      const categories = panel.groups.map((group) => group.label);
      const hasFoot = (panel.mark ?? (panel.y_axis?.log ? "dot" : "bar")) === "bar";
      return {
        x: { ...need({ label: panel.x_label ?? "" }, [none], 0), categories },
        y: need(panel.y_axis, [values, ...single], 0.06, hasFoot && !panel.y_axis?.log),
      };
    }
    case "band":
      return {
        x: need(panel.x_axis, [doc.floats(panel.edges)], 0),
        y: need(panel.y_axis, bandValues(doc, panel), 0.04),
      };
    case "curves": {
      const points = pointNeeds(doc, panel.points);
      const rules = panel.rules ?? [];
      for (const line of panel.lines ?? []) {
        const [x, y] = [doc.floats(line.x), doc.floats(line.y)];
        if (x.length === 0 || y.length % x.length !== 0) throw new Error(`${y.length} y over ${x.length} x.`);
      }
      for (const band of panel.bands ?? []) {
        const count = doc.floats(band.x).length;
        expectLength("values of a band", doc.floats(band.low), count);
        expectLength("values of a band", doc.floats(band.high), count);
      }
      const isFilled = panel.lines?.some((line) => line.fill) ?? false;
      return {
        x: need(
          panel.x_axis,
          [
            ...(panel.lines ?? []).map((line) => doc.floats(line.x)),
            ...(panel.bands ?? []).map((band) => doc.floats(band.x)),
            ...points.x,
            Float64Array.from(rules.flatMap((rule) => rule.x ?? [])),
          ],
          points.x.length > 0 ? 0.03 : 0,
        ),
        y: need(
          panel.y_axis,
          [
            ...(panel.lines ?? []).map((line) => doc.floats(line.y)),
            ...(panel.bands ?? []).flatMap((band) => [doc.floats(band.low), doc.floats(band.high)]),
            ...points.y,
            Float64Array.from(rules.flatMap((rule) => rule.y ?? [])),
          ],
          0.05,
          isFilled,
        ),
      };
    }
    case "contour": {
      const [x, y] = [doc.floats(panel.x), doc.floats(panel.y)];
      for (const z of [panel.z, ...(panel.lines ?? []).map((line) => line.z)])
        expectLength("values of a grid", doc.floats(z), x.length * y.length);
      pointNeeds(doc, panel.points);
      return { x: need(panel.x_axis, [x], 0), y: need(panel.y_axis, [y], 0) };
    }
    case "matrix": {
      if (panel.size > 512) throw new Error("A matrix has 512 rows at most.");
      expectLength("entries of a matrix", doc.floats(panel.values), panel.size ** 2);
      const ends: [number, number] = [0, panel.size];
      const axis = { ...need({ label: "", domain: ends }, [none], 0), whole: true };
      return { x: axis, y: axis };
    }
    case "map": {
      const { window, axes } = doc.view(panel);
      doc.field(panel);
      pointNeeds(doc, panel.points);
      const axis = (at: number, domain: [number, number]) => need({ label: "xyz"[at], domain }, [none], 0);
      return { x: axis(axes[0], window.x), y: axis(axes[1], window.y) };
    }
    default:
      return undefined;
  }
}

/** The range of an axis that does for all of these. */
export function domainOf(all: Need[]): [number, number] {
  const fixed = all.find((one) => one.fixed)?.fixed;
  if (fixed) return fixed;
  const { log } = all[0];
  const values = all.flatMap((one) => one.values);
  if (log) {
    const [lo, hi] = extent(...values.map((v) => Float64Array.from(v, (t) => (t > 0 ? Math.log10(t) : Number.NaN))));
    const padding = Math.max(...all.map((one) => one.padding)) * (hi - lo);
    return [10 ** (lo - padding), 10 ** (hi + padding)];
  }
  let [lo, hi] = extent(...values);
  const zero = all.some((one) => one.zero);
  if (zero) [lo, hi] = [Math.min(0, lo), Math.max(0, hi)];
  const padding = Math.max(...all.map((one) => one.padding)) * (hi - lo);
  return [zero && lo === 0 ? 0 : lo - padding, zero && hi === 0 ? 0 : hi + padding];
}

function grouped<T>(items: T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

const alike = (axis: Need) =>
  JSON.stringify([axis.label, axis.log, axis.categories ?? null, axis.whole ? axis.fixed : null]);

/** All panels of a figure with their scales. Throws if a panel's numbers do not fit together. */
export function plan(doc: Doc, figure: FigureBlock): Plan {
  const columnCount = Math.max(1, ...figure.panels.map((row) => row.length));
  const found = figure.panels.flatMap((row, r) =>
    row.flatMap((panel, c) =>
      panel ? [{ slot: { panel, row: r, column: c } as Slot, needs: needs(doc, panel) }] : [],
    ),
  );
  const { x = "column", y = "row" } = figure.shared ?? {};
  const own = ({ row, column }: Slot) => `${row},${column}`;
  const withAxes = found.flatMap(({ slot, needs }) => (needs ? [{ slot, needs }] : []));
  const family = ({ kind }: Panel) => (kind === "map" || kind === "matrix" ? kind : "chart");
  for (const axis of ["x", "y"] as const) {
    const groupOf = ({ slot, needs }: (typeof withAxes)[number]) => {
      const place =
        axis === "x"
          ? x === "all"
            ? ""
            : x === "column"
              ? `column ${slot.column}`
              : own(slot)
          : y === "all"
            ? ""
            : y === "row"
              ? `row ${slot.row}`
              : own(slot);
      // Maps and matrices have the axes of their mesh and size.
      const kind = family(slot.panel);
      const mesh = slot.panel.kind === "map" ? JSON.stringify([slot.panel.mesh, slot.panel.slice]) : "";
      return `${kind} ${mesh} ${kind === "chart" ? place : ""} ${alike(needs[axis])}`;
    };
    for (const [group, members] of grouped(withAxes, groupOf)) {
      const domain = domainOf(members.map(({ needs }) => needs[axis]));
      for (const { slot, needs } of members) {
        const { label, log, categories, whole } = needs[axis];
        slot[axis] = { label, log, domain, group, ...(categories && { categories }), ...(whole && { whole }) };
      }
    }
  }
  const slots = found.map(({ slot }) => slot);
  colorScales(doc, figure, slots);
  return { figure, rowCount: figure.panels.length, columnCount, slots };
}

function colorScales(doc: Doc, figure: FigureBlock, slots: Slot[]): void {
  const color = figure.shared?.color ?? "row";
  const keyOf = (slot: Slot): string => {
    const { panel } = slot;
    if (panel.kind !== "matrix" && panel.kind !== "map") return "";
    if (panel.scale) return `named ${panel.kind} ${panel.scale}`;
    const place = color === "all" ? "" : color === "row" ? `row ${slot.row}` : `${slot.row},${slot.column}`;
    return `${panel.kind} ${place} ${panel.label} ${panel.kind === "map" ? panel.scheme : ""}`;
  };
  const colored = slots.filter(
    ({ panel }) => (panel.kind === "map" && panel.values) || (panel.kind === "matrix" && !panel.pattern),
  );
  for (const [key, members] of grouped(colored, keyOf)) {
    const first = members[0].panel as Extract<Panel, { kind: "map" | "matrix" }>;
    const spec = first.scale ? figure.scales?.[first.scale] : undefined;
    const values = members.map(({ panel }) =>
      doc.floats((panel as Extract<Panel, { kind: "map" | "matrix" }>).values ?? []),
    );
    let scale: ColorScale;
    if (first.kind === "matrix") {
      const largest = spec?.domain ? Math.max(...spec.domain.map(Math.abs)) : Math.max(...values.map(largestOf));
      scale = {
        key,
        label: spec?.label ?? first.label ?? "entry (log scale)",
        scheme: "diverging",
        domain: [0, 1],
        largest,
      };
    } else {
      const scheme = spec?.scheme ?? first.scheme ?? "viridis";
      const [lo, hi] = extent(...values);
      const all = scheme === "diverging" ? symmetricExtent(Float64Array.of(lo, hi)) : ([lo, hi] as [number, number]);
      scale = { key, label: spec?.label ?? first.label ?? "", scheme, domain: spec?.domain ?? all };
    }
    for (const slot of members) slot.color = scale;
  }
}
