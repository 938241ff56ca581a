import { describe, expect, it } from "vitest";
import { packFloats, packIntegers, packSmall } from "../../fixtures/make.mjs";
import type { Numbers } from "../../src/data";
import { decodeFloats, decodeIntegers } from "../../src/decode";

describe("packed numbers", () => {
  it("come back as they were", () => {
    expect([...decodeFloats(packFloats([1, -2.5, 1e-3]))].map((x) => Number(x.toPrecision(6)))).toEqual([
      1, -2.5, 1e-3,
    ]);
    expect([...decodeFloats(packFloats([Number.NaN]))]).toEqual([Number.NaN]);
    expect([...decodeIntegers(packIntegers([0, 7, 123_456_789]))]).toEqual([0, 7, 123_456_789]);
  });

  it("are little-endian, whatever the machine", () => {
    expect([...decodeFloats({ type: "f32", data: "AACAPw==" })]).toEqual([1]);
    expect([...decodeFloats({ type: "f64", data: "AAAAAAAA8D8=" })]).toEqual([1]);
    expect([...decodeIntegers({ type: "i32", data: "AQIAAA==" })]).toEqual([513]);
  });

  it("may be plain, with null for what is missing", () => {
    expect([...decodeFloats([1, null, 0.1])]).toEqual([1, Number.NaN, 0.1]);
  });

  it.each([16, 8] as const)("keep ends, order and gaps in %i bits", (bits) => {
    const values = [-3, Number.NaN, 0.25, 5];
    const decoded = decodeFloats(packSmall(values, bits));
    expect(decoded[0]).toBe(-3);
    expect(decoded[1]).toBeNaN();
    expect(Math.abs(decoded[2] - 0.25)).toBeLessThan(8 / (2 ** bits - 2));
    expect(decoded[3]).toBeCloseTo(5, 5);
  });

  it("may all be equal", () => {
    expect([...decodeFloats(packSmall([2, 2], 16))]).toEqual([2, 2]);
  });

  it("of a cut-off text are refused", () => {
    expect(() => decodeFloats({ type: "f32", data: "AACA" })).toThrow("3 bytes");
    expect(() => decodeIntegers({ type: "q8", lo: 0, hi: 1, data: "AA==" } as Numbers)).toThrow("q8");
  });
});
