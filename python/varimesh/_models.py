"""Models of the user's own, in place of a problem file."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _core
from ._core import InputError
from ._progress import shown
from ._result import Result
from ._run import ProgressLike
from ._toml import format_overrides
from ._workers import in_processes

Function = Callable[[np.ndarray], Any]


def infer(
    model: Any,
    prior: _core.Prior,
    *,
    data: Any = None,
    sigma: Any = None,
    count: Any = 1,
    covariance: Any = None,
    method: str = "auto",
    set: Mapping[str, Any] | None = None,
    seed: int = 1,
    quantities: Mapping[str, Function] | None = None,
    differences: bool = False,
    title: str = "A model of one's own",
    workers: int = 0,
    progress: ProgressLike = None,
) -> Result:
    """Infer the unknowns of a model written in Python.

    The model has `predict(x)`, what would be measured without noise, and any of

    - ``jacobian(x)``, the matrix J of derivatives, (prediction, unknown),
    - ``jvp(x, v)``, J v,
    - ``vjp(x, w)``, J' w;

    then `data` and `sigma` (or `covariance`) say what was measured, `count` of how many measurements `data` are the means.
    Or it has ``log_likelihood(x)``, which gives a value and its gradient, and needs no data. Where a model cannot be
    evaluated it returns NaN; an exception ends the run. Without derivatives `method` is "pcn", or `differences` are taken.

    Parameters
    ----------
    prior: one of `varimesh.priors`.
    set: settings as in problem files, such as ``{"method.chains.draws": 500}``.
    quantities: functions of x whose distribution is asked for, by name.
    differences: derivatives of a model that has none by central differences, twice as many evaluations as unknowns for each.
    workers: so many processes evaluate the model; 0 is this one.
    progress: as of `varimesh.run`.
    """
    with in_processes(model, workers) as evaluated:
        if differences and not _is_differentiable(model):
            evaluated = _Differences(evaluated)
        likelihood = _likelihood(evaluated, prior.size, data, sigma, count, covariance)
        functions = dict(quantities or {})
        defaults: dict[str, Any] = {"method.seed": seed}
        if method == "pcn" and not _is_differentiable(evaluated):
            defaults["method.chains.scale"] = "prior"  # for want of a fit
        settings = format_overrides({**defaults, **(set or {})})
        with shown(progress) as callback:
            answer, interrupted = _core.infer_own(
                likelihood, prior, method, settings, max(1, workers), _together(functions) if functions else None,
                [(name, name) for name in functions], title, type(model).__name__, "As given in Python.", callback)
    if answer is None:
        raise KeyboardInterrupt
    if interrupted:
        warnings.warn("interrupted: the result is of what was there", stacklevel=2)
    return Result(answer)


def check_model(model: Any, x: Any, *, data: Any = None, sigma: Any = 1.0, threads: int = 2) -> dict[str, Any]:
    """Whether a model keeps its promises at x: relative errors of its derivatives beside differences (below 1e-6 of a
    sound one), and whether it returns the same when several threads call it; "holds" is the verdict on all."""
    point = np.ascontiguousarray(x, dtype=float)
    if data is None and not hasattr(model, "log_likelihood"):
        data = np.asarray(model.predict(point), dtype=float) + 1.0
    found = _core.check_own(_likelihood(model, len(point), data, sigma, 1, None), point, threads)
    found["holds"] = found["same_on_threads"] and all(v <= 1e-6 for k, v in found.items() if k.endswith("_error"))
    return found


def _is_differentiable(model: Any) -> bool:
    return any(hasattr(model, name) for name in ("jacobian", "jvp", "vjp", "log_likelihood"))


class _Differences:
    """A model with a Jacobian by central differences, whose error is of the order of the step squared."""

    def __init__(self, model: Any) -> None:
        self.predict = model.predict

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        steps = 6e-6 * np.maximum(1.0, abs(x))  # the cube root of the rounding error
        columns = []
        for k, step in enumerate(steps):
            ahead, behind = x.copy(), x.copy()
            ahead[k] += step
            behind[k] -= step
            columns.append((np.asarray(self.predict(ahead)) - np.asarray(self.predict(behind))) / (ahead[k] - behind[k]))
        return np.stack(columns, axis=1)


class JaxModel:
    """A JAX function as a model: see `from_jax`."""

    def __init__(self, function: Function, unknowns: int | None = None) -> None:
        import jax

        jax.config.update("jax_enable_x64", True)
        self._predict = jax.jit(function)
        self._jvp = jax.jit(lambda x, v: jax.jvp(function, (x,), (v,))[1])
        self._vjp = jax.jit(lambda x, w: jax.vjp(function, x)[1](w)[0])
        self._jacobian = jax.jit(jax.jacrev(function))

    def predict(self, x: np.ndarray) -> np.ndarray:
        """What would be measured."""
        return np.asarray(self._predict(x))

    def jvp(self, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        """J v."""
        return np.asarray(self._jvp(x, v))

    def vjp(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        """J' w."""
        return np.asarray(self._vjp(x, w))

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """J."""
        return np.asarray(self._jacobian(x))


def from_jax(function: Function) -> JaxModel:
    """A function written with jax.numpy, of the unknowns to the predictions, as a model with derivatives by JAX.

    Turns on JAX's double precision.
    """
    try:
        return JaxModel(function)
    except ImportError as error:
        raise ImportError("varimesh.from_jax needs JAX: pip install jax") from error


def _likelihood(model: Any, unknowns: int, data: Any, sigma: Any, count: Any, covariance: Any) -> _core.Likelihood:
    if hasattr(model, "log_likelihood"):
        if data is not None:
            raise InputError("data: the model has log_likelihood, which knows the data: expected none here")
        return _core.black_box(unknowns, model.log_likelihood)
    if not hasattr(model, "predict"):
        raise InputError(f"model: expected predict(x) or log_likelihood(x), found {type(model).__name__} with neither")
    if data is None or (sigma is None and covariance is None):
        raise InputError("a model with predict needs data, and sigma or covariance")
    mean = np.ascontiguousarray(data, dtype=float).reshape(-1)

    def each(values: Any) -> np.ndarray:
        return np.ascontiguousarray(np.broadcast_to(np.asarray(values, dtype=float), mean.shape))

    matrix = None if covariance is None else np.ascontiguousarray(covariance, dtype=float)
    sds = each(sigma) if matrix is None else np.sqrt(np.diag(matrix))
    jacobian, jvp, vjp = (getattr(model, name, None) for name in ("jacobian", "jvp", "vjp"))
    return _core.gaussian_likelihood(unknowns, model.predict, jacobian, jvp, vjp, mean, each(count), sds, matrix)


def _together(functions: dict[str, Function]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: np.array([float(function(x)) for function in functions.values()])
