"""Verdicts without scikit-learn, matplotlib, DuckDB, Starlette and the rest: they load when they are used."""

import subprocess
import sys

import rosenblatt as rb

NEEDED = {"numpy", "scipy", "highspy", "flint", "numba", "llvmlite", "threadpoolctl", "lazy_loader"}

SCRIPT = """
import sys

import rosenblatt as rb
from importlib.metadata import packages_distributions

NEEDED = {needed!r}
OTHERS = set(packages_distributions()) - NEEDED - {{"rosenblatt"}} - set(sys.modules)


class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in OTHERS:
            raise ImportError(f"{{name}} is not for the core", name=name)


sys.meta_path.insert(0, Refuse())

import numpy as np
import scipy.sparse as sp
import rosenblatt as rb

kinds = []
for y in ([0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0]):
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    X[2] = X[1] if y == [0, 0, 1, 1] else X[2]
    for table in (X, sp.csr_array(X)):
        verdict = rb.separability(table, y, coefficients=True)
        verdict.certificate.save("certificate.json")
        said = rb.verify(rb.Certificate.load("certificate.json"), table, y)
        assert said.startswith(verdict.kind)
        str(verdict), verdict._repr_html_(), verdict.finite_part
    kinds.append(verdict.kind)
rb.separability_matrix(X, [0, 1, 2, 3])
rb.cover.count(5, 3)
rb.theory.mistake_bound(X, [0, 0, 0, 1], [1.0, 1.0, -1.5])
print(*kinds)
print(*sorted({{name.partition(".")[0] for name in sys.modules}} & NEEDED))
"""


def test_separability_needs_few_packages(tmp_path) -> None:
    script = SCRIPT.format(needed=NEEDED)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["complete quasi overlap", " ".join(sorted(NEEDED))]


def test_theory_shows_its_own_names_only():
    shown = dir(rb.theory)
    assert shown == sorted(rb.theory.__all__)
    assert "convergence" in shown
