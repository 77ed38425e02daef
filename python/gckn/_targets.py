# SPDX-License-Identifier: BSD-3-Clause
"""Targets between scikit-learn, which has any kind of class, and the engine, which has names of classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine
from .graphs import GraphSet, class_values

Array = npt.NDArray[Any]


def _name(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _engine_order(names: list[str]) -> list[int]:
    """As files have classes: by number where all are whole numbers, otherwise by bytes."""
    try:
        numbers = [int(name) for name in names]
        return sorted(range(len(names)), key=lambda i: numbers[i])
    except ValueError:
        return sorted(range(len(names)), key=lambda i: names[i].encode())


@dataclass
class Targets:
    """classes: of one target, sorted as NumPy does, and the name of each; empty otherwise."""

    values: Array
    classes: Array | None = None
    options: dict[str, Any] = field(default_factory=dict)
    of_classes: bool = False

    def put_on(self, graphs: _engine.GraphSet) -> _engine.GraphSet:
        if self.classes is None:
            table = self.values.reshape(len(self.values), -1)
            return graphs.with_numbers(np.ascontiguousarray(table, dtype=np.float64), [])
        names = [_name(value) for value in self.classes]
        order = _engine_order(names)
        number = {position: i for i, position in enumerate(order)}
        of_class = np.array([number[i] for i in range(len(names))], dtype=np.int32)
        found = np.searchsorted(self.classes, self.values)
        return graphs.with_classes([names[i] for i in order], of_class[found], [])

    def model_classes(self, model: _engine.Model) -> list[Array]:
        """By target of a model what it predicts, in its order."""
        by_name = {} if self.classes is None else {_name(value): value for value in self.classes}
        result = []
        for target in model.describe()["targets"]:
            names = target["class_names"]
            if self.classes is not None and all(name in by_name for name in names):
                result.append(np.array([by_name[name] for name in names], dtype=self.classes.dtype))
            else:
                result.append(class_values(names))
        return result

    def classes_of(self, model: _engine.Model) -> list[Array]:
        return [np.sort(classes) for classes in self.model_classes(model)]

    def order(self, target: int, names: list[str]) -> list[int]:
        """Where sorted classes stand among those of the model."""
        by_name = {} if self.classes is None else {_name(value): value for value in self.classes}
        values = [by_name.get(name, name) for name in names] if by_name else class_values(names).tolist()
        return sorted(range(len(names)), key=lambda i: values[i])


def _checked(y: Any, count: int) -> Array:
    try:
        values = np.asarray(y)
    except ValueError:
        raise ValueError("y has rows of different length: NaN is a target that is missing") from None
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim not in (1, 2):
        raise ValueError(f"y has the shape {values.shape}: give one target per graph, or a row of several")
    if len(values) != count:
        raise ValueError(f"y has {len(values)} targets for {count} graphs")
    return values


def class_targets(y: Any, count: int) -> Targets:
    values = _checked(y, count)
    if values.ndim == 2:
        try:
            columns = values.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError("several targets are columns of 0, 1 and NaN, which is one that is missing") from None
        return Targets(columns, options={"learner": "svm"}, of_classes=True)
    missing = [i for i, value in enumerate(values.tolist()) if value is None or value != value]
    if missing:
        raise ValueError(f"y of graph {missing[0]} is missing: leave such graphs out")
    if np.issubdtype(values.dtype, np.floating) and not (values == np.floor(values)).all():
        odd = int(np.flatnonzero(values != np.floor(values))[0])
        raise ValueError(
            f"Unknown label type: y of graph {odd} is {values[odd]}, a number: GCKNRegressor predicts these"
        )
    try:
        classes = np.unique(values)
    except TypeError:
        raise TypeError("y has classes of different types, such as words and numbers") from None
    if len({_name(value) for value in classes}) < len(classes):
        raise ValueError("y has classes that are written in the same way")
    if len(classes) < 2:
        raise ValueError(f"y has 1 class, {classes.tolist()}, and nothing can be learnt from that")
    return Targets(values, classes, of_classes=True)


def number_targets(y: Any, count: int) -> Targets:
    values = _checked(y, count)
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError("y has something that is no number: GCKNClassifier predicts classes") from None
    if np.isinf(numbers).any():
        raise ValueError("y has a number that is not finite")
    if numbers.ndim == 1 and np.isnan(numbers).any():
        raise ValueError(f"y of graph {int(np.flatnonzero(np.isnan(numbers))[0])} is missing: leave such graphs out")
    return Targets(numbers)


def own_targets(graphs: GraphSet, classes: bool) -> Targets:
    """Those that a set brings."""
    y = graphs.y
    if y is None:
        raise ValueError("these graphs bring no targets (those of dicts are not read): give y")
    return class_targets(y, len(graphs)) if classes else number_targets(y, len(graphs))


def targets_of_model(model: _engine.Model) -> Targets:
    """For a model from a file."""
    targets = model.describe()["targets"]
    names = targets[0]["class_names"]
    one = len(targets) == 1 and bool(names)
    return Targets(np.array([]), np.sort(class_values(names)) if one else None, of_classes=bool(names))
