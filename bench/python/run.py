#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the Python package costs beside the command, and beside GraKeL where that is installed.

python bench/python/run.py NCI1.zip                    # in an environment with gckn and networkx, perhaps grakel
python bench/python/run.py NCI1.zip --smiles FILE.csv  # rates of molecules on one core besides
"""

import argparse
import subprocess
import tempfile
import time
import types

import networkx
import numpy as np

import gckn

REPEATS = 3


def seconds(work):
    """The shortest of some runs, and the result."""
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - begin)
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


def of_conversion(graphs, parts):
    objects = parts.networkx()
    converting, converted = seconds(lambda: gckn.GraphSet(objects))
    print(f"{len(objects)} networkx graphs to a GraphSet: {converting:.2f} s")
    data = parts.data() * 5
    spent, _ = seconds(lambda: gckn.GraphSet(data))
    print(f"arrays as PyTorch Geometric has them: {len(data) / spent:,.0f} graphs a second")
    fitting, vectors = seconds(lambda: gckn.GCKNTransformer().fit_transform(converted))
    assert np.array_equal(vectors, gckn.GCKNTransformer().fit_transform(graphs))
    return fitting


def of_command(path, network):
    """The command, learning and applying the same network, without its reading and writing."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["gckn", "embed", path, "--out", f"{folder}/vectors.npy", "--quiet", *network]
        spent, _ = seconds(lambda: subprocess.run(command, check=True))
        begin = time.perf_counter()
        gckn.load(path)
        return spent, time.perf_counter() - begin


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


def of_molecules(path):
    table = gckn.load(path)
    reading, _ = seconds(lambda: gckn.load(path, n_jobs=1))
    transformer = gckn.GCKNTransformer(n_jobs=1).fit(table)
    embedding, vectors = seconds(lambda: transformer.transform(table))
    print(
        f"{len(table)} molecules on one core: read {len(table) / reading:,.0f}, embedded {len(table) / embedding:,.0f} "
        f"a second, {vectors.shape[1]} columns of 4 bytes"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set")
    parser.add_argument("--smiles")
    options = parser.parse_args()
    graphs = gckn.load(options.set)
    parts = Parts(graphs)
    fitting = of_conversion(graphs, parts)
    whole, reading = of_command(options.set, [])
    print(f"fit_transform {fitting:.2f} s; gckn embed {whole:.2f} s with reading ({reading:.2f} s) and writing")
    of_grakel(graphs, parts)
    if options.smiles:
        of_molecules(options.smiles)


if __name__ == "__main__":
    main()
