"""Problems made of arrays, tables and meshes are the problems of files."""

import numpy as np
import pytest

import varimesh

PRIOR = {"kind": "gaussian_process", "length_scale": 0.3, "sigma": 0.5}
ENDS = {"left": {"dirichlet": 0}, "right": {"dirichlet": 0}}


def rod_of_arrays(**mesh):
    x = np.linspace(0.1, 0.9, 9)
    return varimesh.Problem(mesh or {"kind": "interval", "cells": 12}, equation={"source": 1}, boundary=ENDS,
                            data=(x, x * (1 - x) / 2), sigma=0.01, prior=PRIOR, quantities={"outflow": {"log_flux": "right"}},
                            method={"use": "fcvb", "seed": 3, "draws": 200})


def test_a_problem_of_arrays_gives_the_draws_of_the_file(rod):
    assert np.array_equal(rod_of_arrays().run().draws, varimesh.run(rod).draws)


def test_tables_of_pandas_and_dicts_are_data(rod):
    pandas = pytest.importorskip("pandas")
    x = np.linspace(0.1, 0.9, 9)
    columns = {"x": x, "value": x * (1 - x) / 2}
    expected = varimesh.run(rod).draws
    for table in (columns, pandas.DataFrame(columns)):
        problem = varimesh.Problem({"kind": "interval", "cells": 12}, equation={"source": 1}, boundary=ENDS, data=table,
                                   sigma=0.01, prior=PRIOR, method={"use": "fcvb", "seed": 3, "draws": 200})
        assert np.array_equal(problem.run().draws, expected)


@pytest.mark.parametrize("kind", ["line", "triangle", "quad", "tetra", "hexahedron"])
def test_a_mesh_of_arrays_keeps_its_nodes_to_the_last_bit(kind):
    dimension, cells = {
        "line": (1, [[0, 1], [1, 2]]),
        "triangle": (2, [[0, 1, 3], [0, 3, 2]]),
        "quad": (2, [[0, 1, 3, 2]]),
        "tetra": (3, [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]]),
        "hexahedron": (3, [[0, 1, 3, 2, 4, 5, 7, 6]]),
    }[kind]
    corners = np.array([[k & 1, k >> 1 & 1, k >> 2 & 1] for k in range(8)])[:, :dimension] / 3
    points = np.array([[0], [1 / 3], [0.9]]) if dimension == 1 else corners[: 2**dimension]
    mesh = varimesh.Mesh(points, cells, boundaries={"left": lambda x: x[:, 0] == 0}, regions={"all": np.arange(len(cells))})
    middle = points.mean(axis=0)
    problem = varimesh.Problem(mesh, equation={"source": {"all": 1}}, boundary={"left": {"dirichlet": 0}},
                               data=(middle[None], [0.1]), sigma=0.05, prior={"kind": "independent", "sigma": 0.5},
                               method={"use": "laplace", "draws": 20})
    answer = problem.run()._answer
    assert np.array_equal(answer.nodes[:, :dimension], points)
    assert np.array_equal(answer.cells, cells)


def test_meshio_meshes_come_with_their_physical_groups(tmp_path):
    meshio = pytest.importorskip("meshio")
    from conftest import EXAMPLES

    file = EXAMPLES / "bracket-gmsh" / "bracket.msh"
    x, y = np.loadtxt(EXAMPLES / "bracket-gmsh" / "sensors.csv", delimiter=",", skiprows=2).T
    tables = {
        "boundary": {"wall": {"dirichlet": 20}, "rail": {"dirichlet": 20}, "bolt": {"neumann": 50000}},
        "data": {"x": x, "y": y, "value": 25 + 50 * x},
        "sigma": 0.5,
        "prior": {"kind": "gaussian_process", "mean": 3.9, "sigma": 0.5, "length_scale": 0.04},
        "method": {"use": "laplace", "draws": 20},
    }
    found, expected = (varimesh.Problem(mesh, **tables).run()._answer for mesh in (meshio.read(file), file))
    np.testing.assert_allclose(found.mean, expected.mean, atol=1e-6 * expected.sd.max())


def test_errors_are_those_of_problem_files():
    with pytest.raises(varimesh.InputError, match=r"^problem\.toml:\d+: boundary\.lef"):
        varimesh.Problem({"kind": "interval", "cells": 4}, boundary={"lef": {"dirichlet": 0}}, data=([0.5], [0.1]),
                         sigma=0.1, prior=PRIOR).run()
    with pytest.raises(varimesh.InputError, match="unknown key"):
        varimesh.Problem({"kind": "interval", "cells": 4}, boundaries=ENDS).run()
    with pytest.raises(varimesh.InputError, match="one length"):
        varimesh.Problem({"kind": "interval", "cells": 4}, data={"x": [0.5], "value": [1, 2]})
    with pytest.raises(varimesh.InputError, match="found an? int|found int"):
        varimesh.Problem(7)


def test_a_saved_problem_is_a_problem_file(tmp_path, rod):
    file = rod_of_arrays().save(tmp_path / "saved")
    assert np.array_equal(varimesh.run(file).draws, varimesh.run(rod).draws)
