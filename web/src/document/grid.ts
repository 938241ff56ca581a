// Small multiples: where panels, headings, axes and colour bars of a figure go.

import { scaleLinear } from "d3-scale";
import { s } from "../dom";
import { formatTicks } from "../format";
import { colorBar } from "../map";
import { signedLogDomain, signedLogTicks } from "../matrix";
import { fontStack, type Theme } from "../theme";
import { axes, type Box, categoryLines, scaleOf, ticksOf } from "./axes";
import { legend } from "./legend";
import type { Doc } from "./model";
import { drawPanel, type Probe, textPanel } from "./panels";
import type { ColorScale, Plan, Slot } from "./scales";
import { fontSize, label, measure, overLines, wrap } from "./text";

export interface DrawnFigure {
  svg: SVGSVGElement;
  /** What is under a point of the drawing. */
  probe: Probe;
}

const gap = 16;
const headingSize = 12;
const headingWeight = 600;
let clips = 0;

/** The label of an upright axis of this length. */
const labelLines = (text: string, length: number) => wrap(text, length + 14);

/** Whether a panel keeps the proportions of what it shows. */
const proportionOf = (doc: Doc, { panel }: Slot): number | undefined => {
  if (panel.kind === "matrix") return 1;
  if (panel.kind !== "map") return undefined;
  const { x, y } = doc.view(panel).window;
  return (y[1] - y[0]) / (x[1] - x[0]);
};

/** Less than this is too narrow to read. */
function leastWidth({ panel }: Slot): number {
  if (panel.kind === "map" || panel.kind === "matrix") return 78;
  if (panel.kind !== "bars") return 96;
  return Math.max(96, 9 * panel.groups.reduce((sum, group) => sum + group.bars.length + 1, 0));
}

function mostWidth(columns: number, keepsProportions: boolean): number {
  if (keepsProportions) return [400, 340, 290][columns - 1] ?? 260;
  return [640, 470, 340][columns - 1] ?? 300;
}

interface Bar {
  color: ColorScale;
  /** Beside these rows; or under this column; or beside this slot. */
  rows?: [number, number];
  column?: number;
  slot?: Slot;
}

/** One colour bar for as many panels as it can stand for. */
export function placeBars(slots: Slot[]): Bar[] {
  const colored = slots.filter((slot) => slot.color);
  const byKey = new Map<string, Slot[]>();
  for (const slot of colored) byKey.set(slot.color!.key, [...(byKey.get(slot.color!.key) ?? []), slot]);
  return [...byKey.entries()].flatMap(([key, members]): Bar[] => {
    const color = members[0].color!;
    const rows = members.map((slot) => slot.row);
    const [first, last] = [Math.min(...rows), Math.max(...rows)];
    const inRows = colored.filter(({ row }) => row >= first && row <= last);
    if (inRows.every((slot) => slot.color!.key === key)) return [{ color, rows: [first, last] }];
    const columns = new Set(members.map((slot) => slot.column));
    const inColumns = colored.filter(({ column }) => columns.has(column));
    if (inColumns.every((slot) => slot.color!.key === key)) return [...columns].map((column) => ({ color, column }));
    // Alone in each of its rows, but with others between them.
    const ownRows = colored.filter(({ row }) => rows.includes(row)).every((slot) => slot.color!.key === key);
    if (ownRows) return [...new Set(rows)].map((row) => ({ color, rows: [row, row] }));
    return members.map((slot) => ({ color, slot }));
  });
}

function barTicks(color: ColorScale, length: number): { at: number; text: string }[] {
  if (color.largest !== undefined) {
    const all = signedLogTicks(color.largest);
    return length < 90 ? all.filter((_, k) => k % 2 === 0) : all;
  }
  const values = scaleLinear(color.domain, [0, 1]).ticks(Math.max(2, Math.min(5, Math.floor(length / 26))));
  const texts = formatTicks(values);
  return values.map((at, k) => ({ at, text: texts[k] }));
}

const barDomain = (color: ColorScale) => (color.largest === undefined ? color.domain : signedLogDomain);

/** Space that a standing colour bar needs at the right of panels. */
function barSpace(color: ColorScale, length: number): number {
  const numbers = Math.max(...[length, 100, 200].flatMap((l) => barTicks(color, l)).map(({ text }) => measure(text)));
  const lines = color.label ? wrap(color.label, length).length : 0;
  return 12 + 12 + 7 + numbers + (lines ? 9 + 13 * lines : 4);
}

export function drawFigure(doc: Doc, plan: Plan, theme: Theme, width: number): DrawnFigure {
  const { figure, slots, rowCount, columnCount } = plan;
  const rowIndices = Array.from({ length: rowCount }, (_, r) => r);
  const rowsHaveHeadings = Boolean(figure.rows?.some(Boolean));

  // As many columns side by side as can be read; the others go below.
  const hasBars = placeBars(slots).some((bar) => bar.column === undefined);
  const around = (rowsHaveHeadings ? 24 : 0) + 48 + (hasBars ? 78 : 8);
  const least = Math.max(...slots.map(leastWidth), 60);
  const fitting = Math.max(1, Math.floor((width - around + gap) / (least + gap)));
  const chunkCount = Math.ceil(columnCount / Math.min(columnCount, fitting));
  const perChunk = Math.ceil(columnCount / chunkCount);
  const chunks = Array.from({ length: chunkCount }, (_, k) =>
    Array.from({ length: Math.min(perChunk, columnCount - k * perChunk) }, (_, c) => k * perChunk + c),
  );

  const at = (row: number, column: number) => slots.find((slot) => slot.row === row && slot.column === column);
  const leftOf = (slot: Slot, first: number) => {
    for (let c = slot.column - 1; c >= first; c--) {
      const other = at(slot.row, c);
      if (other?.y) return other;
    }
    return undefined;
  };
  const below = (slot: Slot) => {
    for (let r = slot.row + 1; r < rowCount; r++) {
      const other = at(r, slot.column);
      if (other?.x) return other;
    }
    return undefined;
  };
  const showsY = (slot: Slot, first: number) => leftOf(slot, first)?.y?.group !== slot.y?.group;
  const showsX = (slot: Slot) => below(slot)?.x?.group !== slot.x?.group;
  const showsLabelY = (slot: Slot, first: number) =>
    Boolean(slot.y?.label) && showsY(slot, first) && leftOf(slot, first)?.y?.label !== slot.y?.label;
  const showsLabelX = (slot: Slot) => Boolean(slot.x?.label) && showsX(slot) && below(slot)?.x?.label !== slot.x?.label;

  const proportions = slots.map((slot) => proportionOf(doc, slot));
  const keepsProportions = proportions.every((p, k) => p !== undefined || slots[k].panel.kind === "text");
  const aspect = figure.aspect ?? [0.5, 0.62, 0.72][perChunk - 1] ?? 0.8;
  const heightOf = (row: number, panelWidth: number) => {
    const heights = slots
      .filter((slot) => slot.row === row && slot.panel.kind !== "text")
      .map((slot) => Math.min(460, panelWidth * (proportionOf(doc, slot) ?? aspect)));
    return Math.max(48, ...(heights.length ? heights : [0.5 * panelWidth]));
  };

  // Widths: what stands beside panels first, the rest is theirs. Their size decides on ticks, which stand beside them.
  const guess = (width - around) / perChunk - gap;
  const headings = rowIndices.map((r) =>
    wrap(figure.rows?.[r] ?? "", Math.max(60, heightOf(r, guess) + 12), headingWeight, headingSize),
  );
  const headingSpace = rowsHaveHeadings ? 15 * Math.max(...headings.map((lines) => lines.length)) + 9 : 0;
  const spacesOf = (guess: number) =>
    chunks.map((columns) => {
      const first = columns[0];
      const bars = placeBars(slots.filter((slot) => columns.includes(slot.column)));
      const left = columns.map((c) =>
        Math.max(
          c === first ? 4 : gap,
          ...slots
            .filter((slot) => slot.column === c && slot.y)
            .map((slot) => {
              const height = heightOf(slot.row, guess);
              const numbers = showsY(slot, first)
                ? 8 + Math.max(0, ...ticksOf(slot.y!, height, false).map(({ text }) => measure(text)))
                : 0;
              return (
                (c === first ? 2 : gap) +
                numbers +
                (showsLabelY(slot, first) ? 5 + 13 * labelLines(slot.y!.label, height).length : 0)
              );
            }),
        ),
      );
      const beside = (c: number) =>
        Math.max(
          0,
          ...bars
            .filter((bar) => bar.slot?.column === c)
            .map((bar) => barSpace(bar.color, heightOf(bar.slot!.row, guess))),
        );
      const right = columns.map(beside);
      const outer = Math.max(
        10,
        ...bars.filter((bar) => bar.rows).map((bar) => barSpace(bar.color, heightOf(bar.rows![0], guess))),
      );
      const total = headingSpace + [...left, ...right].reduce((sum, space) => sum + space, 0) + outer;
      const missing = (perChunk - columns.length) * gap;
      return { bars, left, right, outer, panelWidth: (width - total - missing) / perChunk };
    });
  const widthOf = (spaces: { panelWidth: number }[]) =>
    Math.max(40, Math.min(mostWidth(perChunk, keepsProportions), ...spaces.map((space) => space.panelWidth)));
  const spaces = spacesOf(widthOf(spacesOf(guess)));
  const panelWidth = widthOf(spaces);
  const rowHeights = rowIndices.map((r) => heightOf(r, panelWidth));

  const content: SVGElement[] = [];
  const probes: { box: Box; probe: Probe; name: string }[] = [];
  const defs = s("defs");
  const key = legend(doc, figure, theme, headingSpace + spaces[0].left[0], width);
  let y = (key?.height ?? 0) + 2;

  chunks.forEach((columns, k) => {
    const { bars, left, right } = spaces[k];
    const first = columns[0];
    const xs: number[] = [];
    let x = headingSpace;
    columns.forEach((_, c) => {
      x += left[c];
      xs.push(x);
      x += panelWidth + right[c];
    });
    const end = x;
    if (k > 0) y += 20;
    if (figure.columns?.some(Boolean)) {
      const lines = columns.map((c) => wrap(figure.columns?.[c] ?? "", panelWidth + gap, headingWeight, headingSize));
      const most = Math.max(...lines.map((one) => one.length));
      lines.forEach((one, c) => {
        content.push(
          label(one, {
            x: xs[c] + panelWidth / 2,
            y: y + 7 * most + 1,
            fill: theme.text,
            weight: headingWeight,
            size: headingSize,
          }),
        );
      });
      y += 15 * most + 5;
    } else y += 4;

    const tops: number[] = [];
    for (const r of rowIndices) {
      const inRow = slots.filter((slot) => slot.row === r && columns.includes(slot.column));
      const height = rowHeights[r];
      const titles = inRow.map((slot) => wrap(slot.panel.title ?? "", panelWidth, 500));
      const titleLines = Math.max(0, ...titles.map((lines) => lines.length));
      y += titleLines * 14 + (titleLines ? 4 : 0);
      tops[r] = y;
      if (headings[r].length > 0)
        content.push(
          label(headings[r], {
            x: 7.5 * headings[r].length,
            y: y + height / 2,
            fill: theme.text,
            weight: headingWeight,
            size: headingSize,
            upwards: true,
          }),
        );
      let footer = 0;
      inRow.forEach((slot, index) => {
        const { panel } = slot;
        const whole: Box = { x: xs[slot.column - first], y, width: panelWidth, height };
        const box = fit(whole, proportionOf(doc, slot));
        if (titles[index].length > 0)
          content.push(
            label(titles[index], {
              x: box.x + box.width / 2,
              y: box.y - 5 - 7 * titles[index].length,
              fill: theme.text,
              weight: 500,
            }),
          );
        if (panel.kind === "text") {
          content.push(...textPanel({ panel, theme, box }).nodes);
          return;
        }
        if (!slot.x || !slot.y) return;
        const scaleX = scaleOf(slot.x, box.x, box.x + box.width);
        const scaleY =
          panel.kind === "matrix"
            ? scaleOf(slot.y, box.y, box.y + box.height)
            : scaleOf(slot.y, box.y + box.height, box.y);
        const hasAxesX = showsX(slot);
        const { under, over } = axes({
          box,
          x: slot.x,
          y: slot.y,
          scaleX,
          scaleY,
          theme,
          hasGrid: panel.kind !== "matrix" && panel.kind !== "map" && panel.kind !== "contour",
          showX: hasAxesX,
          showY: showsY(slot, first),
          overhang: gap / 2 - 3,
        });
        const { nodes, probe } = drawPanel({ doc, slot, theme, box, scaleX, scaleY });
        const id = `${figure.id}-clip-${++clips}`;
        defs.append(s("clipPath", { id }, s("rect", { x: box.x, y: box.y, width: box.width, height: box.height })));
        const clipped = panel.kind !== "map";
        content.push(
          under,
          s("g", clipped ? { "clip-path": `url(#${id})`, class: "panel" } : { class: "panel" }, ...nodes),
          over,
        );
        if (panel.note)
          content.push(
            overLines(
              label([panel.note], {
                x: box.x + box.width - 5,
                y: box.y + 10,
                anchor: "end",
                fill: theme.text,
                size: 10,
              }),
              theme,
            ),
          );
        if (probe) {
          const name = [figure.rows?.[slot.row], figure.columns?.[slot.column] ?? panel.title]
            .filter(Boolean)
            .join(", ");
          probes.push({ box, probe, name });
        }
        let foot = 4;
        if (hasAxesX) {
          const lines = slot.x.categories ? Math.max(1, ...categoryLines(slot.x, box.width).map((l) => l.length)) : 1;
          foot = 6 + 1.2 * fontSize * lines;
        }
        if (showsLabelX(slot)) {
          content.push(
            label([slot.x.label], { x: box.x + box.width / 2, y: box.y + box.height + foot + 8, fill: theme.muted }),
          );
          foot += 15;
        }
        footer = Math.max(footer, foot);
        if (showsLabelY(slot, first)) {
          const lines = labelLines(slot.y.label, box.height);
          const isShort = slot.y.label.length <= 2;
          const numbers = Math.max(0, ...ticksOf(slot.y, box.height, false).map(({ text }) => measure(text)));
          content.push(
            label(lines, {
              x: box.x - numbers - 12 - 6.5 * lines.length,
              y: box.y + box.height / 2,
              fill: theme.muted,
              upwards: !isShort,
            }),
          );
        }
        for (const bar of bars) {
          if (bar.slot === slot)
            content.push(...standingBar(bar.color, box.x + box.width + 12, box.y, box.height, theme));
        }
      });
      y += height + footer + (r + 1 < rowCount ? 9 : 0);
    }
    for (const bar of bars) {
      if (bar.rows) {
        const top = tops[bar.rows[0]];
        const all = tops[bar.rows[1]] + rowHeights[bar.rows[1]] - top;
        const length = Math.min(all, Math.max(rowHeights[bar.rows[0]], 240));
        content.push(...standingBar(bar.color, end + 12, top + (all - length) / 2, length, theme));
      }
    }
    const flat = bars.filter((bar) => bar.column !== undefined);
    for (const bar of flat) {
      const x0 = xs[bar.column! - first];
      const place = { x: x0, y: y + 10, length: panelWidth, end: y + 54, flat: true };
      const { color } = bar;
      content.push(colorBar(barDomain(color), color.scheme, color.label, place, theme, barTicks(color, panelWidth)));
    }
    if (flat.length > 0) y += 60;
  });

  const height = Math.ceil(y + 4);
  const svg = s(
    "svg",
    {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      "font-size": fontSize,
      "font-family": fontStack,
      fill: theme.text,
      role: "img",
      "aria-label": `${figure.title}. ${figure.caption}`,
    },
    defs,
    key?.node,
    ...content,
  );
  const probe: Probe = (px, py) => {
    const hit = probes.find(
      ({ box }) => px >= box.x && px <= box.x + box.width && py >= box.y && py <= box.y + box.height,
    );
    const text = hit?.probe(px, py);
    return hit && text ? (hit.name ? `${hit.name}: ${text}` : text) : undefined;
  };
  return { svg, probe };
}

/** The largest box of these proportions, in the middle. */
function fit(box: Box, proportion: number | undefined): Box {
  if (proportion === undefined) return box;
  const width = Math.min(box.width, box.height / proportion);
  const height = width * proportion;
  return { x: box.x + (box.width - width) / 2, y: box.y + (box.height - height) / 2, width, height };
}

function standingBar(color: ColorScale, x: number, y: number, length: number, theme: Theme): SVGElement[] {
  const ticks = barTicks(color, length);
  const numbers = Math.max(...ticks.map(({ text }) => measure(text)));
  const lines = color.label ? wrap(color.label, length) : [];
  const middle = x + 19 + numbers + 8 + 6.5 * lines.length;
  return [
    colorBar(barDomain(color), color.scheme, "", { x, y, length, end: middle }, theme, ticks),
    label(lines, { x: middle, y: y + length / 2, fill: theme.muted, upwards: color.label.length > 2 }),
  ];
}
