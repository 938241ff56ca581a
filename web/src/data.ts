// The data of a report, as varimesh embeds it in the page. docs/report-data.md describes it in words.

/** The version of this contract. A report with another number is refused with a sentence. */
export const schemaVersion = 1;

/**
 * Numbers, either as they are (null stands for NaN) or packed: base64 of little-endian values. A q16 or q8 value v
 * stands for lo + v (hi - lo) / (2^bits - 2); the largest v, all bits set, stands for NaN.
 */
export type Numbers =
  | (number | null)[]
  | { type: "f32" | "f64" | "i32"; data: string }
  | { type: "q16" | "q8"; lo: number; hi: number; data: string };

export interface ReportData {
  schema: 1;
  /** Heading of the report, and title of the window. */
  title: string;
  /** Two or three sentences: what was inferred from what, and what came out. */
  summary: string;
  generator: Generator;
  problem: Problem;
  mesh: Mesh;
  sensors?: Sensors;
  /** Given if the data were simulated, or the case is a benchmark. */
  truth?: Truth;
  /** At least one; the first is shown first. */
  runs: Run[];
  comparisons?: Comparison[];
}

export interface Generator {
  version: string;
  /** As text, in the form it should be shown. */
  date?: string;
  /** The command line that repeats this. */
  command?: string;
}

export interface Problem {
  /** One sentence each; shown in this order under these headings. */
  equation: string;
  mesh: string;
  sensors: string;
  prior: string;
  noise: string;
  /** Numbers worth a glance, in the order shown: cells, unknowns, sensors, ... */
  numbers: Fact[];
  /** Units for axes, for example "m", "K", "W/(m K)"; left out where the problem has none. */
  units?: { length?: string; u?: string; conductivity?: string };
  /** What u is, for example "temperature"; "solution" unless given. */
  u_name?: string;
  conductivity_name?: string;
}

export interface Fact {
  label: string;
  value: number | string;
}

export type CellType = "line" | "triangle" | "quadrilateral" | "tetrahedron" | "hexahedron";

export interface Mesh {
  dimension: 1 | 2 | 3;
  cell_type: CellType;
  /** `dimension` coordinates for each node, node by node. */
  nodes: Numbers;
  /** Node numbers from 0, cell by cell, in Gmsh's local order. */
  cells: Numbers;
  /** Given if the unknowns are at the nodes, one at each; otherwise cells have them. */
  unknowns?: "nodes";
  /** The unknown that each cell has; left out if every cell has its own, in order, or the unknowns are at the nodes. */
  unknown_of_cell?: Numbers;
  /** Given if the mesh is too large for a page: these cells are boxes over it, and it has so many cells, "triangles". */
  boxes_of?: { count: number; name: string };
}

export interface Sensors {
  /** `dimension` coordinates for each sensor. */
  position: Numbers;
  /** Mean of the measurements of each sensor. */
  mean: Numbers;
  /** Standard deviation of one measurement. */
  sigma: Numbers;
  /** How many measurements of each sensor. */
  count: Numbers;
  /** Given if there are too many sensors for a page: the numbers of those that are here, and how many there are. */
  number?: Numbers;
  total?: number;
  /** What each is called, "" for some; left out if the data have no labels. */
  label?: string[];
  /** What each reads, "" for u at a point; left out if all read that. */
  kind?: string[];
}

export interface Truth {
  /** Of each unknown. */
  kappa?: Numbers;
  /** At each node. */
  u?: Numbers;
  /** By name of the quantity. */
  quantities?: Record<string, number>;
}

export type Status = "converged" | "iteration_limit" | "diverged" | "interrupted" | "completed";
export type Level = "good" | "warn" | "bad";

export interface Run {
  /** Unique in the report; comparisons refer to it. */
  id: string;
  /** Short name for tabs, tables and legends: "PMVB", "NUTS". */
  name: string;
  /** What it is, in a few words: "normal, sparse precision of order 2, natural gradient". */
  description: string;
  status: Status;
  /** Why it ended, in a sentence. */
  message: string;
  seconds: number;
  /** Forward and adjoint. */
  solves: number;
  elbo?: Estimate;
  /** How heavy the tail of the importance weights is; below `threshold` it is good with so many draws. */
  khat?: { value: number | null; threshold?: number | null; verdict: "good" | "poor" | "bad" | "undetermined" };
  chains?: ChainsSummary;
  kappa: FieldSummary;
  /** Where the field is known from data and where it is only the prior, in words, and its sd over the prior's. */
  known?: { sentence: string; share: Numbers };
  u?: MeanSd;
  /** Unknown sources: a number for each cell of the mesh, or each node; on a line x has the places. */
  fields?: { name: string; unit?: string; at: "cell" | "node"; mean: Numbers; sd: Numbers; x?: Numbers }[];
  /** What each sensor should read, without the noise of the measurement. */
  predicted?: MeanSd;
  leave_one_out?: LeaveOneOut;
  prior_sensitivity?: PriorSensitivity;
  draws?: Draws;
  trace?: Trace;
  quantities?: Quantity[];
  /** Of unknown scalars, if there are two or more: names, and the matrix by columns. */
  correlations?: { names: string[]; values: Numbers };
  precision?: MatrixPicture;
  /** Euclidean norms, if the truth is known. */
  errors?: { kappa?: Estimate; u?: Estimate };
  /** All that the method ran with, as the problem file has it: "fit.tolerance", 0.01. */
  settings?: Setting[];
  /** Whether, and for what, the answer can be used: one sentence. */
  verdict: string;
  trust: TrustItem[];
}

export interface Setting {
  key: string;
  value: number | string | boolean | null;
}

/** A number, and its Monte Carlo standard error if it has one. */
export interface Estimate {
  value: number | null;
  standard_error?: number | null;
}

export interface ChainsSummary {
  chains: number;
  /** Kept, of each chain. */
  draws: number;
  /** The worst of all unknowns. */
  rhat: number | null;
  ess_bulk: number | null;
  ess_tail: number | null;
  divergences: number;
  /** Mean acceptance after the warm-up, 0 to 1. */
  acceptance?: number | null;
  /** Of kernels with momenta. */
  e_bfmi?: number | null;
}

/** Of each unknown kappa. */
export interface FieldSummary {
  mean: Numbers;
  sd: Numbers;
  q05: Numbers;
  q50: Numbers;
  q95: Numbers;
}

/** At each node, or of each sensor. */
export interface MeanSd {
  mean: Numbers;
  sd: Numbers;
}

/** Each sensor as all others predict it. */
export interface LeaveOneOut {
  /** Of each sensor here: (measured - predicted without it) / sd of that difference. */
  residual: Numbers;
  /** Log density of all measured means, each as the others predict it. */
  elpd: Estimate;
  /** The sensors with the largest residuals of all, these first; twenty at most. */
  worst: WorstSensor[];
}

export interface WorstSensor {
  /** Its number among all sensors. */
  sensor: number;
  position: number[];
  residual: number | null;
  /** Of the weights that leave it out; null if that was done in the linearised model. */
  khat: number | null;
  /** How far the mean of an unknown moves without it, in sds, where that is largest. */
  field_shift: number | null;
  /** How far the mean of each quantity moves without it, in sds, in the order of the run's quantities. */
  quantity_shifts: (number | null)[];
  /** What it is called, if it has a label. */
  label?: string;
}

/** What the answer becomes with other priors, by quick fits. */
export interface PriorSensitivity {
  /** Of each quantity, by the same fit under the prior as assumed. */
  quantity_means: (number | null)[];
  quantity_sds: (number | null)[];
  alternatives: PriorAlternative[];
  /** The alternative that `shift` is of. */
  shown: number;
  /** How far the mean of each unknown moves, in sds of the answer. */
  shift?: Numbers;
}

export interface PriorAlternative {
  change: "shorter" | "longer" | "narrower" | "wider" | "rougher";
  /** "half the length-scale (0.1)" */
  name: string;
  /** Why there is no fit; "" if there is one. */
  failure: string;
  /** Less that of the prior as assumed, nats. */
  log_evidence: number | null;
  /** How far the mean of an unknown moves, in sds, where that is largest, and where that is. */
  field_shift: number | null;
  position: number[];
  /** The share of the unknowns whose mean leaves the 90 % interval. */
  outside: number | null;
  /** Of sds: the geometric mean over the unknowns. */
  sd_ratio: number | null;
  /** The share of the field that the 90 % intervals hold if this prior is right. */
  held: number | null;
  quantity_means: (number | null)[];
  quantity_sds: (number | null)[];
  /** In sds of the answer. */
  quantity_shifts: (number | null)[];
}

/** Draws of the posterior, one after the other; u belongs to the kappa of the same draw. */
export interface Draws {
  count: number;
  kappa: Numbers;
  u?: Numbers;
}

export type Trace =
  | {
      /** Of a fit: one point for each iteration, or thinned. */
      kind: "elbo";
      iteration: Numbers;
      value: Numbers;
      /** NaN where there were no draws: the value is the log posterior then. */
      standard_error: Numbers;
    }
  | {
      /** Of chains: after the warm-up, every `thin`-th draw. */
      kind: "log_posterior";
      thin: number;
      chains: Numbers[];
    };

export interface Quantity {
  name: string;
  /** For the axis: "log flux through outlet". */
  label: string;
  mean: number | null;
  sd: number | null;
  q05: number | null;
  q50: number | null;
  q95: number | null;
  /** Left out if all draws are equal, or none is finite. */
  density?: { x: Numbers; y: Numbers };
  /** Of an unknown scalar: what was believed before measuring. */
  prior?: { x: Numbers; y: Numbers };
}

/** The precision matrix of an approximation, or of its draws; at most 512 x 512 blocks of entries. */
export interface MatrixPicture {
  /** Rows of the matrix itself. */
  unknowns: number;
  /** Stored entries of the matrix itself, both triangles. */
  nonzeros: number;
  /** Rows of the picture. */
  size: number;
  /** How the unknowns are ordered: "as cells are numbered", "as nodes are numbered", "in elimination order". */
  order: string;
  /** Row by row: the share of entries of a block that are stored, 0 to 1. */
  fill: Numbers;
  /** Row by row: the entry of largest magnitude in a block, with its sign. */
  value: Numbers;
}

export interface TrustItem {
  level: Level;
  /** "The fit has converged." */
  headline: string;
  /** What that means, in plain words. */
  explanation: string;
  /** What to do about it; left out if nothing is off. */
  action?: string;
}

/** A run measured by another one, the referee. */
export interface Comparison {
  run: string;
  referee: string;
  /** (mean - referee's mean) / referee's sd where it is largest. */
  largest_mean_shift: number | null;
  /** sd / referee's sd where it is furthest from one. */
  largest_sd_ratio: number | null;
  /** Relative, in the Frobenius norm. */
  covariance_difference?: Estimate;
  /** KL(run | referee) of the normal distributions with these moments, nats. */
  kl?: Estimate;
  /** How many times faster by the clock. */
  speedup: number | null;
  /** What that means. */
  sentence: string;
}
