import * as Plot from "@observablehq/plot";
import { s } from "./dom";
import { formatNumber, formatTicks } from "./format";
import { dashes, fontStack, type Theme } from "./theme";

/** An entry of a legend: what it looks like, and what it is. */
export interface Key {
  label: string;
  color: string;
  kind: "line" | "band" | "dot";
  dash?: string;
}

const rowHeight = 20;

/** Lays keys out in rows; returns where each goes, and how many rows there are. */
function placeKeys(keys: Key[], width: number, left: number): { x: number; row: number }[] {
  let x = left;
  let row = 0;
  return keys.map(({ label }) => {
    const length = 34 + 6.7 * label.length + 18;
    if (x > left && x + length > width) {
      x = left;
      row++;
    }
    const place = { x, row };
    x += length;
    return place;
  });
}

const tickFormat = (value: number, index: number, ticks?: ArrayLike<number>): string =>
  ticks ? formatTicks(ticks)[index] : formatNumber(value);

/** The length of a text in pixels, near enough for margins. */
export function textWidth(text: string): number {
  return 7 * text.length;
}

/** A chart with axes, grid, legend on top, and values under the pointer, in the colours of a theme. */
export function chart(
  theme: Theme,
  width: number,
  keys: Key[],
  options: Plot.PlotOptions & { height: number },
  marginLeft = 62,
): SVGSVGElement {
  const places = placeKeys(keys, width, marginLeft);
  const rows = keys.length > 0 ? places[places.length - 1].row + 1 : 0;
  const marginTop = 14 + rows * rowHeight;
  const svg = Plot.plot({
    marginBottom: 44,
    marginRight: 24,
    ...options,
    height: options.height + rows * rowHeight,
    width,
    marginTop,
    marginLeft,
    x: { labelAnchor: "center", labelArrow: "none", labelOffset: 36, tickFormat, ...options.x },
    y: { labelAnchor: "center", labelArrow: "none", labelOffset: marginLeft - 8, tickFormat, ...options.y },
    style: {
      background: "transparent",
      color: theme.text,
      fontFamily: fontStack,
      fontSize: "12px",
      overflow: "visible",
    },
  }) as SVGSVGElement;
  const ticks = [...svg.querySelectorAll('[aria-label="y-axis tick label"] text')];
  const needed = 36 + Math.max(0, ...ticks.map((tick) => textWidth(tick.textContent ?? "")));
  if (needed > marginLeft && needed < width / 2) return chart(theme, width, keys, options, needed);
  keys.forEach((key, k) => {
    const { x, row } = places[k];
    const y = 9 + row * rowHeight;
    const sample =
      key.kind === "band"
        ? s("rect", { x, y: y - 5, width: 24, height: 10, fill: key.color, "fill-opacity": 0.25 })
        : key.kind === "dot"
          ? s("circle", { cx: x + 12, cy: y, r: 3.5, fill: theme.background, stroke: key.color, "stroke-width": 1.5 })
          : s("line", {
              x1: x,
              x2: x + 24,
              y1: y,
              y2: y,
              stroke: key.color,
              "stroke-width": 2,
              "stroke-dasharray": key.dash ?? "none",
            });
    svg.append(
      s(
        "g",
        {},
        sample,
        s(
          "text",
          { x: x + 31, y, "text-anchor": "start", "dominant-baseline": "central", fill: theme.text },
          key.label,
        ),
      ),
    );
  });
  svg.setAttribute("role", "img");
  return svg;
}

export const lineStyle = (theme: Theme, index: number) => ({
  color: theme.palette[index % theme.palette.length],
  dash: dashes[index % dashes.length],
});

/** Grid lines that stay in the background. */
export function grid(theme: Theme): Plot.Markish[] {
  return [Plot.gridX({ stroke: theme.grid, strokeOpacity: 1 }), Plot.gridY({ stroke: theme.grid, strokeOpacity: 1 })];
}

/** Numbers 0 to n - 1, or about `most` of them evenly spaced. */
export function thinned(n: number, most: number): number[] {
  if (n <= most) return Array.from({ length: n }, (_, i) => i);
  return Array.from({ length: most }, (_, i) => Math.floor((i * n) / most));
}
