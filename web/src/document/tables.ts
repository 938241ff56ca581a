import type { Column, TableBlock } from "./data";

/** Right if it holds numbers only. */
export function alignOf(block: TableBlock, column: number): NonNullable<Column["align"]> {
  const { align } = block.columns[column];
  if (align) return align;
  return block.rows.every((row) => typeof row[column] === "number" || row[column] === null) ? "right" : "left";
}

/** Runs of columns with the same group. */
export function groupsOf(columns: Column[]): { group: string; span: number }[] {
  const groups: { group: string; span: number }[] = [];
  for (const { group = "" } of columns) {
    const last = groups[groups.length - 1];
    if (last && last.group === group && group) last.span++;
    else groups.push({ group, span: 1 });
  }
  return groups;
}
