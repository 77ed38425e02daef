# SPDX-License-Identifier: BSD-3-Clause
"""What the paper reports (Chen, Jacob, Mairal, ICML 2020): mean and deviation of accuracy in per cent."""

MODELS = ["walk", "path", "subtree", "three-layer", "subtree-sup"]

# Table 1: graphs with discrete node attributes, unsupervised models and the supervised one.
TABLE_1 = {
    "MUTAG": {"walk": (92.8, 6.1), "path": (92.8, 6.1), "subtree": (95.0, 5.2), "three-layer": (97.2, 2.8),
              "subtree-sup": (91.6, 6.7)},
    "PROTEINS": {"walk": (75.7, 4.0), "path": (76.0, 3.4), "subtree": (76.4, 3.9), "three-layer": (75.9, 3.2),
                 "subtree-sup": (76.2, 2.5)},
    "PTC": {"walk": (65.9, 2.0), "path": (67.3, 5.0), "subtree": (70.8, 4.6), "three-layer": (69.4, 3.5),
            "subtree-sup": (68.4, 7.4)},
    "NCI1": {"walk": (80.1, 1.8), "path": (81.4, 1.6), "subtree": (83.9, 1.6), "three-layer": (83.9, 1.2),
             "subtree-sup": (82.0, 1.2)},
    "IMDB-B": {"walk": (75.9, 3.7), "path": (75.9, 3.7), "subtree": (77.8, 2.6), "three-layer": (77.2, 3.8),
               "subtree-sup": (76.5, 5.7)},
    "IMDB-M": {"walk": (53.4, 4.7), "path": (53.0, 3.1), "subtree": (53.5, 4.1), "three-layer": (53.4, 3.6),
               "subtree-sup": (53.3, 3.9)},
    "COLLAB": {"walk": (81.7, 1.4), "path": (82.3, 1.1), "subtree": (83.2, 1.1), "three-layer": (83.4, 1.5),
               "subtree-sup": (82.9, 1.6)},
}

# Table 2: graphs with continuous node attributes, unsupervised models and the supervised one.
TABLE_2 = {
    "ENZYMES": {"walk": (73.5, 0.5), "path": (75.7, 1.1), "subtree": (74.8, 0.7), "three-layer": (74.6, 0.8),
                "subtree-sup": (72.8, 1.0)},
    "PROTEINS_full": {"walk": (76.5, 0.3), "path": (76.3, 0.5), "subtree": (77.5, 0.3), "three-layer": (77.5, 0.4),
                      "subtree-sup": (77.6, 0.4)},
    "BZR": {"walk": (85.3, 0.5), "path": (85.9, 0.5), "subtree": (85.8, 0.9), "three-layer": (84.7, 1.0),
            "subtree-sup": (86.4, 0.5)},
    "COX2": {"walk": (80.6, 1.2), "path": (81.2, 0.8), "subtree": (81.8, 0.8), "three-layer": (82.0, 0.6),
             "subtree-sup": (81.7, 0.7)},
}

# How far below the paper's figure a cell may be: its splits of MUTAG and PTC test 18 and 34 graphs a fold.
ALLOWANCE = 2.0
OTHER_ALLOWANCES = {
    **{(name, model): 4.0 for name in ("MUTAG", "PTC") for model in ("subtree", "three-layer")},
    **{(name, "subtree-sup"): 1.5 for name in TABLE_1 if name != "COLLAB"},
}


def allowance(name, model):
    return OTHER_ALLOWANCES.get((name, model), ALLOWANCE)
