import { s } from "../dom";
import type { Theme } from "../theme";
import type { FigureBlock, Panel, Points } from "./data";
import type { Doc } from "./model";
import { symbol } from "./panels";
import { label, measure } from "./text";

type Sample = "box" | "line" | "draws" | "band" | "fill" | "edge" | "mean" | Exclude<Points["symbol"], undefined>;

interface Key {
  series: string;
  label: string;
  sample: Sample;
  isDashed: boolean;
}

/** What the legend calls mean ± 2 sd of fields, whose colours differ by column. */
export const bandSeries = "band";

function keysOf(panel: Panel): Omit<Key, "label">[] {
  const points =
    "points" in panel
      ? (panel.points ?? []).map((p) => ({ series: p.series ?? "data", sample: p.symbol ?? "dot", isDashed: false }))
      : [];
  switch (panel.kind) {
    case "bars":
      return panel.groups.flatMap(({ bars }) =>
        bars.map(({ series }) => ({ series, sample: "box" as const, isDashed: false })),
      );
    case "band":
      return [
        { series: bandSeries, sample: panel.sd ? "mean" : "line", isDashed: false },
        ...(panel.truth ? [{ series: "truth", sample: "line" as const, isDashed: true }] : []),
        ...(panel.lines ?? []).map(({ series }) => ({ series, sample: "line" as const, isDashed: true })),
      ];
    case "curves": {
      const lines = panel.lines ?? [];
      return [
        ...lines.map(({ series, x, y, dash }) => {
          const several = Array.isArray(x) && Array.isArray(y) ? y.length > x.length : dataLength(y) > dataLength(x);
          const isDashed = dash !== false && (dash || lines.length > 1);
          return { series, sample: several ? ("draws" as const) : ("line" as const), isDashed };
        }),
        ...(panel.bands ?? []).map(({ series }) => ({ series, sample: "band" as const, isDashed: false })),
        ...points,
        ...(panel.rules ?? []).flatMap(({ series }) =>
          series ? [{ series, sample: "line" as const, isDashed: true }] : [],
        ),
      ];
    }
    case "contour":
      return [
        { series: panel.series ?? "exact", sample: "fill", isDashed: false },
        ...(panel.lines ?? []).map(({ series }) => ({ series, sample: "line" as const, isDashed: true })),
        ...points,
      ];
    case "map":
      return [
        ...(panel.boundary ?? []).map(({ name }) => ({ series: name, sample: "edge" as const, isDashed: false })),
        ...points,
      ];
    default:
      return [];
  }
}

/** Near enough to tell one curve from several over the same x. */
function dataLength(numbers: { length: number } | { data: string; type: string }): number {
  if ("length" in numbers) return numbers.length;
  const bytes = { f32: 4, f64: 8, i32: 4, q16: 2, q8: 1 }[numbers.type] ?? 4;
  return (0.75 * numbers.data.length) / bytes;
}

function keys(figure: FigureBlock): Key[] {
  const all = new Map<string, Omit<Key, "label">>();
  for (const panel of figure.panels.flat())
    for (const key of panel ? keysOf(panel) : []) if (!all.has(key.series)) all.set(key.series, key);
  if (figure.legend)
    return figure.legend.flatMap(({ series, label }) => {
      const key = all.get(series);
      return key ? [{ ...key, label }] : [];
    });
  const headings = [...(figure.columns ?? []), ...(figure.rows ?? [])];
  return [...all.values()]
    .filter(({ series }) => !headings.includes(series))
    .map((key) => ({ ...key, label: key.series === bandSeries ? "mean ± 2 sd" : key.series }));
}

const rowHeight = 18;
const sampleWidth = 24;

/** The legend of a figure, in rows no longer than the width; nothing if there is nothing to tell. */
export function legend(
  doc: Doc,
  figure: FigureBlock,
  theme: Theme,
  left: number,
  width: number,
): { node: SVGGElement; height: number } | undefined {
  const entries = keys(figure);
  if (entries.length === 0) return undefined;
  const node = s("g", { class: "legend" });
  let x = left;
  let y = 8;
  for (const key of entries) {
    const length = sampleWidth + 6 + measure(key.label) + 18;
    if (x > left && x + length - 18 > width) {
      x = left;
      y += rowHeight;
    }
    const { color, dash } =
      key.series === bandSeries ? { color: theme.muted, dash: "none" } : doc.series.style(theme, key.series);
    const line = (look: Record<string, string | number> = {}) =>
      s("line", { x1: x, x2: x + sampleWidth, y1: y, y2: y, stroke: color, "stroke-width": 1.8, ...look });
    const area = (opacity: number) =>
      s("rect", { x, y: y - 5, width: sampleWidth, height: 10, fill: color, "fill-opacity": opacity });
    if (key.sample === "box")
      node.append(s("rect", { x: x + 8, y: y - 5.5, width: 11, height: 11, rx: 1.5, fill: color }));
    else if (key.sample === "line") node.append(line({ "stroke-dasharray": key.isDashed ? dash : "none" }));
    else if (key.sample === "draws")
      node.append(
        s("path", {
          d: `M${x},${y + 3}c8,-9 14,3 24,-5M${x},${y}c8,-5 14,7 24,-1M${x},${y + 5}c8,-5 14,-4 24,-2`,
          fill: "none",
          stroke: color,
          "stroke-width": 0.9,
        }),
      );
    else if (key.sample === "band") node.append(area(0.3));
    else if (key.sample === "mean") node.append(area(0.25), line());
    else if (key.sample === "fill") node.append(area(0.55));
    else if (key.sample === "edge") node.append(line({ "stroke-width": 3 }));
    else node.append(symbol(key.sample, x + sampleWidth / 2 + 2, y, color, theme.background));
    node.append(label([key.label], { x: x + sampleWidth + 6, y, anchor: "start", fill: theme.text }));
    x += length;
  }
  return { node, height: y + 12 };
}
