import type { Theme } from "../theme";
import type { DocumentData, Panel } from "./data";

export interface SeriesStyle {
  color: string;
  dash: string;
}

interface Fixed {
  light: string;
  dark: string;
  dash: string;
}

/**
 * Methods look the same in all figures of all documents; samplers are blue, approximations are not. Any two differ for
 * colour-blind readers, too (a test computes it), and dashes tell apart what printers do not.
 */
const fixed: Record<string, Fixed> = {
  hmc: { light: "#0b5fc0", dark: "#63b3f5", dash: "none" },
  pcn: { light: "#3d97c8", dark: "#a5dcf0", dash: "6 3" },
  mfvb: { light: "#d0660a", dark: "#f58a3c", dash: "2 2.5" },
  fcvb: { light: "#85206e", dark: "#a65fb8", dash: "8 3 2 3" },
  pmvb: { light: "#1a8f63", dark: "#4cd6a0", dash: "11 3" },
  "low rank": { light: "#b3304f", dark: "#ff8fa3", dash: "5 2 1 2" },
  nuts: { light: "#2a2390", dark: "#6d7ff7", dash: "4 2" },
  laplace: { light: "#5e5a00", dark: "#f0e45a", dash: "9 2 1 2 1 2" },
  exact: { light: "#6b747d", dark: "#9da4ab", dash: "none" },
  truth: { light: "#111418", dark: "#f2f4f6", dash: "3 2" },
  data: { light: "#111418", dark: "#f2f4f6", dash: "none" },
  sensors: { light: "#111418", dark: "#f2f4f6", dash: "none" },
  prior: { light: "#8a929b", dark: "#7f8994", dash: "1.5 2.5" },
};

/** For other names, in the order in which the document has them. */
const others: Fixed[] = [
  { light: "#0b5fc0", dark: "#63b3f5", dash: "none" },
  { light: "#d0660a", dark: "#f58a3c", dash: "6 3" },
  { light: "#1a8f63", dark: "#4cd6a0", dash: "2 2.5" },
  { light: "#85206e", dark: "#a65fb8", dash: "8 3 2 3" },
  { light: "#5e5a00", dark: "#f0e45a", dash: "11 3" },
  { light: "#b3304f", dark: "#ff8fa3", dash: "4 2" },
  { light: "#2a2390", dark: "#6d7ff7", dash: "9 2 1 2 1 2" },
  { light: "#7b5230", dark: "#cfa27e", dash: "5 2 1 2" },
];

/** The colour and dash pattern of each series, the same in the whole document. */
export class Series {
  private readonly order = new Map<string, number>();

  constructor(names: Iterable<string>) {
    for (const name of names) {
      if (!(name.toLowerCase() in fixed) && !this.order.has(name)) this.order.set(name, this.order.size);
    }
  }

  style(theme: Theme, name: string): SeriesStyle {
    const own = fixed[name.toLowerCase()] ?? others[(this.order.get(name) ?? 0) % others.length];
    return { color: theme.dark ? own.dark : own.light, dash: own.dash };
  }
}

/** The series that a panel draws, as often as it does. */
export function seriesOf(panel: Panel): string[] {
  const points = "points" in panel ? (panel.points ?? []).map((p) => p.series ?? "data") : [];
  switch (panel.kind) {
    case "bars":
      return panel.groups.flatMap((group) => group.bars.map((bar) => bar.series));
    case "band":
      return [
        ...(panel.series ? [panel.series] : []),
        ...(panel.lines ?? []).map((line) => line.series),
        ...(panel.truth ? ["truth"] : []),
      ];
    case "curves":
      return [
        ...(panel.bands ?? []).map((band) => band.series),
        ...(panel.lines ?? []).map((line) => line.series),
        ...points,
        ...(panel.rules ?? []).flatMap((rule) => rule.series ?? []),
      ];
    case "contour":
      return [panel.series ?? "exact", ...(panel.lines ?? []).map((line) => line.series), ...points];
    case "map":
      return [...points, ...(panel.boundary ?? []).map((part) => part.name)];
    default:
      return [];
  }
}

export function seriesOfDocument(data: DocumentData): string[] {
  return data.sections.flatMap((section) =>
    section.blocks.flatMap((block) =>
      block.type === "figure" ? block.panels.flat().flatMap((panel) => (panel ? seriesOf(panel) : [])) : [],
    ),
  );
}
