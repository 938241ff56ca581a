"""A method's answer as xarray, tables, text and pictures."""

from __future__ import annotations

import html
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._toml import format_overrides

if TYPE_CHECKING:
    import pandas
    import xarray

    from ._approximation import Approximation

_MARKS = {"good": "ok", "warn": "! ", "bad": "!!"}


class Trust:
    """How far to trust an answer: findings, in plain words, and one verdict on all of them."""

    def __init__(self, verdict: str, level: str, items: list[dict[str, Any]]) -> None:
        self.verdict = verdict
        self.level = level
        self.items = items

    def __str__(self) -> str:
        lines = [self.verdict]
        for item in self.items:
            words = " ".join(filter(None, (item["headline"], item["explanation"], item["action"])))
            lines.append(f"{_MARKS[item['level']]} {words}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Trust: {self.level}: {self.verdict}>"

    def _repr_html_(self) -> str:
        colors = {"good": "#2e7d32", "warn": "#b26a00", "bad": "#c62828"}
        rows = "".join(
            f'<li style="color:{colors[item["level"]]}"><b>{html.escape(item["headline"])}</b> '
            f'<span style="color:initial">{html.escape(item["explanation"])} {html.escape(item["action"])}</span></li>'
            for item in self.items)
        return (f'<div style="border-left:4px solid {colors[self.level]};padding-left:1em">'
                f"<p><b>{html.escape(self.verdict)}</b></p><ul>{rows}</ul></div>")


class Result:
    """What one method says of a problem."""

    def __init__(self, answer: _core.Answer) -> None:
        self._answer = answer

    # ---- What it is ----

    @property
    def method(self) -> str:
        """The method's word in problem files."""
        return self._answer.method

    @property
    def status(self) -> str:
        """How it ended: converged, iteration_limit, diverged, interrupted or completed."""
        return self._answer.status

    @property
    def message(self) -> str:
        """Why it ended, in a sentence."""
        return self._answer.message

    @cached_property
    def info(self) -> dict[str, Any]:
        """All that summary.json has: settings, costs, ELBO, k-hat, R-hat, quantities, findings."""
        return json.loads(self._answer.summary_json)

    @cached_property
    def trust(self) -> Trust:
        """How far to trust it; print it."""
        return Trust(self._answer.verdict, self._answer.level, self._answer.trust)

    def __repr__(self) -> str:
        answer = self._answer
        size = f"{len(answer.mean)} unknowns, {answer.num_chains} x {answer.num_draws} draws"
        return f"<varimesh.Result by {answer.name}: {self.status}, {size}; {self.trust.level}>"

    # ---- Draws ----

    @property
    def _dimension(self) -> str:
        return "node" if self._answer.on_nodes else "cell"

    @property
    def draws(self) -> np.ndarray:
        """Draws of the unknowns, (chain, draw, unknown): the coefficient's, then each further field's, then scalars as they
        are sampled. One chain is not copied; several are, once."""
        return self._draws

    @cached_property
    def _draws(self) -> np.ndarray:
        answer = self._answer
        chains = [answer.chain(c)[: answer.num_draws] for c in range(answer.num_chains)]
        if not chains:
            return np.empty((0, 0, len(answer.positions)))
        return chains[0][np.newaxis] if len(chains) == 1 else np.stack(chains)

    def _by_chain(self, values: np.ndarray) -> np.ndarray:
        """From draws in one row to (chain, draw, ...): a view."""
        return values.reshape(self._answer.num_chains, self._answer.num_draws, *values.shape[1:])

    def _fields(self, draws: np.ndarray) -> dict[str, Any]:
        """Of draws (chain, draw, unknown) those of the coefficient, and of each unknown source by its name."""
        size = len(self._answer.positions)
        fields: dict[str, Any] = {"kappa": (("chain", "draw", self._dimension), draws[..., :size])}
        for further in self.info["problem"]["fields"]:
            name = _variable_name(further["name"], fields)
            fields[name] = (("chain", "draw", f"{name}_unknown"), draws[..., size : size + further["unknowns"]],
                            {"units": further["unit"]})
            size += further["unknowns"]
        return fields

    @cached_property
    def posterior(self) -> xarray.Dataset:
        """Draws of the unknowns by name, the quantities, what the sensors would read, and u where there are not too
        many. Unknown scalars are among the quantities, with their values."""
        import xarray

        answer = self._answer
        variables = self._fields(self.draws)
        if len(answer.quantity_names) > 0 and answer.quantity_draws.size:
            draws = self._by_chain(answer.quantity_draws)
            for k, (key, label) in enumerate(zip(answer.quantity_names, answer.quantity_labels, strict=True)):
                name = _variable_name(key, variables)
                variables[name] = (("chain", "draw"), draws[..., k], {"quantity": key, "long_name": label})
        if answer.predicted_draws.size:
            variables["prediction"] = (("chain", "draw", "sensor"), self._by_chain(answer.predicted_draws))
        if answer.u_draws.size:
            variables["u"] = (("chain", "draw", "node"), self._by_chain(answer.u_draws))
        return xarray.Dataset(variables, coords=self._coordinates(variables), attrs=self._attributes)

    @cached_property
    def sample_stats(self) -> xarray.Dataset:
        """The log posterior, the log-likelihood, and what chains and weights say of each draw."""
        import xarray

        answer = self._answer
        names = {"lp": "log_posterior", "total_log_likelihood": "log_likelihood", "acceptance_rate": "acceptance",
                 "energy": "energy", "n_steps": "steps", "tree_depth": "depth", "diverging": "divergent"}
        variables = {}
        for name, statistic in names.items():
            values = answer.statistic(statistic).T
            if values.size and not np.isnan(values).all():
                variables[name] = (("chain", "draw"), values.astype(bool) if name == "diverging" else values)
        if answer.log_weights.size == answer.num_draws and answer.log_weights.size:
            variables["log_weight"] = (("chain", "draw"), answer.log_weights[np.newaxis])
        return xarray.Dataset(variables, attrs=self._attributes)

    @cached_property
    def prior(self) -> xarray.Dataset:
        """Draws of the fields' prior."""
        import xarray

        variables = self._fields(self._answer.prior_draws[np.newaxis])
        return xarray.Dataset(variables, coords=self._coordinates(variables), attrs=self._attributes)

    @cached_property
    def data(self) -> xarray.Dataset:
        """What was measured, by sensor: mean, sigma and count of its measurements, and its place."""
        import xarray

        answer = self._answer
        variables = {name: ("sensor", values) for name, values in
                     (("measured", answer.measured), ("sigma", answer.sigma), ("count", answer.count)) if values.size}
        return xarray.Dataset(variables, coords=self._coordinates({"": (("sensor",), None)}))

    def _coordinates(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        dimensions = {name for entry in variables.values() for name in entry[0]}
        places = {self._dimension: self._answer.positions, "sensor": self._answer.sensor_points}
        if "node" not in places:
            places["node"] = self._answer.nodes
        coordinates: dict[str, Any] = {}
        for name, points in places.items():
            if name in dimensions:
                for axis, letter in enumerate("xyz"[: self._answer.dimension]):
                    coordinates[f"{name}_{letter}"] = (name, points[:, axis])
        return coordinates

    @property
    def _attributes(self) -> dict[str, Any]:
        return {"inference_library": "varimesh", "inference_library_version": _core.version,
                "method": self.method, "title": self._answer.labels["title"]}

    def to_arviz(self) -> Any:
        """All groups as ArviZ has them: an InferenceData, or from ArviZ 1.0 on a DataTree."""
        import arviz

        with tempfile.TemporaryDirectory() as directory:
            self.save(directory)
            data = arviz.from_netcdf(os.path.join(directory, "posterior.nc"))
            return data.load() or data if hasattr(data, "load") else data

    # ---- Numbers ----

    @cached_property
    def summary(self) -> pandas.DataFrame:
        """A row for each quantity, unknown scalars among them, and each unknown of a field: mean, sd, quantiles, and of chains R-hat and effective draws."""
        import pandas

        answer = self._answer
        columns = ["mean", "sd", "q05", "q50", "q95"]
        rows = {q["name"]: [q[c] for c in columns] for q in self.info.get("quantities", [])}
        names = [f"{name}[{k}]" for name, entry in self._fields(self.draws).items() for k in range(entry[1].shape[-1])]
        field = pandas.DataFrame({c: np.asarray(getattr(answer, c))[: len(names)] for c in columns}, index=names)
        table = pandas.concat([pandas.DataFrame.from_dict(rows, orient="index", columns=columns), field]) if rows else field
        table = table.astype(float)
        if answer.num_chains > 1:
            from . import diagnostics

            fields = self.draws[..., : len(names)]
            series = np.concatenate([self._by_chain(answer.quantity_draws), fields], axis=2) if rows else fields
            table["rhat"] = diagnostics.rhat(series)
            table["ess_bulk"] = diagnostics.ess_bulk(series)
            table["ess_tail"] = diagnostics.ess_tail(series)
        return table

    @property
    def approximation(self) -> Approximation:
        """The fitted distribution itself: sample it, evaluate its density, ask for covariances. Chains have none."""
        from ._approximation import Approximation

        return Approximation(self._answer)

    def sample(self, points: Any) -> pandas.DataFrame:
        """The fields, with their error bars, at points: one row of coordinates each. NaN outside the mesh."""
        import pandas

        points = np.atleast_2d(np.asarray(points, dtype=float))
        table = pandas.DataFrame(self._answer.sample(np.ascontiguousarray(points)))
        for axis in reversed(range(points.shape[1])):
            table.insert(0, "xyz"[axis], points[:, axis])
        return table

    def predict(self, problem: str | os.PathLike[str], *, set: Mapping[str, Any] | None = None,
                draws: int | None = None, seed: int = 1, threads: int = 0) -> Result:
        """What the inferred field means for another load: other forcing, boundary values, sensors or quantities on the
        same mesh, as a problem file says."""
        return Result(_core.predict(self._answer, Path(problem), format_overrides(set), draws, seed, threads))

    # ---- Pictures and files ----

    def plot(self, *panels: str, figure: Any = None) -> dict[str, Any]:
        """Maps, draws, data fit, traces and densities by Matplotlib; gives the axes by panel.

        `panels` are of "mean", "sd", "draws", "data", "trace" and "density"; those that say most unless given.
        """
        from ._plot import plot

        return plot(self, panels, figure)

    def to_meshio(self) -> Any:
        """The mesh with mean, sd and quantiles of the field and u, for meshio."""
        import meshio

        with tempfile.TemporaryDirectory() as directory:
            self.save(directory)
            return meshio.read(os.path.join(directory, "fields.vtu"))

    def to_pyvista(self) -> Any:
        """The same for PyVista."""
        import pyvista

        with tempfile.TemporaryDirectory() as directory:
            self.save(directory)
            return pyvista.read(os.path.join(directory, "fields.vtu"))

    def save(self, directory: str | os.PathLike[str]) -> None:
        """Write summary.json, kappa.csv, posterior.nc and the VTK files, as the command line does."""
        self._answer.write(Path(directory))

    def report(self, file: str | os.PathLike[str] | None = None) -> Report:
        """The report: a page that a notebook shows inline; written to a file if one is given."""
        return make_report([self], file)

    def _repr_html_(self) -> str:
        from ._plot import picture

        shown = picture(self) if self._answer.has_answer else ""
        return f"<h4>{html.escape(self._answer.labels['title'])}: {html.escape(self._answer.name)}</h4>" \
               f"{self.trust._repr_html_()}{shown}"


class Results(Mapping[str, Result]):
    """What several methods say of one problem, by their words."""

    def __init__(self, results: dict[str, Result]) -> None:
        self._results = results

    def __getitem__(self, method: str) -> Result:
        return self._results[method]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    @property
    def summary(self) -> pandas.DataFrame:
        """The tables of all methods, one below the other."""
        import pandas

        return pandas.concat({method: result.summary for method, result in self.items()}, names=["method", "name"])

    def report(self, file: str | os.PathLike[str] | None = None) -> Report:
        """One report on all methods, compared with the best of them."""
        return make_report(list(self.values()), file)

    def __repr__(self) -> str:
        return "\n".join(repr(result) for result in self.values())

    def _repr_html_(self) -> str:
        return "".join(result._repr_html_() for result in self.values())


class Report(str):
    """A page of HTML, self-contained."""

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self, quote=True)}" style="width:100%;height:80vh;border:0">'
                "</iframe>")

    def __repr__(self) -> str:
        return f"<report of {len(self) / 1e6:.1f} MB: show it in a notebook, or report(file) writes it>"


def make_report(results: Sequence[Result], file: str | os.PathLike[str] | None) -> Report:
    """The report on results of one problem."""
    import datetime

    text = _core.report([result._answer for result in results], f"{datetime.date.today()}", "varimesh (Python)")
    if file is not None:
        Path(file).write_text(text, encoding="utf-8")
    return Report(text)


def _variable_name(key: str, taken: Mapping[str, Any]) -> str:
    """The name that posterior.nc has for a quantity."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", key)[:100]
    if name[:1].isdigit():
        name = f"quantity_{name}"
    unique, count = name, 1
    while unique in taken or unique in ("prediction", "u"):
        count += 1
        unique = f"{name}_{count}"
    return unique
