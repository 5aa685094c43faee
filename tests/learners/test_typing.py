"""What type checkers say of a user's script: misspelt choices and parameters are errors, right ones are not."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import rosenblatt as rb

pytest.importorskip("mypy")

RIGHT = """\
import numpy as np
import rosenblatt as rb
from rosenblatt.learners import LEARNERS

X, y = np.zeros((2, 2)), np.array([0, 1])
model = rb.Perceptron(order="cyclic", tie="positive", start=[0.0, 1.0, 2.0], class_weight={0: 2.0}, random_state=None)
model.fit(X, y).partial_fit(X, y).set_params(eta=0.5).predict(X)
rb.Perceptron.from_recipe("stein", eta=0.1)
rb.Logistic(mode="batch", eta=0.1, class_weight="balanced")
rb.KernelPerceptron(kernel="poly", gamma=1.0)
for name, learner in LEARNERS.items():
    learner.make(max_passes=3).fit(X, y)
"""
WRONG = """\
rb.Perceptron(order="shufled")
rb.Perceptron(averge=True)
rb.Perceptron(tie="positiv")
rb.Perceptron(start="zero" if X.any() else 3.0 + 1j, multiclass="kessler")
rb.Perceptron.from_recipe("rosenblat62")
rb.PassiveAggressive(variant="III")
rb.Adaline(mode="newton")
rb.Logistic(mode="newtn")
rb.Logistic(class_weight="balance")
rb.KernelPerceptron(kernel="gauss")
rb.LeastSquares(fit_intercep=False)
"""


def test_misspelt_choices_are_errors_and_nothing_else(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(RIGHT + WRONG)
    top = Path(rb.__file__).parents[2]
    command = [sys.executable, "-m", "mypy", "--config-file", str(top / "pyproject.toml"), "--no-error-summary"]
    said = subprocess.run([*command, str(script)], capture_output=True, text=True, cwd=top, check=False).stdout
    lines = {int(number) for number in re.findall(r"script\.py:(\d+): error", said)}
    first = script.read_text().splitlines().index(WRONG.splitlines()[0]) + 1
    assert lines == set(range(first, first + len(WRONG.splitlines()))), said
