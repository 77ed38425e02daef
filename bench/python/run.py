#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the Python package costs beside the command, scikit-learn, and GraKeL where that is installed.

python bench/python/run.py NCI1.zip                 # in an environment with gckn and networkx, perhaps grakel
python bench/python/run.py --smiles FILE.smi        # rates of molecules: on one core, and with dask on two workers
"""

import argparse
import pathlib
import subprocess
import tempfile
import time
import types
import warnings

import networkx
import numpy as np
from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import gckn

REPEATS = 5


def seconds(work, repeats=REPEATS, clock=time.perf_counter):
    """The shortest of some runs, and the result. clock: time.process_time does not see what else a machine does."""
    times = []
    for _ in range(repeats):
        begin = clock()
        result = work()
        times.append(clock() - begin)
    return min(times), result


class Parts:
    """Node labels and edges of each graph, numbered within it."""

    def __init__(self, graphs):
        arrays = graphs.to_arrays()
        begin = np.concatenate([[0], np.cumsum(arrays["sizes"], dtype=np.int64)])
        ends = np.stack([arrays["edge_from"], arrays["edge_to"]]).astype(np.int64)
        of_edge = np.searchsorted(begin, ends[0], side="right") - 1
        self.labels = [arrays["node_labels"][begin[i] : begin[i + 1]] for i in range(len(graphs))]
        self.edges = [ends[:, of_edge == i] - begin[i] for i in range(len(graphs))]

    def networkx(self):
        made = []
        for labels, edges in zip(self.labels, self.edges, strict=True):
            graph = networkx.Graph()
            graph.add_nodes_from((u, {"label": int(label)}) for u, label in enumerate(labels))
            graph.add_edges_from(edges.T.tolist())
            made.append(graph)
        return made

    def data(self):
        """As PyTorch Geometric has them, with arrays for tensors."""
        return [
            types.SimpleNamespace(
                edge_index=np.hstack([edges, edges[::-1]]), x=labels.reshape(-1, 1).copy(), num_nodes=len(labels)
            )
            for labels, edges in zip(self.labels, self.edges, strict=True)
        ]

    def tuples(self):
        """As GraKeL has them."""
        return [
            [{tuple(e) for e in np.hstack([edges, edges[::-1]]).T.tolist()}, dict(enumerate(labels.tolist()))]
            for labels, edges in zip(self.labels, self.edges, strict=True)
        ]


def of_conversion(parts):
    data = parts.data() * 5
    passed, _ = seconds(lambda: gckn.GraphSet(data))
    spent, _ = seconds(lambda: gckn.GraphSet(data), clock=time.process_time)
    print(
        f"arrays as PyTorch Geometric has them: {len(data) / passed:,.0f} graphs a second; "
        f"of processor time {len(data) / spent:,.0f}"
    )


def of_command(path, parts):
    """The command, with its reading and writing, and the same from networkx graphs; by turns, so that both have the
    same machine."""
    objects = parts.networkx()
    converting, _ = seconds(lambda: gckn.GraphSet(objects))
    whole, command = [], []
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/vectors.npy"
        # The same graphs as the objects are, which have no edge labels.
        run = ["gckn", "embed", path, "--out", out, "--quiet", "--no-edge-labels"]
        for _ in range(2 * REPEATS):
            spent, vectors = seconds(lambda: gckn.GCKNTransformer().fit_transform(objects), 1)
            whole.append(spent)
            command.append(seconds(lambda: subprocess.run(run, check=True), 1)[0])
        assert np.array_equal(np.load(out), vectors)
    ours, theirs = min(whole), min(command)
    print(
        f"fit_transform of {len(objects)} networkx graphs {ours:.2f} s, of which {converting:.2f} s to convert them; "
        f"gckn embed {theirs:.2f} s: without the conversion {(ours - converting) / theirs:.2f} of that"
    )


def of_scikit_learn(graphs):
    """One network and one C in five folds, as a pipeline and as one estimator."""
    network = {"path_length": 3, "filters": 64, "random_state": 0}
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(np.zeros(len(graphs)), graphs.y))

    def scores(model):
        found = []
        for train, test in folds:
            found.append(model.fit(graphs[train], graphs.y[train]).decision_function(graphs[test]))
        return np.concatenate(found)

    linear = LinearSVC(C=0.01, dual=False, tol=1e-8, max_iter=10_000)
    pipeline = make_pipeline(gckn.GCKNTransformer(**network), VarianceThreshold(), StandardScaler(), linear)
    theirs, expected = seconds(lambda: scores(pipeline), 1)
    ours, found = seconds(lambda: scores(gckn.GCKNClassifier(**network, C=0.01)), 1)
    truth = np.concatenate([graphs.y[test] for _, test in folds]) == graphs.y.max()
    print(
        f"five folds, a linear machine: pipeline {theirs:.1f} s, accuracy {np.mean((expected > 0) == truth):.4f}; "
        f"GCKNClassifier {ours:.1f} s, {np.mean((found > 0) == truth):.4f}; "
        f"largest difference of scores {abs(found - expected).max():.1e}"
    )


def of_grakel(graphs, parts):
    try:
        from grakel.kernels import VertexHistogram, WeisfeilerLehman
    except ImportError:
        print("GraKeL is not installed")
        return
    objects = parts.tuples()
    begin = time.perf_counter()
    expected = WeisfeilerLehman(n_iter=3, base_graph_kernel=VertexHistogram, normalize=True).fit_transform(objects)
    theirs = time.perf_counter() - begin
    ours, found = seconds(lambda: gckn.GraphKernel("wl-subtree", path_length=3, normalised=True).fit_transform(graphs))
    print(
        f"WL subtree matrix: GraKeL {theirs:.1f} s, gckn {ours:.2f} s, {theirs / ours:.0f} times; "
        f"largest difference {abs(expected - found).max():.1e}"
    )
    train, test = next(StratifiedKFold(5, shuffle=True, random_state=0).split(found, graphs.y))
    accuracies = [
        SVC(kernel="precomputed")
        .fit(matrix[np.ix_(train, train)], graphs.y[train])
        .score(matrix[np.ix_(test, train)], graphs.y[test])
        for matrix in (expected, found)
    ]
    print(f"SVC on them, accuracy: {accuracies[0]:.4f} and {accuracies[1]:.4f}")


def of_molecules(path):
    """On one core; the rates are of processor time, and in brackets as the clock has them."""
    table = gckn.load(path, n_jobs=1, on_error="skip")
    transformer = gckn.GCKNTransformer(n_jobs=1).fit(table[:10_000])
    columns = transformer.transform(table[:1]).shape[1]
    for what, work in [
        ("read", lambda: gckn.load(path, n_jobs=1, on_error="skip")),
        (f"embedded in {columns} columns", lambda: transformer.transform(table)),
    ]:
        busy, clock = (len(table) / seconds(work, 2, clock)[0] for clock in (time.process_time, time.perf_counter))
        print(f"{len(table)} molecules {what}: {busy:,.0f} a second ({clock:,.0f})")
    of_dask(list(table.smiles), transformer)


def of_dask(smiles, transformer):
    try:
        import dask.dataframe
        import pandas
        from distributed import Client, LocalCluster
    except ImportError:
        print("dask is not installed")
        return
    warnings.filterwarnings("ignore", message="Sending large graph")
    table = pandas.DataFrame({"smiles": smiles, "id": range(len(smiles))})
    # Columns cost something in each partition, whatever its length.
    frame = dask.dataframe.from_pandas(table, npartitions=2 * max(1, len(table) // 20_000))

    def rate(clock):
        with tempfile.TemporaryDirectory() as folder:

            def embed():
                found = gckn.distributed.embed(transformer, frame, id_column="id")
                found.to_parquet(pathlib.Path(folder) / "vectors", write_index=False, overwrite=True)

            return len(smiles) / seconds(embed, 2, clock)[0]  # the first time workers load what they need

    with dask.config.set(scheduler="synchronous"):
        print(f"Dask, SMILES to Parquet: {rate(time.process_time):,.0f} a second of processor time")
    for workers in (1, 2):
        options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
        with LocalCluster(**options) as cluster, Client(cluster):
            print(f"on {workers} worker processes: {rate(time.perf_counter):,.0f} a second by the clock")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", nargs="?")
    parser.add_argument("--smiles")
    options = parser.parse_args()
    if options.set:
        graphs = gckn.load(options.set)
        parts = Parts(graphs)
        of_conversion(parts)
        of_command(options.set, parts)
        of_scikit_learn(graphs)
        of_grakel(graphs, parts)
    if options.smiles:
        of_molecules(options.smiles)


if __name__ == "__main__":
    main()
