import type { Mesh, Numbers } from "./data";
import { decodeFloats, decodeIntegers, type Floats } from "./decode";
import { cellCount, type Geometry, nodesPerCell } from "./geometry";
import type { Values } from "./raster";

/** A mesh of the data, unpacked and checked. */
export class UnpackedMesh {
  readonly geometry: Geometry;
  readonly cellCount: number;
  readonly nodeCount: number;
  readonly unknownCount: number;
  /** What has the unknowns. */
  readonly support: "cell" | "node";
  private readonly unknownOfCell: Int32Array | undefined;

  constructor(mesh: Mesh) {
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
    this.support = mesh.unknowns === "nodes" ? "node" : "cell";
    this.unknownCount = this.unknownOfCell
      ? this.unknownOfCell.reduce((most, unknown) => Math.max(most, unknown + 1), 0)
      : this.support === "node"
        ? this.nodeCount
        : this.cellCount;
  }

  /** Values of unknowns as a field on the mesh. */
  fieldOf(values: Floats): Values {
    const map = this.unknownOfCell;
    return { at: this.support, values: map ? Float32Array.from(map, (unknown) => values[unknown]) : values };
  }
}

/** Packed numbers, each unpacked once. */
export class Unpacker {
  private readonly decoded = new WeakMap<object, Floats>();

  floats(numbers: Numbers): Floats {
    let values = this.decoded.get(numbers);
    if (!values) {
      values = decodeFloats(numbers);
      this.decoded.set(numbers, values);
    }
    return values;
  }
}
