#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How well explanations agree with known answers: for each set a model is learnt from four fifths as `gckn train` does it without
options, and the rest is explained, of which the graphs of a class with a known answer that are predicted rightly count.

    bench/explain/run.py --gckn build/release/cli/gckn SET.csv ... [--methods exact masks occlusion] [--select 0.4 0.5]

Every fifth line is tested. The planted sets (motif, house: 1,000 graphs, seed 1) are made and measured besides.
"""

import argparse
import json
import os
import subprocess
import tempfile

PLANTED = ["motif", "house"]


def split(path, train, test):
    with open(path, encoding="utf-8") as source, open(train, "w", encoding="utf-8") as learnt, \
            open(test, "w", encoding="utf-8") as tested:
        if path.endswith(".csv"):
            header = source.readline()
            learnt.write(header)
            tested.write(header)
        for number, line in enumerate(source):
            (tested if number % 5 == 4 else learnt).write(line)


def answer(command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure(options, path, name, folder):
    ending = os.path.splitext(path)[1]
    train, test, model = (os.path.join(folder, part) for part in (f"train{ending}", f"test{ending}", "model.gckn"))
    split(path, train, test)
    learnt = subprocess.run([options.gckn, "train", train, "--out", model, *options.train], check=True, capture_output=True,
                            text=True).stdout
    print(name, *(line for line in learnt.splitlines() if line.startswith("Compares")), sep=": ", flush=True)
    for method in options.methods:
        shown = []
        for share in [None] + (options.select if method != "masks" else []):
            found = answer([options.gckn, "explain", model, test, "--out", os.path.join(folder, "explained"), "--json",
                            "--no-pictures", "--method", method, *(["--select", str(share)] if share is not None else [])])
            shown.append(f"{found['jaccard']:.3f}" + (f" above {share}" if share is not None else ""))
        print(f"  {method}: {found['graphs_with_truth']} graphs, node AUC {found['node_auc']:.3f}, Jaccard {', '.join(shown)}",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="molecules with the columns label and truth")
    parser.add_argument("--gckn", required=True)
    parser.add_argument("--methods", nargs="+", default=["exact"])
    parser.add_argument("--select", nargs="+", type=float, default=[], help="besides the default: above this part of the largest")
    parser.add_argument("--train", nargs="+", default=[], help="options of gckn train, without their dashes")
    options = parser.parse_args()
    options.train = [word for pair in options.train for word in ("--" + pair).split("=")]
    for name in PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, f"{name}.jsonl")
            subprocess.run([options.gckn, "datasets", "make", name, "--graphs", "1000", "--seed", "1", "--out", path,
                            "--quiet"], check=True)
            measure(options, path, name, folder)
    for path in options.sets:
        with tempfile.TemporaryDirectory() as folder:
            measure(options, path, os.path.splitext(os.path.basename(path))[0], folder)


if __name__ == "__main__":
    main()
