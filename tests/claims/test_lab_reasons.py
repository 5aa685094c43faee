"""Why points are separable, as the lab's page says it, against a loop over the rows."""

import numpy as np

from tests.claims.book import Reader
from tests.claims.test_rooms import asked, value
from tests.lab.conftest import Ask
from tests.lab.conftest import page as page_of_the_lab

page = page_of_the_lab  # the fixture
reasons = Reader("reason")
NAMES = ["a", "b", "c"]


@reasons.of("alone")
def _alone(known, name, low, threshold):
    X, y = known
    below = X[:, NAMES.index(name)] < value(threshold)
    assert below.any()
    assert not below.all()
    assert (y[below] == {"no": -1, "yes": 1}[low]).all()
    assert (y[~below] != {"no": -1, "yes": 1}[low]).all()


@reasons.of("together")
def _together(known, names, fewer):
    assert (names, fewer) == ("a and c", "no smaller set does")


def test_a_reason_is_true_and_given_where_there_is_one(page: Ask) -> None:
    rng = np.random.default_rng(5)
    cases = []
    for trial in range(300):
        X = rng.integers(-3, 4, size=(rng.integers(2, 7), 3)) / rng.choice([1.0, 3.0, 1e-300, 1e300])
        y = np.where(np.arange(len(X)) < rng.integers(1, len(X)), 1, -1)
        if trial % 10 == 0:
            X[:, 1] = np.where(y > 0, 1.0, np.nextafter(1.0, 0.0))  # by one rounding
        cases.append((X, y))
    together = {"columns": [0, 2], "smallest": True}
    said = asked(page, "reasonFor", *([X.tolist(), y.tolist(), NAMES, together] for X, y in cases))
    alone = 0
    for (X, y), text in zip(cases, said, strict=True):
        there = any(X[y > 0, j].min() > X[y < 0, j].max() or X[y < 0, j].min() > X[y > 0, j].max() for j in range(3))
        assert (reasons.read(text, (X, y)) == "alone") == there
        alone += there
    assert 30 < alone < 290
    reasons.finish(rare={})
