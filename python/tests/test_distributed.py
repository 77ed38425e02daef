# SPDX-License-Identifier: BSD-3-Clause
"""On a cluster of two worker processes: the same bits as here, also when a worker dies."""

import os
import time
import warnings

import joblib
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

import gckn
from gckn import _engine

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
dataframe = pytest.importorskip("dask.dataframe")
pandas = pytest.importorskip("pandas")
pytestmark = pytest.mark.skipif(not _engine.has_rdkit(), reason="the engine was built without RDKit")

WORDS = ["CCO", "c1ccccc1", "CC(=O)O", "C(C", "CCN", "c1ccncc1", "CCCC", "O=C=O", "CS", "C1CC1"]


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def table():
    frame = pandas.DataFrame({"smiles": WORDS * 20})
    frame["name"] = [f"m{i}" for i in range(len(frame))]
    return frame


@pytest.fixture(scope="module")
def transformer():
    return gckn.GCKNTransformer(path_length=2, filters=8).fit([word for word in WORDS if word != "C(C"])


def test_vectors_by_partition_are_the_same_bits(client, table, transformer, tmp_path):
    frame = dataframe.from_pandas(table, npartitions=7)
    found = gckn.distributed.embed(transformer, frame, id_column="name")
    found.to_parquet(tmp_path / "vectors", write_index=False)
    read = pandas.read_parquet(tmp_path / "vectors")
    assert read["name"].tolist() == table["name"].tolist()
    good = (table["smiles"] != "C(C").to_numpy()
    assert (read["status"] == "ok").tolist() == good.tolist() and "SMILES" in read["status"][3]
    values = read.filter(like="gckn").to_numpy()
    expected = transformer.transform(table["smiles"][good])
    np.testing.assert_array_equal(values[good], expected)
    assert np.isnan(values[~good]).all()


def test_predictions(client, table):
    good = table[table["smiles"] != "C(C"]
    y = good["smiles"].str.len().to_numpy() > 4
    model = gckn.GCKNClassifier(path_length=1, filters=8).fit(good["smiles"], y)
    found = gckn.distributed.predict(model, dataframe.from_pandas(table, npartitions=3), id_column="name").compute()
    assert found.columns.tolist() == ["name", "status", "label", "score"]
    there = found[found["status"] == "ok"]
    assert there["label"].tolist() == [str(value) for value in model.predict(good["smiles"])]
    np.testing.assert_array_equal(there["score"], model.decision_function(good["smiles"]))


def test_bags_of_graphs(client, motif):
    bag = pytest.importorskip("dask.bag")
    graphs = [
        {
            "edges": np.stack([one.to_arrays()["edge_from"], one.to_arrays()["edge_to"]]).T.tolist(),
            "node_labels": one.to_arrays()["node_labels"].tolist(),
        }
        for one in motif[:30]
    ]
    model = gckn.GCKNTransformer(path_length=2, filters=8).fit(graphs)
    found = gckn.distributed.embed(model, bag.from_sequence(graphs, npartitions=3)).compute()
    np.testing.assert_array_equal(np.concatenate(found), model.transform(graphs))


def test_networks_from_a_sample_over_all_partitions(client, table):
    frame = dataframe.from_pandas(table, npartitions=4)
    options = {"path_length": 2, "filters": 8}
    sampled = gckn.distributed.fit_network(gckn.GCKNTransformer(**options), frame, sample=50)
    again = gckn.distributed.fit_network(gckn.GCKNTransformer(**options), frame, sample=50)
    good = [word for word in WORDS if word != "C(C"]
    np.testing.assert_array_equal(sampled.transform(good), again.transform(good))
    whole = gckn.distributed.fit_network(gckn.GCKNTransformer(**options), frame, sample=10**6)
    direct = gckn.GCKNTransformer(**options).fit([word for word in table["smiles"] if word != "C(C"])
    np.testing.assert_array_equal(whole.transform(good), direct.transform(good))


def test_searches_under_joblibs_backend(client, motif):
    search = GridSearchCV(gckn.GCKNClassifier(path_length=2, filters=8, folds=2), {"sigma": [0.4, 1.0]}, cv=2)
    serial = search.fit(motif, motif.y).cv_results_["mean_test_score"]
    with joblib.parallel_config(backend="dask"):
        spread = search.fit(motif, motif.y).cv_results_["mean_test_score"]
    np.testing.assert_array_equal(spread, serial)


def test_a_worker_that_dies_loses_and_doubles_nothing(client, table, transformer):
    def slowly(part):
        time.sleep(0.3)
        return part

    frame = dataframe.from_pandas(table, npartitions=20).map_partitions(slowly, meta=table.iloc[:0])
    future = client.compute(gckn.distributed.embed(transformer, frame, id_column="name"))
    time.sleep(1.2)
    victim = next(iter(client.run(os.getpid).values()))
    os.kill(victim, 9)
    found = future.result(timeout=120)
    assert found["name"].tolist() == table["name"].tolist()
    good = (table["smiles"] != "C(C").to_numpy()
    np.testing.assert_array_equal(
        found.filter(like="gckn").to_numpy()[good], transformer.transform(table["smiles"][good])
    )


def test_a_network_is_learnt_with_the_reading_of_the_call_and_not_from_missing_rows(client):
    words = [word for word in WORDS if word != "C(C"]
    frame = dataframe.from_pandas(pandas.DataFrame({"smiles": [*words, None, float("nan")]}), npartitions=2)
    learnt = gckn.distributed.fit_network(gckn.GCKNTransformer(path_length=1, filters=4), frame, atoms="rich")
    assert learnt.network_.molecules[0] == "rich"
    expected = gckn.GCKNTransformer(path_length=1, filters=4).fit(gckn.GraphSet.from_smiles(words, atoms="rich"))
    np.testing.assert_array_equal(learnt.transform(words), expected.transform(words))


def test_wide_vectors_do_not_warn(client, table):
    wide = gckn.GCKNTransformer(path_length=1, filters=256).fit(table["smiles"][:3])
    with warnings.catch_warnings():
        warnings.simplefilter("error", pandas.errors.PerformanceWarning)
        frame = gckn.distributed.embed(wide, dataframe.from_pandas(table[:3], npartitions=1)).compute()
    assert frame.shape == (3, 1 + wide.transform(table["smiles"][:3]).shape[1])
