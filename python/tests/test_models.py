"""Models written in Python, against closed forms and each other."""

import numpy as np
import pytest

import varimesh
from varimesh import priors

A = np.array([[1.0, 0.5, -0.3], [0.2, -1.0, 0.4], [0.3, 0.3, 2.0], [1.0, 1.0, 1.0]])
Y = np.array([0.5, -0.2, 1.0, 0.8])
SIGMA = 0.3


class Jacobian:
    def predict(self, x):
        return A @ x

    def jacobian(self, x):
        return A


class Products:
    def predict(self, x):
        return A @ x

    def jvp(self, x, v):
        return A @ v

    def vjp(self, x, w):
        return A.T @ w


class Forward:
    def predict(self, x):
        return (A @ x).tolist()

    def jvp(self, x, v):
        return A @ v


class BlackBox:
    def log_likelihood(self, x):
        residual = (Y - A @ x) / SIGMA
        return -0.5 * residual @ residual, A.T @ residual / SIGMA


def exact(prior_mean, prior_sd):
    """N((P + A'A/s^2)^-1 (P m + A'y/s^2), (P + A'A/s^2)^-1)"""
    covariance = np.linalg.inv(np.eye(3) / prior_sd**2 + A.T @ A / SIGMA**2)
    return covariance @ (prior_mean / prior_sd**2 + A.T @ Y / SIGMA**2), covariance


@pytest.mark.parametrize("model", [Jacobian, Products, Forward])
def test_a_linear_model_has_the_posterior_in_closed_form(model):
    result = varimesh.infer(model(), priors.independent(np.zeros(3), 1.5), data=Y, sigma=SIGMA, method="fcvb")
    mean, covariance = exact(np.zeros(3), 1.5)
    np.testing.assert_allclose(result.approximation.mean, mean, atol=1e-8)
    np.testing.assert_allclose(result.approximation.covariance(np.eye(3)), covariance, atol=1e-8)


def test_a_log_likelihood_alone_has_the_same_posterior():
    result = varimesh.infer(BlackBox(), priors.independent(np.zeros(3), 1.5), method="nuts", set={"method.chains.draws": 1000})
    mean, covariance = exact(np.zeros(3), 1.5)
    sd = np.sqrt(np.diag(covariance))
    # More than 1,000 effective draws of 4,000: five standard errors of a mean are 0.16 sds, of an sd 11 %.
    assert result.summary["ess_bulk"].min() > 1000
    assert np.all(abs(result.draws.mean(axis=(0, 1)) - mean) < 0.16 * sd)
    np.testing.assert_allclose(result.draws.std(axis=(0, 1)), sd, rtol=0.12)


def test_quantities_of_ones_own_are_predicted():
    result = varimesh.infer(Jacobian(), priors.independent(np.zeros(3), 1.5), data=Y, sigma=SIGMA, method="fcvb",
                            quantities={"sum": lambda x: x.sum(), "first": lambda x: x[0]})
    np.testing.assert_allclose(result.posterior["sum"].values, result.draws.sum(axis=2), rtol=1e-12)
    assert np.array_equal(result.posterior["first"].values, result.draws[..., 0])


def test_workers_give_the_same_draws():
    options = dict(data=Y, sigma=SIGMA, method="nuts", set={"method.chains.draws": 50, "method.chains.warmup": 50})
    prior = priors.independent(np.zeros(3), 1.5)
    alone = varimesh.infer(Jacobian(), prior, **options)
    assert np.array_equal(alone.draws, varimesh.infer(Jacobian(), prior, workers=2, **options).draws)


class Failing(Jacobian):
    def jacobian(self, x):
        raise ZeroDivisionError("of the user's own")


@pytest.mark.parametrize("method", ["fcvb", "nuts", "auto"])
def test_an_exception_of_the_model_stops_the_run_with_its_traceback(method):
    with pytest.raises(ZeroDivisionError, match="of the user's own") as raised:
        varimesh.infer(Failing(), priors.independent(np.zeros(3), 1.5), data=Y, sigma=SIGMA, method=method)
    assert any(entry.name == "jacobian" for entry in raised.traceback)


def test_an_exception_in_a_worker_names_where():
    with pytest.raises(RuntimeError, match="ZeroDivisionError: of the user's own"):
        varimesh.infer(Failing(), priors.independent(np.zeros(3), 1.5), data=Y, sigma=SIGMA, method="fcvb", workers=2)


def test_wrong_sizes_are_named():
    class Wrong(Jacobian):
        def predict(self, x):
            return np.zeros(3)

    with pytest.raises(varimesh.InputError, match="predict: expected 4 numbers, found 3"):
        varimesh.infer(Wrong(), priors.independent(np.zeros(3), 1.5), data=Y, sigma=SIGMA, method="fcvb")

    class Flat(Jacobian):
        def jacobian(self, x):
            return A.T

    with pytest.raises(varimesh.InputError, match="jacobian: expected 4 x 3 numbers, found 3 x 4"):
        varimesh.infer(Flat(), priors.independent(np.zeros(3), 1.5), data=Y, sigma=SIGMA, method="fcvb")


class Underived:
    def predict(self, x):
        return A @ x


def test_a_model_without_derivatives_has_pcn_and_differences():
    prior = priors.independent(np.zeros(3), 1.5)
    with pytest.raises(varimesh.InputError, match='differences=True, or method="pcn"'):
        varimesh.infer(Underived(), prior, data=Y, sigma=SIGMA, method="fcvb")
    mean, covariance = exact(np.zeros(3), 1.5)
    by_differences = varimesh.infer(Underived(), prior, data=Y, sigma=SIGMA, method="fcvb", differences=True)
    np.testing.assert_allclose(by_differences.approximation.mean, mean, atol=1e-7)
    by_pcn = varimesh.infer(Underived(), prior, data=Y, sigma=SIGMA, method="pcn", set={"method.chains.draws": 4000})
    error = np.sqrt(np.diag(covariance) / by_pcn.summary["ess_bulk"].to_numpy())
    assert np.all(abs(by_pcn.draws.mean(axis=(0, 1)) - mean) < 5 * error)


def test_check_model_finds_a_wrong_derivative():
    class Slanted(Products):
        def vjp(self, x, w):
            return 1.01 * A.T @ w

    assert varimesh.check_model(Products(), np.zeros(3))["holds"]
    assert varimesh.check_model(BlackBox(), np.zeros(3))["holds"]
    report = varimesh.check_model(Slanted(), np.zeros(3))
    assert not report["holds"] and report["transposition_error"] > 1e-3


def test_from_jax_has_right_derivatives():
    pytest.importorskip("jax")
    import jax.numpy

    model = varimesh.from_jax(lambda x: jax.numpy.tanh(A @ x) + x[0] ** 2)
    assert varimesh.check_model(model, np.array([0.1, 0.2, -0.3]))["holds"]
    result = varimesh.infer(model, priors.independent(np.zeros(3), 1.5), data=Y, sigma=SIGMA, method="fcvb")
    assert result.status == "converged"


# ---- Priors ----


def test_a_gaussian_process_has_its_covariance():
    x = np.linspace(0, 1, 5)
    prior = priors.gaussian_process(x, length_scale=0.4, sigma=0.7, mean=0.2, jitter=0)
    r = abs(x[:, None] - x) / 0.4
    matern32 = 0.49 * (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r)
    np.testing.assert_allclose(prior.covariance_times(np.eye(5)), matern32, atol=1e-14)
    np.testing.assert_array_equal(prior.mean, np.full(5, 0.2))


def test_a_normal_prior_has_its_density_and_draws():
    covariance = np.array([[1.0, 0.3], [0.3, 0.5]])
    prior = priors.normal([1, 2], covariance)
    x = np.array([0.5, 2.5])
    d = x - [1, 2]
    expected = -0.5 * (d @ np.linalg.solve(covariance, d) + np.linalg.slogdet(2 * np.pi * covariance)[1])
    assert prior.log_density(x) == pytest.approx(expected, rel=1e-12)
    draws = prior.sample(20000, seed=3)
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=0.05)  # five standard errors of a variance of 1: 0.05


def test_a_conditioned_prior_is_the_posterior_of_a_linear_model():
    prior = priors.condition(priors.independent(np.zeros(3), 1.5), A, Y, SIGMA)
    mean, covariance = exact(np.zeros(3), 1.5)
    np.testing.assert_allclose(prior.mean, mean, atol=1e-12)
    np.testing.assert_allclose(prior.covariance_times(np.eye(3)), covariance, atol=1e-12)


def test_priors_are_refused_with_what_was_expected():
    with pytest.raises(varimesh.InputError, match="kernel: expected .* found 'matern'"):
        priors.gaussian_process([0, 1], length_scale=1, kernel="matern")
    with pytest.raises(varimesh.InputError, match="not positive definite"):
        priors.normal([0, 0], [[1, 2], [2, 1]])
