"""From a problem to results: the same functions as the command line calls."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import _core
from ._problem import Problem
from ._progress import shown
from ._result import Result, Results
from ._toml import format_overrides

ProgressLike = bool | Callable[[dict[str, Any]], None] | None
PathLike = str | os.PathLike[str]


def run(
    problem: PathLike,
    *,
    method: str | None = None,
    set: Mapping[str, Any] | None = None,
    seed: int | None = None,
    budget: float | str | None = None,
    threads: int = 0,
    out: PathLike | None = None,
    resume: bool = False,
    force: bool = False,
    progress: ProgressLike = None,
) -> Result:
    """Infer from a problem file, or a `Problem`, by one method: its own, or 'auto'.

    The draws are bitwise those of 'varimesh run' with the same seed. Ctrl-C, or the stop button of a notebook, ends it
    within about two seconds; the result is then of what is there, and its status is "interrupted".

    Parameters
    ----------
    problem: a problem file, or a `Problem`.
    method: the word that problem files have for it, such as "fcvb" or "nuts".
    set: settings that override the file's, by dotted keys: ``{"prior.sigma": 2, "method.chains.draws": 500}``.
    seed: of everything random.
    budget: how long auto may take, in seconds or as "2 min".
    threads: 0 are as many as there are cores.
    out: a directory for what the command line would write there; without it nothing is written.
    resume: go on with what is in `out`.
    force: remove what is in `out`.
    progress: False for none, or a function that is called with a dict now and then.
    """
    results = _infer(problem, [] if method is None else [method], set, seed, budget, threads, out, resume, force, True,
                     progress)
    return next(iter(results.values()))


def compare(
    problem: PathLike,
    methods: Sequence[str] = (),
    *,
    set: Mapping[str, Any] | None = None,
    seed: int | None = None,
    budget: float | str | None = None,
    threads: int = 0,
    out: PathLike | None = None,
    resume: bool = False,
    force: bool = False,
    progress: ProgressLike = None,
) -> Results:
    """Infer by several methods, those of the file unless given; the other arguments are those of `run`."""
    return _infer(problem, list(methods), set, seed, budget, threads, out, resume, force, False, progress)


def read(directory: PathLike) -> Result | Results:
    """What 'varimesh run' or `run` wrote to a directory: one result, or all of several methods."""
    answers = _core.read(Path(directory))
    results = Results({answer.method: Result(answer) for answer in answers})
    return next(iter(results.values())) if len(results) == 1 else results


def evaluate(problem: PathLike, kappa: float | PathLike, *, set: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the sensors read, u at the nodes, the quantities and the log-likelihood, at one field: a number for all
    unknowns, or a CSV file as 'varimesh evaluate' takes it."""
    text = repr(float(kappa)) if isinstance(kappa, (int, float)) else os.fspath(kappa)
    return _core.evaluate(Path(problem), format_overrides(set), text)


@contextmanager
def named_as_given(problem: PathLike) -> Iterator[None]:
    """Errors of a problem that is in no file of the user's name its keys, not the directory that it is kept in."""
    try:
        yield
    except _core.InputError as error:
        if not isinstance(problem, Problem):
            raise
        place = os.path.dirname(os.fspath(problem)) + os.sep
        raise _core.InputError(str(error).replace(place, "")) from None


def _infer(problem: PathLike, methods: list[str], overrides: Mapping[str, Any] | None, seed: int | None,
           budget: float | str | None, threads: int, out: PathLike | None, resume: bool, force: bool, one: bool,
           progress: ProgressLike) -> Results:
    if isinstance(budget, str):
        overrides, budget = {**(overrides or {}), "method.budget": budget}, None
    with shown(progress) as callback, named_as_given(problem):
        answers, notes, interrupted = _core.infer(
            Path(problem), format_overrides(overrides), methods, seed, budget, threads,
            None if out is None else Path(out), resume, force, one, callback)
    for note in notes:
        warnings.warn(note, stacklevel=3)
    if interrupted and not answers:
        raise KeyboardInterrupt
    results = Results({answer.method: Result(answer) for answer in answers})
    if interrupted:
        warnings.warn("interrupted: the result is of what was there", stacklevel=3)
    return results
