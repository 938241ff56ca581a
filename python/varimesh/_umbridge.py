"""Models that another program serves by UM-Bridge 1.0 over HTTP."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from ._core import InputError


class ServerError(RuntimeError):
    """What a model server said of a request, or that it cannot be reached."""


class UmbridgeModel:
    """A served model, with the derivatives that its server offers: see `from_umbridge`."""

    def __init__(self, url: str, name: str, config: Mapping[str, Any] | None, log_density: bool, timeout: float,
                 patience: float) -> None:
        parts = urlsplit(url)
        if parts.scheme != "http" or not parts.hostname:
            raise InputError(f"from_umbridge: url: expected http://host:port, found '{url}'")
        self._url = url.rstrip("/")
        self._address = (parts.hostname, parts.port or 80)
        self._base = parts.path.rstrip("/")
        self._name, self._config = name, dict(config or {})
        self._timeout, self._patience = timeout, patience
        self._local = threading.local()
        support = self._ask("ModelInfo", {})["support"]
        if not support.get("Evaluate"):
            raise InputError(f"from_umbridge: {self._url}: the model '{name}' does not support Evaluate")
        self.input_sizes = self._sizes("InputSizes", "inputSizes")
        self.output_sizes = self._sizes("OutputSizes", "outputSizes")
        if len(self.input_sizes) != 1 or len(self.output_sizes) != 1:
            raise InputError(f"from_umbridge: {self._url}: expected one input and one output vector, found "
                             f"{len(self.input_sizes)} and {len(self.output_sizes)}")
        if log_density:
            if self.output_sizes != [1] or not support.get("Gradient"):
                raise InputError(f"from_umbridge: {self._url}: a log-density has one output and supports Gradient")
            self.log_likelihood = self._log_likelihood
        else:
            if support.get("Gradient"):
                self.vjp = self._vjp
            if support.get("ApplyJacobian"):
                self.jvp = self._jvp

    def predict(self, x: np.ndarray) -> np.ndarray:
        """What would be measured."""
        return np.array(self._ask("Evaluate", {"input": [x.tolist()]})["output"][0], dtype=float)

    def _vjp(self, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        request = {"input": [x.tolist()], "outWrt": 0, "inWrt": 0, "sens": w.tolist()}
        return np.array(self._ask("Gradient", request)["output"], dtype=float)

    def _jvp(self, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        request = {"input": [x.tolist()], "outWrt": 0, "inWrt": 0, "vec": v.tolist()}
        return np.array(self._ask("ApplyJacobian", request)["output"], dtype=float)

    def _log_likelihood(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        return float(self.predict(x)[0]), self._vjp(x, np.ones(1))

    def _sizes(self, endpoint: str, key: str) -> list[int]:
        return [int(size) for size in self._ask(endpoint, {})[key]]

    def _ask(self, endpoint: str, request: dict[str, Any]) -> dict[str, Any]:
        body = json.dumps({"name": self._name, "config": self._config, **request}).encode()
        status, answer = self._post(f"{self._base}/{endpoint}", body)
        where = f"{self._url}/{endpoint}"
        try:
            found = json.loads(answer)
        except ValueError:
            raise ServerError(f"{where}: expected JSON, found status {status} with {answer[:100]!r}") from None
        if status != 200 or "error" in found:
            error = found.get("error", {})
            raise ServerError(f"{where}: {error.get('type', status)}: {error.get('message', 'no message')}")
        return found

    def _post(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Requests change nothing, so that one whose connection is lost is sent again, until patience ends."""
        end = time.monotonic() + self._patience
        pause = 0.0
        while True:
            try:
                connection = self._connection()
                connection.request("POST", path, body, {"Content-Type": "application/json"})
                response = connection.getresponse()
                return response.status, response.read()
            except (OSError, http.client.HTTPException) as error:
                self._local.connection = None
                if time.monotonic() + pause > end:
                    raise ServerError(f"{self._url}: no answer for {self._patience:g} s: {error}") from None
                time.sleep(pause)
                pause = min(1.0, 2 * pause + 0.05)

    def _connection(self) -> http.client.HTTPConnection:
        """This thread's own."""
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = http.client.HTTPConnection(*self._address, timeout=self._timeout)
            connection.connect()
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._local.connection = connection
        return connection


def from_umbridge(url: str, name: str, *, config: Mapping[str, Any] | None = None, log_density: bool = False,
                  timeout: float = 600.0, patience: float = 60.0) -> UmbridgeModel:
    """A model that a UM-Bridge server offers, for `infer`: http://host:port and its name there.

    Gradient becomes vjp and ApplyJacobian jvp. With `log_density` its one output is a log-likelihood. A request waits
    `timeout` seconds for its answer; where a connection is lost it is sent again for `patience` seconds, so that a run
    survives a restart of its server.
    """
    return UmbridgeModel(url, name, config, log_density, timeout, patience)
