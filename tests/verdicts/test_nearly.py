"""Columns that were calculated from others and rounded: the verdict names them."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rosenblatt as rb
from rosenblatt.context import Unfinished
from rosenblatt.data.numbers import as_rows, exact_rows
from rosenblatt.verdicts import decision
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import calculated
from rosenblatt.verdicts.search.calculated import near_relations

N = 40
rng = np.random.default_rng(0)
CM, NOISE = np.round(rng.uniform(150, 200, N), 1), rng.normal(size=N)
SHARES = rng.uniform(size=(N, 4))
SHARES /= SHARES.sum(axis=1, keepdims=True)


def nearly(X: Any, **options: Any) -> list[int]:
    found = rb.separability(X, np.arange(N) % 2, margin=False, **options).nearly
    return [] if found is None else found.columns


@pytest.mark.parametrize(
    ("X", "columns"),
    [
        (np.column_stack([CM, CM / 2.54, NOISE]), [0, 1]),
        (np.column_stack([NOISE, CM, (CM - CM.mean()) / CM.std()]), [1, 2]),
        (np.column_stack([NOISE, np.exp(NOISE), NOISE + np.exp(NOISE)]), [0, 1, 2]),
        (SHARES, [0, 1, 2, 3]),
        (np.column_stack([CM, CM, CM / 2.54]), [2]),  # the other two are equal, exactly
        (np.column_stack([NOISE, NOISE]), []),
        (np.column_stack([NOISE, np.full(N, 0.3)]), []),
        (np.column_stack([CM, 254 * np.rint(10 * CM) / 1000]), []),  # decimals, so exactly a multiple
        (np.column_stack([1.7e18 + 1024 * np.rint(1e6 * NOISE), NOISE]), []),  # far from zero is not constant
        (np.column_stack([NOISE, NOISE + 1e-9 * CM * NOISE]), []),
        (np.column_stack([NOISE / np.abs(NOISE).max() * 1.7e308, CM]), []),  # differences overflow
        (rng.normal(size=(N, 60)), []),
    ],
)
def test_columns_that_are_calculated_are_named(X: Any, columns: list[int]) -> None:
    assert nearly(X) == columns


def test_without_an_intercept_a_constant_is_no_help() -> None:
    fahrenheit = CM / 3 * 9 / 5 + 32
    assert nearly(np.column_stack([CM / 3, fahrenheit])) == [0, 1]
    assert nearly(np.column_stack([CM / 3, fahrenheit]), fit_intercept=False) == []


def test_it_is_said_by_name_also_where_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    X = rng.normal(size=(2000, 40))
    X[:, 3] = (X[:, 4] - X[:, 4].mean()) / X[:, 4].std()  # no simple factor: see calculated.py
    table = pd.DataFrame(X, columns=[f"dose {j}" for j in range(40)])

    def late(*_: object, **__: object) -> None:
        raise Unfinished("the time limit was hit")

    with monkeypatch.context() as patch:
        patch.setattr(decision, "prove_on_clear_columns", late)
        verdict = rb.separability(table, rng.integers(0, 2, 2000), time_limit=30)
    assert verdict.kind == "unknown"
    what = "dose 3, dose 4 can be computed from others to 10 digits, though not exactly"
    assert ("rounding", f"{what}: drop a column that was calculated from others") in verdict.facts()
    assert rb.separability(table.drop(columns="dose 3"), rng.integers(0, 2, 2000), time_limit=30).kind == "overlap"


def test_what_holds_on_most_rows_does_not_hide_what_holds_on_all() -> None:
    own = np.random.default_rng(3)
    X = own.normal(size=(1500, 12)).round(2)
    X[:, 10] = X[:, 9]
    X[5:9, 10] += 1.0  # equal but for four rows, which a sample most often lacks
    X[:, 11] = (X[:, 0] - X[:, 0].mean()) / X[:, 0].std()
    verdict = rb.separability(X, np.arange(1500) % 2, time_limit=30)
    assert verdict.kind == "overlap", verdict.reason
    assert verdict.nearly is not None
    assert verdict.nearly.columns == [0, 11]


def test_columns_that_are_clearly_apart_are_told_by_their_products() -> None:
    """The shortcut never leaves out a relation, and it is taken."""
    taken = 0
    for seed in range(200):
        own = np.random.default_rng(seed)
        n, p = int(own.integers(30, 200)), int(own.integers(2, 9))
        X = own.normal(size=(n, p)) * 10.0 ** own.integers(-6, 7, p) + own.choice([0.0, 1e7], p, p=[0.9, 0.1])
        if seed % 2:
            near = 1 + own.choice([0, 1e-15, 1e-13, 1e-11, 1e-9]) * own.normal()
            X[:, 0] = X[:, 1:] @ own.normal(size=p - 1) * near
        points = Points(exact_rows(as_rows(X)), own.choice([-1, 1], n).astype(np.int8), bool(own.integers(4)))
        apart = calculated._far_from_dependent(points)
        assert not (apart and near_relations(points, rows=points.rows)), f"seed {seed}"
        taken += apart
    assert taken >= 40


@pytest.mark.parametrize("rows", [N, 45_000])  # of small tables it is worked out when it is read, of others at once
@pytest.mark.parametrize("fitted", [False, True])
def test_remarks_are_about_the_rows_that_were_decided(rows: int, fitted: bool) -> None:
    own = np.random.default_rng(5)
    cm = own.integers(1500, 2000, rows) / 10
    X, y = np.column_stack([cm, cm / 2.54, cm / 10, own.normal(size=rows)]), np.arange(rows) % 2
    texts = np.column_stack([cm, np.round(cm * 3, 1), cm / 10]) if fitted else X
    told, changed, kept = (rb.separability(texts, y, margin=False) for _ in range(3))
    assert ("_points" in vars(told.compared)) == (rows == N)  # a verdict of many rows keeps no copy of them
    first = (told.nearly, told.difference)
    assert first[1] is not None if fitted else first[0] is not None
    written = pickle.dumps(kept)
    texts[:] = 0.0
    restored = pickle.loads(written)
    for verdict in (changed, kept, restored):
        assert (verdict.nearly, verdict.difference) == first
    assert restored.remarks_in_words() == told.remarks_in_words()
