# SPDX-License-Identifier: BSD-3-Clause
"""What the paper reports (Chen, Jacob, Mairal, ICML 2020): mean and deviation of accuracy in per cent."""

ARCHITECTURES = ["walk", "path", "subtree", "three-layer"]

# Table 1: graphs with discrete node attributes, unsupervised models.
TABLE_1 = {
    "MUTAG": {"walk": (92.8, 6.1), "path": (92.8, 6.1), "subtree": (95.0, 5.2), "three-layer": (97.2, 2.8)},
    "PROTEINS": {"walk": (75.7, 4.0), "path": (76.0, 3.4), "subtree": (76.4, 3.9), "three-layer": (75.9, 3.2)},
    "PTC": {"walk": (65.9, 2.0), "path": (67.3, 5.0), "subtree": (70.8, 4.6), "three-layer": (69.4, 3.5)},
    "NCI1": {"walk": (80.1, 1.8), "path": (81.4, 1.6), "subtree": (83.9, 1.6), "three-layer": (83.9, 1.2)},
    "IMDB-B": {"walk": (75.9, 3.7), "path": (75.9, 3.7), "subtree": (77.8, 2.6), "three-layer": (77.2, 3.8)},
    "IMDB-M": {"walk": (53.4, 4.7), "path": (53.0, 3.1), "subtree": (53.5, 4.1), "three-layer": (53.4, 3.6)},
    "COLLAB": {"walk": (81.7, 1.4), "path": (82.3, 1.1), "subtree": (83.2, 1.1), "three-layer": (83.4, 1.5)},
}

# Table 2: graphs with continuous node attributes, unsupervised models.
TABLE_2 = {
    "ENZYMES": {"walk": (73.5, 0.5), "path": (75.7, 1.1), "subtree": (74.8, 0.7), "three-layer": (74.6, 0.8)},
    "PROTEINS_full": {"walk": (76.5, 0.3), "path": (76.3, 0.5), "subtree": (77.5, 0.3), "three-layer": (77.5, 0.4)},
    "BZR": {"walk": (85.3, 0.5), "path": (85.9, 0.5), "subtree": (85.8, 0.9), "three-layer": (84.7, 1.0)},
    "COX2": {"walk": (80.6, 1.2), "path": (81.2, 0.8), "subtree": (81.8, 0.8), "three-layer": (82.0, 0.6)},
}

# How far below the paper's figure a cell may be: its splits of MUTAG and PTC test 18 and 34 graphs a fold.
ALLOWANCE = 2.0
LARGER_ALLOWANCE = {(name, arch): 4.0 for name in ("MUTAG", "PTC") for arch in ("subtree", "three-layer")}


def allowance(name, arch):
    return LARGER_ALLOWANCE.get((name, arch), ALLOWANCE)
