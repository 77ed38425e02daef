#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Large graph sets as JSON lines, for bench/scale/run: make_sets.py DATASETS OUT [NAME ...]

DATASETS has NCI1.zip and molnet/zinc250k.smi.zip. Made are, in the folder OUT,
  nci1-N       NCI1 repeated until there are N graphs, N = 4110, 41100, 61650, 205500, 1000000
  perturbed    NCI1 ten times, every twentieth node on average with another label each time: 41,100 graphs
  zinc-N       the first N molecules of ZINC (elements as labels; from the beginning again after 249,455)
ZINC needs RDKit (pip install rdkit). Sets that are there already are left alone.
"""
import itertools
import json
import random
import sys
import zipfile
from pathlib import Path

NCI1_SIZES = (4110, 41100, 61650, 205500, 1000000)
ZINC_SIZES = (100000, 200000, 1000000)


def read_tu(path):
    """The graphs of a TU zip: lists of labels, lists of edges (each once), targets."""
    name = path.stem
    with zipfile.ZipFile(path) as archive:
        def rows(part):
            return archive.read(f"{name}/{name}_{part}.txt").decode().split("\n")[:-1]

        graph_of_node = [int(row) - 1 for row in rows("graph_indicator")]
        labels = [int(row) for row in rows("node_labels")]
        targets = [int(row) for row in rows("graph_labels")]
        graphs = [{"num_nodes": 0, "edges": [], "node_labels": [], "target": target} for target in targets]
        place = []
        for node, graph in enumerate(graph_of_node):
            place.append(graphs[graph]["num_nodes"])
            graphs[graph]["num_nodes"] += 1
            graphs[graph]["node_labels"].append(labels[node])
        for row in rows("A"):
            a, b = (int(end) - 1 for end in row.split(","))
            if a < b:
                graphs[graph_of_node[a]]["edges"].append([place[a], place[b]])
    return graphs


def dumps(graph):
    return json.dumps(graph, separators=(",", ":")) + "\n"


def perturbed(graphs):
    """Ten copies, each node with another label with a probability of 1 in 20."""
    rng = random.Random(0)
    values = sorted({label for graph in graphs for label in graph["node_labels"]})
    for _ in range(10):
        for graph in graphs:
            labels = [rng.choice(values) if rng.random() < 0.05 else label for label in graph["node_labels"]]
            yield dumps({**graph, "node_labels": labels})


def zinc(path):
    from rdkit import Chem, RDLogger

    RDLogger.DisableLog("rdApp.*")
    with zipfile.ZipFile(path) as archive:
        text = archive.read(archive.namelist()[0]).decode()
    for line in text.split("\n"):
        words = line.split()
        molecule = Chem.MolFromSmiles(words[0]) if words else None
        if molecule is None:
            continue
        yield dumps({
            "num_nodes": molecule.GetNumAtoms(),
            "edges": [[bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()] for bond in molecule.GetBonds()],
            "node_labels": [atom.GetAtomicNum() for atom in molecule.GetAtoms()],
        })


def write(path, lines):
    if path.exists():
        return
    temporary = path.with_suffix(".tmp")
    with open(temporary, "w") as file:
        file.writelines(lines)
    temporary.rename(path)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    datasets, out = Path(sys.argv[1]), Path(sys.argv[2])
    wanted = set(sys.argv[3:])
    out.mkdir(parents=True, exist_ok=True)

    def asked(name):
        return (not wanted or name in wanted) and not (out / f"{name}.jsonl").exists()

    nci1 = [name for name in [f"nci1-{n}" for n in NCI1_SIZES] + ["perturbed"] if asked(name)]
    if nci1:
        graphs = read_tu(datasets / "NCI1.zip")
        lines = [dumps(graph) for graph in graphs]
        for name in nci1:
            source = (perturbed(graphs) if name == "perturbed"
                      else itertools.islice(itertools.cycle(lines), int(name.split("-")[1])))
            write(out / f"{name}.jsonl", source)
    molecules = [name for name in [f"zinc-{n}" for n in ZINC_SIZES] if asked(name)]
    if molecules:
        lines = list(zinc(datasets / "molnet" / "zinc250k.smi.zip"))
        for name in molecules:
            write(out / f"{name}.jsonl", itertools.islice(itertools.cycle(lines), int(name.split("-")[1])))


if __name__ == "__main__":
    main()
