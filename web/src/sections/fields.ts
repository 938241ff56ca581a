import * as Plot from "@observablehq/plot";
import { boxesNote, boxesReminder } from "../boxes";
import { chart, grid, type Key, thinned } from "../charts";
import { extent } from "../colors";
import type { Run } from "../data";
import { h } from "../dom";
import { type Field, furtherFields, kappaFields, solutionFields } from "../fields";
import { checkbox, choice, Figure, slider } from "../figure";
import { capital, formatNumber, withUnit } from "../format";
import { LineMesh } from "../line_mesh";
import { drawMap, type MapContent, mapForFile } from "../map";
import type { Report } from "../model";
import { Space } from "../space";
import type { Theme } from "../theme";

export function mapFigure(
  space: Space,
  options: {
    id: string;
    title: string;
    field: () => Field;
    controls?: (Node | undefined)[];
    caption?: () => string;
    maxHeight?: number;
    after?: Node | undefined;
  },
): Figure {
  const content = (): MapContent => {
    const { field, domain, scheme, label, note } = options.field();
    return {
      ...space.content(),
      field,
      domain,
      scheme,
      label,
      description: note,
      ...(options.maxHeight ? { maxHeight: options.maxHeight } : {}),
    };
  };
  return new Figure({
    id: options.id,
    title: options.title,
    controls: options.controls ?? [],
    caption: options.caption ?? (() => options.field().note),
    after: options.after,
    draw: (theme, width) => drawMap(content(), theme, width),
    drawForFile: (theme, width) => mapForFile(content(), theme, width),
  });
}

/** The choice of a slice, for all maps at once; nothing for plane meshes but the outlines of cells. */
export function spaceControls(space: Space, update: () => void): HTMLElement {
  const cells = space.report.cellCount;
  const outlines =
    cells <= 20_000
      ? checkbox("Outlines of cells", space.showEdges, (checked) => {
          space.showEdges = checked;
          update();
        })
      : undefined;
  const sensors = space.report.data.sensors
    ? checkbox("Sensors", space.showSensors, (checked) => {
        space.showSensors = checked;
        update();
      })
    : undefined;
  if (!space.isSolid) return h("div", { class: "controls shared" }, sensors, outlines);
  const position = slider({
    id: "slice",
    label: "Slice at",
    min: 0,
    max: 1000,
    step: 5,
    value: 500,
    text: () => space.describe(),
    onInput: (value) => {
      space.cut(space.axis, value / 1000);
      refresh();
    },
  });
  const refresh = () => {
    position.element.querySelector("output")!.textContent = space.describe();
    position.input.setAttribute("aria-valuetext", space.describe());
    update();
  };
  const axis = choice(
    "Across",
    ["x", "y", "z"].map((label, value) => ({ value, label })),
    space.axis,
    (value) => {
      space.cut(value, Number(position.input.value) / 1000);
      refresh();
    },
  );
  return h("div", { class: "controls shared" }, axis, position.element, sensors, outlines);
}

/** Figures side by side, or below each other if the mesh is flat. */
export function pair(space: Space | undefined, ...figures: (Figure | undefined)[]): HTMLElement {
  return h("div", { class: space?.isFlat ? "pair stacked" : "pair" }, ...figures.map((figure) => figure?.element));
}

/** Under a map of kappa: where it is known from data, and where it is only the prior. */
function knownNote(run: Run): HTMLElement | undefined {
  return run.known ? h("p", { class: "note known" }, run.known.sentence) : undefined;
}

/** kappa and u of one run. */
export function fieldSection(report: Report, run: Run): HTMLElement {
  const uName = report.data.problem.u_name ?? "solution";
  const section = h("section", { id: "fields" }, h("h2", {}, `The field and the ${uName}`));
  const note = boxesNote(report);
  if (report.geometry.dimension === 1) {
    section.append(lineKappa(report, run).element);
    for (const further of run.fields ?? []) section.append(lineSource(report, further).element);
    section.append(lineSolution(report, run).element);
    if (note) section.append(note);
    return section;
  }
  const space = new Space(report);
  const kappa = kappaFields(report, run);
  const solution = solutionFields(report, run);
  const switched = (id: string, title: string, fields: Field[], after?: Node): Figure | undefined => {
    if (fields.length === 0) return undefined;
    let selected = fields[0];
    const figure: Figure = mapFigure(space, {
      id,
      title,
      field: () => selected,
      controls: [
        choice(
          "Show",
          fields.map(({ name, choice: label }) => ({ value: name, label })),
          selected.name,
          (name) => {
            selected = fields.find((field) => field.name === name) ?? selected;
            figure.update();
          },
        ),
      ],
      after,
    });
    return figure;
  };
  const sources = (run.fields ?? []).map((further) =>
    switched(`source-${further.name}`, `Source ${further.name}`, furtherFields(report, further)),
  );
  const maps = [
    switched("kappa", "Log coefficient κ", kappa, knownNote(run)),
    ...sources,
    switched("solution", capital(`${uName} u`), solution),
  ];
  section.append(
    spaceControls(space, () => {
      for (const map of maps) map?.update();
    }),
    pair(space, ...maps),
  );
  if (report.data.sensors) {
    const circles = space.isSolid
      ? "Circles are sensors near the slice, within an eighth of the mesh."
      : "Circles are sensors.";
    section.append(h("p", { class: "note" }, `${circles} Values appear under the pointer, or with the arrow keys.`));
  }
  if (note) section.append(note);
  return section;
}

function lineAxes(report: Report) {
  const { units } = report.data.problem;
  return { x: withUnit("x", units?.length), u: withUnit(`${report.data.problem.u_name ?? "solution"} u`, units?.u) };
}

/** Two standard deviations to either side of a mean on a line. */
function twoSds(points: { x: number; mean: number; sd: number }[], color: string): Plot.Markish {
  return Plot.areaY(points, {
    x: "x",
    y1: (d) => d.mean - 2 * d.sd,
    y2: (d) => d.mean + 2 * d.sd,
    fill: color,
    fillOpacity: 0.2,
  });
}

function lineSource(report: Report, further: NonNullable<Run["fields"]>[number]): Figure {
  const { name, unit } = further;
  const [mean, sd] = [report.floats(further.mean), report.floats(further.sd)];
  const points = Array.from(further.x ? report.floats(further.x) : [], (x, k) => ({ x, mean: mean[k], sd: sd[k] }));
  return new Figure({
    id: `source-${name}`,
    title: `Source ${name}`,
    caption: `Posterior mean of the source ${name}, and two standard deviations to either side.`,
    draw: (theme, width) => {
      const color = theme.palette[0];
      const keys: Key[] = [
        { label: "posterior mean", color, kind: "line" },
        { label: "± 2 sd", color, kind: "band" },
      ];
      return chart(theme, width, keys, {
        height: 300,
        x: { label: lineAxes(report).x },
        y: { label: withUnit(name, unit) },
        marks: [
          ...grid(theme),
          twoSds(points, color),
          Plot.lineY(points, { x: "x", y: "mean", stroke: color, strokeWidth: 2 }),
        ],
      });
    },
  });
}

function lineKappa(report: Report, run: Run): Figure {
  const mesh = new LineMesh(report);
  const truth = report.data.truth?.kappa;
  const points = mesh.unknowns({
    mean: report.floats(run.kappa.mean),
    sd: report.floats(run.kappa.sd),
    ...(truth ? { truth: report.floats(truth) } : {}),
  }) as { x: number; mean: number; sd: number; truth?: number }[];
  return new Figure({
    id: "kappa",
    title: "Log coefficient κ",
    caption: `Posterior mean of κ ${report.support === "node" ? "at the nodes" : `in each ${report.cellName}`}, and two standard deviations to either side${truth ? "; the truth is dashed" : ""}.`,
    after: knownNote(run),
    draw: (theme, width) => {
      const color = theme.palette[0];
      const keys: Key[] = [
        { label: "posterior mean", color, kind: "line" },
        { label: "± 2 sd", color, kind: "band" },
      ];
      if (truth) keys.push({ label: "truth", color: theme.text, kind: "line", dash: "5 3" });
      return chart(theme, width, keys, {
        height: 300,
        x: { label: lineAxes(report).x },
        y: { label: "log coefficient κ" },
        marks: [
          ...grid(theme),
          twoSds(points, color),
          truth
            ? Plot.lineY(points, { x: "x", y: "truth", stroke: theme.text, strokeWidth: 1.5, strokeDasharray: "5 3" })
            : null,
          Plot.lineY(points, { x: "x", y: "mean", stroke: color, strokeWidth: 2 }),
          Plot.tip(
            points,
            Plot.pointerX({
              x: "x",
              y: "mean",
              title: (d) =>
                `x = ${formatNumber(d.x)}\nκ = ${formatNumber(d.mean)} ± ${formatNumber(2 * d.sd, 2)}${
                  d.truth === undefined ? "" : `\ntruth ${formatNumber(d.truth)}`
                }`,
            }),
          ),
        ],
      });
    },
  });
}

interface SensorPoint {
  x: number;
  value: number;
  error: number;
}

function sensorPoints(report: Report): SensorPoint[] {
  const { sensors } = report.data;
  if (!sensors) return [];
  const [position, mean, sigma, count] = [sensors.position, sensors.mean, sensors.sigma, sensors.count].map((n) =>
    report.floats(n),
  );
  const ofU = Array.from(mean.keys()).filter((k) => !sensors.kind?.[k]);
  return thinned(ofU.length, 2000)
    .map((i) => ofU[i])
    .map((k) => ({
      x: position[k],
      value: mean[k],
      error: (2 * sigma[k]) / Math.sqrt(count[k]),
    }));
}

function lineSolution(report: Report, run: Run): Figure {
  const mesh = new LineMesh(report);
  const data = sensorPoints(report);
  const truth = report.data.truth?.u;
  const points = run.u
    ? mesh.points({
        mean: report.floats(run.u.mean),
        sd: report.floats(run.u.sd),
        ...(truth ? { truth: report.floats(truth) } : {}),
      })
    : [];
  const draws = run.draws?.u ? Math.min(run.draws.count, 20) : 0;
  const lines = Array.from({ length: draws }, (_, k) =>
    mesh.points({ u: report.draw(run.draws!.u!, k, report.nodeCount) }),
  );
  return new Figure({
    id: "solution",
    title: capital(`${report.data.problem.u_name ?? "solution"} u`),
    caption: `${draws ? `Thin lines are ${draws} draws of the posterior. ` : ""}Bars reach two standard errors of the measured means to either side.`,
    draw: (theme, width) => {
      const color = theme.palette[0];
      const keys: Key[] = [{ label: "posterior mean", color, kind: "line" }];
      if (truth) keys.push({ label: "truth", color: theme.text, kind: "line", dash: "5 3" });
      if (data.length) keys.push({ label: "measured, ± 2 standard errors", color: theme.palette[1], kind: "dot" });
      return chart(theme, width, keys, {
        height: 300,
        x: { label: lineAxes(report).x },
        y: { label: lineAxes(report).u },
        marks: [
          ...grid(theme),
          ...lines.map((line) =>
            Plot.lineY(line, { x: "x", y: "u", stroke: color, strokeOpacity: 0.28, strokeWidth: 0.8 }),
          ),
          truth
            ? Plot.lineY(points, { x: "x", y: "truth", stroke: theme.text, strokeWidth: 1.5, strokeDasharray: "5 3" })
            : null,
          Plot.lineY(points, { x: "x", y: "mean", stroke: color, strokeWidth: 2 }),
          Plot.ruleX(data, {
            x: "x",
            y1: (d: SensorPoint) => d.value - d.error,
            y2: (d: SensorPoint) => d.value + d.error,
            stroke: theme.palette[1],
            strokeWidth: 1.2,
          }),
          Plot.dot(data, {
            x: "x",
            y: "value",
            r: 3,
            fill: theme.background,
            stroke: theme.palette[1],
            strokeWidth: 1.5,
          }),
          Plot.tip(
            points,
            Plot.pointerX({
              x: "x",
              y: "mean",
              title: (d) => `x = ${formatNumber(d.x)}\nu = ${formatNumber(d.mean)} ± ${formatNumber(2 * d.sd, 2)}`,
            }),
          ),
        ],
      });
    },
  });
}

/** One draw after the other: kappa, and the u it leads to. */
export function drawsSection(report: Report, run: Run): HTMLElement | undefined {
  const { draws } = run;
  if (!draws || draws.count === 0) return undefined;
  let index = 0;
  const kappaDomain = extent(report.floats(draws.kappa));
  const uDomain = draws.u ? extent(report.floats(draws.u)) : ([0, 1] as [number, number]);
  const kappaOf = () => report.draw(draws.kappa, index, report.unknownCount);
  const uOf = () => report.draw(draws.u!, index, report.nodeCount);
  const unit = report.data.problem.units?.u;
  let figures: Figure[];
  let shared: HTMLElement | undefined;
  let space: Space | undefined;
  const update = () => {
    for (const figure of figures) figure.update();
  };
  if (report.geometry.dimension === 1) {
    figures = lineDraws(report, run, kappaOf, draws.u ? uOf : undefined, kappaDomain, uDomain);
  } else {
    const own = new Space(report);
    space = own;
    own.showSensors = false;
    const kappa = mapFigure(own, {
      id: "draw-kappa",
      title: "A draw of κ",
      field: () => ({
        name: "draw",
        choice: "",
        label: "κ of this draw",
        scheme: "viridis",
        field: report.fieldOf(kappaOf()),
        domain: kappaDomain,
        note: `Draw ${index + 1} of ${draws.count} of κ from the posterior, on one colour scale for all draws.`,
      }),
    });
    figures = [kappa];
    if (draws.u) {
      figures.push(
        mapFigure(own, {
          id: "draw-solution",
          title: "The u it leads to",
          field: () => ({
            name: "draw",
            choice: "",
            label: withUnit("u of this draw", unit),
            scheme: "viridis",
            field: { at: "node", values: uOf() },
            domain: uDomain,
            note: "The solution of the equation with this κ.",
          }),
        }),
      );
    }
    shared = spaceControls(own, update);
  }
  const control = slider({
    id: "draw",
    label: "Draw",
    min: 1,
    max: draws.count,
    step: 1,
    value: 1,
    text: (value) => `${value} of ${draws.count}`,
    onInput: (value) => {
      index = value - 1;
      update();
    },
  });
  return h(
    "section",
    { id: "draws" },
    h("h2", {}, "Fields that the data allow"),
    h(
      "p",
      { class: "lead" },
      "Each draw is one field that is plausible after seeing the data. What stays the same from draw to draw is known; what changes is not.",
    ),
    h("div", { class: "controls shared" }, control.element, playButton(control.input, draws.count)),
    shared,
    pair(space, ...figures),
    boxesReminder(report),
  );
}

function playButton(input: HTMLInputElement, count: number): HTMLElement | undefined {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches || count < 2) return undefined;
  let timer = 0;
  const button = h("button", { type: "button", "aria-pressed": "false" }, "▶ Play");
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    button.textContent = "▶ Play";
    button.setAttribute("aria-pressed", "false");
  };
  button.addEventListener("click", () => {
    if (timer) {
      stop();
      return;
    }
    button.textContent = "❚❚ Pause";
    button.setAttribute("aria-pressed", "true");
    timer = window.setInterval(() => {
      if (!button.isConnected) {
        stop();
        return;
      }
      input.value = String((Number(input.value) % count) + 1);
      input.dispatchEvent(new Event("input"));
    }, 600);
  });
  return button;
}

function lineDraws(
  report: Report,
  run: Run,
  kappaOf: () => ReturnType<Report["draw"]>,
  uOf: (() => ReturnType<Report["draw"]>) | undefined,
  kappaDomain: [number, number],
  uDomain: [number, number],
): Figure[] {
  const mesh = new LineMesh(report);
  const axes = lineAxes(report);
  const mean = mesh.unknowns({ mean: report.floats(run.kappa.mean) });
  const data = sensorPoints(report);
  const lineChart = (
    theme: Theme,
    width: number,
    label: string,
    domain: [number, number],
    keys: Key[],
    marks: Plot.Markish[],
  ) =>
    chart(theme, width, keys, {
      height: 260,
      x: { label: axes.x },
      y: { label, domain, nice: true },
      marks: [...grid(theme), ...marks],
    });
  const kappa = new Figure({
    id: "draw-kappa",
    title: "A draw of κ",
    draw: (theme, width) =>
      lineChart(
        theme,
        width,
        "log coefficient κ",
        kappaDomain,
        [
          { label: "draw", color: theme.palette[0], kind: "line" },
          { label: "posterior mean", color: theme.muted, kind: "line", dash: "4 3" },
        ],
        [
          Plot.lineY(mean, { x: "x", y: "mean", stroke: theme.muted, strokeDasharray: "4 3" }),
          Plot.lineY(mesh.unknowns({ kappa: kappaOf() }), {
            x: "x",
            y: "kappa",
            stroke: theme.palette[0],
            strokeWidth: 2,
          }),
        ],
      ),
  });
  if (!uOf) return [kappa];
  const solution = new Figure({
    id: "draw-solution",
    title: "The u it leads to",
    draw: (theme, width) =>
      lineChart(
        theme,
        width,
        axes.u,
        extent(
          Float64Array.from(uDomain),
          Float64Array.from(data, (d) => d.value),
        ),
        [
          { label: "u of the draw", color: theme.palette[0], kind: "line" },
          { label: "measured", color: theme.palette[1], kind: "dot" },
        ],
        [
          Plot.lineY(mesh.points({ u: uOf() }), { x: "x", y: "u", stroke: theme.palette[0], strokeWidth: 2 }),
          Plot.dot(data, {
            x: "x",
            y: "value",
            r: 3,
            fill: theme.background,
            stroke: theme.palette[1],
            strokeWidth: 1.5,
          }),
        ],
      ),
  });
  return [kappa, solution];
}
