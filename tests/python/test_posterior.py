"""posterior.nc as people read it: with xarray, and with the approximation sampled by numpy alone.

VARIMESH_RESULT names the result directory of a method, made by the program:
    VARIMESH_RESULT=results/pmvb /usr/bin/python3 -m pytest tests/python/test_posterior.py
"""
import os
import pathlib

import netCDF4
import numpy as np
import pytest
import xarray as xr

if "VARIMESH_RESULT" not in os.environ:
    pytest.skip("VARIMESH_RESULT names no result directory", allow_module_level=True)

FILE = pathlib.Path(os.environ["VARIMESH_RESULT"]) / "posterior.nc"
GAUSSIAN_KINDS = ("diagonal", "dense", "sparse")


def all_groups():
    """The paths of all groups, those within others included."""

    def walk(group, prefix):
        for name, child in group.groups.items():
            yield prefix + name
            yield from walk(child, prefix + name + "/")

    with netCDF4.Dataset(FILE) as file:
        return list(walk(file, ""))


GROUPS = all_groups()
has_group = lambda name: pytest.mark.skipif(name not in GROUPS, reason=f"the result has no group {name}")


def read(group):
    with xr.open_dataset(FILE, group=group) as data:
        return data.load()


def dimension_of_mesh():
    return read("constant_data").sizes["space"]


def unknown_dimension():
    """That of kappa: cells (or blocks and regions of them), or nodes."""
    return {"cells": "cell", "nodes": "node"}[read("constant_data").attrs["unknowns"]]


@pytest.mark.parametrize("group", GROUPS)
def test_every_group_opens_with_its_coordinates(group):
    data = read(group)
    axes = "xyz"[: dimension_of_mesh()]
    for dimension in {"chain", "draw", unknown_dimension(), "sensor"} & set(data.sizes):
        assert np.array_equal(data.coords[dimension], np.arange(data.sizes[dimension]))
    for dimension in {unknown_dimension(), "sensor"} & set(data.sizes):
        for axis in axes:
            assert data.coords[f"{dimension}_{axis}"].dims == (dimension,)


def test_the_root_says_where_the_file_comes_from():
    root = read(None)
    assert root.attrs["schema"] == 1
    assert root.attrs["created_by"] == "varimesh"
    assert {"method", "seed", "varimesh_version"} <= set(root.attrs)


def test_groups_agree_in_their_sizes():
    posterior, constant, unknown = read("posterior"), read("constant_data"), unknown_dimension()
    assert posterior.kappa.dims == ("chain", "draw", unknown)
    assert posterior.sizes[unknown] == constant.sizes[unknown]
    if unknown == "cell":
        assert constant.unknown_of_cell.max() == constant.sizes["cell"] - 1
    else:
        assert "cell" not in constant.sizes and "unknown_of_cell" not in constant
        assert np.array_equal(posterior.node_x, constant.nodes[:, 0])
    assert constant.cells.max() == constant.sizes["node"] - 1
    for group in {"posterior_predictive", "log_likelihood", "sample_stats"} & set(GROUPS):
        data = read(group)
        assert [data.sizes[d] for d in ("chain", "draw")] == [posterior.sizes[d] for d in ("chain", "draw")]
    if "prior" in GROUPS:
        assert read("prior").kappa.dims == ("chain", "draw", unknown)


def test_statistics_have_the_names_that_arviz_knows():
    data = read("sample_stats")
    assert data.lp.dims == ("chain", "draw")
    if "approximation" not in GROUPS:
        assert {"acceptance_rate", "diverging"} <= set(data)
        assert data.diverging.dtype == bool


@has_group("log_likelihood")
def test_log_likelihood_is_that_of_the_mean_of_the_measurements():
    constant, prediction = read("constant_data"), read("posterior").prediction
    sd = constant.sigma / np.sqrt(constant["count"])
    z = (read("observed_data").y - prediction) / sd
    expected = -0.5 * z**2 - np.log(sd * np.sqrt(2 * np.pi))
    found = read("log_likelihood").y
    assert np.allclose(found, expected.transpose(*found.dims), rtol=1e-5, atol=1e-5)


@has_group("posterior_predictive")
def test_noise_has_the_size_that_was_told():
    constant = read("constant_data")
    noise = (read("posterior_predictive").y - read("posterior").prediction) / (
        constant.sigma / np.sqrt(constant["count"])
    )
    assert abs(noise.mean()) < 5 / np.sqrt(noise.size)
    assert abs((noise**2).mean() - 1) < 5 * np.sqrt(2 / noise.size)


class Gaussian:
    """A normal distribution from its group."""

    def __init__(self, data):
        self.data = data
        self.mean = data["mean"].values

    def sample(self, generator, count):
        """So many draws, one a row."""
        data = self.data
        white = generator.standard_normal((count, self.mean.size))
        kind = data.attrs["kind"]
        if kind == "diagonal":
            return self.mean + white * data["sd"].values
        if kind == "dense":
            return self.mean + white @ np.tril(data["factor"].values).T
        return self.mean + self.solve_transposed(white)

    def solve_transposed(self, white):
        """x with L' x = z in elimination order: the columns of L in reverse, without scipy."""
        start, rows, values = (self.data[name].values for name in ("indptr", "indices", "values"))
        solved = white.copy()
        for j in range(self.mean.size - 1, -1, -1):
            below = slice(start[j] + 1, start[j + 1])
            solved[:, j] = (solved[:, j] - solved[:, rows[below]] @ values[below]) / values[start[j]]
        x = np.empty_like(solved)
        x[:, self.data["order"].values] = solved
        return x


def components():
    data = read("approximation")
    if data.attrs["kind"] in GAUSSIAN_KINDS:
        return [Gaussian(data)]
    assert data.attrs["kind"] == "mixture"
    return [Gaussian(read(group)) for group in GROUPS if group.startswith("approximation/component_")]


def skip_low_rank():
    if read("approximation").attrs["kind"] == "low_rank":
        pytest.skip("relative to the prior, of which the file has draws only")


@has_group("approximation")
def test_low_rank_takes_its_directions_from_the_priors_variance():
    data = read("approximation")
    if data.attrs["kind"] != "low_rank":
        pytest.skip("another kind")
    share = data.excess.values / (1 + data.excess.values)
    taken = (share[:, None] * data.deviation.values**2).sum(axis=0)
    # The priors of the examples have one variance everywhere.
    prior_variance = read("summary").kappa_sd.values ** 2 + taken
    assert np.ptp(prior_variance) < 1e-6 * prior_variance.mean()


@has_group("approximation")
def test_draws_of_the_approximation_have_the_moments_of_the_summary():
    skip_low_rank()
    generator, count = np.random.default_rng(1), 4000
    parts = components()
    draws = np.concatenate([part.sample(generator, count) for part in parts])
    summary = read("summary")
    total, sd = len(draws), draws.std(axis=0)
    # The summary itself may be of the stored draws, and has their noise then.
    posterior = read("posterior")
    stored = posterior.sizes["chain"] * posterior.sizes["draw"]
    noise = np.sqrt(1 / total + 1 / stored)
    assert np.all(np.abs(draws.mean(axis=0) - summary.kappa_mean.values) < 5 * sd * noise)
    assert np.all(np.abs(sd / summary.kappa_sd.values - 1) < 5 * noise)


@has_group("approximation")
def test_stored_draws_are_draws_of_the_approximation():
    skip_low_rank()
    if len(components()) > 1:
        pytest.skip("whitened draws of a mixture are not normal")
    part = components()[0]
    kappa = read("posterior").kappa.values.reshape(-1, part.mean.size)
    reference = part.sample(np.random.default_rng(2), 4000)
    sd = reference.std(axis=0)
    noise = np.sqrt(1 / len(kappa) + 1 / len(reference))
    assert np.all(np.abs(kappa.mean(axis=0) - part.mean) < 5 * sd * noise)
    assert np.all(np.abs(kappa.std(axis=0) / sd - 1) < 5 * noise)
