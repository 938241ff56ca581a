"""Pictures of a result by Matplotlib."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._core import InputError

if TYPE_CHECKING:
    from ._result import Result

PANELS = ("mean", "sd", "draws", "data", "trace", "density")


def plot(result: Result, panels: Sequence[str], figure: Any = None) -> dict[str, Any]:
    """The panels of a result, on a new figure unless one is given."""
    for panel in panels:
        if panel not in PANELS:
            raise InputError(f"plot: expected panels of {', '.join(PANELS)}, found '{panel}'")
    answer = result._answer
    if not answer.has_answer:
        raise InputError(f"plot: {answer.name} ended before there was an answer ({answer.message})")
    chosen = list(panels) or ["mean", "sd"] + ["data"] * bool(answer.predicted_mean.size) + \
        ["density"] * bool(answer.quantity_names)
    if figure is None:
        import matplotlib.pyplot

        figure = matplotlib.pyplot.figure(figsize=(4.2 * len(chosen), 3.6), layout="constrained")
    space = {"projection": "3d"} if answer.dimension == 3 else {}
    axes = {}
    for k, panel in enumerate(chosen):
        options = space if panel in ("mean", "sd", "draws") else {}
        axes[panel] = figure.add_subplot(1, len(chosen), k + 1, **options)
        _DRAW[panel](result, axes[panel])
    return axes


def picture(result: Result) -> str:
    """Mean and sd of the field as an image in HTML; nothing without Matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    import base64

    figure = Figure(figsize=(8.4, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    plot(result, ("mean", "sd"), figure)
    bytes_ = io.BytesIO()
    figure.savefig(bytes_, format="png", dpi=110)
    return f'<img alt="mean and sd of the field" src="data:image/png;base64,{base64.b64encode(bytes_.getvalue()).decode()}">'


def _map(result: Result, axes: Any, values: np.ndarray, title: str, cmap: str) -> None:
    """The coefficient, whose unknowns come first in values of all, on the mesh."""
    answer = result._answer
    values = values[: len(answer.positions)]
    unit = answer.labels["length_unit"]
    axes.set_title(title)
    axes.set_xlabel(f"x [{unit}]" if unit else "x")
    if answer.dimension == 3:
        x, y, z = answer.positions.T
        axes.figure.colorbar(axes.scatter(x, y, z, c=values, s=6, cmap=cmap), ax=axes, shrink=0.8)
        return
    import matplotlib.tri

    cells = answer.cells
    first, second = (0, 1, 2), (0, 2, 3)
    corners = cells[:, first] if cells.shape[1] == 3 else np.stack([cells[:, first], cells[:, second]], axis=1)
    mesh = matplotlib.tri.Triangulation(answer.nodes[:, 0], answer.nodes[:, 1], corners.reshape(-1, 3))
    if answer.on_nodes:
        drawn = axes.tripcolor(mesh, values, shading="gouraud", cmap=cmap)
    else:
        on_cells = np.repeat(answer.on_cells(np.ascontiguousarray(values)), len(mesh.triangles) // len(cells))
        drawn = axes.tripcolor(mesh, facecolors=on_cells, cmap=cmap)
    axes.set_aspect("equal")
    axes.set_ylabel(f"y [{unit}]" if unit else "y")
    axes.figure.colorbar(drawn, ax=axes, shrink=0.8)


def _line(result: Result, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The coefficient, whose unknowns come first in values of all, on a line as a curve: a step for each cell, or straight
    between nodes."""
    answer = result._answer
    values = values[: len(answer.positions)]
    x = answer.nodes[:, 0]
    if answer.on_nodes:
        order = np.argsort(x)
        return x[order], values[order]
    ends = np.sort(x[answer.cells], axis=1)
    order = np.argsort(ends[:, 0])
    on_cells = answer.on_cells(np.ascontiguousarray(values))
    return ends[order].ravel(), np.repeat(on_cells[order], 2)


def _mean(result: Result, axes: Any) -> None:
    answer = result._answer
    if answer.dimension > 1:
        return _map(result, axes, answer.mean, "mean of kappa", "viridis")
    x, mean = _line(result, answer.mean)
    axes.fill_between(x, _line(result, answer.q05)[1], _line(result, answer.q95)[1], alpha=0.3, label="90 %")
    axes.plot(x, mean, label="mean")
    if answer.true_unknowns is not None:
        axes.plot(*_line(result, answer.true_unknowns), "k--", lw=1, label="truth")
    axes.set(title="kappa", xlabel="x")
    axes.legend()


def _sd(result: Result, axes: Any) -> None:
    if result._answer.dimension > 1:
        return _map(result, axes, result._answer.sd, "sd of kappa", "magma")
    axes.plot(*_line(result, result._answer.sd))
    axes.set(title="sd of kappa", xlabel="x", ylim=(0, None))


def _draws(result: Result, axes: Any) -> None:
    draws = result.draws.reshape(-1, result.draws.shape[2])
    if result._answer.dimension > 1:
        return _map(result, axes, draws[-1], "a draw of kappa", "viridis")
    for k in np.linspace(0, len(draws) - 1, min(20, len(draws))).astype(int):
        axes.plot(*_line(result, draws[k]), lw=0.6, alpha=0.6)
    axes.set(title="draws of kappa", xlabel="x")


def _data(result: Result, axes: Any) -> None:
    answer = result._answer
    if not answer.measured.size:
        axes.set_title("no measurements")
        return
    error = answer.sigma / np.sqrt(answer.count)
    axes.errorbar(answer.measured, answer.predicted_mean, xerr=1.645 * error, yerr=1.645 * answer.predicted_sd, fmt=".",
                  lw=0.6, ms=3)
    ends = [answer.measured.min(), answer.measured.max()]
    axes.plot(ends, ends, "k--", lw=1)
    axes.set(title="data fit, 90 % bars", xlabel="measured", ylabel="predicted")


def _trace(result: Result, axes: Any) -> None:
    answer = result._answer
    if answer.num_chains > 1:
        for chain in answer.statistic("log_posterior").T:
            axes.plot(chain, lw=0.5)
        axes.set(title="log posterior of chains", xlabel="draw")
        return
    trace = answer.trace[answer.trace[:, 1] > 0]
    axes.errorbar(trace[:, 0], trace[:, 2], yerr=trace[:, 3], lw=0.8)
    axes.set(title="ELBO", xlabel="iteration")


def _density(result: Result, axes: Any) -> None:
    answer = result._answer
    if not answer.quantity_names:
        axes.set_title("no quantities")
        return
    draws = answer.quantity_draws
    for k, label in enumerate(answer.quantity_labels):
        finite = draws[np.isfinite(draws[:, k]), k]
        axes.hist(finite, bins="auto", density=True, histtype="step", label=label)
    axes.set_title("quantities")
    axes.legend()


_DRAW = {"mean": _mean, "sd": _sd, "draws": _draws, "data": _data, "trace": _trace, "density": _density}
