# SPDX-License-Identifier: BSD-3-Clause
"""Calls of `gckn cv` that survive being killed.

Every call of a cell (a set and an architecture) writes its journal below FOLDER/journals, so a call that was stopped goes on
where it was; what a finished call said is kept in FOLDER/calls/CELL.jsonl and is not asked again.
"""

import json
import os
import resource
import signal
import subprocess
import time
from dataclasses import dataclass, replace


class OutOfTime(Exception):
    """The time limit has passed; the journals have what was done."""


@dataclass(frozen=True)
class Training:
    """End-to-end training: its schedule, and the penalties that are tried."""
    epochs: int
    halve_every: int
    penalties: tuple

    def options(self):
        return ["--supervised", "--epochs", str(self.epochs), "--halve-every", str(self.halve_every), "--penalty",
                ",".join(f"{p:g}" for p in self.penalties)]


@dataclass(frozen=True)
class Network:
    arch: str
    length: int
    filters: int
    sigma: float
    pooling: str
    global_pooling: str
    one_length: bool = False

    def columns(self):
        """Columns of the graph vectors, if every layer finds as many distinct patterns as it has filters."""
        blocks = 1 if self.one_length else (self.length + 1) * (3 if self.arch == "three-layer" else 1)
        return self.filters * blocks

    def text(self):
        return (f"k = {self.length}, q = {self.filters}, σ = {self.sigma:g}, "
                f"{self.pooling} and {self.global_pooling}{', one length' if self.one_length else ''}")

    def varied(self, **changes):
        return replace(self, **changes)


def network_of(arch, config):
    """The network that gckn describes by `config`."""
    first = config["layers"][0]
    return Network(arch, first["path_length"], first["filters"], first["sigma"], first["pooling"],
                   config["global_pooling"], not first["all_lengths"])


SUPERVISED = "-sup"  # at the end of a model's name


class Cell:
    """A set and a model: an architecture, trained end to end or not. A call tries the product of its lists."""

    def __init__(self, gckn, data, features, folder, table, name, model, deadline):
        self.gckn, self.data, self.features, self.folder = gckn, data, features, folder
        self.id, self.arch, self.deadline = f"table{table}-{name}-{model}", model.removesuffix(SUPERVISED), deadline
        self.seconds, self.cpu_seconds, self.remarks = {"search": 0.0, "nested": 0.0, "study": 0.0}, 0.0, []
        self._known = {}
        self._file = os.path.join(folder, "calls", self.id + ".jsonl")
        if os.path.exists(self._file):
            with open(self._file, "r+b") as file:
                lines = file.read().splitlines(keepends=True)
                if lines and not lines[-1].endswith(b"\n"):  # it was being written when the program was stopped
                    file.truncate(sum(map(len, lines[:-1])))
                    lines.pop()
            for line in lines:
                self._remember(json.loads(line))

    def _remember(self, entry):
        stage = entry["call"].split()[0]
        kind = next((kind for kind in ("nested", "study") if stage.startswith(kind)), "search")
        self.seconds[kind] += entry["seconds"]
        if kind != "study":
            self.cpu_seconds += entry["cpu_seconds"]
        if "answer" in entry:
            self._known[entry["call"]] = entry["answer"]

    def _record(self, entry):
        self._remember(entry)
        with open(self._file, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def cv(self, stage, protocol, lengths, filters, sigmas, poolings, global_poolings, C=None, own_folds=True,
           one_length=False, repeats=1, training=None):
        """The networks (with `training` and penalties) of the product, each with its scores, best first, and the figure
        of the best one."""
        options = ["--arch", self.arch, "--features", self.features, "--protocol", protocol, "--no-baselines"]
        for flag, values in (("--path-length", lengths), ("--filters", filters), ("--sigma", sigmas),
                             ("--pooling", poolings), ("--global-pooling", global_poolings)):
            options += [flag, ",".join(f"{v:g}" if isinstance(v, float) else str(v) for v in values)]
        if one_length:
            options += ["--one-length"]
        if C:
            options += ["--C", ",".join(C)]
        if training:
            options += training.options()
        if not own_folds and protocol != "paper-repeated":
            options += ["--folds", "10"]
        if repeats > 1:
            options += ["--repeats", str(repeats)]
        call = stage + " " + " ".join(options)
        if call not in self._known:
            self._run(call, stage, options)
        answer = self._known[call]
        for remark in answer["remarks"]:
            if remark not in self.remarks:
                self.remarks.append(remark)
        networks = [(network_of(self.arch, n["config"]), n) for n in answer["networks"]]
        return networks, answer

    def _run(self, call, stage, options):
        journal = os.path.join(self.folder, "journals", f"{self.id}-{stage}.jsonl")
        command = [self.gckn, "cv", self.data, *options, "--journal", journal, "--resume", "--json", "--quiet"]
        begin, cpu_begin = time.time(), cpu_of_children()

        def spent():
            return {"call": call, "seconds": time.time() - begin, "cpu_seconds": cpu_of_children() - cpu_begin}

        remaining = None if self.deadline is None else self.deadline - begin
        if remaining is not None and remaining <= 0:
            raise OutOfTime
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                out, error = process.communicate(timeout=remaining)
            except BaseException as stopped:
                process.send_signal(signal.SIGTERM)
                process.communicate()
                self._record(spent())
                if isinstance(stopped, subprocess.TimeoutExpired):
                    raise OutOfTime from None
                raise
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\nfailed ({process.returncode}): {error.strip()}")
        self._record({**spent(), "answer": digest(json.loads(out))})


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def digest(result):
    """What the tables need of gckn's answer."""
    accuracy = result["targets"][0]["methods"][0]["accuracy"]
    chosen = result["folds"][0]
    answer = {"training_graphs": len(chosen["train"]), "mean": accuracy["mean"], "deviation": accuracy["deviation"], "remarks": result["remarks"],
              "network": result["networks"][chosen["network"]]["config"]}
    if "candidates" in result:
        networks = [{"config": result["networks"][c["network"]]["config"], "penalty": c["penalty"], "score": c["score"]}
                    for c in result["candidates"]]
        answer |= {"penalty": chosen["penalty"], "epochs": chosen["epochs"]}
    else:
        networks = [{"config": n["config"], "score": n["score"], "score_by_C": n["score_by_C"]}
                    for n in result["networks"] if n.get("score") is not None]
        answer |= {"C": chosen["targets"][0]["C"], "grid_C": result["C"]}
    return answer | {"networks": sorted(networks, key=lambda n: -n["score"])}
