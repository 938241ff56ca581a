"""What is installed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import varimesh


def test_the_version_is_the_librarys():
    cmake = (Path(__file__).parents[2] / "CMakeLists.txt").read_text()
    assert varimesh.__version__ == re.search(r"project\(varimesh VERSION ([0-9.]+)", cmake)[1]
    from importlib.metadata import version

    assert version("varimesh") == varimesh.__version__


def test_import_brings_nothing_but_numpys_peers():
    code = "import sys, varimesh; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    heavy = {"xarray", "pandas", "matplotlib", "arviz", "scipy", "mpi4py", "gmsh", "rich", "jax"}
    assert not heavy & set(modules)
    code = "import varimesh; print(open('/proc/self/maps').read())"
    maps = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert "libvarimesh" in maps or "_core" in maps
    assert not re.search(r"libmpi|libgmsh|libpetsc", maps)


def test_types_are_there_for_every_public_name():
    package = Path(varimesh.__file__).parent
    assert (package / "py.typed").exists()
    stub = (package / "_core.pyi").read_text()
    assert "class Answer" in stub and "class InputError" in stub


@pytest.mark.parametrize("name", varimesh.__all__)
def test_every_public_name_is_there_and_documented(name):
    value = getattr(varimesh, name)
    assert isinstance(value, str) or value.__doc__
