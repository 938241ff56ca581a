import { s } from "../dom";
import { fontStack, type Theme } from "../theme";

export const fontSize = 11;
let context: CanvasRenderingContext2D | null | undefined;

/** The length of a text in pixels. */
export function measure(text: string, weight = 400, size = fontSize): number {
  if (typeof document === "undefined") return 0.56 * size * text.length;
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return 0.56 * size * text.length;
  context.font = `${weight} ${size}px ${fontStack}`;
  return context.measureText(text).width;
}

/** A text in lines no longer than this, as far as its words allow. */
export function wrap(text: string, length: number, weight = 400, size = fontSize): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = lines.length > 0 ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length > 0 && measure(longer, weight, size) <= length) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

interface LabelOptions {
  x: number;
  y: number;
  fill: string;
  anchor?: "start" | "middle" | "end";
  weight?: number;
  size?: number;
  /** Turned to read upwards. */
  upwards?: boolean;
}

/** Lines of text around a point. */
export function label(lines: string[], options: LabelOptions): SVGTextElement {
  const { x, y, fill, anchor = "middle", weight, size = fontSize, upwards } = options;
  const step = 1.2 * size;
  const text = s("text", {
    transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})${upwards ? " rotate(-90)" : ""}`,
    fill,
    "text-anchor": anchor,
    "font-weight": weight,
    "font-size": size,
  });
  lines.forEach((line, k) => {
    // Not dominant-baseline, which not every program that reads SVG knows.
    text.append(s("tspan", { x: 0, y: (0.35 * size + (k - (lines.length - 1) / 2) * step).toFixed(2) }, line));
  });
  return text;
}

/** A text with a rim in the colour of the page, to be read over lines. */
export function overLines(text: SVGTextElement, theme: Theme): SVGTextElement {
  text.setAttribute("stroke", theme.background);
  text.setAttribute("stroke-width", "3");
  text.setAttribute("stroke-linejoin", "round");
  text.setAttribute("paint-order", "stroke");
  return text;
}
