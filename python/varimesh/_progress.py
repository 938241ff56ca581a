"""Where an inference is, in terminals and notebooks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

Callback = Callable[[dict[str, Any]], None]


def words(now: dict[str, Any]) -> str:
    """One line on where an inference is."""
    line = f"{now['method']}: {now['stage']}"
    if "iteration" in now:
        line += f", iteration {now['iteration']}"
    if "elbo" in now:
        line += f", ELBO {now['elbo']:.6g}"
    if "acceptance" in now:
        line += f", accepted {100 * now['acceptance']:.0f} %"
    return line


@contextmanager
def shown(progress: bool | Callback | None) -> Iterator[Callback | None]:
    """What is to be called: the user's own function, a bar by rich if it is installed and somebody may look, or nothing."""
    if callable(progress):
        yield progress
        return
    rich: Any = None
    if progress is not False and (progress or sys.stderr.isatty() or "ipykernel" in sys.modules):
        with suppress(ImportError):
            import rich.progress as rich
    if rich is None:
        yield None
        return
    columns = (rich.TextColumn("{task.description}"), rich.BarColumn(), rich.TimeElapsedColumn())
    with rich.Progress(*columns, transient=True) as bar:
        task = bar.add_task("setting up the problem", total=None)

        def show(now: dict[str, Any]) -> None:
            bar.update(task, description=words(now), total=1.0 if "done" in now else None,
                       completed=now.get("done", 0.0))

        yield show
