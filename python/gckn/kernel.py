# SPDX-License-Identifier: BSD-3-Clause
"""Exact kernels between graphs, for SVC(kernel="precomputed") and Gaussian processes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import TransformerMixin

from . import _engine
from ._checks import checked
from ._convert import as_graph_set
from ._convert.parts import require_same_names
from ._convert.reading import Reading
from ._runs import Progress
from ._unknown import warn_of_reading
from .estimators import _GraphEstimator
from .graphs import GraphSet

Array = npt.NDArray[np.float64]
_RECTANGULAR = ("path-oa", "wl-oa")


class GraphKernel(TransformerMixin, _GraphEstimator):  # type: ignore[misc]
    """Gram matrices: fit_transform of the training graphs, transform of others against these.

    kernel: "wl-oa", "path-oa", "wl-subtree", "path", "walk", "gaussian-path" or "gaussian-walk". path_length: edges of
    paths and walks, rounds of Weisfeiler-Lehman kernels. summed: over lengths up to it ("path" and "walk"). sigma:
    width of the Gaussian kernels. normalised: every graph is 1 to itself. features, max_paths, n_jobs, verbose and
    progress: as in GCKNTransformer. edge_labels: whether they are compared, too.

    >>> import gckn
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> graphs = gckn.datasets.motif(graphs=40)
    >>> pipeline = make_pipeline(gckn.GraphKernel(kernel="wl-oa"), SVC(kernel="precomputed")).fit(graphs, graphs.y)
    >>> pipeline.predict(graphs[:3]).shape
    (3,)
    """

    def __init__(
        self,
        kernel: str = "wl-oa",
        *,
        path_length: int = 3,
        summed: bool = False,
        sigma: float = 0.6,
        normalised: bool = True,
        features: str = "auto",
        edge_labels: bool = False,
        max_paths: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self.kernel = kernel
        self.path_length = path_length
        self.summed = summed
        self.sigma = sigma
        self.normalised = normalised
        self.features = features
        self.edge_labels = edge_labels
        self.max_paths = max_paths
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.progress = progress

    def _matrix(self, graphs: GraphSet, others: GraphSet | None = None) -> Array:
        given = checked(
            kernel=self.kernel,
            path_length=self.path_length,
            summed=self.summed,
            sigma=self.sigma,
            normalised=self.normalised,
            features=self.features,
            edge_labels=self.edge_labels,
        )
        given["edge_labels"] = bool(given["edge_labels"])
        matrix: Any = _engine.kernel_matrix(
            graphs=graphs._set, others=None if others is None else others._set, **given, run=self._run()
        )
        return matrix  # type: ignore[no-any-return]

    def fit(self, X: Any, y: Any = None) -> GraphKernel:
        """Keeps these graphs, against which transform compares others. y is ignored."""
        self.graphs_ = as_graph_set(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Array:
        """The Gram matrix of these graphs. y is ignored."""
        return self._matrix(self.fit(X).graphs_)

    def transform(self, X: Any) -> Array:
        """One row for each of these graphs, one column for each that was fitted."""
        fitted: GraphSet = self._require_fitted("graphs_")
        graphs = as_graph_set(X, Reading.of_set(fitted))
        if not warn_of_reading(fitted.molecules, graphs):
            require_same_names([fitted, graphs])
        if self.kernel in _RECTANGULAR:
            return self._matrix(graphs, fitted)
        # The other kernels know square matrices only.
        both = self._matrix(GraphSet.concatenate([graphs, fitted]))
        return np.ascontiguousarray(both[: len(graphs), len(graphs) :])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "graphs_")

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """One for each graph that was fitted, by number."""
        return np.array([f"graph{i}" for i in range(len(self._require_fitted("graphs_")))], dtype=object)
