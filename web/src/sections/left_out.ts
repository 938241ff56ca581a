import * as Plot from "@observablehq/plot";
import { chart, grid } from "../charts";
import { colorIndex, colorTable } from "../colors";
import type { Run } from "../data";
import { h } from "../dom";
import { Figure } from "../figure";
import { formatCount, formatNumber, withUnit } from "../format";
import { nameOfSensor, type Report } from "../model";
import { scroll } from "../page";

interface Place {
  sensor: number;
  name: string;
  position: number[];
  residual: number;
}

/** Beyond this many sds a colour does not change any more. */
const reach = 5;
const mostDrawn = 2000;

/** Sensors in space with their residuals, the largest last, so that they are drawn on top: at most `most`. */
export function placesOf(report: Report, run: Run, most = mostDrawn): Place[] {
  const { sensors } = report.data;
  if (!sensors || !run.leave_one_out) return [];
  const { dimension } = report.geometry;
  const [position, residual] = [sensors.position, run.leave_one_out.residual].map((numbers) => report.floats(numbers));
  const places = Array.from(residual, (value, k) => ({
    sensor: report.sensorNumber(k),
    name: report.sensorName(k),
    position: Array.from(position.subarray(dimension * k, dimension * (k + 1))),
    residual: value,
  }));
  // A report with many sensors has some of them only; the worst are always there.
  const known = new Set(places.map(({ sensor }) => sensor));
  for (const { sensor, position, residual, label } of run.leave_one_out.worst) {
    const name = nameOfSensor(sensor, label);
    if (!known.has(sensor)) places.push({ sensor, name, position, residual: residual ?? Number.NaN });
  }
  return places
    .filter((d) => Number.isFinite(d.residual) && d.position.every(Number.isFinite))
    .sort((a, b) => Math.abs(a.residual) - Math.abs(b.residual))
    .slice(-most);
}

function colorOf(residual: number): string {
  const table = colorTable("diverging");
  const place = 3 * colorIndex(residual, [-reach, reach]);
  return `rgb(${table[place]}, ${table[place + 1]}, ${table[place + 2]})`;
}

const coordinates = (position: number[]) => position.map((x) => formatNumber(x, 3)).join(", ");

/** Where sensors disagree with what all others predict. */
function mapOf(report: Report, places: Place[]): Figure {
  const { dimension } = report.geometry;
  const unit = report.data.problem.units?.length;
  const total = report.data.sensors?.total ?? places.length;
  const note =
    places.length < total ? ` ${formatCount(places.length)} of ${formatCount(total)} sensors are drawn.` : "";
  const view = dimension === 3 ? " Seen along the z axis." : "";
  const color =
    dimension === 1 ? "" : ` Orange is measured too high, purple too low; colours end at ± ${reach} sds, zero is pale.`;
  const tip = (d: Place) =>
    `${d.name} at (${coordinates(d.position)})\n${formatNumber(Math.abs(d.residual), 3)} sds too ${d.residual > 0 ? "high" : "low"}`;
  return new Figure({
    id: "left-out",
    title: "Each sensor as all others predict it",
    caption: `(measured − predicted without it) / sd of that difference.${color}${view} Neighbours of one colour point to the model, a single strong colour to the sensor.${note}`,
    draw: (theme, width) => {
      const y = dimension === 1 ? (d: Place) => d.residual : (d: Place) => d.position[1];
      const x = (d: Place) => d.position[0];
      return chart(theme, width, [], {
        height: 320,
        x: { label: withUnit("x", unit), nice: true },
        y: { label: dimension === 1 ? "residual (sds)" : withUnit("y", unit), nice: true },
        marks: [
          ...grid(theme),
          ...(dimension === 1 ? [Plot.ruleY([0], { stroke: theme.muted })] : []),
          Plot.dot(places, {
            x,
            y,
            r: places.length > 300 ? 3 : 5,
            fill: (d: Place) => colorOf(d.residual),
            stroke: theme.muted,
            strokeWidth: 0.8,
          }),
          Plot.tip(places, Plot.pointer({ x, y, title: tip })),
        ],
        color: { type: "identity" },
      });
    },
  });
}

/** The sensors that agree least with all others, and what leaving each out would change. */
function worstTable(report: Report, run: Run): HTMLElement | undefined {
  const worst = run.leave_one_out?.worst ?? [];
  if (worst.length === 0) return undefined;
  const quantities = run.quantities ?? [];
  const heads: [string, string][] = [
    ["Sensor", "Its number, from 0, and its label"],
    ["At", "Its position"],
    ["Residual (sds)", "Measured − predicted by all others, over the sd of that difference"],
    ["k-hat", "Of the weights that leave it out; linear: in the linearised model"],
    ["Field moves (sds)", "Largest move of the mean of an unknown without it"],
    ...quantities.map(({ name, label }): [string, string] => [`${name} moves (sds)`, label]),
  ];
  const { dimension } = report.geometry;
  const rows = worst.map((sensor) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, `${formatCount(sensor.sensor)}${sensor.label ? ` (${sensor.label})` : ""}`),
      h("td", {}, coordinates(sensor.position.slice(0, dimension))),
      h("td", {}, formatNumber(sensor.residual, 3)),
      h("td", {}, sensor.khat === null ? "linear" : formatNumber(sensor.khat, 2)),
      h("td", {}, formatNumber(sensor.field_shift, 2)),
      ...quantities.map((_, q) => h("td", {}, formatNumber(sensor.quantity_shifts[q], 2))),
    ),
  );
  return scroll(
    h(
      "table",
      { class: "spaced", id: "worst-sensors" },
      h("thead", {}, h("tr", {}, ...heads.map(([head, title]) => h("th", { scope: "col", title }, head)))),
      h("tbody", {}, ...rows),
    ),
    "Sensors that agree least with all others",
  );
}

/** The map and the table; nothing of a run without them. */
export function leftOutParts(report: Report, run: Run): HTMLElement[] {
  const places = placesOf(report, run);
  if (places.length === 0) return [];
  const table = worstTable(report, run);
  return [h("h3", {}, "Sensor by sensor"), mapOf(report, places).element, ...(table ? [table] : [])];
}
