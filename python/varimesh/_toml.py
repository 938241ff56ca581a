"""Python's values as TOML, which problem files are written in."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._core import InputError


def format_value(value: Any, key: str = "") -> str:
    """A value as it stands behind '=' in a problem file; numbers read back as the same number."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return repr(number) if math.isfinite(number) else str(number)
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False)
    if isinstance(value, np.ndarray):
        return format_value(value.tolist(), key)
    if isinstance(value, Mapping):
        inner = (f"{format_key(k)} = {format_value(v, f'{key}.{k}')}" for k, v in value.items() if v is not None)
        return "{ " + ", ".join(inner) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(format_value(v, f"{key}[{k}]") for k, v in enumerate(value)) + "]"
    raise InputError(f"{key}: expected a number, text, list or dict, found {type(value).__name__}")


def format_key(key: str) -> str:
    """A key, in quotes if it needs them."""
    plain = key.replace("-", "").replace("_", "")
    return key if plain.isalnum() and plain.isascii() else json.dumps(key, ensure_ascii=False)


def format_overrides(overrides: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Dotted keys with their values, as --set takes them."""
    return [(key, format_value(value, key)) for key, value in (overrides or {}).items()]
