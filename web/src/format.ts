/** A number to so many significant digits, with a real minus sign; a dash if there is none. */
export function formatNumber(x: number | null | undefined, digits = 4): string {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const magnitude = Math.abs(x);
  if (Number.isInteger(x) && magnitude < 1e7) return formatCount(x);
  let text: string;
  if (magnitude >= 1e6 || magnitude < 1e-4) {
    const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
    text = `${mantissa.replace(/\.?0+$/, "")}e${Number(exponent)}`;
  } else {
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(magnitude)));
    text = x.toFixed(Math.min(decimals, 12));
  }
  return text.replaceAll("-", "−");
}

/** A number without zeros at its end. */
export function formatShort(x: number | null): string {
  const text = formatNumber(x);
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}

/** A value and its error, the error to two digits and the value to the same place. */
export function formatEstimate(value: number | null | undefined, error: number | null | undefined): string {
  if (value === null || value === undefined || !error || !Number.isFinite(error)) return formatNumber(value);
  const decimals = Math.max(0, 1 - Math.floor(Math.log10(Math.abs(error))));
  if (decimals > 8 || Math.abs(value) >= 1e9 || Math.abs(error) >= 1e9)
    return `${formatNumber(value)} ± ${formatNumber(error, 2)}`;
  return `${value.toFixed(decimals).replace("-", "−")} ± ${error.toFixed(decimals)}`;
}

/** The labels of an axis: all with the same decimals, or the same power of ten if they are very small or large. */
export function formatTicks(ticks: ArrayLike<number>): string[] {
  const values = Array.from(ticks);
  const largest = Math.max(...values.map(Math.abs));
  const steps = values.slice(1).map((value, k) => Math.abs(value - values[k]));
  const step = Math.min(...steps.filter((s) => s > 0), largest || 1);
  const decimals = (power: number) => Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9) + power));
  const power = Math.floor(Math.log10(largest || 1));
  if (power >= 7 || power < -3) {
    const digits = decimals(power);
    return values.map((v) => (v === 0 ? "0" : `${(v / 10 ** power).toFixed(digits)}e${power}`.replaceAll("-", "−")));
  }
  const digits = decimals(0);
  return values.map((v) => {
    const [whole, fraction] = Math.abs(v).toFixed(digits).split(".");
    const text = fraction ? `${formatCount(Number(whole))}.${fraction}` : formatCount(Number(whole));
    return v < 0 && Number(v.toFixed(digits)) !== 0 ? `−${text}` : text;
  });
}

/** A whole number with narrow spaces between groups of three digits, from five digits on. */
export function formatCount(n: number): string {
  const digits = Math.abs(Math.round(n)).toString();
  const grouped = digits.length > 4 ? digits.replace(/\B(?=(\d{3})+$)/g, "\u202f") : digits;
  return n < 0 ? `−${grouped}` : grouped;
}

export function formatSeconds(t: number): string {
  if (t < 1e-3) return `${formatNumber(t * 1e6, 2)} µs`;
  if (t < 1) return `${formatNumber(t * 1e3, 3)} ms`;
  if (t < 120) return `${formatNumber(t, 3)} s`;
  if (t < 7200) return `${formatNumber(t / 60, 3)} min`;
  return `${formatNumber(t / 3600, 3)} h`;
}

/** A label with its unit, as journals write it. */
export function withUnit(label: string, unit: string | undefined): string {
  return unit ? `${label} (${unit})` : label;
}

/** With a capital at its start. */
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** With a full stop at its end, too. */
export const sentence = (text: string) => capital(/[\p{L}\p{N})%]$/u.test(text) ? `${text}.` : text);
