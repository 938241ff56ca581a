// What each kind of panel draws inside its frame.

import { contours } from "d3-contour";
import { extent } from "../colors";
import type { Floats } from "../decode";
import { s } from "../dom";
import { formatNumber } from "../format";
import { fitsPolygons, type MapContent, paintCanvas, polygons } from "../map";
import { paintMatrix } from "../matrix";
import { rasterize, valueAt } from "../raster";
import { light, type Theme } from "../theme";
import type { Box, Scale } from "./axes";
import type {
  BandPanel,
  BarsPanel,
  ContourPanel,
  CurvesPanel,
  MapPanel,
  MatrixPanel,
  Panel,
  Points,
  TextPanel,
} from "./data";
import type { Doc } from "./model";
import type { Slot } from "./scales";
import { label, overLines, wrap } from "./text";

export interface Context {
  doc: Doc;
  slot: Slot;
  theme: Theme;
  box: Box;
  scaleX: Scale;
  scaleY: Scale;
}

/** What is at a place of the drawing, in words. */
export type Probe = (x: number, y: number) => string | undefined;

export interface Drawn {
  nodes: SVGElement[];
  probe?: Probe;
}

type Of<P extends Panel> = Context & { panel: P };

const fixedPoint = (v: number) => v.toFixed(2);

/** A line through points; it breaks where there is none. */
function pathOf(xs: ArrayLike<number>, ys: ArrayLike<number>, x: Scale, y: Scale, from = 0): string {
  let path = "";
  let isDown = false;
  for (let i = 0; i < xs.length; i++) {
    const [px, py] = [x(xs[i]), y(ys[from + i])];
    if (!Number.isFinite(px) || !Number.isFinite(py)) {
      isDown = false;
      continue;
    }
    path += `${isDown ? "L" : "M"}${fixedPoint(px)},${fixedPoint(Math.max(-1e4, Math.min(1e4, py)))}`;
    isDown = true;
  }
  return path;
}

/** A closed shape between two lines. */
function areaPath(xs: ArrayLike<number>, low: ArrayLike<number>, high: ArrayLike<number>, x: Scale, y: Scale): string {
  const ok = Array.from({ length: xs.length }, (_, i) => i).filter((i) => Number.isFinite(low[i] + high[i]));
  if (ok.length === 0) return "";
  const point = (i: number, values: ArrayLike<number>) =>
    `${fixedPoint(x(xs[i]))},${fixedPoint(Math.max(-1e4, Math.min(1e4, y(values[i]))))}`;
  return `M${[...ok.map((i) => point(i, high)), ...ok.reverse().map((i) => point(i, low))].join("L")}Z`;
}

/** Values of cells as corners of steps. */
function steps(edges: Floats, values: ArrayLike<number>): { x: Float64Array; y: Float64Array } {
  const n = values.length;
  const x = Float64Array.from({ length: 2 * n }, (_, i) => edges[(i + 1) >> 1]);
  return { x, y: Float64Array.from({ length: 2 * n }, (_, i) => values[i >> 1]) };
}

export function symbol(kind: Points["symbol"], x: number, y: number, color: string, background: string): SVGElement {
  if (kind === "cross") {
    const d = `M${fixedPoint(x - 3)},${fixedPoint(y - 3)}l6,6m0,-6l-6,6`;
    return s("path", { d, stroke: color, "stroke-width": 1.5, fill: "none" });
  }
  const look = { fill: background, stroke: color, "stroke-width": 1.1 };
  if (kind === "square") return s("rect", { x: x - 2.4, y: y - 2.4, width: 4.8, height: 4.8, ...look });
  return s("circle", { cx: fixedPoint(x), cy: fixedPoint(y), r: 2.4, ...look });
}

function pointNodes(context: Context, points: Points[] | undefined, onMap = false): SVGElement[] {
  const { doc, theme, scaleX, scaleY } = context;
  return (points ?? []).map((p) => {
    const { color } = doc.series.style(onMap ? light : theme, p.series ?? "data");
    const group = s("g");
    const [x, y] = [doc.floats(p.x), doc.floats(p.y)];
    const error = p.error ? doc.floats(p.error) : undefined;
    for (let i = 0; i < x.length; i++) {
      if (!Number.isFinite(x[i] + y[i])) continue;
      const px = scaleX(x[i]);
      if (error && error[i] > 0) {
        const [y1, y2] = [scaleY(y[i] - error[i]), scaleY(y[i] + error[i])];
        const d = `M${fixedPoint(px)},${fixedPoint(y1)}V${fixedPoint(y2)}M${fixedPoint(px - 2.5)},${fixedPoint(y1)}h5M${fixedPoint(px - 2.5)},${fixedPoint(y2)}h5`;
        group.append(s("path", { d, stroke: color, fill: "none", "stroke-width": 0.9 }));
      }
      group.append(symbol(p.symbol, px, scaleY(y[i]), color, onMap ? "#ffffff" : theme.background));
    }
    return group;
  });
}

function bars({ doc, panel, slot, theme, box, scaleY }: Of<BarsPanel>): Drawn {
  const nodes: SVGElement[] = [];
  const hits: { left: number; right: number; text: string }[] = [];
  const asDots = (panel.mark ?? (slot.y?.log ? "dot" : "bar")) === "dot";
  const share = box.width / Math.max(1, panel.groups.length);
  const foot = slot.y?.log ? box.y + box.height : scaleY(0);
  panel.groups.forEach((group, g) => {
    const width = Math.min(34, (0.84 * share) / Math.max(1, group.bars.length));
    const start = box.x + (g + 0.5) * share - (width * group.bars.length) / 2;
    if (g > 0) {
      const at = box.x + g * share;
      nodes.push(s("line", { x1: at, x2: at, y1: box.y, y2: box.y + box.height, stroke: theme.grid }));
    }
    group.bars.forEach((bar, k) => {
      const { color } = doc.series.style(theme, bar.series);
      const middle = start + (k + 0.5) * width;
      const value = bar.value ?? Number.NaN;
      const place = panel.groups.length > 1 ? `${bar.series}, ${group.label}` : bar.series;
      const ends = [bar.low, bar.high].map((end) => formatNumber(end, 3));
      const range = ends[0] === "–" ? "" : ` (${ends[0]} to ${ends[1]})`;
      hits.push({
        left: middle - width / 2,
        right: middle + width / 2,
        text: `${place}: ${formatNumber(bar.value)}${range}`,
      });
      const mark = s("g", { "data-series": bar.series });
      if (!asDots && Number.isFinite(value)) {
        const at = scaleY(value);
        mark.append(
          s("rect", {
            x: fixedPoint(middle - 0.4 * width),
            y: fixedPoint(Math.min(at, foot)),
            width: fixedPoint(0.8 * width),
            height: fixedPoint(Math.abs(foot - at)),
            fill: color,
            "fill-opacity": bar.points ? 0.38 : 0.8,
            stroke: color,
          }),
        );
      }
      const single = bar.points ? doc.floats(bar.points) : [];
      for (let i = 0; i < single.length; i++) {
        if (!Number.isFinite(single[i])) continue;
        // Spread evenly, and the same every time.
        const offset = (((i + 1) * 0.618034) % 1) - 0.5;
        mark.append(
          s("circle", {
            cx: fixedPoint(middle + 0.56 * width * offset),
            cy: fixedPoint(scaleY(single[i])),
            r: Math.min(1.5, 0.13 * width),
            fill: color,
            "fill-opacity": asDots ? 0.45 : 0.75,
          }),
        );
      }
      if (typeof bar.low === "number" && typeof bar.high === "number") {
        const cap = Math.min(4, 0.22 * width);
        const [y1, y2] = [scaleY(bar.low), scaleY(bar.high)].map(fixedPoint);
        const d = `M${fixedPoint(middle)},${y1}V${y2}M${fixedPoint(middle - cap)},${y1}h${2 * cap}M${fixedPoint(middle - cap)},${y2}h${2 * cap}`;
        mark.append(s("path", { d, stroke: asDots ? color : theme.text, "stroke-width": 1.2, fill: "none" }));
      }
      if (asDots && Number.isFinite(value)) {
        const look = { r: Math.min(3.6, 0.4 * width), fill: color, stroke: theme.background, "stroke-width": 0.8 };
        mark.append(s("circle", { cx: fixedPoint(middle), cy: fixedPoint(scaleY(value)), ...look }));
      }
      nodes.push(mark);
    });
  });
  return { nodes, probe: (x) => hits.find((hit) => x >= hit.left && x < hit.right)?.text };
}

const valueLine = (name: string, value: number) => `${name} ${formatNumber(value, 3)}`;

function band({ doc, panel, theme, box, scaleX, scaleY, slot }: Of<BandPanel>): Drawn {
  const color = doc.series.style(theme, panel.series ?? "mean").color;
  const edges = doc.floats(panel.edges);
  const mean = doc.floats(panel.mean);
  const sd = panel.sd ? doc.floats(panel.sd) : undefined;
  const nodes: SVGElement[] = [];
  if (sd) {
    const low = steps(
      edges,
      Float64Array.from(mean, (m, i) => m - 2 * sd[i]),
    );
    const high = steps(
      edges,
      Float64Array.from(mean, (m, i) => m + 2 * sd[i]),
    );
    const d = areaPath(low.x, low.y, high.y, scaleX, scaleY);
    nodes.push(s("path", { d, fill: color, "fill-opacity": theme.dark ? 0.34 : 0.24, class: "band" }));
  }
  const line = (values: Floats, look: Record<string, string | number>) => {
    const { x, y } = steps(edges, values);
    nodes.push(s("path", { d: pathOf(x, y, scaleX, scaleY), fill: "none", ...look }));
  };
  for (const other of panel.lines ?? []) {
    const style = doc.series.style(theme, other.series);
    line(doc.floats(other.values), { stroke: style.color, "stroke-width": 1.2, "stroke-dasharray": style.dash });
  }
  line(mean, { stroke: color, "stroke-width": 1.7 });
  if (panel.truth) {
    const style = doc.series.style(theme, "truth");
    line(doc.floats(panel.truth), { stroke: style.color, "stroke-width": 1.2, "stroke-dasharray": style.dash });
  }
  const probe: Probe = (px) => {
    const n = mean.length;
    let cell = 0;
    while (cell < n - 1 && scaleX(edges[cell + 1]) < px) cell++;
    if (px < box.x || px > box.x + box.width) return undefined;
    const words = [valueLine("mean", mean[cell])];
    if (sd) words.push(valueLine("sd", sd[cell]));
    if (panel.truth) words.push(valueLine("truth", doc.floats(panel.truth)[cell]));
    return `${slot.x?.label || "x"} from ${formatNumber(edges[cell], 3)} to ${formatNumber(edges[cell + 1], 3)}: ${words.join(", ")}`;
  };
  return { nodes, probe };
}

function curves(context: Of<CurvesPanel>): Drawn {
  const { doc, panel, theme, box, scaleX, scaleY, slot } = context;
  const nodes: SVGElement[] = [];
  for (const one of panel.bands ?? []) {
    const { color } = doc.series.style(theme, one.series);
    const d = areaPath(doc.floats(one.x), doc.floats(one.low), doc.floats(one.high), scaleX, scaleY);
    nodes.push(s("path", { d, fill: color, "fill-opacity": theme.dark ? 0.34 : 0.22, class: "band" }));
  }
  const lines = panel.lines ?? [];
  for (const line of lines) {
    const { color, dash } = doc.series.style(theme, line.series);
    const [x, y] = [doc.floats(line.x), doc.floats(line.y)];
    const count = y.length / x.length;
    if (line.fill && count === 1) {
      const foot = slot.y?.log ? slot.y.domain[0] : 0;
      const zeros = new Float64Array(x.length).fill(foot);
      nodes.push(
        s("path", { d: areaPath(x, zeros, y, scaleX, scaleY), fill: color, "fill-opacity": 0.16 / lines.length }),
      );
    }
    let d = "";
    for (let k = 0; k < count; k++) d += pathOf(x, y, scaleX, scaleY, k * x.length);
    const several = count > 1;
    nodes.push(
      s("path", {
        d,
        fill: "none",
        stroke: color,
        "stroke-width": several ? 0.8 : 1.7,
        "stroke-opacity": several ? Math.max(0.25, Math.min(0.8, 10 / count)) : 1,
        "stroke-dasharray": several || line.dash === false ? "none" : line.dash || lines.length > 1 ? dash : "none",
        "stroke-linejoin": "round",
      }),
    );
  }
  const labels: SVGElement[] = [];
  for (const rule of panel.rules ?? []) {
    const { color, dash } = rule.series ? doc.series.style(theme, rule.series) : { color: theme.muted, dash: "4 3" };
    const look = { stroke: color, "stroke-width": 1.2, "stroke-dasharray": dash === "none" ? "4 3" : dash };
    if (rule.x !== undefined) {
      const at = scaleX(rule.x);
      nodes.push(s("line", { x1: at, x2: at, y1: box.y, y2: box.y + box.height, ...look }));
      const atLeft = at > box.x + box.width / 2;
      if (rule.label)
        labels.push(
          overLines(
            label([rule.label], {
              x: at + (atLeft ? -4 : 4),
              y: box.y + 9,
              anchor: atLeft ? "end" : "start",
              fill: color,
            }),
            theme,
          ),
        );
    } else if (rule.y !== undefined) {
      const at = scaleY(rule.y);
      nodes.push(s("line", { x1: box.x, x2: box.x + box.width, y1: at, y2: at, ...look }));
      const below = at < box.y + 14;
      if (rule.label)
        labels.push(
          overLines(
            label([rule.label], { x: box.x + box.width - 4, y: at + (below ? 8 : -7), anchor: "end", fill: color }),
            theme,
          ),
        );
    }
  }
  nodes.push(...pointNodes(context, panel.points), ...labels);
  const probe: Probe = (px) => {
    const words = lines.flatMap((line) => {
      const [x, y] = [doc.floats(line.x), doc.floats(line.y)];
      if (y.length !== x.length) return [];
      let near = 0;
      for (let i = 1; i < x.length; i++) if (Math.abs(scaleX(x[i]) - px) < Math.abs(scaleX(x[near]) - px)) near = i;
      return Math.abs(scaleX(x[near]) - px) < 12 ? [{ x: x[near], text: valueLine(line.series, y[near]) }] : [];
    });
    if (words.length === 0) return undefined;
    return `${slot.x?.label || "x"} = ${formatNumber(words[0].x, 3)}: ${words.map(({ text }) => text).join(", ")}`;
  };
  return { nodes, probe };
}

/** The entry of largest magnitude of each block of a matrix. */
export function reduced(value: Floats, size: number, block: number): Float64Array {
  const shown = Math.ceil(size / block);
  const result = new Float64Array(shown * shown);
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) {
      const to = Math.floor(i / block) * shown + Math.floor(j / block);
      if (Math.abs(value[i * size + j]) > Math.abs(result[to])) result[to] = value[i * size + j];
    }
  return result;
}

function matrix({ doc, panel, slot, theme, box }: Of<MatrixPanel>): Drawn {
  const { size, values } = panel;
  const value = doc.floats(values);
  // What stands for zero in few bits is not quite zero.
  const zero = "lo" in values ? (0.51 * (values.hi - values.lo)) / (values.type === "q16" ? 65534 : 254) : 0;
  // Where there are more entries than pixels, the largest of a block stands for it.
  const block = Math.ceil(size / (2 * box.width));
  const shown = Math.ceil(size / block);
  const largest = block === 1 ? value : reduced(value, size, block);
  const fill = Float32Array.from(largest, (v) => (Math.abs(v) > zero ? 1 : 0));
  const show = panel.pattern ? "pattern" : "values";
  const small = paintMatrix({ size: shown, fill, value: largest, show }, theme, slot.color?.largest);
  // Enlarged here, because printers and programs smooth small pictures.
  const factor = Math.max(1, Math.ceil(512 / shown));
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = factor * shown;
  const context = canvas.getContext("2d")!;
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 0, 0, canvas.width, canvas.height);
  const whole = (shown * block) / size;
  const image = s("image", {
    x: box.x,
    y: box.y,
    width: whole * box.width,
    height: whole * box.height,
    preserveAspectRatio: "none",
    href: canvas.toDataURL("image/png"),
  });
  // Small entries are nearly white, and those of largest magnitude nearly black: they need paper.
  const paper = s("rect", { ...box, fill: panel.pattern ? "none" : "#ffffff" });
  const probe: Probe = (px, py) => {
    const at = (offset: number, length: number) => Math.min(size - 1, Math.floor((offset / length) * size));
    const [row, column] = [at(py - box.y, box.height), at(px - box.x, box.width)];
    return `row ${row}, column ${column}: ${formatNumber(value[row * size + column])}`;
  };
  return { nodes: [paper, image], probe };
}

function map(context: Of<MapPanel>): Drawn {
  const { doc, panel, slot, theme, box, scaleX, scaleY } = context;
  const { patch, window, mesh, axes } = doc.view(panel);
  const field = doc.field(panel);
  const nodes: SVGElement[] = [];
  let probe: Probe | undefined;
  if (field && slot.color) {
    const content: Pick<MapContent, "patch" | "window" | "field" | "domain" | "scheme" | "showEdges"> = {
      patch,
      window,
      field,
      domain: slot.color.domain,
      scheme: slot.color.scheme,
      showEdges: false,
    };
    if (fitsPolygons(patch, field)) nodes.push(polygons(content, scaleX, scaleY));
    else {
      const [canvas] = paintCanvas(content, { plotWidth: box.width, plotHeight: box.height }, 3);
      nodes.push(s("image", { ...box, preserveAspectRatio: "none", href: canvas.toDataURL("image/png") }));
    }
    const [w, h] = [Math.max(1, Math.round(box.width)), Math.max(1, Math.round(box.height))];
    let raster: ReturnType<typeof rasterize> | undefined;
    probe = (px, py) => {
      raster ??= rasterize(patch, window, w, h);
      const pixel =
        Math.min(h - 1, Math.max(0, Math.floor(py - box.y))) * w + Math.min(w - 1, Math.max(0, Math.floor(px - box.x)));
      const value = valueAt(patch, raster, field, pixel);
      if (raster.triangle[pixel] < 0) return undefined;
      const cell = field.at === "cell" ? `cell ${patch.cell[raster.triangle[pixel]]}: ` : "";
      return `${cell}${slot.color?.label ? `${slot.color.label} = ` : ""}${formatNumber(value)}`;
    };
  }
  if (panel.outlines || !field) {
    let d = "";
    const { edges } = patch;
    for (let k = 0; k < edges.length; k += 4)
      d += `M${fixedPoint(scaleX(edges[k]))},${fixedPoint(scaleY(edges[k + 1]))}L${fixedPoint(scaleX(edges[k + 2]))},${fixedPoint(scaleY(edges[k + 3]))}`;
    const look = field
      ? { stroke: "#ffffff", "stroke-opacity": 0.45, "stroke-width": 0.5 }
      : { stroke: theme.muted, "stroke-width": 0.6 };
    nodes.push(s("path", { d, fill: "none", ...look }));
  }
  for (const part of panel.boundary ?? []) {
    const ends = doc.floats(part.edges);
    const { nodes: at, dimension } = mesh.geometry;
    let d = "";
    for (let k = 0; k + 1 < ends.length; k += 2) {
      const [p, q] = [ends[k], ends[k + 1]].map(
        (node) =>
          `${fixedPoint(scaleX(at[node * dimension + axes[0]]))},${fixedPoint(scaleY(at[node * dimension + axes[1]]))}`,
      );
      d += `M${p}L${q}`;
    }
    const { color } = doc.series.style(theme, part.name);
    nodes.push(s("path", { d, fill: "none", stroke: color, "stroke-width": 2.6, "stroke-linecap": "round" }));
  }
  nodes.push(...pointNodes(context, panel.points, Boolean(field)));
  return probe ? { nodes, probe } : { nodes };
}

const usualLevels = [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95];

function contour(context: Of<ContourPanel>): Drawn {
  const { doc, panel, theme, scaleX, scaleY } = context;
  const [xs, ys] = [doc.floats(panel.x), doc.floats(panel.y)];
  const generator = contours().size([xs.length, ys.length]).smooth(true);
  // Contours come in units of the grid, with values in the middle of its squares.
  const at = (values: Floats, t: number) => {
    const i = Math.max(0, Math.min(values.length - 1, t - 0.5));
    const low = Math.floor(i);
    const high = Math.min(values.length - 1, low + 1);
    return values[low] + (i - low) * (values[high] - values[low]);
  };
  const pathAt = (z: Floats, level: number) =>
    generator
      .contour(z, level)
      .coordinates.flat()
      .map((ring) => {
        const points = ring.map(([i, j]) => `${fixedPoint(scaleX(at(xs, i)))},${fixedPoint(scaleY(at(ys, j)))}`);
        return `M${points.join("L")}Z`;
      })
      .join("");
  const nodes: SVGElement[] = [];
  const largest = (z: Floats) => extent(z)[1];
  const z = doc.floats(panel.z);
  const { color } = doc.series.style(theme, panel.series ?? "exact");
  const levels = panel.levels ?? usualLevels;
  for (const share of levels) {
    const look = { fill: color, "fill-opacity": 1.4 / levels.length, stroke: color, "stroke-opacity": 0.35 };
    nodes.push(s("path", { d: pathAt(z, share * largest(z)), "stroke-width": 0.5, ...look }));
  }
  for (const line of panel.lines ?? []) {
    const values = doc.floats(line.z);
    const style = doc.series.style(theme, line.series);
    const d = (line.levels ?? [0.1, 0.5, 0.9]).map((share) => pathAt(values, share * largest(values))).join("");
    const look = { stroke: style.color, "stroke-dasharray": style.dash, "stroke-width": 1.4 };
    nodes.push(s("path", { d, fill: "none", ...look }));
  }
  nodes.push(...pointNodes(context, panel.points));
  return { nodes };
}

export function textPanel({ panel, theme, box }: { panel: TextPanel; theme: Theme; box: Box }): Drawn {
  const frame = { fill: "none", stroke: theme.grid, "stroke-dasharray": "3 3" };
  return {
    nodes: [
      s("rect", { x: box.x, y: box.y, width: box.width, height: box.height, ...frame }),
      label(wrap(panel.text, box.width - 16), {
        x: box.x + box.width / 2,
        y: box.y + box.height / 2,
        fill: theme.muted,
      }),
    ],
  };
}

export function drawPanel(context: Context): Drawn {
  const { panel } = context.slot;
  switch (panel.kind) {
    case "bars":
      return bars({ ...context, panel });
    case "band":
      return band({ ...context, panel });
    case "curves":
      return curves({ ...context, panel });
    case "matrix":
      return matrix({ ...context, panel });
    case "map":
      return map({ ...context, panel });
    case "contour":
      return contour({ ...context, panel });
    case "text":
      return textPanel({ ...context, panel });
    default:
      throw new Error(`No panel is a “${(panel as Panel).kind}”.`);
  }
}
