# SPDX-License-Identifier: BSD-3-Clause
"""The hyper-parameter study of the paper's appendix: subtree models with and without end-to-end training, one parameter
varied, the others as in Table 1."""

import os

import plan
import supervised
import svg
from cv import SUPERVISED, Cell, Network

SETS = ["NCI1", "PROTEINS", "IMDB-M"]
ARCH = "subtree"
FEW_FILTERS = [8, 16]  # below the paper's grid: where training end to end should pay most
PANELS = {"filters": "number of filters q", "length": "path length k (edges)", "sigma": "σ", "penalty": "λ"}


MOST_LENGTHS = 5  # with training; of more every second is tried
# Where training the network of Table 1 once for every point of a curve would take hours: what it is trained with instead.
SMALLER = {"NCI1": {"length": 4, "filters": 32}}


def varied(set_plan, best, filters, all_lengths=True):
    """By panel: the networks to try."""
    fits = [q for q in filters if best.varied(filters=q).columns() <= set_plan.max_columns]
    lengths = [k for k in set_plan.lengths if best.varied(length=k).columns() <= set_plan.max_columns]
    if not all_lengths and len(lengths) > MOST_LENGTHS:
        lengths = lengths[::2]
    return {"filters": [best.varied(filters=q) for q in fits], "length": [best.varied(length=k) for k in lengths],
            "sigma": [best.varied(sigma=s) for s in plan.SIGMAS]}


def unsupervised_curves(cell, set_plan, best):
    """By panel: pairs of the parameter and the score at the best C."""
    curves = {}
    for panel, networks in varied(set_plan, best, FEW_FILTERS + plan.FILTERS).items():
        # Varied in one parameter, so the product of the lists is the list itself.
        lists = {field: sorted({getattr(n, field) for n in networks}) for field in vars(best)}
        found, _ = cell.cv(set_plan.search_stage(), "paper", lists["length"], lists["filters"], lists["sigma"],
                           lists["pooling"], lists["global_pooling"], plan.passed_c(set_plan.num_c),
                           one_length=best.one_length)
        curves[panel] = [(getattr(network, panel), answer["score"]) for network, answer in found]
    networks, answer = cell.cv("study13", "paper", [best.length], [best.filters], [best.sigma], [best.pooling],
                               [best.global_pooling], plan.COARSE_C, one_length=best.one_length)
    # mean loss + λ/2 |w|² is 1/2 |w|² + C sum of losses with λ = 1 / (n C), here with twice the loss.
    curves["penalty"] = [(1 / (2 * answer["training_graphs"] * c), score)
                         for c, score in zip(answer["grid_C"], networks[0][1]["score_by_C"])]
    return curves


def supervised_curves(cell, set_plan, best, penalty):
    """... with a short schedule, whatever the figure of the table was made with."""
    search = supervised.SupervisedSearch(cell, set_plan, lambda _: None)

    def attempt(networks, penalties):
        return search.attempt(networks, penalties, supervised.STUDY_EPOCHS, supervised.STUDY_HALVE_EVERY, stage="study")[0]

    curves = {}
    for panel, networks in varied(set_plan, best, supervised.STUDY_FILTERS, False).items():
        curves[panel] = [(getattr(network, panel), score) for (network, _), score in attempt(networks, [penalty])]
    found = attempt([best], supervised.PENALTIES)
    curves["penalty"] = [(penalty, score) for (_, penalty), score in found]
    return curves


def run(options, table_1, deadline):
    folder = os.path.join(options.out, "figures")
    os.makedirs(folder, exist_ok=True)
    for set_plan in plan.TABLE_1_PLANS:
        name = set_plan.name
        if name not in SETS or (options.set and name not in options.set):
            continue
        curves = {}
        for model, label in ((ARCH, "two steps"), (ARCH + SUPERVISED, "end to end")):
            row = table_1.get(name, {}).get(model)
            if row is None:
                print(f"  study: {name} needs its {model} cell of Table 1 first", flush=True)
                continue
            # The cell of the table, so that its journal is used and continued.
            cell = Cell(options.gckn, os.path.join(options.datasets, set_plan.file), set_plan.features, options.out, "1",
                        name, model, deadline)
            best = Network(**row["network"])
            if "penalty" in row:
                curves[label] = supervised_curves(cell, set_plan, best.varied(**SMALLER.get(name, {})), row["penalty"])
            else:
                curves[label] = unsupervised_curves(cell, set_plan, best)
        for panel, x_label in PANELS.items() if curves else ():
            lines = {label: sorted((x, 100 * score) for x, score in of_model[panel]) for label, of_model in curves.items()}
            draw(folder, name, panel, x_label, lines, log=panel in ("filters", "penalty"))


def draw(folder, name, panel, label, lines, log):
    with open(os.path.join(folder, f"study-{name.lower()}-{panel}.svg"), "w", encoding="utf-8") as file:
        file.write(svg.line_chart(f"{name}, {ARCH}", label, "accuracy (%)", lines, log))
