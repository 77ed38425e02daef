# SPDX-License-Identifier: BSD-3-Clause
"""bench/paper with a stand-in for gckn: stages, memory of calls, tables and charts."""

import argparse
import dataclasses
import importlib.machinery
import importlib.util
import os
import stat
import sys
import tempfile
import unittest
import xml.dom.minidom

PAPER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/paper")
sys.path.insert(0, PAPER)
sys.dont_write_bytecode = True

import plan  # noqa: E402
import published  # noqa: E402
import report  # noqa: E402
import study  # noqa: E402
import supervised  # noqa: E402
import svg  # noqa: E402
from cv import Cell, Network, OutOfTime  # noqa: E402
from search import Search, around, c_around  # noqa: E402

# Scores k = 3, sigma 0.5, mean and max best, and counts its calls in the file CALLS beside it.
FAKE = r'''#!/usr/bin/env python3
import itertools, json, os, sys
a = sys.argv[1:]
def flag(name): return a[a.index(name) + 1].split(",")
open(os.path.join(os.path.dirname(sys.argv[0]), "CALLS"), "a").write(" ".join(a) + "\n")
C = [float(c) for c in flag("--C")] if "--C" in a else [10 ** (-4 + 8 * i / 59) for i in range(60)]
networks, candidates = [], []
for k, q, s, p, g in itertools.product(*map(flag, ["--path-length", "--filters", "--sigma", "--pooling", "--global-pooling"])):
    score = 0.9 - 0.01 * abs(int(k) - 3) - 0.1 * abs(float(s) - 0.5) - (p != "mean") * 0.05 - (g != "max") * 0.05
    score -= 0.03 * ("--one-length" in a)
    config = {"layers": [{"path_length": int(k), "filters": int(q), "sigma": float(s), "pooling": p,
                          "all_lengths": "--one-length" not in a}], "global_pooling": g}
    networks.append({"config": config, "score": score, "score_by_C": [score - 0.01 * abs(i - 3) for i in range(len(C))]})
best = max(range(len(networks)), key=lambda i: networks[i]["score"])
score, chosen = networks[best]["score"], {"network": best, "train": [0] * 90, "targets": [{"C": C[min(3, len(C) - 1)]}]}
answer = {"networks": networks, "C": C, "remarks": ["paths of 9 or more edges are left out"]}
if "--supervised" in a:  # best with the penalty 1e-4, and the longer the better
    penalties = [float(p) for p in flag("--penalty")]
    candidates = [{"network": i, "penalty": p, "score": n["score"] - 0.02 * (p != 1e-4) + 1e-5 * int(flag("--epochs")[0])}
                  for i, n in enumerate(networks) for p in penalties]
    first = max(candidates, key=lambda c: c["score"])
    score, answer["candidates"] = first["score"], candidates
    chosen |= {"network": first["network"], "penalty": first["penalty"], "epochs": 17}
accuracy = {"mean": score, "deviation": 0.02}
print(json.dumps(answer | {"targets": [{"methods": [{"accuracy": accuracy}]}], "folds": [chosen]}))
'''


class PaperTables(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        for name in ("calls", "journals"):
            os.mkdir(os.path.join(self.folder, name))
        self.gckn = os.path.join(self.folder, "gckn")
        with open(self.gckn, "w", encoding="utf-8") as file:
            file.write(FAKE)
        os.chmod(self.gckn, os.stat(self.gckn).st_mode | stat.S_IXUSR)
        self.plan = plan.SetPlan("MUTAG", "gin/MUTAG.zip", (1, 2, 3, 4, 5), (1, 5))

    def tearDown(self):
        self.temporary.cleanup()

    def cell(self, deadline=None, model="path"):
        return Cell(self.gckn, "DATA", "auto", self.folder, "1", "MUTAG", model, deadline)

    def calls(self):
        with open(os.path.join(self.folder, "CALLS"), encoding="utf-8") as file:
            return file.read().splitlines()

    def test_the_search_climbs_to_the_best_network(self):
        network, figure = Search(self.cell(), self.plan, lambda _: None).run()
        self.assertEqual((network.length, network.sigma, network.pooling, network.global_pooling), (3, 0.5, "mean", "max"))
        self.assertAlmostEqual(figure["mean"], 0.9)

    def test_what_was_answered_is_not_asked_again(self):
        first = Search(self.cell(), self.plan, lambda _: None).run()
        calls = len(self.calls())
        cell = self.cell()
        self.assertEqual(Search(cell, self.plan, lambda _: None).run()[0], first[0])
        self.assertEqual(len(self.calls()), calls)
        self.assertGreater(cell.seconds["search"], 0)
        self.assertEqual(cell.remarks, ["paths of 9 or more edges are left out"])

    def test_a_line_that_a_kill_cut_short_is_asked_again(self):
        Search(self.cell(), self.plan, lambda _: None).run()
        path = os.path.join(self.folder, "calls", "table1-MUTAG-path.jsonl")
        size = os.path.getsize(path)
        os.truncate(path, size - 10)
        calls = len(self.calls())
        for _ in range(2):  # the second finds what the first has added behind the torn line
            Search(self.cell(), self.plan, lambda _: None).run()
            self.assertEqual(len(self.calls()), calls + 1)

    def test_journals_are_of_one_list_of_C(self):
        Search(self.cell(), self.plan, lambda _: None).run()
        lists = {}
        for call in self.calls():
            words = call.split()
            self.assertIn("--resume", words)
            lists.setdefault(words[words.index("--journal") + 1], set()).add(words[words.index("--C") + 1])
        self.assertTrue(all(len(of_journal) == 1 for of_journal in lists.values()), lists)

    def test_a_small_set_is_searched_on_other_folds_than_the_figures(self):
        small = dataclasses.replace(self.plan, repeated=True, search_repeats=3)
        Search(self.cell(), small, lambda _: None).run()
        *searched, figure = self.calls()
        for call in searched:
            self.assertIn("--protocol paper --no-baselines", call)
            self.assertRegex(call, "--folds 10 --repeats (3|10) ")
        self.assertIn("--protocol paper-repeated", figure)
        self.assertFalse([call for call in (*searched, figure) if "--seed" in call], "all with the same anchors")
        words = figure.split()
        self.assertNotIn(",", words[words.index("--C") + 1])

    def test_the_time_limit(self):
        with self.assertRaises(OutOfTime):
            Search(self.cell(deadline=0), self.plan, lambda _: None).run()

    def test_networks_with_too_many_columns_are_left_out(self):
        search = Search(self.cell(model="three-layer"), self.plan, lambda _: None)
        search.run()
        self.assertTrue(all(n.columns() <= plan.MAX_COLUMNS for n in search.scores))
        self.assertEqual(Network("three-layer", 4, 128, 1, "sum", "sum").columns(), 128 * 5 * 3)
        self.assertEqual(Network("three-layer", 4, 128, 1, "sum", "sum", True).columns(), 128)

    def test_lists(self):
        self.assertEqual(around([1, 2, 3, 4], 1, 2), [1, 2, 3])
        values = [float(c) for c in c_around(0.2)]
        self.assertEqual(values, sorted(set(values)))
        self.assertIn(0.2, values)
        self.assertTrue(0.0399 < values[0] < 0.06 and 0.7 < values[-1] < 1.001)

    def test_the_table_marks_what_misses(self):
        network = vars(Network("walk", 2, 32, 1.5, "sum", "sum"))
        row = {"mean": 90.0, "deviation": 5, "C": 1, "network": network, "seconds": 60, "search_seconds": 30,
               "remarks": ["paths of 9 or more edges are left out"]}
        report.write(self.folder, {"MUTAG": {"walk": row, "three-layer": {**row, "mean": 93.3, "nested": 88.0,
                                                                          "nested_deviation": 6.0}}}, {})
        with open(os.path.join(self.folder, "tables.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("| MUTAG | walk | 92.8 ± 6.1 | 90.0 ± 5.0 | -2.8 (!) | – |", text)
        self.assertIn("| -3.9 | 88.0 ± 6.0 |", text)
        self.assertIn("- MUTAG, walk: paths of 9 or more edges are left out.", text)
        self.assertIn("Coarse", text)

    def test_charts_are_svg(self):
        for points, log in (([(32, 76.0), (512, 82.0)], True), ([(0.3, 80.0), (0.4, 80.0), (2.0, 80.0)], False),
                            ([(10 ** (i / 8), 50 + i) for i in range(-32, 33)], True), ([(1, 50.0)], False)):
            for lines in ({"one": points}, {"one": points, "<other>": points[:1]}):
                text = svg.line_chart("A & B", "x < y", "accuracy (%)", lines, log)
                document = xml.dom.minidom.parseString(text)
                self.assertEqual(len(document.getElementsByTagName("circle")), sum(map(len, lines.values())))
                self.assertEqual("● one" in text, len(lines) > 1)
                self.assertLess(len(text), 10000)

    def test_the_study_draws_four_panels_of_a_set(self):
        options = argparse.Namespace(gckn=self.gckn, datasets="D", out=self.folder, set=["IMDB-M"])
        two_steps = {"network": vars(Network("subtree", 2, 128, 0.5, "mean", "max"))}
        end_to_end = {"network": vars(Network("subtree", 2, 32, 0.5, "mean", "max")), "penalty": 1e-3}
        for rows, expected in (({"subtree": two_steps}, (7, 3, 13, 7)),
                               ({"subtree": two_steps, "subtree-sup": end_to_end}, (7 + 5, 3 + 3, 13 + 6, 7 + 7))):
            study.run(options, {"IMDB-M": rows}, None)
            panels = sorted(os.listdir(os.path.join(self.folder, "figures")))
            self.assertEqual(panels, [f"study-imdb-m-{panel}.svg" for panel in ("filters", "length", "penalty", "sigma")])
            for panel, points in zip(panels, expected):
                document = xml.dom.minidom.parse(os.path.join(self.folder, "figures", panel))
                self.assertEqual(len(document.getElementsByTagName("circle")), points)

    def test_the_search_of_an_end_to_end_row(self):
        search = supervised.SupervisedSearch(self.cell(model="subtree-sup"), self.plan, lambda _: None)
        network, figure = search.run()
        self.assertEqual((network.pooling, network.global_pooling, network.length, network.sigma), ("mean", "max", 3, 0.6))
        self.assertEqual((figure["penalty"], figure["epochs"]), (1e-4, 17))
        self.assertAlmostEqual(figure["mean"], search.scores[network, 1e-4] + 1e-5 * (350 - 60), msg="the better schedule")
        self.assertTrue(all("--arch subtree" in call and "--supervised" in call for call in self.calls()))
        search.nested()
        self.assertIn("--protocol nested", self.calls()[-1])
        self.assertGreater(search.cell.seconds["nested"], 0)
        self.assertEqual(report.learner_text({"penalty": 1e-4, "epochs": 17}), "λ 0.0001, 17 epochs")

    def test_ten_times_ten_folds_end_to_end(self):
        attributes = dataclasses.replace(self.plan, name="BZR", repeated=True)
        supervised.SupervisedSearch(self.cell(model="subtree-sup"), attributes, lambda _: None).run()
        *searched, figure = self.calls()
        self.assertTrue(all("--protocol paper --no-baselines" in call and "--folds 10" in call for call in searched))
        self.assertIn("--protocol paper-repeated", figure)
        self.assertIn("--epochs 60", figure)

    def test_a_folder_is_of_one_build(self):
        loader = importlib.machinery.SourceFileLoader("run", os.path.join(PAPER, "run"))
        run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
        loader.exec_module(run)
        run.require_same_build(self.folder, self.gckn)
        run.require_same_build(self.folder, self.gckn)
        with open(self.gckn, "a", encoding="utf-8") as file:
            file.write("# another build")
        with self.assertRaises(SystemExit):
            run.require_same_build(self.folder, self.gckn)

    def test_every_published_cell_has_a_plan(self):
        for plans, table in ((plan.TABLE_1_PLANS, published.TABLE_1), (plan.TABLE_2_PLANS, published.TABLE_2)):
            self.assertEqual({p.name for p in plans}, set(table))
            self.assertLessEqual(set(table), set(supervised.PLANS))
            for p in plans:
                self.assertTrue(set(p.coarse_lengths) <= set(p.lengths) and set(p.nested_lengths) <= set(p.lengths))
                self.assertTrue(set(p.coarse_filters + p.coarse_filters_three_layer) <= set(p.filters))


if __name__ == "__main__":
    unittest.main()
