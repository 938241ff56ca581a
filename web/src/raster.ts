import { colorIndex, colorTable, type Scheme } from "./colors";
import type { Floats } from "./decode";
import type { Patch } from "./geometry";

/** Which triangle covers each pixel, and where in it the pixel lies. Made once for a size, coloured many times. */
export interface Raster {
  width: number;
  height: number;
  /** -1 where there is none. */
  triangle: Int32Array;
  /** Barycentric coordinates of the second and third corner. */
  second: Float32Array;
  third: Float32Array;
}

/** The part of the plane that a raster shows: y points up. */
export interface Window2 {
  x: [number, number];
  y: [number, number];
}

/** A field for the map: a value for each cell, or one for each node, interpolated between. */
export type Values = { at: "cell" | "node"; values: Floats };

export function rasterize(patch: Patch, window: Window2, width: number, height: number): Raster {
  const triangle = new Int32Array(width * height).fill(-1);
  const second = new Float32Array(width * height);
  const third = new Float32Array(width * height);
  const scaleX = width / (window.x[1] - window.x[0]);
  const scaleY = height / (window.y[1] - window.y[0]);
  const slack = 1e-4;
  for (let k = 0; k < patch.cell.length; k++) {
    const x0 = (patch.xy[6 * k] - window.x[0]) * scaleX - 0.5;
    const y0 = (window.y[1] - patch.xy[6 * k + 1]) * scaleY - 0.5;
    const x1 = (patch.xy[6 * k + 2] - window.x[0]) * scaleX - 0.5;
    const y1 = (window.y[1] - patch.xy[6 * k + 3]) * scaleY - 0.5;
    const x2 = (patch.xy[6 * k + 4] - window.x[0]) * scaleX - 0.5;
    const y2 = (window.y[1] - patch.xy[6 * k + 5]) * scaleY - 0.5;
    const area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
    if (area === 0) continue;
    const left = Math.max(0, Math.ceil(Math.min(x0, x1, x2) - slack));
    const right = Math.min(width - 1, Math.floor(Math.max(x0, x1, x2) + slack));
    const top = Math.max(0, Math.ceil(Math.min(y0, y1, y2) - slack));
    const bottom = Math.min(height - 1, Math.floor(Math.max(y0, y1, y2) + slack));
    for (let y = top; y <= bottom; y++) {
      for (let x = left; x <= right; x++) {
        const w1 = ((x - x0) * (y2 - y0) - (x2 - x0) * (y - y0)) / area;
        const w2 = ((x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)) / area;
        if (w1 < -slack || w2 < -slack || w1 + w2 > 1 + slack) continue;
        const pixel = y * width + x;
        triangle[pixel] = k;
        second[pixel] = w1;
        third[pixel] = w2;
      }
    }
  }
  return { width, height, triangle, second, third };
}

/** The field's value at a pixel; NaN outside. */
export function valueAt(patch: Patch, raster: Raster, field: Values, pixel: number): number {
  const k = raster.triangle[pixel];
  if (k < 0) return Number.NaN;
  if (field.at === "cell") return field.values[patch.cell[k]];
  const { a, b, t } = patch;
  const f = field.values;
  const i = 3 * k;
  const v0 = f[a[i]] + t[i] * (f[b[i]] - f[a[i]]);
  const v1 = f[a[i + 1]] + t[i + 1] * (f[b[i + 1]] - f[a[i + 1]]);
  const v2 = f[a[i + 2]] + t[i + 2] * (f[b[i + 2]] - f[a[i + 2]]);
  return v0 + raster.second[pixel] * (v1 - v0) + raster.third[pixel] * (v2 - v0);
}

/** Colours of all pixels; nothing where there is no mesh, grey where there is no value. */
export function paint(
  patch: Patch,
  raster: Raster,
  field: Values,
  domain: [number, number],
  scheme: Scheme,
  pixels: Uint8ClampedArray,
): void {
  const table = colorTable(scheme);
  for (let pixel = 0, to = 0; pixel < raster.triangle.length; pixel++, to += 4) {
    if (raster.triangle[pixel] < 0) {
      pixels[to + 3] = 0;
      continue;
    }
    const index = colorIndex(valueAt(patch, raster, field, pixel), domain);
    if (index < 0) {
      pixels[to] = pixels[to + 1] = pixels[to + 2] = 128;
    } else {
      pixels[to] = table[3 * index];
      pixels[to + 1] = table[3 * index + 1];
      pixels[to + 2] = table[3 * index + 2];
    }
    pixels[to + 3] = 255;
  }
}
