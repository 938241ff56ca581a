"""Problem files: the same numbers, files and errors as the command line has."""

import os
import signal
import subprocess

import numpy as np
import pytest

import varimesh


@pytest.mark.parametrize("method", ["fcvb", "nuts"])
def test_draws_are_bitwise_those_of_the_command_line(rod, tmp_path, program, method):
    settings = {"method.chains.draws": 60, "method.chains.warmup": 40}
    options = [f"--set={key}={value}" for key, value in settings.items()]
    subprocess.run([program, "run", rod, "--method", method, "--out", tmp_path / "there", "--seed", "7", *options],
                   check=True, capture_output=True)
    there = varimesh.read(tmp_path / "there" / method)
    here = varimesh.run(rod, method=method, seed=7, set=settings)
    assert np.array_equal(here.draws, there.draws)
    assert np.array_equal(here.posterior.outflow, there.posterior.outflow)
    assert np.array_equal(here.posterior.prediction, there.posterior.prediction)
    assert np.array_equal(here.sample_stats.lp, there.sample_stats.lp)


def test_draws_do_not_depend_on_threads_or_the_directory(rod, tmp_path):
    alone = varimesh.run(rod, threads=1)
    assert np.array_equal(alone.draws, varimesh.run(rod, threads=3, out=tmp_path / "out").draws)


def test_an_output_directory_has_what_the_command_line_writes(rod, tmp_path):
    result = varimesh.run(rod, out=tmp_path / "out")
    files = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*")}
    assert {"report.html", "fcvb/summary.json", "fcvb/posterior.nc", "fcvb/kappa.csv", "fcvb/fields.vtu"} <= files
    again = varimesh.read(tmp_path / "out")
    assert np.array_equal(result.draws, again.draws)
    assert str(result.trust) == str(again.trust)
    with pytest.raises(varimesh.InputError, match="resume=True"):
        varimesh.run(rod, out=tmp_path / "out")
    varimesh.run(rod, out=tmp_path / "out", force=True)


def test_the_posterior_has_names_and_places(rod):
    posterior = varimesh.run(rod).posterior
    assert posterior.kappa.dims == ("chain", "draw", "cell") and posterior.kappa.shape == (1, 200, 12)
    np.testing.assert_allclose(posterior.cell_x, (np.arange(12) + 0.5) / 12)
    assert posterior.outflow.attrs["quantity"] == "outflow" and posterior.outflow.dims == ("chain", "draw")
    assert posterior.prediction.dims == ("chain", "draw", "sensor")
    np.testing.assert_allclose(posterior.sensor_x, np.linspace(0.1, 0.9, 9))


def test_one_chain_is_not_copied(rod):
    result = varimesh.run(rod)
    assert np.shares_memory(result.posterior.kappa.values, result._answer.chain(0))
    assert np.shares_memory(result.posterior.prediction.values, result._answer.predicted_draws)
    assert not result.draws.flags.writeable


def test_draws_outlive_their_result(rod):
    draws = varimesh.run(rod).posterior.kappa.values
    expected = varimesh.run(rod).draws.copy()
    assert np.array_equal(draws, expected)


def test_the_summary_is_a_table_of_quantities_and_unknowns(rod):
    result = varimesh.run(rod, method="nuts", set={"method.chains.draws": 250})
    assert list(result.summary.index[:2]) == ["outflow", "kappa[0]"] and len(result.summary) == 13
    outflow = result.posterior.outflow.values
    assert result.summary.loc["outflow", "mean"] == pytest.approx(outflow.mean(), rel=1e-12)
    assert result.summary.loc["outflow", "sd"] == pytest.approx(outflow.std(ddof=1), rel=1e-12)
    assert result.summary.loc["kappa[3]", "rhat"] < 1.05


def test_trust_is_text_with_the_verdict_first(rod):
    trust = varimesh.run(rod).trust
    assert str(trust).splitlines()[0] == trust.verdict
    assert trust.level in ("good", "warn", "bad") and trust.items[0]["headline"] in str(trust)


def test_errors_name_file_key_and_what_was_expected(rod, tmp_path):
    with pytest.raises(varimesh.InputError, match=r"^set: prior\.length_scal: .*did you mean 'length_scale'"):
        varimesh.run(rod, set={"prior.length_scal": 1})
    misspelt = rod.with_name("misspelt.toml")
    misspelt.write_text(rod.read_text().replace("length_scale", "length_scal"))
    with pytest.raises(varimesh.InputError, match=r"misspelt\.toml:6: prior\.length_scal: .*did you mean 'length_scale'"):
        varimesh.run(misspelt)
    with pytest.raises(varimesh.InputError, match="nowhere.toml"):
        varimesh.run(tmp_path / "nowhere.toml")
    with pytest.raises(varimesh.InputError, match="fcvbb"):
        varimesh.run(rod, method="fcvbb")
    with pytest.raises(varimesh.InputError, match="choose one by method="):
        varimesh.run(rod, set={"method.use": ["fcvb", "laplace"]})
    assert issubclass(varimesh.InputError, ValueError)


def test_several_methods_are_compared(rod, tmp_path):
    results = varimesh.compare(rod, ["fcvb", "laplace"], out=tmp_path / "out")
    assert list(results) == ["fcvb", "laplace"] and results["fcvb"].method == "fcvb"
    assert set(results.summary.index.get_level_values("method")) == {"fcvb", "laplace"}
    page = results.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page and page.startswith("<!doctype html>")
    assert "<iframe" in page._repr_html_()


def press_ctrl_c_once_in(stage):
    pressed = []

    def progress(now):
        if now["stage"] == stage and not pressed:
            pressed.append(now)
            os.kill(os.getpid(), signal.SIGINT)

    return progress


def test_ctrl_c_keeps_what_is_there_and_resume_goes_on_to_the_same_draws(rod, tmp_path):
    settings = {"method.chains.draws": 20000, "method.chains.chains": 1}
    with pytest.warns(UserWarning, match="interrupted"):
        cut = varimesh.run(rod, method="nuts", set=settings, out=tmp_path / "out", progress=press_ctrl_c_once_in("chains"))
    assert cut.status == "interrupted"
    resumed = varimesh.run(rod, method="nuts", set=settings, out=tmp_path / "out", resume=True)
    assert resumed.status == "completed"
    assert np.array_equal(resumed.draws, varimesh.run(rod, method="nuts", set=settings).draws)
    assert np.array_equal(resumed.draws[:, : cut.draws.shape[1]], cut.draws)


def test_a_keyboard_interrupt_out_of_progress_is_an_interruption(rod):
    def interrupt(now):
        raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="interrupted"):
        result = varimesh.run(rod, method="nuts", set={"method.chains.draws": 200000}, progress=interrupt)
    assert result.status == "interrupted"


def test_what_fails_in_a_users_progress_is_raised(rod):
    def fail(now):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        varimesh.run(rod, method="nuts", set={"method.chains.draws": 200000}, progress=fail)


def test_another_load_is_predicted_with_the_same_field(rod, tmp_path):
    result = varimesh.run(rod)
    load = tmp_path / "load.toml"
    load.write_text("\n".join(line for line in rod.read_text().splitlines() if not line.startswith(("obs", "prior", "method"))))
    doubled = result.predict(load, set={"equation.source": 2})
    np.testing.assert_array_equal(doubled.draws, result.draws)
    # The equation is linear in its source: the flux doubles.
    np.testing.assert_allclose(doubled.posterior.outflow, result.posterior.outflow + np.log(2), atol=1e-12)


def test_fields_are_sampled_at_points(rod):
    result = varimesh.run(rod)
    table = result.sample([[0.3], [2.0]])
    assert list(table["x"]) == [0.3, 2.0] and np.isnan(table["kappa_mean"][1])
    assert table["kappa_mean"][0] == result._answer.mean[3]


def test_one_field_is_evaluated(rod):
    values = varimesh.evaluate(rod, 0.0)
    # Nodal values of linear elements in 1D are exact: u = x (1 - x) / 2 for kappa = 0, and a flux of 1/2.
    x = np.arange(13) / 12
    np.testing.assert_allclose(values["u"], x * (1 - x) / 2, atol=1e-14)
    assert values["quantities"]["outflow"] == pytest.approx(np.log(0.5), abs=1e-12)


def test_unknowns_besides_the_coefficient_have_their_names(rod):
    text = rod.read_text().replace("source = 1", 'source = "q"')
    rod.write_text(text + """
[unknowns]
q = { prior = { kind = "log_normal", median = 1, sigma = 0.2 }, unit = "W" }
heat = { field = "source", prior = { kind = "gaussian_process", length_scale = 0.3, sigma = 0.1 } }
""")
    for method in ("laplace", "nuts"):
        result = varimesh.run(rod, method=method, set={"method.chains.draws": 60, "method.chains.warmup": 40})
        posterior = result.posterior
        assert posterior.kappa.shape[2] == 12 and posterior.heat.shape[2] == 12 and (posterior.q > 0).all()
        assert np.array_equal(posterior.kappa, result.draws[..., :12])
        assert np.array_equal(posterior.heat, result.draws[..., 12:24])
        assert {"q", "outflow", "kappa[11]", "heat[0]", "heat[11]"} <= set(result.summary.index)
        assert len(result.summary) == 26
        assert result.prior.heat.shape[2] == 12
        result.plot()


def test_a_budget_may_be_said_in_words(rod):
    settings = varimesh.run(rod, method="auto", budget="65s").info["settings"]
    assert settings == varimesh.run(rod, method="auto", budget=65).info["settings"]
    with pytest.raises(varimesh.InputError, match="method.budget"):
        varimesh.run(rod, method="auto", budget="soon")
