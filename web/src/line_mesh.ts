import { thinned } from "./charts";
import type { Floats } from "./decode";
import type { Report } from "./model";

/** Cells of a one-dimensional mesh from left to right, and its nodes. */
export class LineMesh {
  private readonly cells: { left: number; right: number; cell: number }[];
  private readonly nodeOrder: Int32Array;

  constructor(private readonly report: Report) {
    const { nodes, cells } = report.geometry;
    this.cells = Array.from({ length: report.cellCount }, (_, cell) => {
      const [p, q] = [nodes[cells[2 * cell]], nodes[cells[2 * cell + 1]]];
      return { left: Math.min(p, q), right: Math.max(p, q), cell };
    }).sort((one, other) => one.left - other.left);
    this.nodeOrder = Int32Array.from(nodes.keys()).sort((i, j) => nodes[i] - nodes[j]);
  }

  /** Points of fields of the unknowns: at nodes, or steps. */
  unknowns<K extends string>(fields: { [P in K]?: Floats }): ({ x: number } & Record<K, number>)[] {
    return this.report.support === "node" ? this.points(fields) : this.steps(fields);
  }

  /** Steps of fields that are constant on cells: two points for each cell, with a value of each field. */
  private steps<K extends string>(fields: { [P in K]?: Floats }): ({ x: number } & Record<K, number>)[] {
    const names = Object.keys(fields) as K[];
    const onCells = Object.fromEntries(names.map((name) => [name, this.report.fieldOf(fields[name]!).values]));
    return thinned(this.cells.length, 3000).flatMap((k) => {
      const { left, right, cell } = this.cells[k];
      const values = Object.fromEntries(names.map((name) => [name, onCells[name][cell]])) as Record<K, number>;
      return [
        { x: left, ...values },
        { x: right, ...values },
      ];
    });
  }

  /** Points of fields at nodes. */
  points<K extends string>(fields: { [P in K]?: Floats }): ({ x: number } & Record<K, number>)[] {
    const names = Object.keys(fields) as K[];
    return thinned(this.nodeOrder.length, 4000).map((k) => {
      const node = this.nodeOrder[k];
      const values = Object.fromEntries(names.map((name) => [name, fields[name]![node]])) as Record<K, number>;
      return { x: this.report.geometry.nodes[node], ...values };
    });
  }
}
