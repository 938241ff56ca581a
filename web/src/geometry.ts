import type { CellType } from "./data";
import type { Floats } from "./decode";

/** A mesh in memory. */
export interface Geometry {
  dimension: 1 | 2 | 3;
  cellType: CellType;
  nodes: Floats;
  cells: Int32Array;
}

/** Triangles in a plane, cut from cells: what a map draws. */
export interface Patch {
  /** x and y of three corners for each triangle. */
  xy: Float64Array;
  /** The cell of each triangle. */
  cell: Int32Array;
  /** A corner lies between nodes a and b: its nodal value is (1 - t) f[a] + t f[b]. */
  a: Int32Array;
  b: Int32Array;
  t: Float32Array;
  /** Outlines of cells as segments x1, y1, x2, y2. */
  edges: Float64Array;
}

export const nodesPerCell: Record<CellType, number> = {
  line: 2,
  triangle: 3,
  quadrilateral: 4,
  tetrahedron: 4,
  hexahedron: 8,
};

export function cellCount(geometry: Geometry): number {
  return geometry.cells.length / nodesPerCell[geometry.cellType];
}

/** The two coordinates that are left when one is fixed. */
export function planeAxes(axis: number): [number, number] {
  return axis === 0 ? [1, 2] : axis === 1 ? [0, 2] : [0, 1];
}

/** Lowest and highest coordinate along an axis. */
export function bounds(geometry: Geometry, axis: number): [number, number] {
  const { nodes, dimension } = geometry;
  let lo = Number.POSITIVE_INFINITY;
  let hi = Number.NEGATIVE_INFINITY;
  for (let i = axis; i < nodes.length; i += dimension) {
    lo = Math.min(lo, nodes[i]);
    hi = Math.max(hi, nodes[i]);
  }
  return [lo, hi];
}

/** All cells of a plane mesh. */
export function planePatch(geometry: Geometry): Patch {
  const corners = nodesPerCell[geometry.cellType];
  const count = cellCount(geometry);
  const fans = corners - 2;
  const xy = new Float64Array(6 * fans * count);
  const cell = new Int32Array(fans * count);
  const a = new Int32Array(3 * fans * count);
  const edges = new Float64Array(4 * corners * count);
  const { nodes, cells } = geometry;
  for (let c = 0, triangle = 0, edge = 0; c < count; c++) {
    const first = c * corners;
    for (let k = 0; k < fans; k++, triangle++) {
      cell[triangle] = c;
      const local = [0, k + 1, k + 2];
      for (let v = 0; v < 3; v++) {
        const node = cells[first + local[v]];
        a[3 * triangle + v] = node;
        xy[6 * triangle + 2 * v] = nodes[2 * node];
        xy[6 * triangle + 2 * v + 1] = nodes[2 * node + 1];
      }
    }
    for (let k = 0; k < corners; k++, edge += 4) {
      const from = cells[first + k];
      const to = cells[first + ((k + 1) % corners)];
      edges[edge] = nodes[2 * from];
      edges[edge + 1] = nodes[2 * from + 1];
      edges[edge + 2] = nodes[2 * to];
      edges[edge + 3] = nodes[2 * to + 1];
    }
  }
  return { xy, cell, a, b: a, t: new Float32Array(a.length), edges };
}

const wholeTetrahedron = [[0, 1, 2, 3]];
/** A hexahedron as tetrahedra around its diagonal from node 0 to node 6. */
const hexahedronParts = [
  [0, 1, 2, 6],
  [0, 2, 3, 6],
  [0, 3, 7, 6],
  [0, 7, 4, 6],
  [0, 4, 5, 6],
  [0, 5, 1, 6],
];
const hexahedronFaces = [
  [0, 1, 2, 3],
  [4, 5, 6, 7],
  [0, 1, 5, 4],
  [1, 2, 6, 5],
  [2, 3, 7, 6],
  [3, 0, 4, 7],
];

/** Corners of the cut through a tetrahedron as pairs of its local nodes, in order around it. */
function cutOf(isAbove: boolean[]): [number, number][] {
  const above = [0, 1, 2, 3].filter((k) => isAbove[k]);
  const below = [0, 1, 2, 3].filter((k) => !isAbove[k]);
  if (above.length === 1) return below.map((k) => [above[0], k]);
  if (below.length === 1) return above.map((k) => [below[0], k]);
  if (above.length !== 2) return [];
  return [
    [above[0], below[0]],
    [above[0], below[1]],
    [above[1], below[1]],
    [above[1], below[0]],
  ];
}

/** The cut through a solid mesh where the coordinate of `axis` is `position`. */
export function slicePatch(geometry: Geometry, axis: number, position: number): Patch {
  const { nodes, cells, cellType } = geometry;
  const corners = nodesPerCell[cellType];
  const isHexahedron = cellType === "hexahedron";
  const parts = isHexahedron ? hexahedronParts : wholeTetrahedron;
  const [ix, iy] = planeAxes(axis);
  const xy: number[] = [];
  const cell: number[] = [];
  const a: number[] = [];
  const b: number[] = [];
  const t: number[] = [];
  const edges: number[] = [];
  const count = cellCount(geometry);
  for (let c = 0; c < count; c++) {
    const first = c * corners;
    let anyAbove = false;
    let anyBelow = false;
    for (let k = 0; k < corners; k++) {
      if (nodes[3 * cells[first + k] + axis] > position) anyAbove = true;
      else anyBelow = true;
    }
    if (!anyAbove || !anyBelow) continue;
    for (const part of parts) {
      const node = part.map((k) => cells[first + k]);
      const cut = cutOf(node.map((n) => nodes[3 * n + axis] > position));
      const points = cut.map(([p, q]) => {
        const from = nodes[3 * node[p] + axis];
        const share = (position - from) / (nodes[3 * node[q] + axis] - from);
        const at = (i: number) => (1 - share) * nodes[3 * node[p] + i] + share * nodes[3 * node[q] + i];
        return { x: at(ix), y: at(iy), a: node[p], b: node[q], t: share };
      });
      for (let k = 1; k + 1 < points.length; k++) {
        cell.push(c);
        for (const point of [points[0], points[k], points[k + 1]]) {
          xy.push(point.x, point.y);
          a.push(point.a);
          b.push(point.b);
          t.push(point.t);
        }
      }
      for (let k = 0; k < points.length; k++) {
        const next = (k + 1) % points.length;
        const locals = [...cut[k], ...cut[next]].map((l) => part[l]);
        if (isHexahedron && !hexahedronFaces.some((face) => locals.every((l) => face.includes(l)))) continue;
        edges.push(points[k].x, points[k].y, points[next].x, points[next].y);
      }
    }
  }
  return {
    xy: Float64Array.from(xy),
    cell: Int32Array.from(cell),
    a: Int32Array.from(a),
    b: Int32Array.from(b),
    t: Float32Array.from(t),
    edges: Float64Array.from(edges),
  };
}
