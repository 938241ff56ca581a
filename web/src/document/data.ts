// The data of a document with figures, as varimesh embeds it in the page. docs/document-data.md describes it in words.

import type { Generator, Mesh, Numbers } from "../data";

/** The version of this contract. A document with another number is refused with a sentence. */
export const schemaVersion = 1;

export interface DocumentData {
  schema: 1;
  kind: "document";
  /** Heading of the document, and title of the window. */
  title: string;
  /** Paragraphs: what was reproduced, how, and what came out. */
  summary: string[];
  generator: Generator;
  /** Meshes by the names that maps use. */
  meshes?: Record<string, Mesh>;
  sections: Section[];
}

export interface Section {
  /** Anchor; unique in the document, as are those of figures. Letters, digits, - and _. */
  id: string;
  title: string;
  blocks: Block[];
}

export type Block = TextBlock | TableBlock | ClaimsBlock | FigureBlock;

export interface TextBlock {
  type: "text";
  paragraphs: string[];
}

export interface TableBlock {
  type: "table";
  /** Anchor. */
  id?: string;
  title?: string;
  caption?: string;
  columns: Column[];
  /** A value for each column; numbers are shown to four digits, text as it is, null as a dash. */
  rows: (string | number | null)[][];
  /** Under the table, in small print. */
  note?: string;
}

export interface Column {
  label: string;
  /** "right" if all its values are numbers or empty, "left" otherwise. */
  align?: "left" | "right" | "center";
  /** Neighbours with the same group have it as a heading over theirs. */
  group?: string;
  /** Significant digits of its numbers; 4 unless given. */
  digits?: number;
}

export type Verdict = "holds" | "part" | "fails" | "untested";

/** Claims of a paper, each with its evidence and ours. All of them are counted at the top of the page. */
export interface ClaimsBlock {
  type: "claims";
  title?: string;
  rows: Claim[];
}

export interface Claim {
  claim: string;
  /** The paper's evidence. */
  paper: string;
  /** Our evidence. */
  ours: string;
  verdict: Verdict;
  /** Why this verdict: what is missing, or differs. */
  why?: string;
  /** Anchors of figures or tables that show it. */
  figure?: string | string[];
}

/** Small multiples: a grid of panels, one drawing that can be saved. */
export interface FigureBlock {
  type: "figure";
  /** Anchor, and name of saved files. */
  id: string;
  title: string;
  caption: string;
  /** What the paper says or shows, in a sentence or two. */
  paper?: string;
  /** What we find. */
  ours?: string;
  verdict?: Verdict;
  /** Headings of the rows, at their left. */
  rows?: string[];
  /** Headings of the columns, above. */
  columns?: string[];
  /** Row by row, each as long as the longest; null leaves its place empty. */
  panels: (Panel | null)[][];
  /** What the legend shows, in this order. Unless given, all series that headings do not name; [] for no legend. */
  legend?: { series: string; label: string }[];
  /** Which panels have the same scales. */
  shared?: Shared;
  /** Colour scales by the names that panels give in `scale`. */
  scales?: Record<string, ColorScaleSpec>;
  /** Height of charts by their width; chosen by the number of columns unless given. */
  aspect?: number;
}

/** Only panels whose axes have the same label and kind share them; the tick labels are then drawn at the outer edge. */
export interface Shared {
  /** "column" unless given. */
  x?: "all" | "column" | "none";
  /** "row" unless given. */
  y?: "all" | "row" | "none";
  /** For maps and matrices without `scale`; "row" unless given. */
  color?: "all" | "row" | "none";
}

export interface ColorScaleSpec {
  /** Of the colour bar. */
  label?: string;
  scheme?: Scheme;
  /** All values there are unless given; values beyond it have the colours of its ends. */
  domain?: [number, number];
}
/** "diverging" is made symmetric around zero. */
export type Scheme = "viridis" | "cividis" | "diverging";

export interface AxisSpec {
  label?: string;
  log?: boolean;
  /** All values there are unless given; what lies beyond is cut off. */
  domain?: [number, number];
  /** Includes zero; of use for densities. */
  zero?: boolean;
}

export type Panel = BarsPanel | BandPanel | CurvesPanel | MatrixPanel | MapPanel | ContourPanel | TextPanel;

interface AnyPanel {
  /** Above the panel, where headings of rows and columns do not say enough. */
  title?: string;
  /** In its upper right corner: a number worth a glance. */
  note?: string;
}

/** Groups of bars with error bars, or of dots if the axis is logarithmic. */
export interface BarsPanel extends AnyPanel {
  kind: "bars";
  groups: { label: string; bars: Bar[] }[];
  /** Under the groups. */
  x_label?: string;
  y_axis?: AxisSpec;
  /** "dot" on logarithmic axes, where bars have no foot, "bar" otherwise. */
  mark?: "bar" | "dot";
}

export interface Bar {
  series: string;
  value: number | null;
  /** Ends of the error bar. */
  low?: number | null;
  high?: number | null;
  /** Single repetitions, drawn as small dots. */
  points?: Numbers;
}

/** A field that is constant on the cells of an interval: mean, mean ± 2 sd, and the truth. */
export interface BandPanel extends AnyPanel {
  kind: "band";
  /** Gives its colour. */
  series?: string;
  /** Ends of the cells in increasing order, one more than cells. */
  edges: Numbers;
  mean: Numbers;
  sd?: Numbers;
  truth?: Numbers;
  /** Further fields. */
  lines?: { series: string; values: Numbers }[];
  x_axis?: AxisSpec;
  y_axis?: AxisSpec;
}

/** Lines, bands and points: densities, traces, solutions with data. */
export interface CurvesPanel extends AnyPanel {
  kind: "curves";
  lines?: Curve[];
  bands?: { series: string; x: Numbers; low: Numbers; high: Numbers }[];
  points?: Points[];
  /** Straight lines across the panel. */
  rules?: Rule[];
  x_axis?: AxisSpec;
  y_axis?: AxisSpec;
}

export interface Curve {
  series: string;
  x: Numbers;
  /** As long as x; or several times, for as many curves (draws) over the same x, which are drawn thin. */
  y: Numbers;
  dash?: boolean;
  /** Fills the space down to zero faintly; for densities. */
  fill?: boolean;
}

export interface Points {
  /** "data" unless given. */
  series?: string;
  x: Numbers;
  y: Numbers;
  /** Half the length of each error bar. */
  error?: Numbers;
  symbol?: "dot" | "cross" | "square";
}

/** At an x or a y. */
export interface Rule {
  x?: number;
  y?: number;
  label?: string;
  /** Gives its colour, and an entry of the legend. */
  series?: string;
}

/** A square matrix as a heat map, with magnitudes on a log scale; or its pattern. */
export interface MatrixPanel extends AnyPanel {
  kind: "matrix";
  /** Rows; 512 at most. */
  size: number;
  /** Row by row. Zeros stay empty. */
  values: Numbers;
  /** Draws every entry that is not zero in black. */
  pattern?: boolean;
  /** Name of the colour scale, see FigureBlock.scales. */
  scale?: string;
  /** Of the colour bar; "entry (log scale)" unless given. */
  label?: string;
}

/** A field on a mesh, or the mesh alone. */
export interface MapPanel extends AnyPanel {
  kind: "map";
  /** Name of a mesh of the document. */
  mesh: string;
  /** For each cell (or unknown) or for each node; without values the mesh is drawn. */
  values?: Numbers;
  /** What the values belong to; "cell" unless given. */
  at?: "cell" | "node";
  /** Name of the colour scale, see FigureBlock.scales. */
  scale?: string;
  /** Of the colour bar. */
  label?: string;
  scheme?: Scheme;
  /** Outlines of cells. */
  outlines?: boolean;
  /** Sensors and the like. */
  points?: Points[];
  /** Parts of the boundary by name: pairs of node numbers. */
  boundary?: { name: string; edges: Numbers }[];
  /** Where a solid mesh is cut: x, y or z (0, 1, 2) is position. */
  slice?: { axis: 0 | 1 | 2; position: number };
}

/** A density in the plane: filled contours, contour lines of others over it, points. */
export interface ContourPanel extends AnyPanel {
  kind: "contour";
  /** Of the filled contours; "exact" unless given. */
  series?: string;
  /** Regularly spaced, increasing. */
  x: Numbers;
  y: Numbers;
  /** Of all x for the first y, then for the next. */
  z: Numbers;
  /** As shares of the largest z; 0.05, 0.15, ... 0.95 unless given. */
  levels?: number[];
  /** Others on the same grid, drawn as lines at 0.1, 0.5 and 0.9 of their largest unless given. */
  lines?: { series: string; z: Numbers; levels?: number[] }[];
  points?: Points[];
  x_axis?: AxisSpec;
  y_axis?: AxisSpec;
}

/** Words where a panel is missing. */
export interface TextPanel extends AnyPanel {
  kind: "text";
  text: string;
}
