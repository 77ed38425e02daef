# SPDX-License-Identifier: BSD-3-Clause
"""Beyond one machine, on Dask: partition by partition, the model sent once to each worker. Needs gckn[dask].

Estimators themselves need nothing of this: under `joblib.parallel_config(backend="dask")` scikit-learn's searches run
on a cluster as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _engine
from ._checks import checked
from ._convert import as_graph_set
from ._convert.reading import PLAIN_MOLECULES, Molecules, Reading
from ._runs import make_run
from ._spread_search import cross_validate
from .estimators import GCKNClassifier, GCKNRegressor, GCKNTransformer, _each, _seed
from .graphs import GraphSet

__all__ = ["cross_validate", "embed", "fit_network", "predict"]


def _rows_of_smiles(texts: list[Any], reading: Molecules | None) -> tuple[GraphSet | None, Any, list[str]]:
    """The graphs of those that are molecules, by row its graph or -1, and what is wrong with the others."""
    words = [text if isinstance(text, str) else "" for text in texts]
    graphs, graph_of_row, _, errors, _ = _engine.molecules_of_smiles(
        words, reading or PLAIN_MOLECULES, False, make_run(1)
    )
    return (GraphSet(graphs) if len(graphs) else None), np.asarray(graph_of_row), list(errors)


def _embed_partition(frame: Any, network: Any, smiles: str, id_column: str | None, columns: list[str]) -> Any:
    import pandas

    result = _begin(frame, id_column)
    values = np.full((len(frame), len(columns)), np.nan, dtype=np.float32)
    graphs, of_row, errors = _rows_of_smiles(frame[smiles].tolist(), network.molecules)
    if graphs is not None:
        values[of_row >= 0] = network.embed(graphs._set, make_run(1))
    result["status"] = _texts([error or "ok" for error in errors])
    return pandas.concat([result, pandas.DataFrame(values, columns=columns, index=frame.index)], axis=1)


def _predict_partition(frame: Any, estimator: Any, smiles: str, id_column: str | None, columns: list[str]) -> Any:
    result = _begin(frame, id_column)
    model = estimator.model_
    graphs, of_row, errors = _rows_of_smiles(frame[smiles].tolist(), model.network.molecules)
    status = [error or "ok" for error in errors]
    values: dict[str, Any] = {name: np.full(len(frame), np.nan) for name in columns}
    if graphs is not None:
        found = model.predict(graphs._set, make_run(1))
        rows = np.flatnonzero(of_row >= 0)
        for graph, reason in zip(found["unpredicted"], found["reasons"]):
            status[rows[graph]] = reason
        classes = estimator.targets_.model_classes(model)
        for t, target in enumerate(found["targets"]):
            ending = f":{target['name']}" if len(found["targets"]) > 1 else ""
            if target["class_names"]:
                label = np.full(len(frame), None, dtype=object)
                label[rows] = [None if c < 0 else str(classes[t][c]) for c in target["predicted"]]
                values[f"label{ending}"] = label
                score = target["scores"][:, 0] if target["scores"].shape[1] == 1 else target["scores"].max(axis=1)
                values[f"score{ending}"][rows] = score
            else:
                values[f"value{ending}"][rows] = target["scores"][:, 0]
    result["status"] = _texts(status)
    for name in columns:
        result[name] = _texts(values[name]) if name.startswith("label") else values[name]
    return result


def _texts(values: Any) -> Any:
    """A column of one kind, which Parquet knows, also where all are missing."""
    import pandas

    return pandas.array([None if value is None or value != value else value for value in values], dtype="string")


def _begin(frame: Any, id_column: str | None) -> Any:
    return frame[[id_column]].copy() if id_column else frame[[]].copy()


def _meta(frame: Any, id_column: str | None, columns: dict[str, str]) -> Any:
    import pandas

    if id_column in {"status", *columns}:
        raise ValueError(f"id_column {id_column!r} is called as a column of the result: rename it")
    meta = frame._meta[[id_column]].copy() if id_column else frame._meta[[]].copy()
    added = {name: pandas.Series([], dtype=kind) for name, kind in {"status": "string", **columns}.items()}
    return pandas.concat([meta, pandas.DataFrame(added, index=meta.index)], axis=1)


def _is_bag(data: Any, *columns: str | None) -> bool:
    """A Dask bag, and not a Dask dataframe with these columns; nothing else will do."""
    if not hasattr(data, "map_partitions") or not hasattr(data, "to_delayed"):
        raise TypeError(
            f"this is a {type(data).__name__}, and not a Dask dataframe or bag: dask.dataframe.from_pandas(frame, "
            "npartitions=…) and dask.bag.from_sequence(graphs) make these"
        )
    if hasattr(data, "columns") and not hasattr(data, "to_frame"):
        missing = [name for name in columns if name is not None and name not in data.columns]
        if missing:
            raise ValueError(f"there is no column {missing[0]!r} among {', '.join(map(str, data.columns))}")
        return False
    if hasattr(data, "divisions"):
        raise TypeError("this is a column: give the dataframe that has it, and its name as smiles")
    return True


def _embed_graphs(part: Any, network: Any) -> list[Any]:
    graphs = list(part)
    if not graphs:
        return [np.zeros((0, network.vector_size), dtype=np.float32)]
    return [network.embed(as_graph_set(graphs, Reading.of_network(network))._set, make_run(1))]


def _predict_graphs(part: Any, model: Any) -> list[Any]:
    graphs = list(part)
    if not graphs:
        return [_each([classes[:0] for classes in model.targets_.model_classes(model.model_)])]
    return [model.predict(graphs)]


def _shipped(thing: Any) -> Any:
    """Sent to each worker once, and not with every partition. By a key of its own: Dask may still be dropping what an
    earlier call has sent."""
    from dask import delayed

    try:
        from distributed import get_client

        return get_client().scatter(thing, broadcast=True, hash=False)
    except (ImportError, ValueError):
        return delayed(thing, pure=True)


def embed(model: Any, data: Any, *, smiles: str = "smiles", id_column: str | None = None) -> Any:
    """Vectors of molecules: a Dask dataframe with a column of SMILES in, one out with the id, a status ("ok", or what
    is wrong with the molecule) and one column for each component; `.to_parquet(...)` writes it. Of a Dask bag of graphs
    (lists of any kind that gckn knows, as partitions) a bag of arrays, one for each partition.

    model: a fitted GCKNTransformer, or an estimator that compares vectors.
    """
    if isinstance(model, GCKNTransformer):
        network = model._require_fitted("network_")
    else:
        network = model._require_fitted("model_").network
    if _is_bag(data, smiles, id_column):
        return data.map_partitions(_embed_graphs, _shipped(network))
    columns = [f"gckn{i}" for i in range(network.vector_size)]
    return data.map_partitions(
        _embed_partition,
        _shipped(network),
        smiles,
        id_column,
        columns,
        meta=_meta(data, id_column, {name: "float32" for name in columns}),
    )


def predict(
    model: GCKNClassifier | GCKNRegressor, data: Any, *, smiles: str = "smiles", id_column: str | None = None
) -> Any:
    """Predictions of molecules in a Dask dataframe: id, status, and label and score, or value, of each target. Of a
    bag of graphs a bag of arrays."""
    model._require_fitted("model_")
    if _is_bag(data, smiles, id_column):
        return data.map_partitions(_predict_graphs, _shipped(model))
    targets = model.model_.describe()["targets"]
    columns: dict[str, str] = {}
    for target in targets:
        ending = f":{target['name']}" if len(targets) > 1 else ""
        if target["class_names"]:
            columns.update({f"label{ending}": "string", f"score{ending}": "float64"})
        else:
            columns[f"value{ending}"] = "float64"
    return data.map_partitions(
        _predict_partition, _shipped(model), smiles, id_column, list(columns), meta=_meta(data, id_column, columns)
    )


def fit_network(
    transformer: GCKNTransformer,
    data: Any,
    *,
    smiles: str = "smiles",
    sample: int = 10_000,
    random_state: Any = 0,
    atoms: str = "element",
    hydrogens: bool = False,
    largest_fragment: bool = False,
) -> GCKNTransformer:
    """Learns a network from a sample drawn over all partitions, so that the data need not be in one place.

    The sample is of the rows with the smallest random numbers, drawn for each partition by its own seed: the same data
    in the same partitions give the same network on any cluster. atoms, hydrogens, largest_fragment: as in
    GraphSet.from_smiles; `embed` reads molecules as the network learnt them. Of a Dask bag of graphs the sample is of
    these.
    """
    from dask import compute, delayed

    if checked(sample=sample)["sample"] < 1:
        raise ValueError(f"sample is {sample}, and not a whole number from 1")
    reading = checked(atoms=atoms, hydrogens=hydrogens, largest_fragment=largest_fragment)
    seed_of_all = _seed(random_state)
    is_bag = _is_bag(data, smiles)

    def draw(part: Any, seed: int) -> tuple[Any, list[Any]]:
        rows = list(part) if is_bag else part[smiles].tolist()
        keys = np.random.default_rng([seed_of_all, seed]).random(len(rows))
        best = np.sort(np.argsort(keys, kind="stable")[:sample])
        return keys[best], [rows[i] for i in best]

    drawn = compute(*[delayed(draw)(part, i) for i, part in enumerate(data.to_delayed())])
    keys = np.concatenate([keys for keys, _ in drawn])
    rows = [row for _, part in drawn for row in part]
    chosen = np.sort(np.argsort(keys, kind="stable")[:sample])
    molecules = (reading["atoms"], reading["hydrogens"], reading["largest_fragment"])
    if is_bag:
        return transformer.fit(as_graph_set([rows[i] for i in chosen], Reading(molecules)))
    graphs, _, errors = _rows_of_smiles([rows[i] for i in chosen], molecules)
    if graphs is None:
        raise ValueError(
            f"none of {len(chosen)} rows that were drawn is a molecule: {errors[0] if errors else 'no rows'}"
        )
    return transformer.fit(graphs)
