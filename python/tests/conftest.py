"""Problems that the tests share, each in a directory of its own."""

import os
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

ROD = """
mesh = { kind = "interval", cells = 12 }
equation = { source = 1 }
boundary = { left = { dirichlet = 0 }, right = { dirichlet = 0 } }
observations = { data = "data.csv", sigma = 0.01 }
prior = { kind = "gaussian_process", length_scale = 0.3, sigma = 0.5 }
quantities = { outflow = { log_flux = "right" } }
method = { use = "fcvb", seed = 3, draws = 200 }
"""

PLATE = """
mesh = { kind = "rectangle", cells = [4, 3], cell_type = "triangle" }
equation = { source = 1 }
boundary = { left = { dirichlet = 0 }, right = { dirichlet = 0 } }
observations = { data = "data.csv", sigma = 0.01 }
prior = { kind = "gaussian_process", length_scale = 0.4, sigma = 0.5 }
method = { use = "laplace", draws = 100 }
"""

BOX = PLATE.replace('"rectangle", cells = [4, 3], cell_type = "triangle"', '"box", cells = [2, 2, 2], cell_type = "tetrahedron"')


def write(directory: Path, text: str, header: str, points: np.ndarray) -> Path:
    """A problem whose sensors read x (1 - x) / 2, the solution for a conductivity of one."""
    readings = points[:, 0] * (1 - points[:, 0]) / 2
    rows = [",".join(repr(float(v)) for v in (*point, reading)) for point, reading in zip(points, readings, strict=True)]
    (directory / "data.csv").write_text("\n".join([header, *rows]) + "\n")
    (directory / "problem.toml").write_text(text)
    return directory / "problem.toml"


@pytest.fixture
def rod(tmp_path):
    return write(tmp_path, ROD, "x,value", np.linspace(0.1, 0.9, 9)[:, None])


@pytest.fixture
def plate(tmp_path):
    grid = np.array([(x, y) for x in (0.2, 0.5, 0.8) for y in (0.25, 0.75)])
    return write(tmp_path, PLATE, "x,y,value", grid)


@pytest.fixture
def box(tmp_path):
    grid = np.array([(x, 0.4, 0.6) for x in (0.2, 0.5, 0.8)])
    return write(tmp_path, BOX, "x,y,z,value", grid)


@pytest.fixture
def program():
    """The command line, whose results ours must equal."""
    if "VARIMESH_PROGRAM" not in os.environ:
        pytest.skip("VARIMESH_PROGRAM does not name the program varimesh")
    return os.environ["VARIMESH_PROGRAM"]
