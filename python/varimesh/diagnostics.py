"""Whether chains have converged and importance weights can be trusted, for any arrays of draws.

R-hat and effective sample sizes are those of Vehtari, Gelman, Simpson, Carpenter and Buerkner (Bayesian Analysis 16,
2021); weights are smoothed after Vehtari, Simpson, Gelman, Yao and Gabry (Journal of Machine Learning Research 25, 2024).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._core import InputError

__all__ = ["Psis", "ess_bulk", "ess_tail", "mcse_mean", "psis", "rhat"]


def rhat(draws: Any) -> Any:
    """Rank-normalised split R-hat of draws, (chain, draw) or (chain, draw, ...): 1 if chains agree; above 1.01 they have
    not converged."""
    return _each("rhat", draws)


def ess_bulk(draws: Any) -> Any:
    """How many independent draws would know the bulk of the distribution as well."""
    return _each("ess_bulk", draws)


def ess_tail(draws: Any) -> Any:
    """The same of its 5 % and 95 % quantiles, the smaller one."""
    return _each("ess_tail", draws)


def mcse_mean(draws: Any) -> Any:
    """The Monte Carlo standard error of the mean."""
    return _each("mcse_mean", draws)


class Psis(NamedTuple):
    """Smoothed importance weights, and whether they can be trusted."""

    log_weights: np.ndarray  #: they sum to one
    khat: float  #: shape of the tail of the ratios
    threshold: float  #: below which it is good with so many draws
    ess: float  #: 1 / sum of squared weights
    verdict: str  #: good, poor, bad or undetermined


def psis(log_ratios: Any) -> Psis:
    """Pareto-smoothed importance weights, from log(target / proposal) at each draw, up to a constant."""
    return Psis(*_core.psis(np.ascontiguousarray(log_ratios, dtype=float)))


def _each(statistic: str, draws: Any) -> Any:
    values = np.asarray(draws, dtype=float)
    if values.ndim < 2:
        raise InputError(f"{statistic}: expected draws (chain, draw) or (chain, draw, ...), found {values.ndim} dimension(s)")
    flat = np.ascontiguousarray(np.moveaxis(values.reshape(*values.shape[:2], -1), 2, 0))
    found = _core.diagnose(statistic, flat)
    return float(found[0]) if values.ndim == 2 else found.reshape(values.shape[2:])
