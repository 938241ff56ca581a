// A scale for numbers of either sign and many magnitudes.

/** Magnitudes below the largest by this factor are drawn as zero. */
const reach = 1e4;

/** A place on the colour scale: the sign, and how many powers of ten above the smallest magnitude shown. */
export function signedLog(value: number, largest: number): number {
  const powers = Math.log10(Math.max(1, (Math.abs(value) / largest) * reach));
  return Math.sign(value) * powers;
}

export const signedLogDomain: [number, number] = [-Math.log10(reach), Math.log10(reach)];

const superscript = (n: number) =>
  String(n).replace(/./g, (digit) => (digit === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]));

/** Where a colour bar of this scale has ticks, and what they say: the largest power of ten and its hundredth. */
export function signedLogTicks(largest: number): { at: number; text: string }[] {
  const top = Math.floor(Math.log10(largest) + 1e-9);
  const ticks = [top - 2, top].map((power) => ({
    at: signedLog(10 ** power, largest),
    text: power === 0 ? "1" : power === 1 ? "10" : `10${superscript(power)}`,
  }));
  const negative = ticks.map(({ at, text }) => ({ at: -at, text: `−${text}` })).reverse();
  return [...negative, { at: 0, text: "0" }, ...ticks];
}
