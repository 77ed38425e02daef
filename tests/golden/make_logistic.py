#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes logistic.json, ridge.json and calibration.json: small problems of tests/learn/ solved by scikit-learn.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install scikit-learn==1.9.1
    /tmp/venv/bin/python tests/golden/make_logistic.py

Inputs are rounded to three decimals, so that the files stay small and say exactly what was solved.
"""

import json
import pathlib

import numpy as np
from sklearn.calibration import _SigmoidCalibration
from sklearn.linear_model import LogisticRegression, Ridge

FOLDER = pathlib.Path(__file__).parent


def rows_of(rng, n, dimension):
    rows = np.round(rng.standard_normal((n, dimension)), 3)
    rows[:, -1] = 1.0
    return rows


def weights_of(rng, n, weighted):
    return np.round(0.5 + rng.random(n), 3) if weighted else np.ones(n)


def logistic_case(rng, n, dimension, num_classes, weighted, c):
    rows = rows_of(rng, n, dimension)
    scores = rows[:, :num_classes] + rng.gumbel(size=(n, num_classes))
    classes = scores.argmax(axis=1)
    assert len(set(classes)) == num_classes
    v = weights_of(rng, n, weighted)
    model = LogisticRegression(C=c, fit_intercept=False, solver="lbfgs", tol=1e-12, max_iter=1_000_000)
    w = model.fit(rows, classes, sample_weight=v).coef_
    f = rows @ w.T
    if num_classes == 2:
        loss = np.logaddexp(0, np.where(classes == 1, -f[:, 0], f[:, 0]))
    else:
        loss = np.logaddexp.reduce(f, axis=1) - f[np.arange(n), classes]
    return {
        "rows": rows.tolist(),
        "classes": classes.tolist(),
        "num_classes": num_classes,
        "sample_weights": v.tolist() if weighted else [],
        "C": c,
        "weights": w.tolist(),
        "objective": float(0.5 * (w**2).sum() + c * (v * loss).sum()),
        "probabilities": model.predict_proba(rows[:5]).tolist(),
    }


def ridge_case(rng, n, dimension, num_targets, weighted, grid):
    rows = rows_of(rng, n, dimension)
    truth = rng.standard_normal((dimension, num_targets))
    targets = np.round(rows @ truth + rng.standard_normal((n, num_targets)) + 3, 3)
    v = weights_of(rng, n, weighted)
    solutions = []
    for c in grid:
        model = Ridge(alpha=1 / (2 * c), solver="cholesky").fit(rows[:, :-1], targets, sample_weight=v)
        solutions.append(np.column_stack([np.atleast_2d(model.coef_), model.intercept_]).tolist())
    return {
        "rows": rows.tolist(),
        "targets": targets.tolist(),
        "sample_weights": v.tolist() if weighted else [],
        "grid": grid,
        "weights": solutions,
    }


def calibration_case(rng, n, size, weighted):
    truth = (rng.random(n) < 0.4).astype(int)
    scores = np.round(size * (truth + rng.standard_normal(n)), 3)
    v = weights_of(rng, n, weighted)
    model = _SigmoidCalibration().fit(scores, truth, sample_weight=v if weighted else None)
    return {
        "scores": scores.tolist(),
        "truth": truth.tolist(),
        "sample_weights": v.tolist() if weighted else [],
        "a": float(model.a_),
        "b": float(model.b_),
        "probabilities": model.predict(scores).tolist(),
    }


def write(name, cases):
    (FOLDER / name).write_text(json.dumps(cases) + "\n")


def main():
    rng = np.random.default_rng(7)
    write(
        "logistic.json",
        [
            logistic_case(rng, 40, 6, 2, True, 1.0),
            logistic_case(rng, 60, 7, 3, False, 0.01),
            logistic_case(rng, 60, 7, 3, True, 1.0),
            logistic_case(rng, 60, 7, 4, False, 100.0),
            logistic_case(rng, 20, 30, 3, True, 0.5),
        ],
    )
    grid = [1e-3, 0.1, 10.0, 1000.0]
    write(
        "ridge.json",
        [
            ridge_case(rng, 40, 6, 1, False, grid),
            ridge_case(rng, 40, 6, 3, True, grid),
            ridge_case(rng, 15, 25, 2, True, grid),
        ],
    )
    write(
        "calibration.json",
        [
            calibration_case(rng, 50, 1.0, False),
            calibration_case(rng, 50, 0.1, True),
            calibration_case(rng, 80, 200.0, False),
        ],
    )


if __name__ == "__main__":
    main()
