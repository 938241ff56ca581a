"""A problem made of Python's objects: what a problem file says, with arrays and tables in place of files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ._core import InputError
from ._mesh import to_mesh
from ._result import Result
from ._toml import format_key, format_value


class Problem:
    """What a problem file says, under the same names and with the same defaults.

    >>> problem = varimesh.Problem(
    ...     mesh={"kind": "rectangle", "cells": [20, 20], "cell_type": "triangle"},
    ...     boundary={"left": {"dirichlet": 0}, "right": {"neumann": 1}},
    ...     data=table, sigma=0.02,
    ...     prior={"kind": "gaussian_process", "length_scale": 0.25},
    ...     quantities={"outflow": {"log_flux": "left"}})
    >>> result = problem.run()

    Parameters
    ----------
    mesh: a dict as in problem files, a Gmsh file, `varimesh.Mesh`, (points, cells), or a mesh of meshio or PyVista.
    data: measurements: a pandas or polars table or a dict of columns (x, y, z, value and so on, as in CSV files), a pair of
        arrays (points, values), or a CSV file.
    sigma: their standard deviation, if the table has no column sigma; further keys of [observations] in `observations`.
    tables: all other tables of problem files, by their names: boundary, equation, prior, quantities, coefficient, method ...
    """

    def __init__(self, mesh: Any, *, data: Any = None, sigma: float | None = None,
                 observations: Mapping[str, Any] | None = None, **tables: Any) -> None:
        self._files: dict[str, Any] = {}
        content: dict[str, Any] = {"mesh": self._take_mesh(mesh)}
        observed = dict(observations or {})
        if data is not None:
            observed["data"] = self._take_data(data)
        if sigma is not None:
            observed["sigma"] = sigma
        if observed:
            content["observations"] = observed
        content.update({name: table for name, table in tables.items() if table is not None})
        self._content = content
        self._directory: tempfile.TemporaryDirectory[str] | None = None

    def _take_mesh(self, mesh: Any) -> Any:
        if isinstance(mesh, Mapping):
            return mesh
        if isinstance(mesh, (str, os.PathLike)):
            return {"kind": "gmsh", "file": os.path.abspath(mesh)}
        self._files["mesh.msh"] = to_mesh(mesh)
        return {"kind": "gmsh", "file": "mesh.msh"}

    def _take_data(self, data: Any) -> str:
        if isinstance(data, (str, os.PathLike)):
            return os.path.abspath(data)
        self._files["data.csv"] = _format_table(_columns(data))
        return "data.csv"

    @property
    def text(self) -> str:
        """The problem file that says the same."""
        lines = []
        for name, table in self._content.items():
            lines.append(f"{format_key(name)} = {format_value(table, name)}")
        return "\n".join(lines) + "\n"

    def save(self, directory: str | os.PathLike[str]) -> Path:
        """Write problem.toml, with the mesh and the data beside it; gives its path."""
        place = Path(directory)
        place.mkdir(parents=True, exist_ok=True)
        for name, content in self._files.items():
            if isinstance(content, str):
                (place / name).write_text(content, encoding="utf-8")
            else:
                content.write(place / name)
        (place / "problem.toml").write_text(self.text, encoding="utf-8")
        return place / "problem.toml"

    def __fspath__(self) -> str:
        if self._directory is None:
            self._directory = tempfile.TemporaryDirectory(prefix="varimesh-")
            self.save(self._directory.name)
        return os.path.join(self._directory.name, "problem.toml")

    def run(self, **options: Any) -> Result:
        """As `varimesh.run`."""
        from ._run import run

        return run(self, **options)

    def __repr__(self) -> str:
        return f"<varimesh.Problem with {', '.join(self._content)}>"


def _columns(data: Any) -> dict[str, Any]:
    """The columns of a table, or of (points, values)."""
    if isinstance(data, tuple) and len(data) == 2:
        points = np.asarray(data[0], dtype=float)
        points = points[:, np.newaxis] if points.ndim == 1 else points
        return {**{"xyz"[axis]: points[:, axis] for axis in range(points.shape[1])}, "value": np.asarray(data[1], dtype=float)}
    if hasattr(data, "columns"):  # pandas, polars
        return {str(name): data[name].to_list() for name in data.columns}
    if isinstance(data, Mapping):
        return {str(name): np.asarray(column) for name, column in data.items()}
    raise InputError(f"data: expected a table, a dict of columns, (points, values) or a CSV file, found {type(data).__name__}")


def _format_table(columns: Mapping[str, Any]) -> str:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) != 1:
        raise InputError(f"data: expected columns of one length, found {lengths}")
    rows = zip(*(_cells(column) for column in columns.values()), strict=True)
    return "\n".join([",".join(columns), *(",".join(row) for row in rows)]) + "\n"


def _cells(column: Any) -> list[str]:
    values = column.tolist() if isinstance(column, np.ndarray) else list(column)
    return [repr(float(v)) if isinstance(v, (int, float)) else '"' + str(v).replace('"', '""') + '"' for v in values]
