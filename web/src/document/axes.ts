import { scaleLinear, scaleLog } from "d3-scale";
import { s } from "../dom";
import { formatNumber, formatTicks } from "../format";
import type { Theme } from "../theme";
import type { Axis } from "./scales";
import { fontSize, label, measure, wrap } from "./text";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Tick {
  value: number;
  text: string;
}

export type Scale = (value: number) => number;

export function scaleOf(axis: Axis, from: number, to: number): Scale {
  if (!axis.log) return scaleLinear(axis.domain, [from, to]);
  const scale = scaleLog(axis.domain, [from, to]);
  // What has no logarithm lies far beyond the low end, where it is cut off.
  return (value) => (value <= 0 ? from - 1e4 * Math.sign(to - from) : scale(value));
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";
export function powerOfTen(power: number): string {
  if (power === 0) return "1";
  if (power === 1) return "10";
  const digits = [...String(Math.abs(power))].map((digit) => superscripts[Number(digit)]).join("");
  return `10${power < 0 ? "⁻" : ""}${digits}`;
}

const plain = (value: number) =>
  value >= 1e-3 && value < 1e5
    ? formatNumber(Number(value.toPrecision(1)), 1)
    : value.toExponential(0).replace("-", "−").replace("+", "");

function logTicks([lo, hi]: [number, number], most: number): Tick[] {
  const [first, last] = [Math.ceil(Math.log10(lo) - 1e-9), Math.floor(Math.log10(hi) + 1e-9)];
  if (last - first >= 1 && hi / lo >= 100) {
    const step = Math.max(1, Math.ceil((last - first + 1) / most));
    return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, k) => first + k * step).map((power) => ({
      value: 10 ** power,
      text: powerOfTen(power),
    }));
  }
  const values: number[] = [];
  for (let power = first - 1; power <= last + 1; power++)
    for (const digit of hi / lo > 30 && most < 6 ? [1, 3] : [1, 2, 5]) {
      const value = digit * 10 ** power;
      if (value >= lo * (1 - 1e-9) && value <= hi * (1 + 1e-9)) values.push(value);
    }
  if (values.length < 2) {
    const some = scaleLinear([lo, hi], [0, 1]).ticks(Math.min(3, most));
    return some.map((value, k) => ({ value, text: formatTicks(some)[k] }));
  }
  return values.map((value) => ({ value, text: plain(value) }));
}

/** Ticks of an axis of numbers, so few that their labels have space. */
export function ticksOf(axis: Axis, length: number, across: boolean): Tick[] {
  if (axis.categories) return [];
  const most = Math.max(2, Math.min(6, Math.floor(length / (across ? 36 : 28))));
  if (axis.log) return logTicks(axis.domain, most);
  const scale = scaleLinear(axis.domain, [0, length]);
  let last: Tick[] = [];
  for (let count = most; count >= 1; count--) {
    let values = scale.ticks(count);
    if (axis.whole) values = values.filter(Number.isInteger);
    const texts = formatTicks(values);
    last = values.map((value, k) => ({ value, text: texts[k] }));
    if (!across) return last;
    const needed = texts.reduce((sum, text) => sum + measure(text) + 9, 0);
    if (needed <= length + 24) return last;
  }
  return last;
}

/** Lines of the labels under groups of bars. */
export const categoryLines = (axis: Axis, width: number): string[][] =>
  (axis.categories ?? []).map((text) => wrap(text, width / (axis.categories?.length || 1) - 6));

export interface AxisParts {
  /** Beneath the drawing. */
  under: SVGGElement;
  /** Above the drawing. */
  over: SVGGElement;
}

interface AxesOptions {
  box: Box;
  x: Axis;
  y: Axis;
  scaleX: Scale;
  scaleY: Scale;
  theme: Theme;
  hasGrid: boolean;
  showX: boolean;
  showY: boolean;
  /** How far a label may reach beyond the panel to its sides. */
  overhang: number;
}

/** Frame, grid, ticks and their labels. */
export function axes(options: AxesOptions): AxisParts {
  const { box, x, y, scaleX, scaleY, theme, hasGrid, showX, showY, overhang } = options;
  const under = s("g", { stroke: theme.grid, "stroke-width": 1 });
  const over = s("g", { fill: theme.text });
  const marks = s("g", { stroke: theme.muted, fill: "none", "stroke-width": 0.8 });
  const bottom = box.y + box.height;
  marks.append(s("rect", { x: box.x, y: box.y, width: box.width, height: box.height }));
  for (const { value, text } of ticksOf(x, box.width, true)) {
    const at = scaleX(value);
    if (hasGrid) under.append(s("line", { x1: at, x2: at, y1: box.y, y2: bottom }));
    marks.append(s("line", { x1: at, x2: at, y1: bottom, y2: bottom + 3.5 }));
    if (!showX) continue;
    const half = measure(text) / 2;
    const middle = Math.min(box.x + box.width + overhang - half, Math.max(box.x - overhang + half, at));
    over.append(label([text], { x: middle, y: bottom + 11, fill: theme.text }));
  }
  if (x.categories && showX) {
    const share = box.width / x.categories.length;
    categoryLines(x, box.width).forEach((lines, k) => {
      over.append(
        label(lines, {
          x: box.x + (k + 0.5) * share,
          y: bottom + 5 + 0.6 * fontSize * lines.length,
          fill: theme.text,
        }),
      );
    });
  }
  for (const { value, text } of ticksOf(y, box.height, false)) {
    const at = scaleY(value);
    if (hasGrid) under.append(s("line", { x1: box.x, x2: box.x + box.width, y1: at, y2: at }));
    marks.append(s("line", { x1: box.x - 3.5, x2: box.x, y1: at, y2: at }));
    if (showY) over.append(label([text], { x: box.x - 6, y: at, anchor: "end", fill: theme.text }));
  }
  over.prepend(marks);
  return { under, over };
}
