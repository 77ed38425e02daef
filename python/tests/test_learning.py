# SPDX-License-Identifier: BSD-3-Clause
"""Kernels, cross-validation, explanations."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import gckn

SMALL = {"path_length": 2, "filters": 8}


@pytest.mark.parametrize("kernel", ["wl-oa", "path-oa", "wl-subtree", "path", "walk", "gaussian-path"])
def test_new_graphs_against_old_ones(motif, kernel):
    whole = gckn.GraphKernel(kernel, path_length=2).fit_transform(motif)
    np.testing.assert_allclose(whole, whole.T)
    np.testing.assert_allclose(np.diag(whole), 1)
    part = gckn.GraphKernel(kernel, path_length=2).fit(motif[:90])
    np.testing.assert_allclose(part.transform(motif[90:]), whole[90:, :90], atol=1e-12)
    assert len(part.get_feature_names_out()) == 90


def test_kernels_in_a_support_vector_machine(motif):
    pipeline = make_pipeline(gckn.GraphKernel("wl-oa"), SVC(kernel="precomputed", C=10))
    pipeline.fit(motif[:90], motif.y[:90])
    assert pipeline.score(motif[90:], motif.y[90:]) > 0.7
    with pytest.raises(ValueError, match="kernel must be"):
        gckn.GraphKernel("graph2vec").fit_transform(motif)


def test_cross_validation_of_the_command(motif):
    result = gckn.cross_validate(gckn.GCKNClassifier(**SMALL), motif, cv=3)
    target = result["targets"][0]
    methods = [method["method"] for method in target["methods"]]
    assert methods == ["gckn", "majority class", "label histogram", "WL optimal assignment"]
    assert not result["optimistic"] and len(result["folds"]) == 3
    assert 0.5 < target["methods"][0]["accuracy"]["mean"] <= 1
    pandas = pytest.importorskip("pandas")
    frame = gckn.results_frame(result)
    assert isinstance(frame, pandas.DataFrame) and set(frame["method"]) == set(methods)


def test_given_folds_candidates_and_protocols(motif):
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(np.zeros(120), motif.y))
    candidates = [gckn.GCKNClassifier(path_length=1, filters=8), gckn.GCKNClassifier(compare="states", path_length=2)]
    result = gckn.cross_validate(candidates, motif, motif.y, cv=folds, protocol="paper", baselines=False)
    assert result["optimistic"] and len(result["networks"]) == 2
    assert [sorted(fold["test"]) for fold in result["folds"]] == [test.tolist() for _, test in folds]
    with pytest.raises(TypeError, match="SVC"):
        gckn.cross_validate(SVC(), motif)
    with pytest.raises(ValueError, match="scaffold"):
        gckn.cross_validate(gckn.GCKNClassifier(**SMALL), motif, folds_by="scaffold")


def test_a_journal_goes_on(motif, tmp_path):
    options = {"cv": 2, "baselines": False, "journal": tmp_path / "search.journal"}
    first = gckn.cross_validate(gckn.GCKNClassifier(**SMALL), motif, **options)
    with pytest.raises(ValueError, match="journal"):
        gckn.cross_validate(gckn.GCKNClassifier(**SMALL), motif, **options)
    again = gckn.cross_validate(gckn.GCKNClassifier(**SMALL), motif, **options, resume=True)
    assert again["targets"] == first["targets"]


@pytest.mark.parametrize("method", ["auto", "exact", "gradient", "masks", "occlusion"])
def test_explanations(motif, method):
    model = gckn.GCKNClassifier(**SMALL).fit(motif)
    explanations = gckn.explain(model, motif[:4], method=method)
    assert len(explanations) == 4 and len(explanations[:2]) == 2
    for i, explanation in enumerate(explanations):
        assert explanation.error == "" and explanation.predicted == model.predict(motif[i])[0]
        assert len(explanation.node_scores) == motif[i].num_nodes
        assert len(explanation.edge_scores) == len(explanation.edges) == motif[i].num_edges
        if explanations.method == "exact":
            assert explanation.node_scores.sum() == pytest.approx(explanation.score - explanation.empty_score, abs=1e-6)
    assert explanations[0].svg.startswith("<svg")
    assert "<figure" in explanations._repr_html_() and "score" in explanations[0]._repr_html_()


def test_paths_and_planted_motifs(motif):
    model = gckn.GCKNClassifier(compare="states", path_length=2).fit(motif)
    truth = motif.to_arrays()["truth"]
    scores = []
    for i, explanation in enumerate(gckn.explain(model, motif)):
        if truth[i] and explanation.predicted == 1:
            inside = np.isin(np.arange(motif[i].num_nodes), truth[i][0])
            scores.append(explanation.node_scores[inside].mean() > explanation.node_scores[~inside].mean())
    assert np.mean(scores) > 0.95
    assert gckn.explain(model, motif[:1], paths=True)[0].paths


def test_explaining_what_was_not_fitted(motif):
    with pytest.raises(ValueError, match="call fit"):
        gckn.explain(gckn.GCKNClassifier(), motif)
    model = gckn.GCKNClassifier(**SMALL).fit(motif)
    with pytest.raises(ValueError):
        gckn.explain(model, motif, method="guess")
