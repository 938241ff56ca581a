"""What is believed of the unknowns before measuring, for models of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._core import InputError, Prior

__all__ = ["Prior", "condition", "gaussian_process", "independent", "mixture", "normal"]


def gaussian_process(points: Any, *, length_scale: float | Sequence[float], kernel: str = "matern32", sigma: float = 1.0,
                     mean: Any = 0.0, jitter: float = 1e-6, period: float = 1.0) -> Prior:
    """A Gaussian process at points, (unknown, axis) or numbers on a line; names and defaults are those of problem files."""
    places = np.asarray(points, dtype=float)
    places = np.ascontiguousarray(places[:, np.newaxis] if places.ndim == 1 else places)
    if places.ndim != 2 or not 1 <= places.shape[1] <= 3:
        raise InputError(f"gaussian_process: points: expected (unknown, axis) with one to three axes, found {places.shape}")
    scales = [float(scale) for scale in np.atleast_1d(length_scale)]
    return _core.gaussian_process(places, kernel, float(sigma), scales, _each(mean, len(places)), float(jitter), float(period))


def independent(mean: Any, sigma: Any) -> Prior:
    """Independent normals; either may be one number for all."""
    size = max(np.size(mean), np.size(sigma))
    return _core.independent(_each(mean, size), _each(sigma, size))


def normal(mean: Any, covariance: Any) -> Prior:
    """A normal distribution with any covariance matrix."""
    matrix = np.ascontiguousarray(covariance, dtype=float)
    return _core.normal(_each(mean, len(matrix)), matrix)


def mixture(weights: Any, components: Sequence[Prior]) -> Prior:
    """One of several normals, with probabilities in proportion to the weights."""
    return _core.mixture(np.ascontiguousarray(weights, dtype=float), list(components))


def condition(prior: Prior, functionals: Any, values: Any, sigma: Any) -> Prior:
    """A normal prior after linear functionals A x, one in each row, were measured with independent normal errors:

        m + C A' S^-1 (y - A m),   C - C A' S^-1 A C,   S = A C A' + sigma^2
    """
    a = np.atleast_2d(np.asarray(functionals, dtype=float))
    if a.shape[1] != prior.size:
        raise InputError(f"condition: functionals: expected {prior.size} unknowns in a row, found {a.shape[1]}")
    ac = prior.covariance_times(np.ascontiguousarray(a))
    s = ac @ a.T + np.diag(_each(sigma, len(a)) ** 2)
    gain = np.linalg.solve(s, ac).T
    covariance = prior.covariance_times(np.eye(prior.size)) - gain @ ac
    return normal(prior.mean + gain @ (_each(values, len(a)) - a @ prior.mean), (covariance + covariance.T) / 2)


def _each(values: Any, size: int) -> np.ndarray:
    return np.ascontiguousarray(np.broadcast_to(np.asarray(values, dtype=float), (size,)))
