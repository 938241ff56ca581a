import * as Plot from "@observablehq/plot";
import { boxesReminder } from "../boxes";
import { chart, grid, type Key, lineStyle } from "../charts";
import { extent } from "../colors";
import type { Estimate, Numbers, Run } from "../data";
import { h } from "../dom";
import { type Field, kappaFields } from "../fields";
import { choice, Figure } from "../figure";
import { capital, formatCount, formatEstimate, formatNumber, formatSeconds, withUnit } from "../format";
import { LineMesh } from "../line_mesh";
import type { Report } from "../model";
import { scroll } from "../page";
import { Space } from "../space";
import { mapFigure, pair, spaceControls } from "./fields";
import { worst } from "./overview";

/** Densities of the quantities of interest, of all runs in one figure each. */
export function quantitiesSection(report: Report): HTMLElement | undefined {
  const { runs, truth } = report.data;
  const names = [...new Set(runs.flatMap((run) => run.quantities?.map((q) => q.name) ?? []))];
  if (names.length === 0) return undefined;
  const figures = names.flatMap((name) => {
    const entries = runs.flatMap((run, index) => {
      const quantity = run.quantities?.find((q) => q.name === name);
      return quantity?.density
        ? [{ run, index, label: quantity.label, density: quantity.density, prior: quantity.prior }]
        : [];
    });
    if (entries.length === 0) return [];
    const label = capital(entries[0].label);
    const known = truth?.quantities?.[name];
    const prior = entries.find((entry) => entry.prior)?.prior;
    return new Figure({
      id: `quantity-${name.replace(/\W+/g, "-")}`,
      title: label,
      draw: (theme, width) => {
        const keys: Key[] = entries.map(({ run, index }) => ({
          label: run.name,
          kind: "line",
          ...lineStyle(theme, index),
        }));
        if (prior) keys.push({ label: "prior", kind: "line", color: theme.muted, dash: "6 3" });
        if (known !== undefined) keys.push({ label: "truth", kind: "line", color: theme.text, dash: "1 2" });
        return chart(theme, width, keys, {
          height: 250,
          x: { label },
          y: { label: "density", zero: true },
          marks: [
            ...grid(theme),
            known === undefined
              ? null
              : Plot.ruleX([known], { stroke: theme.text, strokeDasharray: "1 2", strokeWidth: 2 }),
            prior && Plot.lineY(curve(report, prior), { x: "x", y: "y", stroke: theme.muted, strokeDasharray: "6 3" }),
            ...entries.flatMap(({ index, density }) => {
              const { color, dash } = lineStyle(theme, index);
              const points = curve(report, density);
              return [
                Plot.areaY(points, { x: "x", y: "y", fill: color, fillOpacity: entries.length > 1 ? 0.07 : 0.15 }),
                Plot.lineY(points, { x: "x", y: "y", stroke: color, strokeWidth: 2, strokeDasharray: dash }),
              ];
            }),
            Plot.ruleY([0], { stroke: theme.muted }),
          ],
        });
      },
    });
  });
  return h(
    "section",
    { id: "quantities" },
    h("h2", {}, "Quantities of interest"),
    h("div", { class: figures.length > 1 ? "pair" : "narrow" }, ...figures.map((figure) => figure.element)),
    quantitiesTable(report, names),
    ...runs.flatMap((run) => correlationsTable(report, run) ?? []),
  );
}

function curve(report: Report, density: { x: Numbers; y: Numbers }): { x: number; y: number }[] {
  const y = report.floats(density.y);
  return Array.from(report.floats(density.x), (x, k) => ({ x, y: y[k] }));
}

/** How unknown scalars go together, below the diagonal. */
function correlationsTable(report: Report, run: Run): HTMLElement | undefined {
  if (!run.correlations) return undefined;
  const { names, values } = run.correlations;
  const correlation = report.floats(values);
  const title = `Correlations of the unknown scalars, ${run.name}`;
  return h(
    "div",
    {},
    h("h3", {}, title),
    scroll(
      h(
        "table",
        { class: "spaced" },
        h("thead", {}, h("tr", {}, ...["", ...names.slice(0, -1)].map((name) => h("th", { scope: "col" }, name)))),
        h(
          "tbody",
          {},
          ...names
            .slice(1)
            .map((name, k) =>
              h(
                "tr",
                {},
                h("th", { scope: "row" }, name),
                ...names
                  .slice(0, -1)
                  .map((_, j) => h("td", {}, j <= k ? formatNumber(correlation[(k + 1) * names.length + j], 2) : "")),
              ),
            ),
        ),
      ),
      title,
    ),
  );
}

function quantitiesTable(report: Report, names: string[]): HTMLElement {
  const { runs, truth } = report.data;
  const rows = names.flatMap((name) => {
    const known = truth?.quantities?.[name];
    const entries = runs.flatMap((run) => {
      const quantity = run.quantities?.find((q) => q.name === name);
      return quantity ? [{ run, quantity }] : [];
    });
    return entries.map(({ run, quantity: q }, k) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, k === 0 ? capital(q.label) : ""),
        h("td", {}, run.name),
        // What has no density is the same in every draw.
        h("td", {}, formatEstimate(q.mean, q.density ? q.sd : null)),
        ...[q.q05, q.q50, q.q95].map((quantile) => h("td", {}, formatNumber(quantile))),
        truth?.quantities && h("td", {}, formatNumber(known)),
      ),
    );
  });
  const heads = ["Quantity", "Method", "Mean ± sd", "5 %", "50 %", "95 %", ...(truth?.quantities ? ["Truth"] : [])];
  return scroll(
    h(
      "table",
      { class: "spaced" },
      h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, ...rows),
    ),
    "Quantities of interest",
  );
}

const estimate = (e: Estimate | undefined): string => formatEstimate(e?.value, e?.standard_error);

const words = {
  converged: "converged",
  iteration_limit: "iteration limit",
  diverged: "diverged",
  interrupted: "interrupted",
  completed: "completed",
};
const percent = (share: number | null | undefined) =>
  typeof share === "number" ? `${formatNumber(100 * share, 2)} %` : "–";

function khatWords({ value, threshold, verdict }: NonNullable<Run["khat"]>): string {
  const limit = threshold ? `; limit ${formatNumber(threshold, 2)}` : "";
  return `${formatNumber(value, 2)} (${verdict}${limit})`;
}

const verdicts = { good: "good", warn: "care", bad: "bad", none: "–" };

interface Row {
  head: string;
  title?: string;
  cell: (run: Run) => string;
}

/** A column for each run: there are fewer of them than numbers to tell. */
function runsTable(report: Report): HTMLElement {
  const { runs } = report.data;
  const rows: Row[] = [
    { head: "Status", cell: (run) => words[run.status] },
    { head: "Checks", cell: (run) => verdicts[worst(run) ?? "none"] },
    {
      head: "ELBO (nats)",
      title: "Evidence lower bound: the higher, the better",
      cell: (run) => estimate(run.elbo),
    },
    {
      head: "k-hat",
      title: "Tail of the importance weights: below the limit the approximation is close",
      cell: (run) => (run.khat ? khatWords(run.khat) : "–"),
    },
    { head: "R-hat", title: "At most 1.01 is good", cell: (run) => formatNumber(run.chains?.rhat) },
    {
      head: "ESS",
      title: "Effective sample size, the smaller of bulk and tail",
      cell: (run) =>
        run.chains
          ? formatNumber(Math.round(Math.min(run.chains.ess_bulk ?? Number.NaN, run.chains.ess_tail ?? Number.NaN)))
          : "–",
    },
    {
      head: "E-BFMI",
      title: "How well momenta explore the energies: below 0.3 is bad",
      cell: (run) => formatNumber(run.chains?.e_bfmi, 2),
    },
    {
      head: "Accepted",
      title: "Mean acceptance after the warm-up",
      cell: (run) => percent(run.chains?.acceptance),
    },
    { head: "Error of κ", title: "Euclidean norm of mean − truth", cell: (run) => estimate(run.errors?.kappa) },
    { head: "Error of u", title: "Mean Euclidean norm of u − truth", cell: (run) => estimate(run.errors?.u) },
    { head: "Solves", cell: (run) => formatCount(run.solves) },
    { head: "Time", cell: (run) => formatSeconds(run.seconds) },
  ];
  const used = rows.filter(({ cell }) => runs.some((run) => cell(run) !== "–"));
  return scroll(
    h(
      "table",
      { class: "runs-table" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "Method"),
          ...runs.map((run) => h("th", { scope: "col", title: run.description }, run.name)),
        ),
      ),
      h(
        "tbody",
        {},
        ...used.map(({ head, title, cell }) =>
          h("tr", {}, h("th", { scope: "row", title }, head), ...runs.map((run) => h("td", {}, cell(run)))),
        ),
      ),
    ),
    "Methods",
  );
}

function comparisonsTable(report: Report): HTMLElement | undefined {
  const rows = report.data.comparisons ?? [];
  if (rows.length === 0) return undefined;
  const name = (id: string) => report.data.runs.find((run) => run.id === id)?.name ?? id;
  const heads: [string, string][] = [
    ["Largest shift of a mean", "In the referee's standard deviations"],
    ["Furthest ratio of sds", "One if they agree"],
    ["Covariance differs by", "Relative, Frobenius norm"],
    ["KL (nats)", "Of the normal distributions with these moments"],
    ["Times faster", "By the clock"],
  ];
  return h(
    "div",
    {},
    h("h3", {}, "Measured by a referee"),
    scroll(
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, "Method"),
            ...heads.map(([head, title]) => h("th", { scope: "col", title }, head)),
          ),
        ),
        h(
          "tbody",
          {},
          ...rows.map((row) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, `${name(row.run)} by ${name(row.referee)}`),
              h("td", {}, row.largest_mean_shift === null ? "–" : `${formatNumber(row.largest_mean_shift, 2)} sd`),
              h("td", {}, formatNumber(row.largest_sd_ratio, 3)),
              h("td", {}, estimate(row.covariance_difference)),
              h("td", {}, estimate(row.kl)),
              h("td", {}, formatNumber(row.speedup, 2)),
            ),
          ),
        ),
      ),
      "Comparison with a referee",
    ),
    h("ul", { class: "sentences" }, ...rows.map((row) => h("li", {}, row.sentence))),
  );
}

/** Table of all runs, and their fields side by side on one scale. */
export function comparisonSection(report: Report): HTMLElement {
  const { runs } = report.data;
  const several = runs.length > 1;
  const section = h(
    "section",
    { id: "comparison" },
    h("h2", {}, several ? "Methods compared" : "The run in numbers"),
    runsTable(report),
    comparisonsTable(report),
  );
  if (!several) return section;
  if (report.geometry.dimension === 1) section.append(h("div", { class: "pair" }, ...lineComparison(report)));
  else mapComparison(report, section);
  return section;
}

function lineComparison(report: Report): HTMLElement[] {
  const mesh = new LineMesh(report);
  const { runs, truth } = report.data;
  const figure = (
    id: string,
    title: string,
    label: string,
    pick: (run: Run) => Run["kappa"]["mean"],
    withTruth: boolean,
  ) =>
    new Figure({
      id,
      title,
      draw: (theme, width) => {
        const keys: Key[] = runs.map((run, index) => ({ label: run.name, kind: "line", ...lineStyle(theme, index) }));
        const known = withTruth && truth?.kappa ? mesh.unknowns({ value: report.floats(truth.kappa) }) : undefined;
        if (known) keys.push({ label: "truth", kind: "line", color: theme.text, dash: "1 2" });
        return chart(theme, width, keys, {
          height: 280,
          x: { label: withUnit("x", report.data.problem.units?.length) },
          y: { label },
          marks: [
            ...grid(theme),
            known
              ? Plot.lineY(known, { x: "x", y: "value", stroke: theme.text, strokeDasharray: "1 2", strokeWidth: 1.5 })
              : null,
            ...runs.map((run, index) => {
              const { color, dash } = lineStyle(theme, index);
              const points = mesh.unknowns({ value: report.floats(pick(run)) });
              return Plot.lineY(points, { x: "x", y: "value", stroke: color, strokeWidth: 1.8, strokeDasharray: dash });
            }),
          ],
        });
      },
    });
  return [
    figure("compare-mean", "Posterior means", "κ, posterior mean", (run) => run.kappa.mean, true).element,
    figure("compare-sd", "Posterior standard deviations", "κ, posterior sd", (run) => run.kappa.sd, false).element,
  ];
}

function mapComparison(report: Report, section: HTMLElement): void {
  const { runs } = report.data;
  const space = new Space(report);
  space.showSensors = false;
  let shown = "mean";
  const fields = runs.map((run) => kappaFields(report, run));
  const names = fields[0].filter((field) => field.name !== "truth");
  const fieldOf = (index: number): Field => {
    const field = fields[index].find(({ name }) => name === shown)!;
    const same = fields.map((list) => list.find(({ name }) => name === shown)!.domain);
    return { ...field, domain: extent(...same.map((domain) => Float64Array.from(domain))) };
  };
  const figures = runs.map((run, index) =>
    mapFigure(space, {
      id: `compare-${run.id.replace(/\W+/g, "-")}`,
      title: run.name,
      field: () => fieldOf(index),
      caption: () => `${capital(run.description)}.`,
      maxHeight: 340,
    }),
  );
  const update = () => {
    for (const figure of figures) figure.update();
  };
  section.append(
    h("h3", {}, "κ side by side, on one colour scale"),
    h(
      "div",
      { class: "controls shared" },
      choice(
        "Show",
        names.map(({ name, choice: label }) => ({ value: name, label })),
        shown,
        (name) => {
          shown = name;
          update();
        },
      ),
    ),
    spaceControls(space, update),
    pair(space, ...figures),
    boxesReminder(report) ?? "",
  );
}
