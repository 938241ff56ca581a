import { scaleLinear } from "d3-scale";
import { textWidth } from "./charts";
import { colorIndex, colorTable } from "./colors";
import type { Floats } from "./decode";
import { h, s } from "./dom";
import { formatCount, formatNumber } from "./format";
import { colorBar, stageOf } from "./map";
import { signedLog, signedLogDomain, signedLogTicks } from "./signed_log";
import { fontStack, type Theme } from "./theme";

export interface MatrixContent {
  unknowns: number;
  size: number;
  fill: Floats;
  value: Floats;
  /** Which entries there are, or how large they are. */
  show: "pattern" | "values";
}

const margin = { right: 96, top: 12, bottom: 42 };
const leftOf = (content: MatrixContent) => 34 + textWidth(formatCount(content.unknowns));

export function largestOf(values: Floats): number {
  let largest = 0;
  for (const v of values) if (Math.abs(v) > largest) largest = Math.abs(v);
  return largest || 1;
}

/** A pixel for each entry, on the scale of this largest magnitude. */
export function paintMatrix(
  content: Omit<MatrixContent, "unknowns">,
  theme: Theme,
  largest = largestOf(content.value),
): HTMLCanvasElement {
  const { size } = content;
  const canvas = h("canvas", { width: size, height: size });
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(size, size);
  const table = colorTable("diverging");
  const ink = theme.dark ? 230 : 29;
  for (let k = 0, to = 0; k < size * size; k++, to += 4) {
    if (!(content.fill[k] > 0)) continue;
    if (content.show === "pattern") {
      image.data[to] = image.data[to + 1] = image.data[to + 2] = ink;
      image.data[to + 3] = 255 * (0.25 + 0.75 * Math.min(1, content.fill[k]));
    } else {
      const index = 3 * Math.max(0, colorIndex(signedLog(content.value[k], largest), signedLogDomain));
      image.data.set([table[index], table[index + 1], table[index + 2], 255], to);
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

function overlay(content: MatrixContent, theme: Theme, width: number, side: number): SVGSVGElement {
  const left = leftOf(content);
  const height = side + margin.top + margin.bottom;
  const svg = s("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    "font-size": 12,
    "font-family": fontStack,
    fill: theme.text,
  });
  const scale = scaleLinear([0, content.unknowns], [0, side]);
  svg.append(s("rect", { x: left, y: margin.top, width: side, height: side, fill: "none", stroke: theme.muted }));
  for (const tick of scale.ticks(content.unknowns >= 10_000 ? 2 : 4).filter(Number.isInteger)) {
    const at = scale(tick);
    svg.append(
      s("text", { x: left + at, y: margin.top + side + 17, "text-anchor": "middle" }, formatCount(tick)),
      s(
        "text",
        { x: left - 7, y: margin.top + at, "text-anchor": "end", "dominant-baseline": "central" },
        formatCount(tick),
      ),
      s("line", {
        x1: left + at,
        x2: left + at,
        y1: margin.top + side,
        y2: margin.top + side + 4,
        stroke: theme.muted,
      }),
      s("line", {
        x1: left - 4,
        x2: left,
        y1: margin.top + at,
        y2: margin.top + at,
        stroke: theme.muted,
      }),
    );
  }
  svg.append(
    s("text", { x: left + side / 2, y: height - 5, "text-anchor": "middle", fill: theme.muted }, "column (unknown)"),
    s(
      "text",
      {
        transform: `translate(12 ${margin.top + side / 2}) rotate(-90)`,
        "text-anchor": "middle",
        "dominant-baseline": "central",
        fill: theme.muted,
      },
      "row (unknown)",
    ),
  );
  if (content.show === "values") {
    svg.append(
      colorBar(
        signedLogDomain,
        "diverging",
        "entry (log scale)",
        { x: left + side + 14, y: margin.top, length: side, end: left + side + margin.right - 10 },
        theme,
        signedLogTicks(largestOf(content.value)),
      ),
    );
  }
  return svg;
}

function sideOf(content: MatrixContent, width: number): number {
  return Math.min(380, width - leftOf(content) - margin.right);
}

export function drawMatrix(content: MatrixContent, theme: Theme, width: number): HTMLElement {
  const side = sideOf(content, width);
  const left = leftOf(content);
  const canvas = paintMatrix(content, theme);
  canvas.className = "field pixelated";
  // Left out rows would be those of the diagonal as soon as any others.
  if (content.size > side) canvas.style.imageRendering = "auto";
  const stage = stageOf(canvas, width, side + margin.top + margin.bottom, {
    x: left,
    y: margin.top,
    width: side,
    height: side,
  });
  canvas.setAttribute("role", "img");
  canvas.setAttribute(
    "aria-label",
    content.show === "pattern" ? "Pattern of the precision matrix" : "Precision matrix",
  );
  const readout = h("div", { class: "readout" });
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const at = (offset: number) =>
      Math.min(content.size - 1, Math.max(0, Math.floor((offset / box.width) * content.size)));
    const [row, column] = [at(event.clientY - box.top), at(event.clientX - box.left)];
    const k = row * content.size + column;
    const number = (i: number) => Math.floor((i * content.unknowns) / content.size);
    const entry = content.fill[k] > 0 ? formatNumber(content.value[k]) : "not stored";
    readout.textContent = `row ${number(row)}, column ${number(column)}: ${entry}`;
  });
  canvas.addEventListener("pointerleave", () => {
    readout.textContent = "";
  });
  stage.append(overlay(content, theme, width, side));
  return h("div", { class: "map" }, stage, readout);
}

export function matrixForFile(content: MatrixContent, theme: Theme, width: number): SVGSVGElement {
  const side = sideOf(content, width);
  const left = leftOf(content);
  const svg = overlay(content, theme, width, side);
  svg.prepend(
    s("image", {
      x: left,
      y: margin.top,
      width: side,
      height: side,
      style: content.size > side ? "" : "image-rendering: pixelated",
      href: paintMatrix(content, theme).toDataURL("image/png"),
    }),
  );
  return svg;
}
