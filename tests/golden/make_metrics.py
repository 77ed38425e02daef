#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes metrics.json, the expected numbers of tests/learn/metrics_test.cpp and statistics_test.cpp, beside this file.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy scikit-learn scipy
    /tmp/venv/bin/python tests/golden/make_metrics.py

Made with scikit-learn 1.9.1, scipy 1.17.1, numpy 2.4.6. Random numbers come from RandomState, whose stream numpy has
frozen, and are rounded, so that every run gives the same inputs and scores have ties. null stands for NaN.
"""

import json
import math
import pathlib
import warnings

import numpy as np
from scipy import stats
from sklearn import metrics as sk


def one_against_rest(function, truth, scores, num_classes):
    """function(is positive, score), of class 1 of two or the mean over the classes that occur; NaN with one class."""
    occurring = np.unique(truth)
    if len(occurring) < 2:
        return math.nan
    if num_classes == 2:
        return function(truth == 1, scores[:, 0])
    return np.mean([function(truth == k, scores[:, k]) for k in occurring])


def classification(name, num_classes, truth, scores, *, predicted=None, probabilities=None, rows=None):
    truth = np.asarray(truth)
    scores = np.asarray(scores, dtype=float).reshape(len(truth), -1)
    if predicted is None:
        predicted = (scores[:, 0] > 0).astype(int) if num_classes == 2 else scores.argmax(axis=1)
    predicted = np.asarray(predicted)
    case = {"name": name, "num_classes": num_classes, "truth": truth, "predicted": predicted, "scores": scores}
    if probabilities is not None:
        probabilities = np.asarray(probabilities, dtype=float)
        case["probabilities"] = probabilities
    used = np.arange(len(truth))
    if rows is not None:
        used = case["rows"] = np.asarray(rows)
    y, f, s = truth[used], predicted[used], scores[used]
    roc_auc = one_against_rest(sk.roc_auc_score, y, s, num_classes)
    pr_auc = one_against_rest(sk.average_precision_score, y, s, num_classes)
    if num_classes > 2 and len(np.unique(y)) == num_classes:
        # The average above is scikit-learn's own where that has one.
        assert math.isclose(pr_auc, sk.average_precision_score(y, s, average="macro"), abs_tol=1e-14)
        if probabilities is not None and np.array_equal(scores, probabilities):
            assert math.isclose(roc_auc, sk.roc_auc_score(y, s, multi_class="ovr", average="macro"), abs_tol=1e-14)
    log_loss = math.nan
    if probabilities is not None:
        log_loss = sk.log_loss(y, probabilities[used], labels=np.arange(num_classes))
    case["expected"] = {
        "accuracy": sk.accuracy_score(y, f),
        "balanced_accuracy": sk.balanced_accuracy_score(y, f),
        "roc_auc": roc_auc,
        "pr_auc": pr_auc,
        "mcc": sk.matthews_corrcoef(y, f),
        "log_loss": log_loss,
    }
    return case


def softmax(scores):
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.round(p / p.sum(axis=1, keepdims=True), 6)


def classification_cases():
    random = np.random.RandomState(1)
    truth = (random.rand(40) < 0.4).astype(int)
    scores = np.round(random.randn(40) + truth - 0.5, 1)
    positive = np.round(1 / (1 + np.exp(-scores)), 6)
    both = np.stack([1 - positive, positive], axis=1)
    yield classification("two classes, tied scores", 2, truth, scores, probabilities=both)
    yield classification("two classes, a resample", 2, truth, scores, probabilities=both, rows=random.randint(40, size=40))
    yield classification("two classes, rows of one class", 2, truth, scores, probabilities=both,
                         rows=np.flatnonzero(truth == 1))
    yield classification("no probabilities", 2, truth, scores)
    order = np.sort(np.round(random.randn(12), 3))
    half = [0] * 6 + [1] * 6
    yield classification("perfect scores", 2, half, order - (order[5] + order[6]) / 2)
    yield classification("inverted scores", 2, half, (order[5] + order[6]) / 2 - order)
    yield classification("constant scores", 2, half, np.full(12, 0.5))
    yield classification("constant scores of a rare class", 2, [1] + [0] * 9, np.full(10, -1.0))
    yield classification("class 0 only", 2, [0] * 5, [-1, 2, -3, 0.5, -1])
    yield classification("class 1 only", 2, [1] * 5, [-1, 2, -3, 0.5, -1])
    yield classification("class 1 only, predicted rightly", 2, [1] * 4, [1, 2, 3, 4])
    yield classification("one row", 2, [1], [0.25], probabilities=[[0.4, 0.6]])
    yield classification("sure probabilities, right and wrong", 2, [0, 1, 0, 1], [-1, 1, 1, -1],
                         probabilities=[[1, 0], [0, 1], [0, 1], [1, 0]])

    truth = random.randint(3, size=60)
    scores = np.round(random.randn(60, 3) + 1.2 * np.eye(3)[truth], 1)
    yield classification("three classes, tied scores", 3, truth, scores, probabilities=softmax(scores))
    yield classification("three classes, a resample", 3, truth, scores, probabilities=softmax(scores),
                         rows=random.randint(60, size=60))
    yield classification("three classes, probabilities as scores", 3, truth, softmax(scores),
                         probabilities=softmax(scores))
    yield classification("three classes, perfect", 3, truth, np.eye(3)[truth])
    yield classification("three classes, inverted", 3, truth, -np.eye(3)[truth])
    yield classification("three classes, constant scores", 3, truth, np.zeros((60, 3)))
    yield classification("one class of three", 3, [2] * 6, np.round(random.randn(6, 3), 2))
    yield classification("two classes of three", 3, [0, 2, 0, 2, 2, 0], np.round(random.randn(6, 3), 2))

    truth = random.choice([0, 1, 3, 4], p=[0.6, 0.2, 0.15, 0.05], size=80)
    scores = np.round(random.randn(80, 5) + np.eye(5)[truth], 1)
    yield classification("five classes, one absent but predicted", 5, truth, scores, probabilities=softmax(scores))


def regression(name, truth, predicted, rows=None):
    truth = np.asarray(truth, dtype=float)
    predicted = np.asarray(predicted, dtype=float)
    case = {"name": name, "truth": truth, "predicted": predicted}
    if rows is not None:
        case["rows"] = np.asarray(rows)
        truth, predicted = truth[rows], predicted[rows]
    case["expected"] = {
        "rmse": sk.root_mean_squared_error(truth, predicted),
        "mae": sk.mean_absolute_error(truth, predicted),
        "r2": sk.r2_score(truth, predicted) if len(np.unique(truth)) > 1 else math.nan,
    }
    return case


def regression_cases():
    random = np.random.RandomState(2)
    truth = np.round(random.randn(30), 4)
    predicted = np.round(truth + 0.5 * random.randn(30), 4)
    yield regression("noise", truth, predicted)
    yield regression("a resample", truth, predicted, random.randint(30, size=30))
    yield regression("far from 0", truth + 1e6, predicted + 1e6)
    yield regression("perfect", truth, truth)
    yield regression("worse than the mean", truth, -2 * predicted)
    yield regression("constant truth", np.full(7, 0.1), np.round(random.randn(7), 3))
    yield regression("one row", [1.5], [1.0])


def mean_estimate(values, test_over_train):
    """Also the corrected resampled t-test's arithmetic: there is none in scipy or scikit-learn."""
    mean = np.mean(values)
    deviation = np.std(values, ddof=1)
    error = deviation * math.sqrt(1 / len(values) + test_over_train)
    low, high = stats.t.interval(0.95, len(values) - 1, mean, error)
    return {"mean": mean, "deviation": deviation, "error": error, "low": low, "high": high}


def statistics_cases():
    random = np.random.RandomState(3)
    means, tests = [], []
    for folds, repeats in [(2, 1), (5, 1), (10, 1), (10, 10)]:
        first = np.round(0.85 + 0.05 * random.randn(folds * repeats), 4)
        second = np.round(first - 0.02 + 0.03 * random.randn(folds * repeats), 4)
        for ratio in (0, 1 / (folds - 1)):
            means.append({"values": first, "test_over_train": ratio, "expected": mean_estimate(first, ratio)})
            estimate = mean_estimate(first - second, ratio)
            statistic = estimate["mean"] / estimate["error"]
            p_value = 2 * stats.t.sf(abs(statistic), len(first) - 1)
            if ratio == 0:  # without the correction it is the paired t-test
                plain = stats.ttest_rel(first, second)
                assert math.isclose(statistic, plain.statistic, rel_tol=1e-12)
                assert math.isclose(p_value, plain.pvalue, rel_tol=1e-12)
            tests.append({
                "first": first, "second": second, "test_over_train": ratio,
                "expected": {"difference": estimate["mean"], "statistic": statistic, "p_value": p_value,
                             "low": estimate["low"], "high": estimate["high"]},
            })

    mcnemar = []
    for pair in [(0, 0), (1, 0), (0, 5), (3, 4), (4, 4), (25, 9), (9, 25), (0, 60), (400, 500), (20000, 20500)]:
        p_value = stats.binomtest(pair[0], sum(pair), 0.5).pvalue if sum(pair) > 0 else 1.0
        mcnemar.append({"only_first_right": pair[0], "only_second_right": pair[1], "p_value": p_value})

    freedoms = [0.5, 1, 2, 4, 9, 29, 49.5, 99, 999, 1e7]
    # Not nearer to 0 or one half: there scipy is good to 1e-8 only, and the closed forms of the test say more.
    points = [0.0, 0.01, 0.5, 1.0, 2.262, 5.0, 40.0, 1e6]
    student = [{"freedom": n, "t": t, "cdf": stats.t.cdf(t, n), "lower": stats.t.cdf(-t, n),
                "two_sided": 2 * stats.t.sf(t, n)} for n in freedoms for t in points]
    shares = [1e-12, 1e-4, 0.025, 0.3, 0.5, 0.51, 0.9, 0.975, 0.9999]
    quantiles = [{"freedom": n, "p": p, "t": stats.t.ppf(p, n)} for n in freedoms for p in shares]

    values = np.sort(np.round(random.randn(11), 3))
    return {
        "mean_estimate": means,
        "corrected_t_test": tests,
        "mcnemar": mcnemar,
        "student_t": student,
        "student_t_quantile": quantiles,
        "quantile": {"values": values, "of": [[q, np.quantile(values, q)] for q in (0, 0.025, 0.1, 0.33, 0.975, 1)]},
        # The bootstrap of a share is a binomial: its exact 2.5 % and 97.5 % quantiles.
        "bootstrap_of_share": {"right": 140, "total": 200, "low": stats.binom.ppf(0.025, 200, 0.7) / 200,
                               "high": stats.binom.ppf(0.975, 200, 0.7) / 200},
    }


def plain(value):
    """JSON's own types; NaN as null."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value


def main():
    warnings.simplefilter("ignore")  # scikit-learn's remarks on absent classes, which are the point of some cases
    golden = {
        "classification": list(classification_cases()),
        "regression": list(regression_cases()),
        **statistics_cases(),
    }
    # One case per line.
    sections = []
    for key, cases in plain(golden).items():
        if isinstance(cases, list):
            text = "[\n" + ",\n".join("  " + json.dumps(case, allow_nan=False) for case in cases) + "\n ]"
        else:
            text = json.dumps(cases, allow_nan=False)
        sections.append(f' "{key}": {text}')
    path = pathlib.Path(__file__).with_name("metrics.json")
    path.write_text("{\n" + ",\n".join(sections) + "\n}\n")


if __name__ == "__main__":
    main()
