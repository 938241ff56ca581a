"""The VTK files of a result, read with meshio, agree with kappa.csv and summary.json.

VARIMESH_RESULT names the result's directory.
"""

import csv
import json
import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import meshio
import numpy as np
import pytest

if "VARIMESH_RESULT" not in os.environ:
    pytest.skip("VARIMESH_RESULT does not name a result's directory", allow_module_level=True)
RESULT = Path(os.environ["VARIMESH_RESULT"])

MESHIO_CELLS = {
    "line": "line",
    "triangle": "triangle",
    "quadrilateral": "quad",
    "tetrahedron": "tetra",
    "hexahedron": "hexahedron",
}


@pytest.fixture(scope="module")
def summary():
    return json.loads((RESULT / "summary.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def problem(summary):
    return summary["problem"]


@pytest.fixture(scope="module")
def kappa():
    with open(RESULT / "kappa.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


@pytest.fixture(scope="module")
def fields():
    return meshio.read(RESULT / "fields.vtu")


@pytest.fixture(scope="module")
def unknown(fields, kappa):
    """The number of each cell's unknown, or of each point's, if the unknowns are at the nodes."""
    return np.arange(len(fields.points)) if "node" in kappa else field_data(fields, "unknown")


def field_data(mesh, name):
    """Of points or of cells."""
    if name in mesh.point_data:
        assert name not in mesh.cell_data
        return mesh.point_data[name]
    (values,) = mesh.cell_data[name]
    return values


def check_mesh(mesh, problem):
    assert mesh.points.shape == (problem["nodes"], 3)
    assert np.all(mesh.points[:, problem["dimension"] :] == 0)
    (cells,) = mesh.cells
    assert cells.type == MESHIO_CELLS[problem["cell_type"]]
    assert len(cells.data) == problem["cells"]
    assert sorted(np.unique(cells.data)) == list(range(problem["nodes"]))


def test_mesh(fields, problem):
    check_mesh(fields, problem)


def test_cells_are_not_inverted(fields, problem):
    """Edges from a cell's first node span a positive volume in VTK's order of nodes."""
    (cells,) = fields.cells
    ends = {"line": [1], "triangle": [1, 2], "quad": [1, 3], "tetra": [1, 2, 3], "hexahedron": [1, 3, 4]}[cells.type]
    corners = fields.points[cells.data][:, :, : problem["dimension"]]
    edges = corners[:, ends] - corners[:, :1]
    assert np.all(np.linalg.det(edges) > 0)


def test_unknowns(fields, kappa, unknown, problem):
    on_nodes = "node" in kappa
    assert list(kappa["node" if on_nodes else "cell"]) == list(range(problem["unknowns"]))
    assert ("kappa_mean" in fields.point_data) == on_nodes
    assert ("kappa_mean" in fields.cell_data) == (not on_nodes)
    assert sorted(np.unique(unknown)) == list(range(problem["unknowns"]))
    if on_nodes or problem["unknowns"] == problem["cells"]:
        (cells,) = fields.cells
        positions = fields.points if on_nodes else fields.points[cells.data].mean(axis=1)
        for axis, name in enumerate("xyz"[: problem["dimension"]]):
            np.testing.assert_allclose(kappa[name][unknown], positions[:, axis], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["mean", "sd", "q05", "q50", "q95"])
def test_kappa(fields, kappa, unknown, name):
    np.testing.assert_array_equal(field_data(fields, "kappa_" + name), kappa[name][unknown])


@pytest.mark.parametrize(
    "array, column", [("at_mean", "mean"), ("q05", "q05"), ("q50", "q50"), ("q95", "q95")]
)
def test_conductivity(fields, kappa, unknown, array, column):
    np.testing.assert_allclose(field_data(fields, "conductivity_" + array), np.exp(kappa[column][unknown]), rtol=1e-13)


def test_u(fields):
    for name in ("u_at_mean", "u_mean", "u_sd"):
        assert np.all(np.isfinite(fields.point_data[name])), name
    assert np.all(fields.point_data["u_sd"] >= 0)


def test_truth(fields, kappa, unknown, summary):
    is_known = "truth" in kappa
    if is_known:
        assert summary["kappa_error"] is not None
    for name in ("kappa_truth", "kappa_error", "conductivity_truth"):
        assert (name in fields.cell_data or name in fields.point_data) == is_known, name
    for name in ("u_truth", "u_error"):
        assert (name in fields.point_data) == is_known, name
    if not is_known:
        return
    np.testing.assert_array_equal(field_data(fields, "kappa_truth"), kappa["truth"][unknown])
    np.testing.assert_array_equal(field_data(fields, "kappa_error"), (kappa["mean"] - kappa["truth"])[unknown])
    np.testing.assert_allclose(field_data(fields, "conductivity_truth"), np.exp(kappa["truth"][unknown]), rtol=1e-13)
    u_error = fields.point_data["u_mean"] - fields.point_data["u_truth"]
    np.testing.assert_array_equal(fields.point_data["u_error"], u_error)


def test_sensors(problem):
    file = RESULT / "sensors.vtu"
    assert file.exists() == (problem["sensors"] > 0)
    if not file.exists():
        return
    sensors = meshio.read(file)
    assert sensors.points.shape == (problem["sensors"], 3)
    assert [cells.type for cells in sensors.cells] == ["vertex"]
    data = sensors.point_data
    assert np.all(data["predicted_sd"] >= 0)
    assert ("measured" in data) == (problem["measurements"] > 0)
    if "measured" not in data:
        return
    assert np.all(data["standard_error"] > 0)
    residual = (data["measured"] - data["predicted_mean"]) / data["standard_error"]
    np.testing.assert_allclose(data["standardised_residual"], residual, rtol=1e-13)


def test_draws(fields, unknown, problem):
    datasets = ElementTree.parse(RESULT / "fields.pvd").findall("Collection/DataSet")
    names = [dataset.get("file") for dataset in datasets]
    assert sorted(names) == sorted(file.relative_to(RESULT).as_posix() for file in RESULT.glob("draws/*.vtu"))
    times = [int(dataset.get("timestep")) for dataset in datasets]
    assert times == sorted(times)
    for name in names:
        draw = meshio.read(RESULT / name)
        check_mesh(draw, problem)
        np.testing.assert_array_equal(draw.points, fields.points)
        np.testing.assert_array_equal(draw.cells[0].data, fields.cells[0].data)
        assert np.all(np.isfinite(draw.point_data["u"]))
        values = field_data(draw, "kappa")
        kappa_of_unknown = np.empty(problem["unknowns"])
        kappa_of_unknown[unknown] = values
        np.testing.assert_array_equal(kappa_of_unknown[unknown], values)
