# SPDX-License-Identifier: BSD-3-Clause
"""Honest figures: the cross-validation of the command, with its protocols and baselines."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _engine
from ._convert import as_graph_set
from .estimators import GCKNClassifier, GCKNRegressor, _seed
from .graphs import GraphSet


def _groups(graphs: GraphSet, by: str, run: Any) -> list[int]:
    if by == "equal":
        first: Any = graphs._set.equal_graphs(run)
        return [int(number) for number in first]
    if by == "scaffold":
        if not graphs._set.smiles:
            raise ValueError("folds_by='scaffold': only molecules have scaffolds")
        return [int(n) for n in np.unique(_engine.scaffolds(graphs._set.smiles, run), return_inverse=True)[1]]
    raise ValueError(f"folds_by must be 'graphs', 'equal' or 'scaffold', not {by!r}")


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    protocol: str = "nested",
    cv: int | Iterable[tuple[Sequence[int], Sequence[int]]] | None = None,
    repeats: int | None = None,
    inner_folds: int = 5,
    folds_by: str = "graphs",
    baselines: bool = True,
    journal: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> dict[str, Any]:
    """What `gckn cv` measures, as the dict that its --json prints.

    estimator: a GCKNClassifier or GCKNRegressor, or a list of them, which are candidates: under "nested" network and C
    are chosen within the training graphs of each fold. Without parameters it stands for the candidates of the command.
    cv: folds to make, or pairs of training and test graphs; None: the set's own folds, or else ten.
    `results_frame` makes a table of it.

    >>> import gckn
    >>> graphs = gckn.datasets.motif(graphs=60)
    >>> result = cross_validate(gckn.GCKNClassifier(path_length=2, filters=8), graphs, cv=3)
    >>> [method["method"] for method in result["targets"][0]["methods"]]
    ['gckn', 'majority class', 'label histogram', 'WL optimal assignment']
    """
    candidates = list(estimator) if isinstance(estimator, (list, tuple)) else [estimator]
    for candidate in candidates:
        if not isinstance(candidate, (GCKNClassifier, GCKNRegressor)):
            raise TypeError(f"{type(candidate).__name__}: give a GCKNClassifier, a GCKNRegressor or a list of these")
    first = candidates[0]
    networks = [config for candidate in candidates for config in candidate._networks()]
    if len(candidates) > 1 and len(networks) < len(candidates):
        raise ValueError("of several candidates each must name its network: path_length=…, or compare='states'")
    run = first._run()
    graphs = as_graph_set(X)
    targets = first._targets(graphs, y)
    options: dict[str, Any] = {
        **first._learning(),
        **targets.options,
        "networks": networks,
        "protocol": protocol,
        "inner_folds": inner_folds,
        "baselines": baselines,
        "seed": _seed(first.random_state),
        "resume": resume,
    }
    del options["folds"]
    if repeats is not None:
        options["repeats"] = repeats
    if journal is not None:
        options["journal"] = os.fspath(journal)
    if isinstance(cv, (int, np.integer)):
        options.update(folds=int(cv), use_own_folds=False)
    elif cv is not None:
        options["given_folds"] = [([int(i) for i in train], [int(i) for i in test]) for train, test in cv]
    if folds_by != "graphs":
        options.update(
            groups=_groups(graphs, folds_by, run), use_own_folds=False, test_small_groups_only=folds_by == "scaffold"
        )
    held = graphs._set if y is None else targets.put_on(graphs._set)
    return json.loads(_engine.cross_validate(held, options, run))  # type: ignore[no-any-return]


def results_frame(result: dict[str, Any]) -> Any:
    """A pandas table of a result: one row for each target, method and metric."""
    import pandas

    rows = []
    for target in result["targets"]:
        for method in target["methods"]:
            for metric, summary in method.items():
                if metric == "method":
                    continue
                low, high = summary["interval_95"]
                rows.append(
                    {
                        "target": target["name"],
                        "method": method["method"],
                        "metric": metric,
                        "mean": summary["mean"],
                        "deviation": summary["deviation"],
                        "low": low,
                        "high": high,
                    }
                )
    return pandas.DataFrame(rows)
