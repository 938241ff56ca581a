import { type Numbers, type ReportData, type Run, schemaVersion } from "./data";
import { decodeFloats, decodeIntegers, type Floats } from "./decode";
import { cellCount, type Geometry, nodesPerCell } from "./geometry";

/** The embedded data with its packed numbers at hand. */
export class Report {
  readonly geometry: Geometry;
  readonly cellCount: number;
  readonly unknownCount: number;
  readonly nodeCount: number;
  private readonly unknownOfCell: Int32Array | undefined;
  private readonly decoded = new WeakMap<object, Floats>();

  constructor(readonly data: ReportData) {
    if (data.schema !== schemaVersion) {
      throw new Error(`The data have schema ${data.schema}, this page reads schema ${schemaVersion}.`);
    }
    if (!data.runs?.length) throw new Error("The data hold no run.");
    const { mesh } = data;
    this.geometry = {
      dimension: mesh.dimension,
      cellType: mesh.cell_type,
      nodes: decodeFloats(mesh.nodes),
      cells: decodeIntegers(mesh.cells),
    };
    this.cellCount = cellCount(this.geometry);
    this.nodeCount = this.geometry.nodes.length / mesh.dimension;
    if (this.geometry.cells.length % nodesPerCell[mesh.cell_type] !== 0) {
      throw new Error("The number of node numbers is no multiple of the nodes of a cell.");
    }
    if (this.geometry.cells.some((node) => node < 0 || node >= this.nodeCount)) {
      throw new Error("A cell has a node that does not exist.");
    }
    this.unknownOfCell = mesh.unknown_of_cell ? decodeIntegers(mesh.unknown_of_cell) : undefined;
    this.unknownCount = this.unknownOfCell
      ? this.unknownOfCell.reduce((most, unknown) => Math.max(most, unknown + 1), 0)
      : this.cellCount;
    for (const run of data.runs) {
      this.expect(run, "kappa", run.kappa.mean, this.unknownCount);
      if (run.u) this.expect(run, "u", run.u.mean, this.nodeCount);
    }
  }

  /** The floats of packed numbers, unpacked once. */
  floats(numbers: Numbers): Floats {
    let values = this.decoded.get(numbers);
    if (!values) {
      values = decodeFloats(numbers);
      this.decoded.set(numbers, values);
    }
    return values;
  }

  /** Values of unknowns as values of cells. */
  onCells(values: Floats): Floats {
    const map = this.unknownOfCell;
    return map ? Float32Array.from(map, (unknown) => values[unknown]) : values;
  }

  /** One draw out of several, one after the other. */
  draw(numbers: Numbers, index: number, size: number): Floats {
    return this.floats(numbers).subarray(index * size, (index + 1) * size);
  }

  private expect(run: Run, what: string, numbers: Numbers, length: number): void {
    const found = this.floats(numbers).length;
    if (found !== length) {
      throw new Error(`${run.name}: ${what} has ${found} values, but the mesh needs ${length}.`);
    }
  }
}
