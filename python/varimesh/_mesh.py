"""Meshes of arrays, of meshio and of PyVista, as the library reads them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ._core import InputError

#: Gmsh's numbers of cells by dimension and nodes; facets as local nodes.
_TYPES = {(1, 2): 1, (2, 3): 2, (2, 4): 3, (3, 4): 4, (3, 8): 5}
_MESHIO = {"line": 1, "triangle": 2, "quad": 2, "tetra": 3, "hexahedron": 3}
_FACETS = {
    1: ((0,), (1,)),
    2: ((0, 1), (1, 2), (2, 0)),
    3: ((0, 1), (1, 2), (2, 3), (3, 0)),
    4: ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)),
    5: ((0, 3, 2, 1), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7), (4, 5, 6, 7)),
}
_POINT = 15
Part = Any  # facets as rows of node numbers, or a function of points that gives a mask


class Mesh:
    """Nodes, cells of one type, and named parts of the boundary and of the domain.

    Parameters
    ----------
    points: (node, axis), as many axes as the mesh has dimensions.
    cells: (cell, vertex) node numbers from 0, in Gmsh's and VTK's order.
    boundaries: by name, facets (facet, vertex), or a function of points that tells which are on the part:
        ``{"left": lambda x: x[:, 0] == 0}``; a facet belongs to it if all its nodes do.
    regions: by name, the numbers of cells.
    """

    def __init__(self, points: Any, cells: Any, boundaries: Mapping[str, Part] | None = None,
                 regions: Mapping[str, Any] | None = None) -> None:
        self.points = np.asarray(points, dtype=float)
        self.cells = np.asarray(cells, dtype=np.int64)
        if self.points.ndim == 1:
            self.points = self.points[:, np.newaxis]
        if self.points.ndim != 2 or self.cells.ndim != 2:
            raise InputError(f"mesh: expected points (node, axis) and cells (cell, vertex), found {self.points.shape} and "
                             f"{self.cells.shape}")
        shape = (self.points.shape[1], self.cells.shape[1])
        if shape not in _TYPES:
            raise InputError(f"mesh: expected lines, triangles, quadrilaterals, tetrahedra or hexahedra, found cells of "
                             f"{shape[1]} nodes in {shape[0]}D")
        if self.cells.size and not (self.cells.min() >= 0 and self.cells.max() < len(self.points)):
            raise InputError(f"mesh: cells: expected node numbers from 0 to {len(self.points) - 1}, found "
                             f"{self.cells.min()} to {self.cells.max()}")
        self.type = _TYPES[shape]
        self.boundaries = {name: self._facets(name, part) for name, part in (boundaries or {}).items()}
        self.regions = {name: np.asarray(part, dtype=np.int64).reshape(-1) for name, part in (regions or {}).items()}

    def outer_facets(self) -> np.ndarray:
        """The facets that belong to one cell only, (facet, vertex)."""
        local = np.array(_FACETS[self.type])
        facets = self.cells[:, local].reshape(-1, local.shape[1])
        _, first, count = np.unique(np.sort(facets, axis=1), axis=0, return_index=True, return_counts=True)
        return facets[np.sort(first[count == 1])]

    def _facets(self, name: str, part: Part) -> np.ndarray:
        if callable(part):
            on_part = np.asarray(part(self.points), dtype=bool)
            facets = self.outer_facets()
            facets = facets[on_part[facets].all(axis=1)]
            if not len(facets):
                raise InputError(f"mesh: boundaries: '{name}' has no facet")
            return facets
        return np.atleast_2d(np.asarray(part, dtype=np.int64))

    def write(self, file: Path) -> None:
        """As Gmsh 2.2, with digits that read back to the same numbers."""
        dimension = self.points.shape[1]
        lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames",
                 str(len(self.boundaries) + len(self.regions))]
        lines += [f'{dimension - 1} {k + 1} "{name}"' for k, name in enumerate(self.boundaries)]
        lines += [f'{dimension} {k + 1} "{name}"' for k, name in enumerate(self.regions)]
        lines += ["$EndPhysicalNames", "$Nodes", str(len(self.points))]
        padded = np.zeros((len(self.points), 3))
        padded[:, :dimension] = self.points
        lines += [f"{k + 1} {x!r} {y!r} {z!r}" for k, (x, y, z) in enumerate(padded.tolist())]
        elements = []
        for k, facets in enumerate(self.boundaries.values()):
            kind = _POINT if dimension == 1 else _TYPES[dimension - 1, facets.shape[1]]
            elements += [(kind, k + 1, facet) for facet in facets.tolist()]
        group = np.zeros(len(self.cells), dtype=int)
        for k, cells in enumerate(self.regions.values()):
            group[cells] = k + 1
        elements += [(self.type, tag, cell) for tag, cell in zip(group.tolist(), self.cells.tolist(), strict=True)]
        lines += ["$EndNodes", "$Elements", str(len(elements))]
        lines += [f"{k + 1} {kind} 2 {tag} {tag} " + " ".join(str(node + 1) for node in nodes)
                  for k, (kind, tag, nodes) in enumerate(elements)]
        lines.append("$EndElements")
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def to_mesh(given: Any) -> Mesh:
    """From what other libraries call a mesh."""
    if isinstance(given, Mesh):
        return given
    if hasattr(given, "cells_dict") and hasattr(given, "point_data") and hasattr(given, "points") and \
            not hasattr(given, "cell_data_to_point_data"):
        return _from_meshio(given)
    if hasattr(given, "cells_dict") and hasattr(given, "celltypes"):
        return _from_pyvista(given)
    if isinstance(given, tuple) and len(given) == 2:
        return Mesh(*given)
    raise InputError("mesh: expected a dict as in problem files, a Gmsh file, varimesh.Mesh, (points, cells), or a mesh of "
                     f"meshio or PyVista, found {type(given).__name__}")


def _from_meshio(given: Any) -> Mesh:
    dimension = max((_MESHIO.get(block.type, 0) for block in given.cells), default=0)
    blocks = [(k, b) for k, b in enumerate(given.cells) if _MESHIO.get(b.type) == dimension and b.type in _MESHIO]
    if dimension == 0 or len({block.type for _, block in blocks}) != 1:
        raise InputError("mesh: expected cells of one type, lines, triangles, quadrilaterals, tetrahedra or hexahedra, found "
                         + ", ".join(block.type for block in given.cells))
    boundaries: dict[str, list[np.ndarray]] = {}
    regions: dict[str, list[np.ndarray]] = {}
    offset = dict(zip((k for k, _ in blocks), np.cumsum([0] + [len(block.data) for _, block in blocks[:-1]]), strict=True))
    own = {k for k, _ in blocks}

    def add(name: str, k: int, numbers: np.ndarray) -> None:
        if len(numbers) == 0:
            return
        if k in own:
            regions.setdefault(name, []).append(offset[k] + numbers)
        elif _MESHIO.get(given.cells[k].type, 0) == dimension - 1:
            boundaries.setdefault(name, []).append(given.cells[k].data[numbers])

    tags = given.cell_data.get("gmsh:physical")
    for name, (tag, part_dimension) in (given.field_data or {}).items():
        for k, values in enumerate(tags or []):
            if _MESHIO.get(given.cells[k].type, 0) == part_dimension:
                add(name, k, np.flatnonzero(values == tag))
    for name, sets in (getattr(given, "cell_sets", None) or {}).items():
        if name not in boundaries and name not in regions and not name.startswith("gmsh:"):
            for k, numbers in enumerate(sets):
                if numbers is not None:
                    add(name, k, np.asarray(numbers, dtype=np.int64))
    cells = np.concatenate([block.data for _, block in blocks])
    return _without_orphans(given.points[:, :dimension], cells, {k: np.concatenate(v) for k, v in boundaries.items()},
                            {k: np.concatenate(v) for k, v in regions.items()})


def _from_pyvista(given: Any) -> Mesh:
    shapes = {3: (1, 2), 5: (2, 3), 9: (2, 4), 10: (3, 4), 12: (3, 8)}  # VTK's numbers
    kinds = given.cells_dict
    if len(kinds) != 1 or next(iter(kinds)) not in shapes:
        raise InputError(f"mesh: expected cells of one type of VTK's 3, 5, 9, 10 and 12, found {sorted(kinds)}")
    kind, cells = next(iter(kinds.items()))
    return _without_orphans(np.asarray(given.points)[:, : shapes[kind][0]], cells, {}, {})


def _without_orphans(points: np.ndarray, cells: np.ndarray, boundaries: dict[str, np.ndarray],
                     regions: dict[str, np.ndarray]) -> Mesh:
    """Without nodes that belong to no cell."""
    used, renumbered = np.unique(cells, return_inverse=True)
    number = np.full(len(points), -1)
    number[used] = np.arange(len(used))
    return Mesh(points[used], renumbered.reshape(cells.shape), {k: number[v] for k, v in boundaries.items()}, regions)
