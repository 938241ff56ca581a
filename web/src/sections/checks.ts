import * as Plot from "@observablehq/plot";
import { chart, grid, type Key, thinned } from "../charts";
import { extent } from "../colors";
import type { Run } from "../data";
import { h } from "../dom";
import { checkbox, choice, Figure } from "../figure";
import { formatCount, formatNumber, withUnit } from "../format";
import { drawMatrix, type MatrixContent, matrixForFile } from "../matrix";
import type { Report } from "../model";
import { leftOutParts } from "./left_out";

interface FitPoint {
  sensor: number;
  name: string;
  measured: number;
  /** Of the measured mean. */
  error: number;
  predicted: number;
  sd: number;
  residual: number;
  /** What was measured: "" for u at a point. */
  kind: string;
}

/** Measurements beside predictions; none if the run has no predictions. */
export function fitPoints(report: Report, run: Run): FitPoint[] {
  const { sensors } = report.data;
  if (!sensors || !run.predicted) return [];
  const [mean, sigma, count, predicted, sd] = [
    sensors.mean,
    sensors.sigma,
    sensors.count,
    run.predicted.mean,
    run.predicted.sd,
  ].map((numbers) => report.floats(numbers));
  return Array.from(mean, (measured, sensor) => {
    const error = sigma[sensor] / Math.sqrt(count[sensor]);
    return {
      sensor: report.sensorNumber(sensor),
      name: report.sensorName(sensor),
      measured,
      error,
      predicted: predicted[sensor],
      sd: sd[sensor],
      residual: (measured - predicted[sensor]) / error,
      kind: sensors.kind?.[sensor] ?? "",
    };
  });
}

const tip = (d: FitPoint) =>
  `${d.name}${d.kind ? `, ${d.kind}` : ""}\nmeasured ${formatNumber(d.measured)} ± ${formatNumber(2 * d.error, 2)}\npredicted ${formatNumber(d.predicted)} ± ${formatNumber(2 * d.sd, 2)}\nresidual ${formatNumber(d.residual, 3)}`;

/** What was measured of one kind, beside its predictions. */
function agreement(points: FitPoint[], kind: string, unit: string | undefined, radius: number, note: string): Figure {
  return new Figure({
    id: kind ? `fit-${kind.replace(/[^a-z]+/gi, "-")}` : "fit",
    title: kind ? `Predicted against measured: ${kind}` : "Predicted against measured",
    caption: `Bars reach two standard deviations of the prediction, and two standard errors of the measured mean, to either side. On the line, both agree.${note}`,
    draw: (theme, width) => {
      const color = theme.palette[0];
      const ends = extent(
        Float64Array.from(points, (d) => d.measured),
        Float64Array.from(points, (d) => d.predicted),
      );
      return chart(theme, width, [], {
        height: 320,
        x: { label: withUnit("measured mean", unit), nice: true },
        y: { label: withUnit("predicted", unit), nice: true },
        marks: [
          ...grid(theme),
          Plot.line(
            ends.map((v) => ({ v })),
            { x: "v", y: "v", stroke: theme.muted, strokeDasharray: "4 3" },
          ),
          Plot.ruleX(points, {
            x: "measured",
            y1: (d: FitPoint) => d.predicted - 2 * d.sd,
            y2: (d: FitPoint) => d.predicted + 2 * d.sd,
            stroke: color,
            strokeOpacity: 0.6,
          }),
          Plot.ruleY(points, {
            y: "predicted",
            x1: (d: FitPoint) => d.measured - 2 * d.error,
            x2: (d: FitPoint) => d.measured + 2 * d.error,
            stroke: color,
            strokeOpacity: 0.6,
          }),
          Plot.dot(points, {
            x: "measured",
            y: "predicted",
            r: radius,
            fill: theme.background,
            stroke: color,
            strokeWidth: 1.4,
          }),
          Plot.tip(points, Plot.pointer({ x: "measured", y: "predicted", title: tip })),
        ],
      });
    },
  });
}

/** Do predictions agree with the measurements? */
export function dataFitSection(report: Report, run: Run): HTMLElement | undefined {
  const all = fitPoints(report, run);
  if (all.length === 0) return undefined;
  const points = thinned(all.length, 2000).map((k) => all[k]);
  const total = report.data.sensors?.total ?? all.length;
  const thinnedNote =
    points.length < total ? ` ${formatCount(points.length)} of ${formatCount(total)} sensors are drawn.` : "";
  const counted = `${formatCount(all.length)}${all.length < total ? `, evenly chosen from ${formatCount(total)},` : ""}`;
  const within = all.filter((d) => Math.abs(d.residual) <= 2).length / all.length;
  const unit = report.data.problem.units?.u;
  const radius = points.length > 300 ? 1.8 : 3;
  const kinds = [...new Set(all.map((d) => d.kind))];
  const agreements = kinds.map((kind) =>
    agreement(
      points.filter((d) => d.kind === kind),
      kind,
      kind ? undefined : unit,
      radius,
      thinnedNote,
    ),
  );
  const residuals = new Figure({
    id: "residuals",
    title: "Standardised residuals",
    caption: `(measured − predicted) / standard error of the measured mean. ${formatNumber(100 * within, 3)} % of ${counted} lie within ± 2. About 95 % or more should: a field with many unknowns follows its data closely. Many fewer point to a model that cannot explain the data.`,
    draw: (theme, width) => {
      const color = theme.palette[0];
      const reach = Math.max(3, ...points.map((d) => Math.abs(d.residual)).filter(Number.isFinite));
      return chart(theme, width, [], {
        height: 320,
        x: { label: "sensor" },
        y: { label: "standardised residual", domain: [-reach, reach], nice: true },
        marks: [
          ...grid(theme),
          Plot.rectY([0], { y1: -2, y2: 2, fill: theme.muted, fillOpacity: 0.13 }),
          Plot.ruleY([0], { stroke: theme.muted }),
          Plot.dot(points, {
            x: "sensor",
            y: "residual",
            r: radius,
            symbol: (d: FitPoint) => (Math.abs(d.residual) > 2 ? "beyond" : "within"),
            fill: theme.background,
            stroke: (d: FitPoint) => (Math.abs(d.residual) > 2 ? theme.palette[1] : color),
            strokeWidth: 1.4,
          }),
          Plot.tip(points, Plot.pointer({ x: "sensor", y: "residual", title: tip })),
        ],
        color: { type: "identity" },
        symbol: { domain: ["within", "beyond"], range: ["circle", "diamond2"] },
      });
    },
  });
  return h(
    "section",
    { id: "data-fit" },
    h("h2", {}, "Do predictions agree with the data?"),
    h("div", { class: "pair" }, ...agreements.map((figure) => figure.element), residuals.element),
    ...leftOutParts(report, run),
  );
}

/** How the computation went. */
export function traceSection(report: Report, run: Run): HTMLElement | undefined {
  const { trace } = run;
  if (!trace) return undefined;
  const figure = trace.kind === "elbo" ? elboFigure(report, trace) : chainsFigure(report, trace);
  return h("section", { id: "trace" }, h("h2", {}, "How the computation went"), figure.element);
}

type TraceOf<K> = Extract<NonNullable<Run["trace"]>, { kind: K }>;

function elboFigure(report: Report, trace: TraceOf<"elbo">): Figure {
  const [iteration, value, error] = [trace.iteration, trace.value, trace.standard_error].map((n) => report.floats(n));
  const points = thinned(iteration.length, 4000).map((k) => ({
    iteration: iteration[k],
    value: value[k],
    error: error[k],
  }));
  const late = points.slice(Math.floor(points.length / 3)).flatMap((d) => {
    const e = Number.isFinite(d.error) ? 2 * d.error : 0;
    return [d.value - e, d.value + e];
  });
  const end = extent(Float64Array.from(late));
  const whole = extent(value);
  // The climb from a poor start would flatten everything that matters.
  const canZoom = end[0] - whole[0] > 2 * (end[1] - end[0]);
  let zoomed = canZoom;
  const sampled = points.filter((d) => Number.isFinite(d.error));
  const searching = points.filter((d) => !Number.isFinite(d.error));
  const figure = new Figure({
    id: "trace",
    title: "Evidence lower bound (ELBO) by iteration",
    caption: () =>
      `The band reaches two standard errors to either side. A fit that has converged is flat at its end.${zoomed ? " The frame leaves out the climb at the start." : ""}`,
    controls: [
      canZoom
        ? checkbox("Leave out the climb at the start", zoomed, (checked) => {
            zoomed = checked;
            figure.update();
          })
        : undefined,
    ],
    draw: (theme, width) => {
      const color = theme.palette[0];
      const keys: Key[] = [
        { label: "ELBO", color, kind: "line" },
        { label: "± 2 standard errors", color, kind: "band" },
      ];
      if (searching.some((d) => !zoomed || d.value >= end[0])) {
        keys.push({ label: "log posterior (search of the mode)", color: theme.palette[1], kind: "line", dash: "5 3" });
      }
      const pad = 0.06 * (end[1] - end[0]);
      return chart(theme, width, keys, {
        height: 280,
        x: { label: "iteration" },
        y: {
          label: "ELBO (nats)",
          ...(zoomed ? { domain: [end[0] - pad, end[1] + pad] } : {}),
        },
        marks: [
          ...grid(theme),
          Plot.areaY(sampled, {
            x: "iteration",
            y1: (d) => d.value - 2 * d.error,
            y2: (d) => d.value + 2 * d.error,
            fill: color,
            fillOpacity: 0.2,
            clip: true,
          }),
          Plot.lineY(searching, {
            x: "iteration",
            y: "value",
            stroke: theme.palette[1],
            strokeDasharray: "5 3",
            strokeWidth: 1.5,
            clip: true,
          }),
          Plot.lineY(sampled, { x: "iteration", y: "value", stroke: color, strokeWidth: 1.6, clip: true }),
          Plot.tip(
            points,
            Plot.pointerX({
              x: "iteration",
              y: "value",
              title: (d) =>
                `iteration ${d.iteration}\n${formatNumber(d.value, 6)}${Number.isFinite(d.error) ? ` ± ${formatNumber(2 * d.error, 2)}` : ""}`,
            }),
          ),
        ],
      });
    },
  });
  return figure;
}

function chainsFigure(report: Report, trace: TraceOf<"log_posterior">): Figure {
  const points = trace.chains.slice(0, 8).flatMap((numbers, chain) => {
    const values = report.floats(numbers);
    return thinned(values.length, 1500).map((k) => ({
      draw: k * trace.thin,
      value: values[k],
      chain: `chain ${chain + 1}`,
    }));
  });
  const chains = Math.min(8, trace.chains.length);
  return new Figure({
    id: "trace",
    title: "Log posterior by draw, chain by chain",
    caption: "After the warm-up. Chains that explore the same posterior look alike, like grass without drift or steps.",
    draw: (theme, width) =>
      chart(theme, width, [], {
        height: 60 + 84 * chains,
        marginRight: 64,
        x: { label: "draw" },
        y: { label: "log posterior", ticks: 3, nice: true },
        fy: { label: null, padding: 0.15 },
        marks: [
          Plot.gridY({ stroke: theme.grid, strokeOpacity: 1, ticks: 3 }),
          Plot.lineY(points, { x: "draw", y: "value", fy: "chain", stroke: theme.palette[0], strokeWidth: 0.7 }),
        ],
      }),
  });
}

/** Which unknowns depend on each other directly. */
export function precisionSection(report: Report, run: Run): HTMLElement | undefined {
  const { precision } = run;
  if (!precision) return undefined;
  const content: MatrixContent = {
    unknowns: precision.unknowns,
    size: precision.size,
    fill: report.floats(precision.fill),
    value: report.floats(precision.value),
    show: "values",
  };
  const share = (100 * precision.nonzeros) / precision.unknowns ** 2;
  const figure = new Figure({
    id: "precision",
    title: "Precision matrix",
    caption: () =>
      `${formatCount(precision.unknowns)} unknowns, ${precision.order}; ${formatCount(precision.nonzeros)} entries are stored (${formatNumber(share, 3)} %).${
        precision.size < precision.unknowns
          ? ` One pixel stands for a block of entries: ${content.show === "pattern" ? "the darker, the fuller." : "its largest is shown."}`
          : ""
      } An entry of zero means that two unknowns tell nothing about each other once all others are known.`,
    controls: [
      choice(
        "Show",
        [
          { value: "values", label: "heat map" },
          { value: "pattern", label: "pattern" },
        ],
        content.show,
        (value) => {
          content.show = value as MatrixContent["show"];
          figure.update();
        },
      ),
    ],
    draw: (theme, width) => drawMatrix(content, theme, width),
    drawForFile: (theme, width) => matrixForFile(content, theme, width),
  });
  return h(
    "section",
    { id: "precision-matrix" },
    h("h2", {}, "How unknowns depend on each other"),
    h("div", { class: "narrow" }, figure.element),
  );
}
