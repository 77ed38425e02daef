# SPDX-License-Identifier: BSD-3-Clause
"""What is searched: the sets, their grids and the rule of the staged search. RULE is printed beside the tables."""

from dataclasses import dataclass

SIGMAS = [0.3, 0.4, 0.5, 0.6, 1.0, 1.5, 2.0]
FILTERS = [32, 64, 128, 256, 512]
POOLINGS = ["sum", "mean", "max"]
MAX_COLUMNS = 4096
FINALISTS = 4
ROUNDS = 3

# 13 values of C in place of the 60 of the default, over the same range.
COARSE_C = ["1e-4", "5e-4", "2e-3", "1e-2", "5e-2", "0.2", "1", "5", "20", "100", "500", "2000", "1e4"]


@dataclass(frozen=True)
class SetPlan:
    name: str
    file: str  # below the folder of datasets
    lengths: tuple  # edges of the first layer's paths that may be tried, ascending
    coarse_lengths: tuple
    coarse_filters: tuple = (128,)
    coarse_sigmas: tuple = (0.4, 0.6, 1.0, 2.0)
    fine_c: bool = False  # all 60 values of C in every stage
    repeated: bool = False  # Table 2: own stratified folds, ten times ten
    features: str = "auto"
    nested_lengths: tuple = (2, 4)
    max_columns: int = MAX_COLUMNS

    def search_stage(self):
        """Name of the search's journals, which are of one list of C."""
        return "search60" if self.fine_c else "search13"


TABLE_1_PLANS = [
    SetPlan("MUTAG", "gin/MUTAG.zip", tuple(range(1, 9)), (1, 2, 3, 4, 6), (32, 128), tuple(SIGMAS), fine_c=True),
    SetPlan("PTC", "gin/PTC.zip", tuple(range(1, 10)), (2, 4, 6, 8), (32, 128)),
    SetPlan("PROTEINS", "gin/PROTEINS.zip", tuple(range(1, 6)), (1, 2, 4)),
    SetPlan("NCI1", "gin/NCI1.zip", tuple(range(2, 9)), (4, 6), coarse_sigmas=(0.4, 1.0), nested_lengths=(4, 6)),
    SetPlan("IMDB-B", "gin/IMDBBINARY.zip", (1, 2, 3), (1, 2), nested_lengths=(1, 2)),
    SetPlan("IMDB-M", "gin/IMDBMULTI.zip", (1, 2, 3), (1, 2), nested_lengths=(1, 2)),
    SetPlan("COLLAB", "gin/COLLAB.zip", (1, 2), (1,), coarse_sigmas=(0.4, 1.0), nested_lengths=(1,)),
]

TABLE_2_PLANS = [
    SetPlan("ENZYMES", "ENZYMES.zip", tuple(range(1, 6)), (1, 2, 3), repeated=True, features="attributes"),
    SetPlan("PROTEINS_full", "PROTEINS_full.zip", tuple(range(1, 5)), (1, 2), repeated=True, features="attributes",
            nested_lengths=(1, 2)),
    SetPlan("BZR", "BZR.zip", tuple(range(1, 9)), (1, 2, 4), repeated=True, features="attributes"),
    SetPlan("COX2", "COX2.zip", tuple(range(1, 9)), (1, 2, 4), repeated=True, features="attributes"),
]

# The honest figure: the same small grid for every architecture of a set, fixed before any result.
NESTED_FILTERS = 128
NESTED_SIGMAS = [0.5, 1.5]
NESTED_POOLINGS = ["sum", "mean"]
NESTED_GLOBAL_POOLINGS = ["sum", "max"]

RULE = f"""
Protocol of the paper, which is optimistic: anchors from all graphs, and the parameters with the best mean accuracy over the
test folds (Table 1: the ten folds of GIN; Table 2: ten stratified folds, then ten times ten others with the same
parameters). The grid is the paper's (sigma in {{{", ".join(f"{s:g}" for s in SIGMAS)}}}, pooling over paths and over nodes each sum, mean or
max, filters {", ".join(map(str, FILTERS))}, C at 60 values from 1e-4 to 1e4), searched in stages instead of exhaustively:

1. *Coarse.* All nine pairs of poolings with a few lengths, widths and filters (`bench/paper/plan.py` lists them by set).
   C at 13 values; on MUTAG, the smallest set, at all 60.
2. *Climb.* Around the best so far one parameter is varied after the other: length (up to two shorter and longer), sigma
   (all), poolings (all pairs), filters (the next lower and higher). Repeated until a round changes nothing, at most {ROUNDS} times.
3. *Final.* The best {FINALISTS} networks with all 60 values of C. The best of these is the figure; of equals, the one with fewer
   columns.

Left out: networks whose vectors have more than {MAX_COLUMNS} columns (filters times path lengths, times three for three-layer);
and paths longer than a set's list in `bench/paper/plan.py`, where they become too many to visit.

*Nested* is the honest figure: `gckn cv --protocol nested` on the same folds, where anchors, network and C are chosen within the
training graphs of each fold. Its grid was fixed before any result and is the same for all models of a set: {NESTED_FILTERS}
filters, sigma {" or ".join(f"{s:g}" for s in NESTED_SIGMAS)}, pooling {" or ".join(NESTED_POOLINGS)} over paths and {" or ".join(NESTED_GLOBAL_POOLINGS)} over nodes, two lengths, 13 values of C.
"""
