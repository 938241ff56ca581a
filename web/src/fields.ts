import { extent, type Scheme, symmetricExtent } from "./colors";
import type { Run } from "./data";
import type { Floats } from "./decode";
import { withUnit } from "./format";
import type { Report } from "./model";
import type { Values } from "./raster";

/** A field that a map can show. */
export interface Field {
  name: string;
  /** In the row of choices. */
  choice: string;
  /** For the colour bar. */
  label: string;
  scheme: Scheme;
  field: Values;
  domain: [number, number];
  /** Shared by several maps: both use one scale. */
  note: string;
}

const exponential = (values: Floats): Floats => Float64Array.from(values, Math.exp);
const difference = (one: Floats, other: Floats): Floats => Float64Array.from(one, (v, i) => v - other[i]);

/** Views of kappa of a run: mean, sd, exp(kappa), quantiles, and truth and error if known. */
export function kappaFields(report: Report, run: Run): Field[] {
  const { kappa } = run;
  const mean = report.floats(kappa.mean);
  const q05 = report.floats(kappa.q05);
  const q95 = report.floats(kappa.q95);
  const truth = report.data.truth?.kappa && report.floats(report.data.truth.kappa);
  const conductivity = exponential(report.floats(kappa.q50));
  const shared = truth ? extent(mean, truth) : extent(mean);
  const quantiles = extent(q05, q95);
  const sd = report.floats(kappa.sd);
  const fields: Field[] = [
    {
      name: "mean",
      choice: "mean",
      label: "κ, posterior mean",
      scheme: "viridis",
      field: report.fieldOf(mean),
      domain: shared,
      note: "Posterior mean of the log coefficient κ.",
    },
    {
      name: "sd",
      choice: "sd",
      label: "κ, posterior sd",
      scheme: "cividis",
      field: report.fieldOf(sd),
      domain: extent(sd),
      note: "Posterior standard deviation of κ: large where the data say little.",
    },
    ...(run.known
      ? [
          {
            name: "known",
            choice: "known",
            label: "sd of κ over the prior's",
            scheme: "cividis" as const,
            field: report.fieldOf(report.floats(run.known.share)),
            domain: [0, 1] as [number, number],
            note: "Posterior over prior standard deviation of κ: small where data tell the field, one where it is only the prior.",
          },
        ]
      : []),
    {
      name: "exp",
      choice: "exp(κ)",
      label: withUnit(
        `${report.data.problem.conductivity_name ?? "conductivity"} exp(κ), median`,
        report.data.problem.units?.conductivity,
      ),
      scheme: "viridis",
      field: report.fieldOf(conductivity),
      domain: extent(conductivity),
      note: "The coefficient itself, exp(κ): its posterior median.",
    },
    {
      name: "q05",
      choice: "5 %",
      label: "κ, 5 % quantile",
      scheme: "viridis",
      field: report.fieldOf(q05),
      domain: quantiles,
      note: "κ is below this with a probability of 5 %. Same colours as the 95 % quantile.",
    },
    {
      name: "q95",
      choice: "95 %",
      label: "κ, 95 % quantile",
      scheme: "viridis",
      field: report.fieldOf(q95),
      domain: quantiles,
      note: "κ is below this with a probability of 95 %. Same colours as the 5 % quantile.",
    },
  ];
  const other = run.prior_sensitivity;
  if (other?.shift) {
    const shift = report.floats(other.shift);
    fields.push({
      name: "prior",
      choice: "other prior",
      label: "κ, move of the mean (sds)",
      scheme: "diverging",
      field: report.fieldOf(shift),
      domain: symmetricExtent(shift),
      note: `How far the mean of κ moves, in sds, with another prior: ${other.alternatives[other.shown].name}.`,
    });
  }
  if (truth) {
    const error = difference(mean, truth);
    fields.push(
      {
        name: "truth",
        choice: "truth",
        label: "κ, truth",
        scheme: "viridis",
        field: report.fieldOf(truth),
        domain: shared,
        note: "The true κ, on the colour scale of the mean.",
      },
      {
        name: "error",
        choice: "error",
        label: "κ, mean − truth",
        scheme: "diverging",
        field: report.fieldOf(error),
        domain: symmetricExtent(error),
        note: "Posterior mean minus truth.",
      },
    );
  }
  return fields;
}

/** Views of an unknown source. */
export function furtherFields(report: Report, further: NonNullable<Run["fields"]>[number]): Field[] {
  const { name, unit, at } = further;
  const mean = report.floats(further.mean);
  const sd = report.floats(further.sd);
  return [
    {
      name: "mean",
      choice: "mean",
      label: withUnit(`${name}, posterior mean`, unit),
      scheme: "viridis",
      field: { at, values: mean },
      domain: extent(mean),
      note: `Posterior mean of the source ${name}.`,
    },
    {
      name: "sd",
      choice: "sd",
      label: withUnit(`${name}, posterior sd`, unit),
      scheme: "cividis",
      field: { at, values: sd },
      domain: extent(sd),
      note: `Posterior standard deviation of the source ${name}.`,
    },
  ];
}

/** Views of u of a run. */
export function solutionFields(report: Report, run: Run): Field[] {
  if (!run.u) return [];
  const unit = report.data.problem.units?.u;
  const at = (values: Floats): Values => ({ at: "node", values });
  const mean = report.floats(run.u.mean);
  const sd = report.floats(run.u.sd);
  const truth = report.data.truth?.u && report.floats(report.data.truth.u);
  const shared = truth ? extent(mean, truth) : extent(mean);
  const fields: Field[] = [
    {
      name: "mean",
      choice: "mean",
      label: withUnit("u, posterior mean", unit),
      scheme: "viridis",
      field: at(mean),
      domain: shared,
      note: "Posterior mean of the solution u.",
    },
    {
      name: "sd",
      choice: "sd",
      label: withUnit("u, posterior sd", unit),
      scheme: "cividis",
      field: at(sd),
      domain: extent(sd),
      note: "Posterior standard deviation of u.",
    },
  ];
  if (truth) {
    const error = difference(mean, truth);
    fields.push(
      {
        name: "truth",
        choice: "truth",
        label: withUnit("u, truth", unit),
        scheme: "viridis",
        field: at(truth),
        domain: shared,
        note: "The true solution, on the colour scale of the mean.",
      },
      {
        name: "error",
        choice: "error",
        label: withUnit("u, mean − truth", unit),
        scheme: "diverging",
        field: at(error),
        domain: symmetricExtent(error),
        note: "Posterior mean minus truth.",
      },
    );
  }
  return fields;
}
