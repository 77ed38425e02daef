# SPDX-License-Identifier: BSD-3-Clause
"""SMILES, RDKit's molecules, and columns of them."""

import numpy as np
import pytest

import gckn
from gckn import GraphSet, _engine

pytestmark = pytest.mark.skipif(not _engine.has_rdkit(), reason="the engine was built without RDKit")

SMILES = ["CCO", "c1ccccc1", "CC(=O)[O-].[Na+]", "C[N+](=O)[O-]", "N#N", "C"]


def vectors(graphs):
    return gckn.GCKNTransformer(path_length=2, filters=8).fit_transform(graphs)


def test_smiles_are_graphs_with_names():
    graphs = GraphSet(SMILES)
    assert len(graphs) == 6 and graphs.smiles == tuple(SMILES) and graphs.molecules == ("element", False, False)
    assert "O" in graphs.to_arrays()["node_label_names"].values()
    assert set(graphs.to_arrays()["edge_label_names"].values()) == {"single", "double", "triple", "aromatic"}
    rich = GraphSet.from_smiles(SMILES, atoms="rich")
    assert any("aromatic" in name for name in rich.to_arrays()["node_label_names"].values())
    assert GraphSet.from_smiles(["C"], hydrogens=True).num_nodes == 5
    assert GraphSet.from_smiles(["CC(=O)[O-].[Na+]"], largest_fragment=True).num_nodes == 4


def test_columns_of_pandas_and_polars():
    for module in ("pandas", "polars"):
        frame = pytest.importorskip(module).DataFrame({"smiles": SMILES, "y": range(6)})
        np.testing.assert_array_equal(vectors(frame["smiles"]), vectors(SMILES))
        with pytest.raises(TypeError, match="column"):
            GraphSet(frame)


def test_a_model_reads_new_molecules_as_it_read_the_old_ones():
    rich = GraphSet.from_smiles(SMILES * 4, atoms="rich")
    model = gckn.GCKNClassifier(path_length=1, filters=8).fit(rich, [0, 1] * 12)
    np.testing.assert_array_equal(
        model.decision_function(SMILES), model.decision_function(GraphSet.from_smiles(SMILES, atoms="rich"))
    )
    assert "<svg" in gckn.explain(model, SMILES[1:2])[0].svg


def test_files(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("smiles,name,target\nCCO,a,1\nC(C,b,0\nCCN,c,0\n")
    with pytest.raises(ValueError, match="row 2"):
        gckn.load(path)
    graphs = gckn.load(path, on_error="skip")
    assert len(graphs) == 2 and graphs.y.tolist() == [1, 0] and graphs.smiles == ("CCO", "CCN")


def test_rdkit_molecules_have_the_labels_of_the_reader(datasets):
    """Ten thousand drug-like molecules, by PyPI's RDKit and by our own reader."""
    Chem = pytest.importorskip("rdkit.Chem")
    import zipfile

    with zipfile.ZipFile(datasets / "molnet" / "zinc250k.smi.zip") as archive:
        lines = archive.read(archive.namelist()[0]).decode().splitlines()
    texts = [line.split()[0] for line in lines if line.strip()][:10_000]
    molecules = [Chem.MolFromSmiles(text) for text in texts]
    texts = [text for text, molecule in zip(texts, molecules) if molecule is not None]
    molecules = [molecule for molecule in molecules if molecule is not None]
    assert len(texts) >= 9_990
    for reading in (("element", False, False), ("rich", False, False)):
        from gckn._convert import as_graph_set
        from gckn._convert.reading import Reading

        ours = as_graph_set(texts, Reading(reading)).to_arrays()
        theirs = as_graph_set(molecules, Reading(reading)).to_arrays()
        for key in ("sizes", "edge_from", "edge_to", "node_labels", "edge_labels"):
            np.testing.assert_array_equal(theirs[key], ours[key], err_msg=f"{key} of {reading}")
