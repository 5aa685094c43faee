"""How well probes of every method read real representations, against scikit-learn: nothing is downloaded.

- digits: scikit-learn's 1,797 scanned digits through a small trained network, its second layer of 64 units;
- words: the identifiers and words of Python's own library, each occurrence by its neighbours (hashed), 128 columns;
- forms: scikit-learn's breast cancer measurements as they are, and two outlier columns, as residual streams have them.
"""

import io
import keyword
import re
import sysconfig
import time
import tokenize
from pathlib import Path

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


def _theirs(X: np.ndarray, Y: np.ndarray, held: np.ndarray) -> dict[str, tuple[float, float, float]]:
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
        for y in Y.T:
            model = make_pipeline(StandardScaler(), make()).fit(X[~held], y[~held])
            s = model.decision_function(X[held])
            scores.append((np.mean((s > 0) == y[held]), roc_auc_score(y[held], s)))
        found[name] = (*np.mean(scores, axis=0), time.perf_counter() - began)
    return found


@benchmark("probe-quality")
def probe_quality() -> None:
    """Accuracy and AUROC of every method on real representations, against tuned LogisticRegression and LinearSVC."""
    for name, make in {"digits": _digits, "words": _words, "forms": _forms}.items():
        X, truth = make()
        Y = np.column_stack(list(truth.values()))
        held = np.random.default_rng(1).random(len(X)) < 0.3
        rows = [[rival, *_shown(*scores)] for rival, scores in _theirs(X, Y, held).items()]
        for method in METHODS:
            rb.probes.fit(X[:200], Y[:200, 0], method=method, random_state=0)  # compiled
            began = time.perf_counter()
            probes = rb.probes.fit(X, truth, method=method, test=held, random_state=0)
            rows.append(
                [
                    f"rb.probes, {method}",
                    *_shown(probes.accuracy.mean(), probes.auc.mean(), time.perf_counter() - began),
                ]
            )
        print_table([f"{name}: {len(X):,} × {X.shape[1]}, {Y.shape[1]} concepts", "accuracy", "AUROC", "seconds"], rows)
        print()


def _shown(accuracy: float, auc: float, seconds: float) -> list[str]:
    return [f"{100 * accuracy:.2f} %", f"{auc:.4f}", f"{seconds:.2f}"]
