"""Fits as distributions, and diagnostics of any arrays."""

import numpy as np
import pytest

import varimesh
from varimesh import diagnostics


def test_diagnostics_agree_with_arviz():
    arviz = pytest.importorskip("arviz")
    random = np.random.default_rng(5)
    draws = np.cumsum(random.normal(size=(4, 300, 3)), axis=1) * 0.05 + random.normal(size=(4, 300, 3))
    for ours, theirs in ((diagnostics.rhat, "rhat"), (diagnostics.ess_bulk, "ess_bulk"), (diagnostics.ess_tail, "ess_tail")):
        for k in range(3):
            if theirs == "rhat":
                expected = arviz.rhat(draws[..., k])
            else:
                expected = arviz.ess(draws[..., k], method=theirs.removeprefix("ess_"))
            assert ours(draws)[k] == pytest.approx(float(expected), rel=1e-9)


def test_khat_agrees_with_arviz():
    arviz = pytest.importorskip("arviz")
    if not hasattr(arviz, "psislw"):
        pytest.skip("this ArviZ has psislw elsewhere")
    log_ratios = np.random.default_rng(5).standard_t(4, size=2000)
    weights, khat = arviz.psislw(log_ratios)
    ours = diagnostics.psis(log_ratios)
    assert ours.khat == pytest.approx(float(khat), rel=1e-9)
    np.testing.assert_allclose(np.sort(ours.log_weights), np.sort(weights), rtol=1e-9)
    assert np.exp(ours.log_weights).sum() == pytest.approx(1, abs=1e-12)


def test_an_approximation_is_the_normal_distribution_that_it_says(rod):
    q = varimesh.run(rod).approximation
    covariance = q.covariance(np.eye(12))
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), q.sd, rtol=1e-12)
    x = np.linspace(-0.3, 0.4, 12)
    difference = x - q.mean
    expected = -0.5 * (difference @ np.linalg.solve(covariance, difference) + np.linalg.slogdet(2 * np.pi * covariance)[1])
    assert q.log_density(x) == pytest.approx(expected, rel=1e-9)
    draws = q.sample(20000, seed=2)
    # The mean of 20,000 draws is within five of its standard errors; sds are known to 1 / sqrt(40,000) = 0.5 %.
    assert np.all(abs(draws.mean(axis=0) - q.mean) < 5 * q.sd / np.sqrt(20000))
    np.testing.assert_allclose(draws.std(axis=0), q.sd, rtol=0.03)


def test_a_functional_of_the_fit_has_the_sd_of_its_draws(rod):
    result = varimesh.run(rod, set={"method.draws": 4000})
    average = np.full(12, 1 / 12)
    sd = np.sqrt(result.approximation.covariance(average)[0, 0])
    assert (result.draws[0] @ average).std() == pytest.approx(sd, rel=0.06)  # five times 1 / sqrt(8,000)


def test_a_mixture_has_the_moments_of_its_components(rod):
    q = varimesh.run(rod, method="mixture", set={"method.fit.components": 2}).approximation
    draws = q.sample(40000, seed=1)
    assert np.all(abs(draws.mean(axis=0) - q.mean) < 5 * q.sd / np.sqrt(40000))
    np.testing.assert_allclose(np.diag(q.covariance(np.eye(12))), q.sd**2, rtol=1e-10)


def test_chains_have_no_approximation(rod):
    with pytest.raises(varimesh.InputError, match="has none"):
        print(varimesh.run(rod, method="nuts", set={"method.chains.draws": 20}).approximation)


def test_arviz_reads_all_groups(rod):
    pytest.importorskip("arviz")
    pytest.importorskip("netCDF4")
    result = varimesh.run(rod)
    data = result.to_arviz()
    np.testing.assert_array_equal(data["posterior"]["kappa"].values, result.draws)
    assert data["log_likelihood"]["y"].shape == (1, 200, 9)
