# SPDX-License-Identifier: BSD-3-Clause
"""How the engine lives with what else is in the process: Ctrl-C, other threads, forks, NumPy's BLAS."""

import multiprocessing
import os
import signal
import threading
import time

import joblib
import numpy as np
import pytest
import threadpoolctl
from sklearn.base import clone

import gckn

SMALL = {"path_length": 2, "filters": 8}
FOR_HOURS = {"supervised": True, "epochs": 1_000_000, "path_length": 3}


def long_search(graphs):
    many = [gckn.GCKNClassifier(path_length=6, filters=count) for count in range(200, 600)]
    return gckn.cross_validate(many, graphs)


LONG = {
    "training": lambda graphs: gckn.GCKNClassifier(**FOR_HOURS).fit(graphs),
    "cross-validation": long_search,
    "explanations": lambda graphs: [
        gckn.explain(gckn.GCKNClassifier(path_length=4, filters=64, C=1.0).fit(graphs), graphs, method="masks")
        for _ in range(100)
    ],
}


@pytest.fixture(scope="module")
def many():
    return gckn.datasets.motif(graphs=600)


@pytest.mark.parametrize("work", LONG)
def test_ctrl_c_stops_long_work_at_once(many, work):
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(1.0, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        LONG[work](many)
    assert time.monotonic() - sent[0] < 5
    # Nothing is left behind that would stop what comes next.
    assert gckn.GCKNTransformer(**SMALL).fit_transform(many[:50]).shape[0] == 50


def test_other_threads_of_python_go_on(many):
    turns, stop = 0, threading.Event()

    def count():
        nonlocal turns
        while not stop.wait(0.001):
            turns += 1

    thread = threading.Thread(target=count)
    thread.start()
    begin = time.monotonic()
    # Without reports of progress, in which other threads would have their turn anyway.
    gckn.GraphKernel("gaussian-path", path_length=4, n_jobs=1).fit_transform(many)
    spent = time.monotonic() - begin
    stop.set()
    thread.join()
    assert turns > 20 * spent  # of about a thousand a second


def test_two_threads_fit_at_the_same_time(motif):
    expected = gckn.GCKNClassifier(**SMALL).fit(motif).decision_function(motif)
    found = {}

    def fit(number):
        found[number] = gckn.GCKNClassifier(**SMALL).fit(motif).decision_function(motif)

    threads = [threading.Thread(target=fit, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for scores in found.values():
        np.testing.assert_array_equal(scores, expected)


# Compiles, learns anchors, decomposes matrices and solves: what a fork could break.
WHOLE = gckn.GCKNClassifier(compare="both", filters=16)


def test_forked_workers_after_the_engine_was_used(motif):
    expected = WHOLE.fit(motif).decision_function(motif)  # threads are there before the fork
    np.linalg.eigh(np.eye(300))  # and those of NumPy
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for model in pool.map_async(clone(WHOLE).fit, [motif, motif, motif]).get(timeout=120):
            np.testing.assert_array_equal(model.decision_function(motif), expected)


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_workers_of_joblib(motif, backend):
    expected = WHOLE.fit(motif).decision_function(motif)
    for model in joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(clone(WHOLE).fit)(motif) for _ in range(3)):
        np.testing.assert_array_equal(model.decision_function(motif), expected)


def numpy_threads():
    np.linalg.eigh(np.eye(10))
    return {pool["filepath"]: pool["num_threads"] for pool in threadpoolctl.threadpool_info()}


def test_threads_of_numpys_blas_are_left_as_they_were(motif):
    numpy_path = {pool["filepath"] for pool in threadpoolctl.threadpool_info() if "numpy" in pool["filepath"]}
    during = []
    estimator = gckn.GCKNClassifier(**SMALL, progress=lambda *_: during.append(numpy_threads()))
    for limit in (1, 2, 3):
        during.clear()
        with threadpoolctl.threadpool_limits(limit):
            before = numpy_threads()
            assert all(before[path] == limit for path in numpy_path)
            model = estimator.fit(motif)
            model.predict(motif)
            gckn.explain(model, motif[:2])
            after = numpy_threads()
        assert {path: after[path] for path in before} == before
        assert during and all(seen[path] == before[path] for seen in during for path in numpy_path)
