# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of the wrong type are named before they reach the engine, which takes Python's own types only."""

from __future__ import annotations

import os
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

_WHOLE = (
    *("path_length", "filters", "folds", "epochs", "batch_size", "halve_every", "patience", "inner_folds", "repeats"),
    *("target", "sample"),
)
_NUMBERS = ("sigma", "validation", "learning_rate", "mu")
_TRUTHS = (
    *("one_length", "concat_layers", "edge_labels", "supervised", "standardise", "summed", "normalised", "hydrogens"),
    *("largest_fragment", "baselines", "resume", "paths"),
)
_MAY_BE_NONE = ("edge_labels", "repeats", "id_column")


def _fits(name: str, value: Any) -> tuple[bool, str]:
    truth = isinstance(value, (bool, np.bool_))
    if name in _TRUTHS:
        return truth, "True or False"
    if name in _WHOLE:
        return isinstance(value, Integral) and not truth, "a whole number"
    if name in _NUMBERS:
        return isinstance(value, Real) and not truth, "a number"
    return isinstance(value, str), "a word"


def checked(**values: Any) -> dict[str, Any]:
    """The same values, of Python's own types: searches over NumPy's arrays give NumPy's. What is not listed above is a
    word."""
    for name, value in values.items():
        fits, said = _fits(name, value)
        if not fits and not (value is None and name in _MAY_BE_NONE):
            raise TypeError(f"{name} is {said}, and not {value!r}")
        if name in _WHOLE and value is not None and not -(2**31) <= value < 2**31:
            raise ValueError(f"{name} is {value}, which has more than 31 bits")
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def one_or_several(name: str, value: Any) -> list[float]:
    """A parameter that is a number, or a list of such to choose from."""
    try:
        return [float(number) for number in np.atleast_1d(value)]
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a number or a list of numbers, and not {value!r}") from None


def file_name(path: str | os.PathLike[str]) -> str:
    name = os.fsdecode(path)
    if "\0" in name:
        raise ValueError(f"{name!r} is no name of a file")
    return name


def words(name: str, value: Any) -> list[str]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise TypeError(f"{name} is a list of words, and not {value!r}")
    return [checked(**{name: word})[name] for word in value]
