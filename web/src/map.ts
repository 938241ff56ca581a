import { scaleLinear } from "d3-scale";
import { textWidth } from "./charts";
import { colorIndex, colorTable, type Scheme } from "./colors";
import { h, s } from "./dom";
import { formatNumber, formatTicks } from "./format";
import type { Patch } from "./geometry";
import { paint, type Raster, rasterize, type Values, valueAt, type Window2 } from "./raster";
import { fontStack, type Theme } from "./theme";

/** Everything a map shows at one moment. */
export interface MapContent {
  patch: Patch;
  window: Window2;
  axes: [string, string];
  cellName: string;
  field: Values;
  domain: [number, number];
  scheme: Scheme;
  /** Of the colour bar, with unit. */
  label: string;
  /** What a screen reader says, and names of what is under the pointer. */
  description: string;
  sensors?: { x: number; y: number; text: string }[];
  showEdges: boolean;
  maxHeight?: number;
}

const top = 10;
const bottom = 42;
/** Of a colour bar with its distance and its label, but without its numbers. */
const barWidth = 16 + 19 + 20;
/** Meshes up to so many triangles are saved as polygons. */
const maxPolygons = 5000;
const rasters = new WeakMap<Patch, Map<string, Raster>>();

interface Layout {
  left: number;
  right: number;
  /** The colour bar lies below. */
  flat: boolean;
  width: number;
  height: number;
  plotWidth: number;
  plotHeight: number;
}

/** Whether a mesh is so flat that its map needs the width of the page. */
export function isFlat(window: Window2): boolean {
  return window.y[1] - window.y[0] < 0.35 * (window.x[1] - window.x[0]);
}

function layoutOf(content: MapContent, width: number): Layout {
  const { window } = content;
  const longest = (domain: [number, number]) => {
    const scale = scaleLinear(domain, [0, 1]);
    const labels = [2, 3, 4, 5, 6].flatMap((count) => formatTicks(scale.ticks(count)));
    return Math.max(...labels.map(textWidth));
  };
  // Maps side by side look alike unless their numbers are long.
  const left = Math.max(52, 31 + longest(window.y));
  const flat = isFlat(window);
  const right = flat ? Math.max(20, 6 + longest(window.x) / 2) : Math.max(84, barWidth + longest(content.domain));
  const ratio = (window.y[1] - window.y[0]) / (window.x[1] - window.x[0]);
  let plotWidth = Math.max(80, width - left - right);
  let plotHeight = plotWidth * ratio;
  const limit = content.maxHeight ?? 460;
  if (plotHeight > limit) {
    plotHeight = limit;
    plotWidth = plotHeight / ratio;
  }
  plotHeight = Math.max(plotHeight, 24);
  return { left, right, flat, width, height: plotHeight + top + bottom + (flat ? 64 : 0), plotWidth, plotHeight };
}

function rasterOf(content: Pick<MapContent, "patch" | "window">, width: number, height: number): Raster {
  const key = `${width} ${height} ${content.window.x} ${content.window.y}`;
  let known = rasters.get(content.patch);
  if (!known || known.size > 4) {
    known = new Map();
    rasters.set(content.patch, known);
  }
  let raster = known.get(key);
  if (!raster) {
    raster = rasterize(content.patch, content.window, width, height);
    known.set(key, raster);
  }
  return raster;
}

export function paintCanvas(
  content: Pick<MapContent, "patch" | "window" | "field" | "domain" | "scheme">,
  layout: { plotWidth: number; plotHeight: number },
  density: number,
): [HTMLCanvasElement, Raster] {
  const width = Math.max(1, Math.round(layout.plotWidth * density));
  const height = Math.max(1, Math.round(layout.plotHeight * density));
  const raster = rasterOf(content, width, height);
  const canvas = h("canvas", { width, height });
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(width, height);
  paint(content.patch, raster, content.field, content.domain, content.scheme, image.data);
  context.putImageData(image, 0, 0);
  return [canvas, raster];
}

function overlay(content: MapContent, layout: Layout, theme: Theme): SVGSVGElement {
  const { plotWidth, plotHeight } = layout;
  const x = scaleLinear(content.window.x, [layout.left, layout.left + plotWidth]);
  const y = scaleLinear(content.window.y, [top + plotHeight, top]);
  const svg = s("svg", {
    width: layout.width,
    height: layout.height,
    viewBox: `0 0 ${layout.width} ${layout.height}`,
    "font-size": 12,
    "font-family": fontStack,
    fill: theme.text,
  });
  const axis = s("g", { stroke: theme.muted, fill: "none" });
  const text = s("g");
  axis.append(s("rect", { x: layout.left, y: top, width: plotWidth, height: plotHeight }));
  const countX = Math.max(2, Math.min(6, Math.floor(plotWidth / 70)));
  const countY = Math.max(2, Math.min(6, Math.floor(plotHeight / 40)));
  const ticksX = x.ticks(countX);
  const labelsX = formatTicks(ticksX);
  for (const [k, tick] of ticksX.entries()) {
    const at = x(tick);
    const foot = top + plotHeight;
    axis.append(s("line", { x1: at, x2: at, y1: foot, y2: foot + 5 }));
    text.append(s("text", { x: at, y: foot + 18, "text-anchor": "middle" }, labelsX[k]));
  }
  const ticksY = y.ticks(countY);
  const labelsY = formatTicks(ticksY);
  for (const [k, tick] of ticksY.entries()) {
    axis.append(s("line", { x1: layout.left - 5, x2: layout.left, y1: y(tick), y2: y(tick) }));
    text.append(
      s("text", { x: layout.left - 8, y: y(tick), "text-anchor": "end", "dominant-baseline": "central" }, labelsY[k]),
    );
  }
  text.append(
    s(
      "text",
      { x: layout.left + plotWidth / 2, y: top + plotHeight + bottom - 5, "text-anchor": "middle", fill: theme.muted },
      content.axes[0],
    ),
    verticalLabel(content.axes[1], 12, top + plotHeight / 2, theme),
  );
  svg.append(
    axis,
    text,
    colorBar(
      content.domain,
      content.scheme,
      content.label,
      layout.flat
        ? { x: layout.left, y: top + plotHeight + bottom + 12, length: plotWidth, end: layout.height - 8, flat: true }
        : {
            x: layout.left + plotWidth + 16,
            y: top,
            length: plotHeight,
            end: layout.left + plotWidth + layout.right - 10,
          },
      theme,
    ),
  );
  if (content.sensors) {
    const points = s("g", { fill: "#ffffff", stroke: "#111111", "stroke-width": 1 });
    const radius = content.sensors.length > 400 || plotWidth < 240 ? 1.8 : 2.8;
    for (const sensor of content.sensors) points.append(s("circle", { cx: x(sensor.x), cy: y(sensor.y), r: radius }));
    svg.append(points);
  }
  return svg;
}

/** A label beside an axis, upright if it is a letter or two. */
function verticalLabel(label: string, x: number, y: number, theme: Theme): SVGTextElement {
  return s(
    "text",
    {
      transform: `translate(${x} ${y})${label.length > 2 ? " rotate(-90)" : ""}`,
      "text-anchor": "middle",
      "dominant-baseline": "central",
      fill: theme.muted,
    },
    label,
  );
}

/** Where a colour bar goes: its upper left corner, its length, and the middle of its label. */
interface BarPlace {
  x: number;
  y: number;
  length: number;
  end: number;
  /** Lying, with numbers below; standing, with numbers to its right, otherwise. */
  flat?: boolean;
}

export function colorBar(
  domain: [number, number],
  scheme: Scheme,
  label: string,
  place: BarPlace,
  theme: Theme,
  ticksAt?: { at: number; text: string }[],
): SVGGElement {
  const { x, y, length, end, flat } = place;
  const group = s("g");
  const table = colorTable(scheme);
  const bands = 64;
  for (let k = 0; k < bands; k++) {
    const color = 3 * Math.round((255 * k) / (bands - 1));
    const fill = `rgb(${table[color]},${table[color + 1]},${table[color + 2]})`;
    const size = length / bands + 0.6;
    group.append(
      flat
        ? s("rect", { x: x + (length * k) / bands, y, width: size, height: 10, fill })
        : s("rect", { x, y: y + length * (1 - (k + 1) / bands), width: 12, height: size, fill }),
    );
  }
  const scale = scaleLinear(domain, flat ? [x, x + length] : [y + length, y]);
  const values = scale.ticks(Math.max(2, Math.min(6, Math.floor(length / (flat ? 80 : 36)))));
  const labels = formatTicks(values);
  for (const { at, text } of ticksAt ?? values.map((value, k) => ({ at: value, text: labels[k] }))) {
    const to = scale(at);
    group.append(
      flat
        ? s("line", { x1: to, x2: to, y1: y + 10, y2: y + 14, stroke: theme.muted })
        : s("line", { x1: x + 12, x2: x + 16, y1: to, y2: to, stroke: theme.muted }),
      flat
        ? s("text", { x: to, y: y + 26, "text-anchor": "middle" }, text)
        : s("text", { x: x + 19, y: to, "dominant-baseline": "central" }, text),
    );
  }
  group.append(
    flat
      ? s("text", { x: x + length / 2, y: end, "text-anchor": "middle", fill: theme.muted }, label)
      : verticalLabel(label, end, y + length / 2, theme),
  );
  return group;
}

/** A canvas at its place under an SVG of this size; both shrink together, as on paper. */
export function stageOf(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  place: { x: number; y: number; width: number; height: number },
): HTMLElement {
  const percent = (part: number, whole: number) => `${(100 * part) / whole}%`;
  canvas.style.left = percent(place.x, width);
  canvas.style.top = percent(place.y, height);
  canvas.style.width = percent(place.width, width);
  canvas.style.height = percent(place.height, height);
  return h("div", { class: "stage", style: `width:${width}px;aspect-ratio:${width}/${height}` }, canvas);
}

/** The map for the page: coloured pixels under axes, with values under the pointer or a probe moved by arrow keys. */
export function drawMap(content: MapContent, theme: Theme, width: number): HTMLElement {
  const layout = layoutOf(content, width);
  let density = Math.max(2, Math.min(3, window.devicePixelRatio));
  density = Math.min(density, Math.sqrt(2e6 / (layout.plotWidth * layout.plotHeight)));
  const [canvas, raster] = paintCanvas(content, layout, density);
  if (content.showEdges) strokeEdges(content, canvas);
  canvas.className = "field";
  const stage = stageOf(canvas, layout.width, layout.height, {
    x: layout.left,
    y: top,
    width: layout.plotWidth,
    height: layout.plotHeight,
  });
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${content.description}. Arrow keys read values.`);
  const probe = h("div", { class: "probe", hidden: true });
  const readout = h("div", { class: "readout", role: "status", "aria-live": "polite" });
  const svg = overlay(content, layout, theme);
  svg.setAttribute("aria-hidden", "true");

  let probeX = layout.plotWidth / 2;
  let probeY = layout.plotHeight / 2;
  const show = (px: number, py: number) => {
    const column = Math.min(raster.width - 1, Math.max(0, Math.floor((px / layout.plotWidth) * raster.width)));
    const row = Math.min(raster.height - 1, Math.max(0, Math.floor((py / layout.plotHeight) * raster.height)));
    const pixel = row * raster.width + column;
    const k = raster.triangle[pixel];
    probe.hidden = false;
    probe.style.left = `${(100 * (layout.left + px)) / layout.width}%`;
    probe.style.top = `${(100 * (top + py)) / layout.height}%`;
    const [xw, yw] = [content.window.x, content.window.y];
    const atX = xw[0] + (px / layout.plotWidth) * (xw[1] - xw[0]);
    const atY = yw[1] - (py / layout.plotHeight) * (yw[1] - yw[0]);
    const name = (label: string) => label.replace(/ \(.*\)$/, "");
    const place = `${name(content.axes[0])} = ${formatNumber(atX, 3)}, ${name(content.axes[1])} = ${formatNumber(atY, 3)}`;
    if (k < 0) {
      readout.textContent = `${place}: outside`;
      return;
    }
    const cell = content.field.at === "cell" ? `, ${content.cellName} ${content.patch.cell[k]}` : "";
    let text = `${content.label}: ${formatNumber(valueAt(content.patch, raster, content.field, pixel))} at ${place}${cell}`;
    const near = content.sensors?.find(
      (sensor) =>
        Math.hypot(
          ((sensor.x - atX) / (xw[1] - xw[0])) * layout.plotWidth,
          ((sensor.y - atY) / (yw[1] - yw[0])) * layout.plotHeight,
        ) < 5,
    );
    if (near) text += ` · ${near.text}`;
    readout.textContent = text;
  };
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    show(
      ((event.clientX - box.left) / box.width) * layout.plotWidth,
      ((event.clientY - box.top) / box.height) * layout.plotHeight,
    );
  });
  const hide = () => {
    probe.hidden = true;
    readout.textContent = "";
  };
  canvas.addEventListener("pointerleave", hide);
  canvas.addEventListener("blur", hide);
  canvas.addEventListener("keydown", (event) => {
    const step = event.shiftKey ? 20 : 4;
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-step, 0],
      ArrowRight: [step, 0],
      ArrowUp: [0, -step],
      ArrowDown: [0, step],
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    probeX = Math.min(layout.plotWidth, Math.max(0, probeX + move[0]));
    probeY = Math.min(layout.plotHeight, Math.max(0, probeY + move[1]));
    show(probeX, probeY);
  });
  stage.append(svg, probe);
  return h("div", { class: "map" }, stage, readout);
}

function strokeEdges(content: MapContent, canvas: HTMLCanvasElement): void {
  const context = canvas.getContext("2d")!;
  const { x, y } = content.window;
  const scaleX = canvas.width / (x[1] - x[0]);
  const scaleY = canvas.height / (y[1] - y[0]);
  const { edges } = content.patch;
  context.beginPath();
  for (let k = 0; k < edges.length; k += 4) {
    context.moveTo((edges[k] - x[0]) * scaleX, (y[1] - edges[k + 1]) * scaleY);
    context.lineTo((edges[k + 2] - x[0]) * scaleX, (y[1] - edges[k + 3]) * scaleY);
  }
  context.strokeStyle = "rgba(255,255,255,0.45)";
  context.lineWidth = 1;
  context.stroke();
}

/** Whether a field is drawn as polygons in SVG; otherwise as an embedded picture. */
export const fitsPolygons = (patch: Patch, field: Values): boolean =>
  field.at === "cell" && patch.cell.length <= maxPolygons;

/** A field of cells as polygons; x and y take coordinates of the mesh to those of the drawing. */
export function polygons(
  content: Pick<MapContent, "patch" | "field" | "domain" | "scheme" | "showEdges">,
  x: (value: number) => number,
  y: (value: number) => number,
): SVGGElement {
  const { xy, cell } = content.patch;
  const table = colorTable(content.scheme);
  const group = s("g", { "stroke-width": content.showEdges ? 0.5 : 0.7, "stroke-linejoin": "round" });
  for (let k = 0; k < cell.length; k++) {
    const index = 3 * colorIndex(content.field.values[cell[k]], content.domain);
    const fill = index < 0 ? "#808080" : `rgb(${table[index]},${table[index + 1]},${table[index + 2]})`;
    const points = [0, 2, 4].map((v) => `${x(xy[6 * k + v]).toFixed(2)},${y(xy[6 * k + v + 1]).toFixed(2)}`);
    group.append(s("polygon", { points: points.join(" "), fill, stroke: content.showEdges ? "#ffffff80" : fill }));
  }
  return group;
}

/** The map as one SVG: polygons for values of few cells, else an embedded picture. */
export function mapForFile(content: MapContent, theme: Theme, width: number): SVGSVGElement {
  const layout = layoutOf(content, width);
  const svg = overlay(content, layout, theme);
  if (fitsPolygons(content.patch, content.field)) {
    const x = scaleLinear(content.window.x, [layout.left, layout.left + layout.plotWidth]);
    const y = scaleLinear(content.window.y, [top + layout.plotHeight, top]);
    svg.prepend(polygons(content, x, y));
  } else {
    const [canvas] = paintCanvas(content, layout, 3);
    if (content.showEdges) strokeEdges(content, canvas);
    svg.prepend(
      s("image", {
        x: layout.left,
        y: top,
        width: layout.plotWidth,
        height: layout.plotHeight,
        preserveAspectRatio: "none",
        href: canvas.toDataURL("image/png"),
      }),
    );
  }
  return svg;
}
