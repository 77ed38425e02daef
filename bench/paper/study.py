# SPDX-License-Identifier: BSD-3-Clause
"""The hyper-parameter study of the paper's appendix: subtree models, one parameter varied, the others as in Table 1."""

import os

import plan
import svg
from cv import Cell, Network

SETS = ["NCI1", "PROTEINS", "IMDB-M"]
ARCH = "subtree"


def varied(set_plan, best):
    """By panel: the networks to try and the parameter that is on the x axis."""
    fits = [q for q in plan.FILTERS if best.varied(filters=q).columns() <= set_plan.max_columns]
    lengths = [k for k in set_plan.lengths if best.varied(length=k).columns() <= set_plan.max_columns]
    return {
        "filters": ([best.varied(filters=q) for q in fits], "number of filters q"),
        "length": ([best.varied(length=k) for k in lengths], "path length k (edges)"),
        "sigma": ([best.varied(sigma=s) for s in plan.SIGMAS], "σ"),
    }


def scores(cell, set_plan, networks):
    """Score of each network (varied in one parameter, so the product of the lists is the list itself)."""
    lists = {field: sorted({getattr(n, field) for n in networks}) for field in vars(networks[0])}
    found, _ = cell.cv(set_plan.search_stage(), "paper", lists["length"], lists["filters"], lists["sigma"], lists["pooling"],
                       lists["global_pooling"], plan.passed_c(set_plan.num_c),
                       one_length=networks[0].one_length)
    return [(network, answer["score"]) for network, answer in found]


def run(options, table_1, deadline):
    folder = os.path.join(options.out, "figures")
    os.makedirs(folder, exist_ok=True)
    for set_plan in plan.TABLE_1_PLANS:
        name = set_plan.name
        if name not in SETS or (options.set and name not in options.set):
            continue
        if ARCH not in table_1.get(name, {}):
            print(f"  study: {name} needs its {ARCH} cell of Table 1 first", flush=True)
            continue
        best = Network(**table_1[name][ARCH]["network"])
        # The cell of the table, so that its journal is used and continued.
        cell = Cell(options.gckn, os.path.join(options.datasets, set_plan.file), set_plan.features, options.out, "1", name,
                    ARCH, deadline)
        for panel, (networks, label) in varied(set_plan, best).items():
            points = sorted((getattr(n, panel), 100 * score) for n, score in scores(cell, set_plan, networks))
            draw(folder, name, panel, label, points, log=panel == "filters")
        networks, answer = cell.cv("study13", "paper", [best.length], [best.filters], [best.sigma], [best.pooling],
                                   [best.global_pooling], plan.COARSE_C, one_length=best.one_length)
        by_c = [(c, 100 * score) for c, score in zip(answer["grid_C"], networks[0][1]["score_by_C"])]
        draw(folder, name, "C", "C (λ of the paper is proportional to 1 / (n C))", by_c, log=True)


def draw(folder, name, panel, label, points, log):
    with open(os.path.join(folder, f"study-{name.lower()}-{panel.lower()}.svg"), "w", encoding="utf-8") as file:
        file.write(svg.line_chart(f"{name}, {ARCH}", label, "accuracy (%)", points, log))
