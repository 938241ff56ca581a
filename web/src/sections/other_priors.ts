import * as Plot from "@observablehq/plot";
import { chart } from "../charts";
import type { PriorSensitivity, Quantity, Run } from "../data";
import { h } from "../dom";
import { Figure } from "../figure";
import { capital, formatNumber } from "../format";
import type { Report } from "../model";
import { scroll } from "../page";

/** What a prior says of a quantity: its 90 % interval, by a fit. */
interface Interval {
  name: string;
  mean: number;
  low: number;
  high: number;
  sd: number;
  /** Against that of the assumed prior, in sds of the answer; none of the assumed prior itself. */
  shift: number | null;
}

const normal95 = 1.645;

/** The assumed prior first, then every alternative that was fitted. */
export function intervalsOf(found: PriorSensitivity, q: number): Interval[] {
  const row = (name: string, mean: number | null, sd: number | null, shift: number | null): Interval[] =>
    mean === null || sd === null || mean === undefined || sd === undefined
      ? []
      : [{ name, mean, low: mean - normal95 * sd, high: mean + normal95 * sd, sd, shift }];
  return [
    ...row("the prior as assumed", found.quantity_means[q], found.quantity_sds[q], null),
    ...found.alternatives
      .filter((other) => other.failure === "")
      .flatMap((other) => row(other.name, other.quantity_means[q], other.quantity_sds[q], other.quantity_shifts[q])),
  ];
}

/** One line for each prior, with its name above it, so that nothing is cut off on a narrow screen. */
function quantityFigure(quantity: Quantity, intervals: Interval[]): Figure {
  const label = capital(quantity.label);
  const [assumed] = intervals;
  const tip = (d: Interval) =>
    `${d.name}\n${formatNumber(d.mean)} ± ${formatNumber(d.sd, 2)}${d.shift === null ? "" : `\nmoves by ${formatNumber(d.shift, 2)} sds`}`;
  return new Figure({
    id: `other-priors-${quantity.name.replace(/\W+/g, "-")}`,
    title: label,
    caption:
      "90 % intervals under other priors, all by the same quick fit. The band is that of the prior as assumed: where an interval leaves it, the prior decides.",
    draw: (theme, width) =>
      chart(
        theme,
        width,
        [],
        {
          height: 60 + 34 * intervals.length,
          x: { label, nice: true },
          y: { axis: null, domain: [-0.8, intervals.length - 0.5], reverse: true },
          marks: [
            Plot.gridX({ stroke: theme.grid, strokeOpacity: 1 }),
            Plot.rectX([assumed], { x1: "low", x2: "high", fill: theme.palette[0], fillOpacity: 0.12 }),
            Plot.ruleX([assumed.mean], { stroke: theme.palette[0], strokeDasharray: "4 3" }),
            Plot.ruleY(intervals, {
              y: (_, k) => k,
              x1: "low",
              x2: "high",
              stroke: (_, k) => theme.palette[k === 0 ? 0 : 1],
              strokeWidth: 2.5,
            }),
            Plot.dot(intervals, {
              y: (_, k) => k,
              x: "mean",
              r: 4,
              fill: theme.background,
              stroke: (_, k) => theme.palette[k === 0 ? 0 : 1],
              strokeWidth: 2,
            }),
            Plot.text(intervals, {
              y: (_, k) => k,
              text: "name",
              frameAnchor: "left",
              textAnchor: "start",
              dy: -13,
              fill: theme.text,
              stroke: theme.background,
              strokeWidth: 3,
            }),
            Plot.tip(intervals, Plot.pointerY({ y: (_, k) => k, x: "mean", title: tip })),
          ],
          color: { type: "identity" },
        },
        16,
      ),
  });
}

const percent = (share: number | null) => (share === null ? "–" : `${formatNumber(100 * share, 2)} %`);

const signed = (value: number | null) => (value === null ? "–" : `${value > 0 ? "+" : ""}${formatNumber(value, 2)}`);

/** What becomes of the field, prior by prior. */
function fieldTable(report: Report, found: PriorSensitivity): HTMLElement {
  const heads: [string, string][] = [
    ["Instead of the prior", "One thing changed at a time"],
    ["Field moves (sds)", "Largest move of the mean of an unknown, in sds of the answer, and where"],
    ["Leaves its interval", "Share of the unknowns whose mean leaves the 90 % interval of the answer"],
    ["Sds", "Over those of the prior as assumed: the geometric mean"],
    ["Intervals hold", "The share of the field that the answer's 90 % intervals hold if this prior is right"],
    ["Log evidence (nats)", "Above zero, the data prefer it; within about 3 they cannot tell the two apart"],
  ];
  const place = (position: number[]) =>
    position
      .slice(0, report.geometry.dimension)
      .map((x) => formatNumber(x, 3))
      .join(", ");
  const rows = found.alternatives.map((other) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, other.name),
      ...(other.failure === ""
        ? [
            h("td", {}, `${formatNumber(other.field_shift, 2)} at (${place(other.position)})`),
            h("td", {}, percent(other.outside)),
            h("td", {}, `× ${formatNumber(other.sd_ratio, 2)}`),
            h("td", {}, percent(other.held)),
            h("td", {}, signed(other.log_evidence)),
          ]
        : [h("td", { colspan: heads.length - 1 }, `not known: ${other.failure}`)]),
    ),
  );
  return scroll(
    h(
      "table",
      { class: "spaced", id: "prior-alternatives" },
      h("thead", {}, h("tr", {}, ...heads.map(([head, title]) => h("th", { scope: "col", title }, head)))),
      h("tbody", {}, ...rows),
    ),
    "The field under other priors",
  );
}

/** What the answer would be with another prior; nothing of a run that was not asked. */
export function otherPriorsSection(report: Report, run: Run): HTMLElement | undefined {
  const found = run.prior_sensitivity;
  if (!found || found.alternatives.length === 0) return undefined;
  const figures = (run.quantities ?? []).flatMap((quantity, q) => {
    const intervals = quantity.density ? intervalsOf(found, q) : [];
    return intervals.length > 1 ? [quantityFigure(quantity, intervals)] : [];
  });
  return h(
    "section",
    { id: "other-priors" },
    h("h2", {}, "What does the answer owe to the prior?"),
    h(
      "p",
      {},
      "Each row changes one thing about the prior and fits again. The evidence is of the data as a whole: it cannot rule out a jump or an inclusion somewhere that a smooth prior does not show. So look at how far the answer moves, too.",
    ),
    fieldTable(report, found),
    figures.length > 0
      ? h("div", { class: figures.length > 1 ? "pair" : "narrow" }, ...figures.map((figure) => figure.element))
      : undefined,
  );
}
