"""The page about three and more classes: every verdict on it is that of a separate call, and all of them are told."""

import re
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.report.classes_page import ClassesStudy, classes_page

RNG = np.random.default_rng(0)
CODES = np.repeat([0, 1, 2, 3], 15)
X = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0], [9.5, 0.5]])[CODES] + RNG.normal(size=(60, 2)).round(2)
NAMES = ("red & blue", "green", "<b>", "a name that is long")


@pytest.mark.parametrize("layout", ["dense", "csr"])
def test_the_verdicts_are_those_of_separate_calls(layout: str) -> None:
    rows = sp.csr_matrix(X) if layout == "csr" else X
    study = ClassesStudy(rows, CODES, NAMES)
    assert study.together.kind == rb.existence(X, CODES, model="multinomial").kind
    assert [one.kind for one in study.against_rest] == [rb.separability(X, k == CODES).kind for k in range(4)]
    for i, j in combinations(range(4), 2):
        some = np.isin(CODES, (i, j))
        assert study.pairs[i, j].kind == rb.separability(X[some], CODES[some]).kind
    assert {one.kind for one in study.pairs.values()} == {"complete", "overlap"}
    assert not study.undecided


def test_every_pair_is_in_the_picture_and_no_name_is_markup() -> None:
    page = classes_page(ClassesStudy(X, CODES, NAMES), "Colours", "colours.csv")
    assert len(re.findall(r"<rect class=", page)) == 6
    assert page.count(">overlapping</text>") == 1
    assert "6 pairs of classes, 5 separable, 1 overlapping. Each verdict is proved" in page
    assert "<b>" not in page.replace("&lt;b&gt;", "")
    assert "red &amp; blue and green: Completely separable" in page


def test_a_limit_is_said() -> None:
    study = ClassesStudy(X, CODES, NAMES, time_limit=0.0)
    assert study.undecided
    assert "Each verdict is proved" not in classes_page(study, "late")


def test_two_classes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"this page is for 3 to 40 classes; there are 2\."):
        ClassesStudy(X, CODES % 2, ("a", "b"))
