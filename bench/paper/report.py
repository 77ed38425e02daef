# SPDX-License-Identifier: BSD-3-Clause
"""The tables as Markdown."""

import os

import plan
import published
import supervised


def learner_text(row):
    if "C" in row:
        return f"{row['C']:.2g}"
    return f"λ {row['penalty']:g}, {row['epochs']} epochs"


def cell_row(name, model, row, paper):
    mean, deviation = paper
    difference = row["mean"] - mean
    mark = "" if difference >= -published.allowance(name, model) - 1e-9 else " (!)"
    # Adding 0 makes a negative zero positive.
    shown = f"{round(difference, 1) + 0.0:+.1f}{mark}"
    nested = f"{row['nested']:.1f} ± {row['nested_deviation']:.1f}" if "nested" in row else "–"
    network = row["network"]
    parameters = (f"{network['length']}{' only' if network['one_length'] else ''} | {network['filters']} | {network['sigma']:g} | {network['pooling']}, "
                  f"{network['global_pooling']} | {learner_text(row)}")
    return (f"| {name} | {model} | {mean:.1f} ± {deviation:.1f} | {row['mean']:.1f} ± {row['deviation']:.1f} | "
            f"{shown} | {nested} | {parameters} | {row['seconds']:.0f} |")


def table(title, results, paper):
    lines = [f"### {title}", "",
             "| set | model | paper | ours | difference | nested | k | q | σ | pooling | C, or λ | seconds |",
             "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    remarks = []
    for name, of_set in paper.items():
        for model, figure in of_set.items():
            row = results.get(name, {}).get(model)
            if row is None:
                continue
            lines.append(cell_row(name, model, row, figure))
            remarks += [f"- {name}, {model}: {remark}." for remark in row["remarks"]]
    cells = [row for of_set in results.values() for row in of_set.values()]
    lines += ["", f"{len(cells)} cell{'' if len(cells) == 1 else 's'}; {sum(r['seconds'] for r in cells) / 60:.0f} minutes, "
              f"of these {sum(r['seconds'] - r['search_seconds'] for r in cells) / 60:.0f} for the nested figures."]
    if remarks:
        lines += ["", "Left out:", "", *remarks]
    return lines


def write(folder, table_1, table_2):
    lines = ["## How parameters were chosen", "", plan.RULE.strip(), "", supervised.RULE.strip(), ""]
    if table_1:
        lines += table("Table 1: discrete node attributes", table_1, published.TABLE_1) + [""]
    if table_2:
        lines += table("Table 2: continuous node attributes", table_2, published.TABLE_2) + [""]
    with open(os.path.join(folder, "tables.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
