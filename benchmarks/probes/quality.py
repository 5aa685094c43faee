"""How well probes of every method read real representations, against scikit-learn: nothing is downloaded.

- digits: scikit-learn's 1,797 scanned digits through a small trained network, its second layer of 64 units;
- words: the identifiers and words of Python's own library, each occurrence by its neighbours (hashed), 128 columns;
- forms: scikit-learn's breast cancer measurements as they are, and two outlier columns, as residual streams have them;
- more columns than rows: 200 rows to learn from, of 400 correlated columns (0.9 from one to the next), drawn;
- noise: 600 rows to learn from, of 60 columns (0.5), of which 20 % have the other label; judged by right labels.
"""

import io
import keyword
import re
import sysconfig
import time
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction import FeatureHasher
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import rosenblatt as rb
from benchmarks.timing import benchmark, print_table
from rosenblatt.probes.learning.trainer import METHODS


def _digits() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The second hidden layer of a network that learned which digit it is; probes ask for other things."""
    X, digit = load_digits(return_X_y=True)
    net = MLPClassifier((128, 64), max_iter=60, random_state=0).fit(X[:800] / 16, digit[:800])
    hidden = X / 16
    for weights, bias in list(zip(net.coefs_, net.intercepts_, strict=True))[:2]:
        hidden = np.maximum(hidden @ weights + bias, 0)
    ink = X.sum(axis=1)
    return hidden, {"odd": digit % 2 == 1, "eight": digit == 8, "dark": ink > np.median(ink), "large": digit > 4}


def _words() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Names in Python's library, by the tokens around them."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    contexts, names, nexts = [], [], []
    for name in ("argparse.py", "ast.py", "inspect.py", "tarfile.py", "typing.py", "subprocess.py"):
        text = (folder / name).read_text(encoding="utf-8")
        tokens = [t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.string.strip()]
        for i in range(4, len(tokens) - 4):
            if re.fullmatch(r"[A-Za-z_]\w*", tokens[i]) and not keyword.iskeyword(tokens[i]):
                around = [(k, tokens[i + k]) for k in (-4, -3, -2, -1, 2, 3, 4)]
                contexts.append([f"{k}:{word}" for k, word in around] + [tokens[i][:2], tokens[i][-2:]])
                names.append(tokens[i])
                nexts.append(tokens[i + 1])
    keep = np.random.default_rng(0).permutation(len(names))[:6_000]
    hashed = FeatureHasher(4096, input_type="string").transform([contexts[i] for i in keep])
    X = TruncatedSVD(128, random_state=0).fit_transform(hashed).astype(np.float32)
    names, nexts = np.array(names)[keep], np.array(nexts)[keep]
    truth = {
        "is called": nexts == "(",
        "has attribute": nexts == ".",
        "capital": np.array([name[0].isupper() for name in names]),
        "private": np.array([name.startswith("_") for name in names]),
        "is assigned": nexts == "=",
    }
    return X, truth


def _forms() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    X, y = load_breast_cancer(return_X_y=True)
    random = np.random.default_rng(0)
    X = np.column_stack([X, 1e4 * random.standard_normal((len(X), 2)) + 3e4])
    return X, {"malignant": y == 0, "large": X[:, 3] > np.quantile(X[:, 3], 0.9)}


class _Split(NamedTuple):
    """Rows, the labels to learn from, those to judge by, and which rows are held out."""

    X: np.ndarray
    learned: np.ndarray
    right: np.ndarray
    held: np.ndarray


def _held_out(make: Callable[[], tuple[np.ndarray, dict[str, np.ndarray]]]) -> Iterator[_Split]:
    """The same rows, of which three in ten are held out, anew each time."""
    X, truth = make()
    Y = np.column_stack(list(truth.values()))
    for split in range(_SPLITS):
        yield _Split(X, Y, Y, np.random.default_rng(1 + split).random(len(X)) < 0.3)


def _drawn(n: int, p: int, alike: float, flipped: float) -> Iterator[_Split]:
    """Normal rows, each column like the one before it, and a sum of all of them with a tenth of noise."""
    for split in range(_SPLITS):
        random = np.random.default_rng(split)
        X = random.normal(size=(n + _JUDGING, p))
        for j in range(1, p):
            X[:, j] = alike * X[:, j - 1] + np.sqrt(1 - alike**2) * X[:, j]
        score = X @ random.normal(size=p)
        y = score + 0.3 * score.std() * random.normal(size=len(X)) > 0
        held = np.arange(len(X)) >= n
        yield _Split(X, (y ^ ((random.random(len(X)) < flipped) & ~held))[:, None], y[:, None], held)


def _theirs(split: _Split) -> dict[str, tuple[float, float, float]]:
    """Mean accuracy, mean AUROC and seconds of tuned scikit-learn, one probe after the other."""
    strengths = np.logspace(-4, 1, 6)
    rivals = {
        "LogisticRegression, tuned (5-fold)": lambda: LogisticRegressionCV(
            Cs=strengths, cv=5, scoring="neg_log_loss", max_iter=2000, l1_ratios=(0.0,), use_legacy_attributes=False
        ),
        "LinearSVC, tuned (5-fold)": lambda: GridSearchCV(LinearSVC(dual=False), {"C": strengths}, cv=5),
    }
    found = {}
    for name, make in rivals.items():
        began, scores = time.perf_counter(), []
        for learned, right in zip(split.learned.T, split.right.T, strict=True):
            model = make_pipeline(StandardScaler(), make()).fit(split.X[~split.held], learned[~split.held])
            s, y = model.decision_function(split.X[split.held]), right[split.held]
            scores.append((np.mean((s > 0) == y), roc_auc_score(y, s)))
        found[name] = (*np.mean(scores, axis=0), time.perf_counter() - began)
    return found


def _ours(split: _Split) -> dict[str, tuple[float, float, float]]:
    """The same of every method."""
    found = {}
    for method in METHODS:
        began, new = time.perf_counter(), (split.X[split.held], split.right[split.held])
        probes = rb.probes.fit(split.X[~split.held], split.learned[~split.held], method=method, test=new)
        found[f"rb.probes, {method}"] = probes.accuracy.mean(), probes.auc.mean(), time.perf_counter() - began
    return found


@benchmark("probe-quality")
def probe_quality() -> None:
    """Accuracy and AUROC of every method on real representations and drawn ones, against tuned scikit-learn.

    Means over ten splits, and of their seconds. *Behind*: how much more accurate tuned LogisticRegression is, of the
    same splits, in points, with the standard error of that; a minus says that it is less accurate.
    """
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    rb.probes.fit(X, y, method=METHODS)  # compiled
    tables = {
        "digits: 1,797 × 64, 4 concepts": _held_out(_digits),
        "words: 6,000 × 128, 5 concepts": _held_out(_words),
        "forms: 569 × 32, 2 concepts": _held_out(_forms),
        "more columns than rows: 200 × 400": _drawn(200, 400, 0.9, 0.0),
        "noise: 600 × 60, 20 % of the labels": _drawn(600, 60, 0.5, 0.2),
    }
    for name, splits in tables.items():
        found = [_theirs(split) | _ours(split) for split in splits]
        first = np.array([next(iter(one.values()))[0] for one in found])
        rows = []
        for who in found[0]:
            accuracy, auc, seconds = np.array([one[who] for one in found]).T
            behind = 100 * (first - accuracy)
            error = behind.std(ddof=1) / np.sqrt(len(behind))
            less = f"{behind.mean():.2f} ± {error:.2f}" if rows else ""
            rows.append([who, f"{100 * accuracy.mean():.2f} %", less, f"{auc.mean():.4f}", f"{seconds.mean():.2f}"])
        print_table([name, "accuracy", "behind", "AUROC", "seconds"], rows)
        print()


_SPLITS = 10
_JUDGING = 4000  # rows drawn to judge by
