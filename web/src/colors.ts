import { interpolateCividis, interpolatePuOr, interpolateViridis } from "d3-scale-chromatic";
import type { Floats } from "./decode";

export type Scheme = "viridis" | "cividis" | "diverging";

const interpolators: Record<Scheme, (t: number) => string> = {
  viridis: interpolateViridis,
  cividis: interpolateCividis,
  diverging: (t) => interpolatePuOr(1 - t),
};

const tables = new Map<Scheme, Uint8Array>();

/** 256 colours as r, g, b. */
export function colorTable(scheme: Scheme): Uint8Array {
  let table = tables.get(scheme);
  if (!table) {
    table = new Uint8Array(256 * 3);
    for (let i = 0; i < 256; i++) table.set(parseColor(interpolators[scheme](i / 255)), 3 * i);
    tables.set(scheme, table);
  }
  return table;
}

function parseColor(text: string): number[] {
  if (text.startsWith("#")) return [1, 3, 5].map((k) => Number.parseInt(text.slice(k, k + 2), 16));
  return (text.match(/\d+/g) ?? []).slice(0, 3).map(Number);
}

/** The place of a value in a colour table, 0 to 255; -1 for NaN. */
export function colorIndex(value: number, domain: [number, number]): number {
  if (Number.isNaN(value)) return -1;
  const t = (value - domain[0]) / (domain[1] - domain[0]);
  return Math.max(0, Math.min(255, Math.round(255 * t)));
}

/** The finite range of values, widened if it is a point. */
export function extent(...arrays: Floats[]): [number, number] {
  let lo = Number.POSITIVE_INFINITY;
  let hi = Number.NEGATIVE_INFINITY;
  for (const values of arrays) {
    for (const v of values) {
      if (!Number.isFinite(v)) continue;
      if (v < lo) lo = v;
      if (v > hi) hi = v;
    }
  }
  if (lo > hi) return [0, 1];
  if (lo === hi) return [lo - 0.5 * (Math.abs(lo) || 1), hi + 0.5 * (Math.abs(hi) || 1)];
  return [lo, hi];
}

/** Around zero, as far as the values reach to either side. */
export function symmetricExtent(values: Floats): [number, number] {
  const [lo, hi] = extent(values);
  const reach = Math.max(Math.abs(lo), Math.abs(hi));
  return [-reach, reach];
}
