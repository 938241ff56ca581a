"""The fitted distribution itself, as a building block."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._core import InputError


class Approximation:
    """A normal distribution, or equally weighted normal components, as a fit left it."""

    def __init__(self, answer: _core.Answer) -> None:
        self._components = answer.components
        if not self._components:
            raise InputError(f"approximation: {answer.name} has none, only its draws")

    def __len__(self) -> int:
        return self._components[0].size

    @property
    def mean(self) -> np.ndarray:
        """Of each unknown."""
        return np.mean([c.mean for c in self._components], axis=0)

    @property
    def sd(self) -> np.ndarray:
        """The marginal sd of each unknown."""
        means = np.array([c.mean for c in self._components])
        return np.sqrt(np.mean([c.variance for c in self._components], axis=0) + means.var(axis=0))

    def sample(self, count: int, seed: int = 1) -> np.ndarray:
        """Independent draws, (draw, unknown)."""
        which = np.random.default_rng(seed).integers(len(self._components), size=count)
        draws = np.empty((count, len(self)))
        for k, component in enumerate(self._components):
            draws[which == k] = component.sample(int((which == k).sum()), seed + k)
        return draws

    def log_density(self, x: Any) -> np.ndarray | float:
        """Of one vector, or of each row."""
        rows = np.ascontiguousarray(np.atleast_2d(np.asarray(x, dtype=float)))
        if rows.shape[1] != len(self):
            raise InputError(f"log_density: expected {len(self)} unknowns, found {rows.shape[1]}")
        values = np.array([c.log_density(rows) for c in self._components])
        total = np.logaddexp.reduce(values, axis=0) - np.log(len(self._components))
        return float(total[0]) if np.ndim(x) == 1 else total

    def covariance(self, a: Any, b: Any = None) -> np.ndarray:
        """The covariance A C B' of linear functionals, one in each row of `a` and `b` (`a` unless given)."""
        rows = np.atleast_2d(np.asarray(a, dtype=float))
        columns = rows if b is None else np.atleast_2d(np.asarray(b, dtype=float))
        for name, matrix in (("a", rows), ("b", columns)):
            if matrix.shape[1] != len(self):
                raise InputError(f"covariance: {name}: expected {len(self)} unknowns in a row, found {matrix.shape[1]}")
        inner = np.mean([rows @ c.covariance_times(np.ascontiguousarray(columns)).T for c in self._components], axis=0)
        means = np.array([c.mean for c in self._components]) - self.mean
        return inner + (means @ rows.T).T @ (means @ columns.T) / len(self._components)
