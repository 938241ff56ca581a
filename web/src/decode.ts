import type { Numbers } from "./data";

export type Floats = Float32Array | Float64Array;

/** The bytes that a base64 text stands for. */
function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function checkLength(bytes: Uint8Array, size: number): void {
  if (bytes.length % size !== 0) throw new Error(`packed numbers of ${size} bytes in ${bytes.length} bytes`);
}

/** Numbers as floats; NaN where there is none. */
export function decodeFloats(numbers: Numbers): Floats {
  if (Array.isArray(numbers)) return Float64Array.from(numbers, (x) => x ?? Number.NaN);
  const bytes = bytesOf(numbers.data);
  const view = new DataView(bytes.buffer);
  if (numbers.type === "f64") {
    checkLength(bytes, 8);
    return Float64Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(8 * i, true));
  }
  if (!("lo" in numbers)) {
    checkLength(bytes, 4);
    const values = new Float32Array(bytes.length / 4);
    for (let i = 0; i < values.length; i++) {
      values[i] = numbers.type === "f32" ? view.getFloat32(4 * i, true) : view.getInt32(4 * i, true);
    }
    return values;
  }
  const size = numbers.type === "q16" ? 2 : 1;
  checkLength(bytes, size);
  const missing = size === 2 ? 65535 : 255;
  const step = (numbers.hi - numbers.lo) / (missing - 1);
  const values = new Float32Array(bytes.length / size);
  for (let i = 0; i < values.length; i++) {
    const v = size === 2 ? view.getUint16(2 * i, true) : bytes[i];
    values[i] = v === missing ? Number.NaN : numbers.lo + v * step;
  }
  return values;
}

/** Numbers as integers, exact up to 2^31. */
export function decodeIntegers(numbers: Numbers): Int32Array {
  if (Array.isArray(numbers)) return Int32Array.from(numbers, (x) => x ?? -1);
  if (numbers.type !== "i32") throw new Error(`integers packed as ${numbers.type}`);
  const bytes = bytesOf(numbers.data);
  checkLength(bytes, 4);
  const view = new DataView(bytes.buffer);
  const values = new Int32Array(bytes.length / 4);
  for (let i = 0; i < values.length; i++) values[i] = view.getInt32(4 * i, true);
  return values;
}
