"""Writes the series of this folder and what ArviZ says of them (reference.json).

    python3 -m venv v && v/bin/pip install arviz==0.23.4 && v/bin/python make_references.py

Where ArviZ and the R package posterior differ (by its sources, with its pull request 388 of December 2024; it was not run
here), the reference is posterior's, put together from ArviZ's parts:
- R-hat folds around the median of all draws; ArviZ's `rhat` leaves out the middle draw of an odd number.
- R-hat of a single chain is that of its halves; ArviZ gives NaN.
- The effective sample size of constant values is NaN; ArviZ gives the number of draws. So is a tail's if the indicator
  of one of its quantiles is constant.
The package arviz-stats (0.8) takes the effective sample size of the mean in the standard error of the sd (its issue 428);
ArviZ 0.23 and posterior take that of the squared deviations.
"""

import json
from pathlib import Path

import arviz
import numpy as np
from arviz.stats import diagnostics as az

folder = Path(__file__).parent
random = np.random.default_rng(20260713)


def autoregressive(phi, draws, chains):
    x = np.empty((draws, chains))
    x[0] = random.standard_normal(chains)
    for t in range(1, draws):
        x[t] = phi * x[t - 1] + np.sqrt(1 - phi**2) * random.standard_normal(chains)
    return x


series = {
    "independent": random.standard_normal((200, 4)),
    "autocorrelated": autoregressive(0.95, 400, 4),
    "antithetic": autoregressive(-0.7, 200, 4),
    "different_means": random.standard_normal((100, 4)) + [0, 0, 0, 3],
    "different_scales": random.standard_normal((200, 4)) * [1, 1, 1, 5],
    "cauchy": random.standard_cauchy((200, 4)),
    "counts": np.floor(np.exp(0.5 * autoregressive(0.5, 200, 4) + 1)),
    "binary": (random.uniform(size=(100, 4)) < 0.3) * 1.0,
    "constant": np.full((40, 4), 2.5),
    "odd": autoregressive(0.3, 151, 3),
    "one_chain": autoregressive(0.6, 400, 1),
    "two_chains_far_from_zero": autoregressive(0.5, 100, 2) + 1000,
}
energies = np.cumsum(random.standard_normal((150, 3)), axis=0) * [0.1, 1, 0] + random.standard_normal((150, 3)) * [3, 0.3, 3]


def ess(values):
    """Of chains in rows, split."""
    split = az._split_chains(values * 1.0)
    return float(az._ess(split)) if np.ptp(split) > 0 else None


def rhat(values):
    split = az._split_chains(values)
    return float(az._rhat(az._z_scale(split))) if np.ptp(split) > 0 else None


def worst(function, *values):
    return None if None in values else float(function(values))


def reference(draws):
    x = draws.T  # ArviZ: chains x draws
    varies = np.ptp(x) > 0
    probabilities = [0.05, 0.5, 0.95]
    quantiles = [ess(x <= az._quantile(x, p)[0]) for p in probabilities]
    return {
        "mean": float(x.mean()),
        "sd": float(x.std(ddof=1)),
        "q05": float(np.quantile(x, 0.05)),
        "median": float(np.quantile(x, 0.5)),
        "q95": float(np.quantile(x, 0.95)),
        "rhat": worst(max, rhat(x), rhat(abs(x - np.median(x)))),
        "ess_bulk": float(az._ess_bulk(x)) if varies else None,
        "ess_tail": worst(min, quantiles[0], quantiles[2]),
        "ess_mean": ess(x),
        "ess_sd": ess((x - x.mean()) ** 2),
        "ess_median": quantiles[1],
        "mcse_mean": float(az._mcse_mean(x)) if varies else None,
        "mcse_sd": float(az._mcse_sd(x)) if varies else None,
        "mcse_q05": float(az._mcse_quantile(x, 0.05)) if quantiles[0] else None,
        "mcse_median": float(az._mcse_quantile(x, 0.5)) if quantiles[1] else None,
        "mcse_q95": float(az._mcse_quantile(x, 0.95)) if quantiles[2] else None,
    }


def write(name, table):
    header = ",".join(f"chain_{c + 1}" for c in range(table.shape[1]))
    rows = "\n".join(",".join(repr(float(value)) for value in row) for row in table)
    (folder / f"{name}.csv").write_text(f"{header}\n{rows}\n")


references = {}
for name, draws in series.items():
    draws = np.round(draws, 5)
    write(name, draws)
    references[name] = reference(draws)
energies = np.round(energies, 5)
write("energies", energies)
result = {
    "versions": {"arviz": arviz.__version__, "numpy": np.__version__},
    "series": references,
    "energies": {"e_bfmi": [float(value) for value in arviz.bfmi(energies.T)]},
}
(folder / "reference.json").write_text(json.dumps(result, indent=1) + "\n")
