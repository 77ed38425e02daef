# SPDX-License-Identifier: BSD-3-Clause
"""On a cluster of two worker processes: the same bits as here, also when a worker dies."""

import fcntl
import json
import os
import time
import warnings

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
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
    whole = gckn.distributed.fit_network(gckn.GCKNTransformer(**options), frame, sample=10**6, random_state=None)
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


CANDIDATES = [gckn.GCKNClassifier(path_length=length, filters=8) for length in (1, 2, 3)]


def test_cross_validation_over_workers_is_the_serial_one(client, motif):
    for estimator, options in [
        (CANDIDATES, {"cv": 3}),
        (CANDIDATES, {"cv": 3, "protocol": "paper", "baselines": False}),
        (gckn.GCKNClassifier(), {"cv": 2}),
        (
            gckn.GCKNClassifier(supervised=True, epochs=3, filters=4, path_length=1, penalty=[1e-4, 1e-2]),
            {"cv": 2, "inner_folds": 2},
        ),
    ]:
        found = gckn.distributed.cross_validate(estimator, motif, **options)
        assert found == gckn.cross_validate(estimator, motif, **options)


def test_cross_validation_of_molecules_over_workers(client):
    words = [word for word in WORDS if word != "C(C"] * 6
    y = [len(word) > 4 for word in words]
    options = {"cv": 2, "inner_folds": 2, "folds_by": "equal"}
    estimator = gckn.GCKNClassifier(path_length=1, filters=4)
    found = gckn.distributed.cross_validate(estimator, words, y, client=client, **options)
    assert found == gckn.cross_validate(estimator, words, y, **options)
    assert any(method["method"] == "Morgan fingerprints" for method in found["targets"][0]["methods"])


def units_of(journal):
    return [json.loads(line)["unit"] for line in journal.read_text().splitlines()[1:]]


def test_a_search_over_workers_that_was_stopped_goes_on(client, motif, tmp_path):
    journal = tmp_path / "search.journal"
    options = {"cv": 3, "baselines": False}

    def stop(stage, done, total):
        raise InterruptedError(f"{done} of {total}")

    stopped = [clone(candidate).set_params(progress=stop) for candidate in CANDIDATES]
    with pytest.raises(InterruptedError, match="1 of 3"):
        gckn.distributed.cross_validate(stopped, motif, journal=journal, **options)
    done = units_of(journal)
    assert len(done) == 3
    with journal.open("a") as file:
        file.write('{"unit": "cut off')
    with pytest.raises(ValueError, match="resume"):
        gckn.distributed.cross_validate(CANDIDATES, motif, journal=journal, **options)
    found = gckn.distributed.cross_validate(CANDIDATES, motif, journal=journal, resume=True, **options)
    expected = gckn.cross_validate(CANDIDATES, motif, **options)
    assert found == expected
    assert units_of(journal)[:3] == done and len(set(units_of(journal))) == len(units_of(journal)) == 9
    # It is the journal of a search without workers, too.
    assert gckn.cross_validate(CANDIDATES, motif, journal=journal, resume=True, **options) == expected
    with pytest.raises(ValueError, match="another experiment"):
        gckn.distributed.cross_validate(CANDIDATES, motif[:100], journal=journal, resume=True, **options)


def test_files_that_are_no_journal_or_in_use_are_left_alone(client, motif, tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear reader,\nthis has no end of line")
    with pytest.raises(ValueError, match="is no journal"):
        gckn.distributed.cross_validate(CANDIDATES, motif, journal=letter, resume=True)
    assert letter.read_text().endswith("end of line")
    journal = tmp_path / "search.journal"
    with journal.open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(ValueError, match="in use by another run"):
            gckn.distributed.cross_validate(CANDIDATES, motif, journal=journal, resume=True)


def test_a_worker_that_dies_in_a_search_loses_and_doubles_nothing(client, tmp_path):
    graphs = gckn.datasets.motif(graphs=400, seed=2)
    candidates = [gckn.GCKNClassifier(path_length=3, filters=count) for count in (8, 16, 24, 32, 40, 48)]
    killed = []

    def kill(stage, done, total):
        if stage == "candidates" and done == 1:
            killed.append(client.run(os.getpid))
            os.kill(next(iter(killed[0].values())), 9)

    options = {"cv": 3, "baselines": False}
    expected = gckn.cross_validate(candidates, graphs, **options)
    candidates[0].set_params(progress=kill)
    journal = tmp_path / "search.journal"
    assert gckn.distributed.cross_validate(candidates, graphs, journal=journal, **options) == expected
    assert len(killed) == 1 and len(set(units_of(journal))) == len(units_of(journal)) == 18


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


def test_bags_with_empty_partitions_and_networks_of_bags(client):
    bag = pytest.importorskip("dask.bag")
    good = [word for word in WORDS if word != "C(C"]
    whole = bag.from_sequence(good, npartitions=3)
    network = gckn.distributed.fit_network(gckn.GCKNTransformer(path_length=1, filters=4), whole)
    direct = gckn.GCKNTransformer(path_length=1, filters=4).fit(good)
    np.testing.assert_array_equal(network.transform(good), direct.transform(good))
    few = whole.filter(lambda word: word in ("CCO", "CCN"))
    shapes = [rows.shape for rows in gckn.distributed.embed(network, few).compute()]
    assert sum(rows for rows, _ in shapes) == 2 and {columns for _, columns in shapes} == {network.network_.vector_size}
    classifier = gckn.GCKNClassifier(path_length=1, filters=4, C=1.0).fit(good, [0, 1, 2] * 3)
    several = gckn.GCKNRegressor(path_length=1, filters=4, C=1.0).fit(good, np.arange(18.0).reshape(9, 2))
    for model in (classifier, several):
        found = np.concatenate(gckn.distributed.predict(model, few).compute())
        np.testing.assert_array_equal(found, model.predict(["CCO", "CCN"]))


def test_what_is_wrong_is_said_before_the_work(table, transformer):
    frame = dataframe.from_pandas(table, npartitions=2)
    for data in (table, table["smiles"], list(table["smiles"]), None):
        with pytest.raises(TypeError, match=r"not a Dask dataframe or bag: dask\.dataframe\.from_pandas"):
            gckn.distributed.embed(transformer, data)
    with pytest.raises(TypeError, match="this is a column"):
        gckn.distributed.embed(transformer, frame["smiles"])
    for column in ("status", "gckn0"):
        with pytest.raises(ValueError, match=f"'{column}' is called as a column of the result"):
            gckn.distributed.embed(transformer, frame.rename(columns={"name": column}), id_column=column)
    for column in ({"smiles": "text"}, {"id_column": "number"}):
        with pytest.raises(ValueError, match=r"there is no column '(text|number)'"):
            gckn.distributed.embed(transformer, frame, **column)
    for estimator in (gckn.GCKNTransformer(), gckn.GCKNClassifier()):
        with pytest.raises(NotFittedError):
            gckn.distributed.embed(estimator, frame)
    for sample, error in ((-5, ValueError), (0, ValueError), ("a", TypeError)):
        with pytest.raises(error, match=r"^sample is "):
            gckn.distributed.fit_network(gckn.GCKNTransformer(), frame, sample=sample)
    with pytest.raises(TypeError, match=r"^atoms is "):
        gckn.distributed.fit_network(gckn.GCKNTransformer(), frame, atoms=3)
