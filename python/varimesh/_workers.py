"""A Python model evaluated in several processes, each with an interpreter of its own."""

from __future__ import annotations

import multiprocessing
import queue
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

_FUNCTIONS = ("predict", "jacobian", "jvp", "vjp", "log_likelihood")


class WorkerError(RuntimeError):
    """What a model raised in another process, with its traceback there."""


def _serve(model: Any, connection: Any, inherited: list[Any]) -> None:
    """A worker: calls the model until the pipe is closed, by whom it serves or because that was killed."""
    import signal

    for end in inherited:  # else the pipes of a process that is killed stay open
        end.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is heard by the process that asks
    try:
        while True:
            request = connection.recv()
            if request is None:
                return
            name, arguments = request
            try:
                connection.send((True, getattr(model, name)(*arguments)))
            except Exception:
                connection.send((False, traceback.format_exc()))
    except (EOFError, BrokenPipeError):
        pass


class _Pool:
    """Hands each call to a worker that is idle; called from as many threads as there are workers."""

    def __init__(self, model: Any, workers: int) -> None:
        # A forked process has the model as it is, closures and all; JAX's threads do not survive it.
        start = "spawn" if "jax" in sys.modules else "fork"
        context: Any = multiprocessing.get_context(start)
        self._idle: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._processes, self._connections = [], []
        for _ in range(workers):
            ours, theirs = context.Pipe()
            inherited = [*self._connections, ours] if start == "fork" else []
            process = context.Process(target=_serve, args=(model, theirs, inherited), daemon=True)
            process.start()
            theirs.close()
            self._processes.append(process)
            self._connections.append(ours)
            self._idle.put(ours)
        for name in _FUNCTIONS:
            if hasattr(model, name):
                setattr(self, name, self._caller(name))

    def _caller(self, name: str) -> Any:
        def call(*arguments: Any) -> Any:
            connection = self._idle.get()
            try:
                connection.send((name, arguments))
                good, value = connection.recv()
            except EOFError:
                raise WorkerError(f"{name}: the process that evaluated it died") from None
            finally:
                self._idle.put(connection)
            if not good:
                raise WorkerError(f"{name} failed:\n{value}")
            return value

        return call

    def close(self) -> None:
        for connection in self._connections:
            with suppress(OSError):  # it died
                connection.send(None)
            connection.close()
        for process in self._processes:
            process.join(timeout=5)
            if process.is_alive():
                process.terminate()


@contextmanager
def in_processes(model: Any, workers: int) -> Iterator[Any]:
    """The model itself, or one that looks like it and is evaluated in so many processes."""
    if workers <= 0:
        yield model
        return
    pool = _Pool(model, workers)
    try:
        yield pool
    finally:
        pool.close()
