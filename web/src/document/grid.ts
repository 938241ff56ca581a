// Small multiples: where panels, headings, axes and colour bars of a figure go.

import { scaleLinear } from "d3-scale";
import { s } from "../dom";
import { formatTicks } from "../format";
import { colorBar } from "../map";
import { signedLogDomain, signedLogTicks } from "../signed_log";
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
  if (panel.kind === "map" || panel.kind === "matrix") return 66;
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
  return new Grid(doc, plan, theme, width).draw();
}

/** Columns that stand side by side, with the space beside each panel. */
interface Chunk {
  columns: number[];
  bars: Bar[];
  left: number[];
  right: number[];
  /** What is left for each panel. */
  panelWidth: number;
}

class Grid {
  private readonly rows: number[];
  private readonly perChunk: number;
  private readonly headings: string[][];
  private readonly headingSpace: number;
  private readonly chunks: Chunk[];
  private readonly panelWidth: number;
  private readonly rowHeights: number[];

  private readonly defs = s("defs");
  private readonly content: SVGElement[] = [];
  private readonly probes: { box: Box; probe: Probe; name: string }[] = [];
  private y = 0;

  constructor(
    private readonly doc: Doc,
    private readonly plan: Plan,
    private readonly theme: Theme,
    private readonly width: number,
  ) {
    const { figure, slots, rowCount, columnCount } = plan;
    this.rows = Array.from({ length: rowCount }, (_, r) => r);
    const hasHeadings = Boolean(figure.rows?.some(Boolean));

    // As many columns side by side as can be read; the others go below.
    const hasBars = placeBars(slots).some((bar) => bar.column === undefined);
    const around = (hasHeadings ? 24 : 0) + 48 + (hasBars ? 78 : 8);
    const least = Math.max(...slots.map(leastWidth), 60);
    const fitting = Math.max(1, Math.floor((width - around + gap) / (least + gap)));
    const chunkCount = Math.ceil(columnCount / Math.min(columnCount, fitting));
    this.perChunk = Math.ceil(columnCount / chunkCount);
    const columns = Array.from({ length: chunkCount }, (_, k) =>
      Array.from({ length: Math.min(this.perChunk, columnCount - k * this.perChunk) }, (_, c) => k * this.perChunk + c),
    );

    // What stands beside panels has its space first, the rest is theirs. Their size decides on ticks, which stand beside them.
    const guess = (width - around) / this.perChunk - gap;
    this.headings = this.rows.map((r) =>
      wrap(figure.rows?.[r] ?? "", Math.max(60, this.heightOf(r, guess) + 12), headingWeight, headingSize),
    );
    this.headingSpace = hasHeadings ? 15 * Math.max(...this.headings.map((lines) => lines.length)) + 9 : 0;
    const keepsProportions = slots.every((slot) => slot.panel.kind === "text" || proportionOf(doc, slot) !== undefined);
    const most = mostWidth(this.perChunk, keepsProportions);
    const chunksFor = (size: number) => columns.map((some) => this.chunk(some, size));
    const widthOf = (chunks: Chunk[]) => Math.max(40, Math.min(most, ...chunks.map(({ panelWidth }) => panelWidth)));
    this.chunks = chunksFor(widthOf(chunksFor(guess)));
    this.panelWidth = widthOf(this.chunks);
    this.rowHeights = this.rows.map((r) => this.heightOf(r, this.panelWidth));
  }

  draw(): DrawnFigure {
    const { doc, theme, width, probes } = this;
    const { figure } = this.plan;
    const key = legend(doc, figure, theme, this.headingSpace + this.chunks[0].left[0], width);
    this.y = (key?.height ?? 0) + 2;
    this.chunks.forEach((chunk, k) => {
      if (k > 0) this.y += 20;
      this.drawChunk(chunk);
    });
    const height = Math.ceil(this.y + 4);
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
      this.defs,
      key?.node,
      ...this.content,
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

  private at(row: number, column: number): Slot | undefined {
    return this.plan.slots.find((slot) => slot.row === row && slot.column === column);
  }

  /** The next panel with axes to the left, among columns from the first on. */
  private leftOf(slot: Slot, first: number): Slot | undefined {
    for (let c = slot.column - 1; c >= first; c--) {
      const other = this.at(slot.row, c);
      if (other?.y) return other;
    }
    return undefined;
  }

  private below(slot: Slot): Slot | undefined {
    for (let r = slot.row + 1; r < this.plan.rowCount; r++) {
      const other = this.at(r, slot.column);
      if (other?.x) return other;
    }
    return undefined;
  }

  private showsY(slot: Slot, first: number): boolean {
    return this.leftOf(slot, first)?.y?.group !== slot.y?.group;
  }

  private showsX(slot: Slot): boolean {
    return this.below(slot)?.x?.group !== slot.x?.group;
  }

  private showsLabelY(slot: Slot, first: number): boolean {
    return Boolean(slot.y?.label) && this.showsY(slot, first) && this.leftOf(slot, first)?.y?.label !== slot.y?.label;
  }

  private showsLabelX(slot: Slot): boolean {
    return Boolean(slot.x?.label) && this.showsX(slot) && this.below(slot)?.x?.label !== slot.x?.label;
  }

  private heightOf(row: number, panelWidth: number): number {
    const aspect = this.plan.figure.aspect ?? [0.5, 0.62, 0.72][this.perChunk - 1] ?? 0.8;
    const heights = this.plan.slots
      .filter((slot) => slot.row === row && slot.panel.kind !== "text")
      .map((slot) => Math.min(460, panelWidth * (proportionOf(this.doc, slot) ?? aspect)));
    return Math.max(48, ...(heights.length ? heights : [0.5 * panelWidth]));
  }

  /** The space that columns need beside their panels if those have about this width. */
  private chunk(columns: number[], size: number): Chunk {
    const { slots } = this.plan;
    const first = columns[0];
    const bars = placeBars(slots.filter((slot) => columns.includes(slot.column)));
    const leftOfPanel = (slot: Slot) => {
      const height = this.heightOf(slot.row, size);
      const numbers = this.showsY(slot, first) ? 8 + numbersWidth(slot, height) : 0;
      const words = this.showsLabelY(slot, first) ? 5 + 13 * labelLines(slot.y!.label, height).length : 0;
      return (slot.column === first ? 2 : gap) + numbers + words;
    };
    const left = columns.map((c) =>
      Math.max(c === first ? 4 : gap, ...slots.filter((slot) => slot.column === c && slot.y).map(leftOfPanel)),
    );
    const spaceOf = (some: Bar[], row: (bar: Bar) => number) =>
      some.map((bar) => barSpace(bar.color, this.heightOf(row(bar), size)));
    const right = columns.map((c) =>
      Math.max(
        0,
        ...spaceOf(
          bars.filter((bar) => bar.slot?.column === c),
          (bar) => bar.slot!.row,
        ),
      ),
    );
    const outer = Math.max(
      10,
      ...spaceOf(
        bars.filter((bar) => bar.rows),
        (bar) => bar.rows![0],
      ),
    );
    const used = this.headingSpace + [...left, ...right].reduce((sum, space) => sum + space, 0) + outer;
    const missing = (this.perChunk - columns.length) * gap;
    return { columns, bars, left, right, panelWidth: (this.width - used - missing) / this.perChunk };
  }

  private drawChunk(chunk: Chunk): void {
    const { content, theme, panelWidth, rowHeights } = this;
    const { columns, bars } = chunk;
    const xs: number[] = [];
    let end = this.headingSpace;
    columns.forEach((_, c) => {
      xs.push(end + chunk.left[c]);
      end += chunk.left[c] + panelWidth + chunk.right[c];
    });
    this.drawColumnHeadings(columns, xs);
    const tops = this.rows.map((r) => this.drawRow(r, chunk, xs));
    for (const { color, rows } of bars) {
      if (!rows) continue;
      const top = tops[rows[0]];
      const all = tops[rows[1]] + rowHeights[rows[1]] - top;
      const length = Math.min(all, Math.max(rowHeights[rows[0]], 240));
      content.push(...standingBar(color, end + 12, top + (all - length) / 2, length, theme));
    }
    const lying = bars.filter((bar) => bar.column !== undefined);
    for (const { color, column } of lying) {
      const place = { x: xs[column! - columns[0]], y: this.y + 10, length: panelWidth, end: this.y + 54, flat: true };
      content.push(colorBar(barDomain(color), color.scheme, color.label, place, theme, barTicks(color, panelWidth)));
    }
    if (lying.length > 0) this.y += 60;
  }

  private drawColumnHeadings(columns: number[], xs: number[]): void {
    const { figure } = this.plan;
    if (!figure.columns?.some(Boolean)) {
      this.y += 4;
      return;
    }
    const lines = columns.map((c) =>
      wrap(figure.columns?.[c] ?? "", this.panelWidth + gap, headingWeight, headingSize),
    );
    const most = Math.max(...lines.map((one) => one.length));
    const look = { fill: this.theme.text, weight: headingWeight, size: headingSize };
    lines.forEach((one, c) => {
      this.content.push(label(one, { x: xs[c] + this.panelWidth / 2, y: this.y + 7 * most + 1, ...look }));
    });
    this.y += 15 * most + 5;
  }

  /** Draws a row of a chunk; returns where its panels begin. */
  private drawRow(row: number, chunk: Chunk, xs: number[]): number {
    const { theme, panelWidth } = this;
    const [first] = chunk.columns;
    const height = this.rowHeights[row];
    const inRow = this.plan.slots.filter((slot) => slot.row === row && chunk.columns.includes(slot.column));
    const titleLines = Math.max(0, ...inRow.map(({ panel }) => wrap(panel.title ?? "", panelWidth, 500).length));
    this.y += titleLines * 14 + (titleLines ? 4 : 0);
    const top = this.y;
    const heading = this.headings[row];
    if (heading.length > 0) {
      const look = { fill: theme.text, weight: headingWeight, size: headingSize, upwards: true };
      this.content.push(label(heading, { x: 7.5 * heading.length, y: top + height / 2, ...look }));
    }
    const feet = inRow.map((slot) => {
      const whole: Box = { x: xs[slot.column - first], y: top, width: panelWidth, height };
      const box = fit(whole, proportionOf(this.doc, slot));
      const foot = this.drawSlot(slot, box, first);
      for (const bar of chunk.bars) {
        if (bar.slot === slot)
          this.content.push(...standingBar(bar.color, box.x + box.width + 12, box.y, box.height, theme));
      }
      return foot;
    });
    this.y = top + height + Math.max(0, ...feet) + (row + 1 < this.plan.rowCount ? 9 : 0);
    return top;
  }

  /** Draws a panel with its title and axes; returns how much space it needs below. */
  private drawSlot(slot: Slot, box: Box, first: number): number {
    const { doc, theme, content } = this;
    const { figure } = this.plan;
    const { panel, x, y } = slot;
    const title = wrap(panel.title ?? "", this.panelWidth, 500);
    if (title.length > 0) {
      const place = { x: box.x + box.width / 2, y: box.y - 5 - 7 * title.length };
      content.push(label(title, { ...place, fill: theme.text, weight: 500 }));
    }
    if (panel.kind === "text") content.push(...textPanel({ panel, theme, box }).nodes);
    if (!x || !y) return 0;

    const scaleX = scaleOf(x, box.x, box.x + box.width);
    const [low, high] = [box.y + box.height, box.y];
    const scaleY = panel.kind === "matrix" ? scaleOf(y, high, low) : scaleOf(y, low, high);
    const showX = this.showsX(slot);
    const hasGrid = panel.kind === "bars" || panel.kind === "band" || panel.kind === "curves";
    const showY = this.showsY(slot, first);
    const { under, over } = axes({ box, x, y, scaleX, scaleY, theme, hasGrid, showX, showY, overhang: gap / 2 - 3 });
    const { nodes, probe } = drawPanel({ doc, slot, theme, box, scaleX, scaleY });
    const drawing = s("g", { class: "panel" }, ...nodes);
    // Boundaries of meshes lie on the frame.
    if (panel.kind !== "map") {
      const id = `${figure.id}-clip-${++clips}`;
      this.defs.append(s("clipPath", { id }, s("rect", { ...box })));
      drawing.setAttribute("clip-path", `url(#${id})`);
    }
    content.push(under, drawing, over);
    if (panel.note) {
      const place = { x: box.x + box.width - 5, y: box.y + 10, anchor: "end" as const };
      content.push(overLines(label([panel.note], { ...place, fill: theme.text, size: 10 }), theme));
    }
    if (probe) {
      const name = [figure.rows?.[slot.row], figure.columns?.[slot.column] ?? panel.title].filter(Boolean).join(", ");
      this.probes.push({ box, probe, name });
    }
    if (this.showsLabelY(slot, first)) {
      const lines = labelLines(y.label, box.height);
      const at = box.x - numbersWidth(slot, box.height) - 12 - 6.5 * lines.length;
      const upwards = y.label.length > 2;
      content.push(label(lines, { x: at, y: box.y + box.height / 2, fill: theme.muted, upwards }));
    }
    const lines = x.categories ? Math.max(1, ...categoryLines(x, box.width).map((one) => one.length)) : 1;
    const foot = showX ? 6 + 1.2 * fontSize * lines : 4;
    if (!this.showsLabelX(slot)) return foot;
    content.push(label([x.label], { x: box.x + box.width / 2, y: low + foot + 8, fill: theme.muted }));
    return foot + 15;
  }
}

/** The longest number beside the upright axis of a panel of this height. */
function numbersWidth({ y }: Slot, height: number): number {
  return Math.max(0, ...(y ? ticksOf(y, height, false) : []).map(({ text }) => measure(text)));
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
