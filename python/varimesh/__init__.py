"""Infers spatially varying PDE coefficients from noisy measurements, with uncertainty.

>>> import varimesh
>>> result = varimesh.run("problem.toml")
>>> print(result.trust)
>>> result.plot()
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._core import InputError
from ._core import version as __version__

if TYPE_CHECKING:
    from . import diagnostics, priors
    from ._mesh import Mesh
    from ._models import check_model, from_jax, infer
    from ._problem import Problem
    from ._result import Result, Results, Trust
    from ._run import compare, evaluate, read, run
    from ._umbridge import from_umbridge

InputError.__module__ = __name__  # where users find it

__all__ = [
    "InputError",
    "Mesh",
    "Problem",
    "Result",
    "Results",
    "Trust",
    "__version__",
    "check_model",
    "compare",
    "diagnostics",
    "evaluate",
    "from_jax",
    "from_umbridge",
    "infer",
    "priors",
    "read",
    "run",
]

# What is imported when it is first asked for, so that 'import varimesh' takes no time.
_HOMES = {
    "Mesh": "._mesh",
    "Problem": "._problem",
    "check_model": "._models",
    "from_jax": "._models",
    "from_umbridge": "._umbridge",
    "infer": "._models",
    "Result": "._result",
    "Results": "._result",
    "Trust": "._result",
    "compare": "._run",
    "evaluate": "._run",
    "read": "._run",
    "run": "._run",
}


def __getattr__(name: str) -> Any:
    if name in ("diagnostics", "priors"):
        return importlib.import_module(f".{name}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module 'varimesh' has no attribute '{name}'")
    value = getattr(importlib.import_module(_HOMES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
