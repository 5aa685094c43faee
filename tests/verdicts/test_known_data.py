"""Real data whose answers are known; the files are not part of the project, so these skip without them."""

from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb

DATA = Path(__file__).parents[3] / "shared" / "data"
ANSWERS = {
    "wdbc.csv": ("y", "complete"),
    "banknote_authentication.csv": ("y", "overlap"),
    "sep_silvapulle1981.csv": ("y", "quasi"),
    "sep_endometrial.csv": ("HG", "quasi"),
    "sep_ucla_complete.csv": ("Y", "complete"),
    "sep_safe_complete.csv": ("y", "complete"),
    "sep_safe_quasi.csv": ("y", "quasi"),
    "sep_ds_counterexample.csv": ("y", "complete"),
    "sep_ds_overlap4.csv": ("y", "overlap"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_known_answer(name: str) -> None:
    if not (DATA / name).is_file():
        pytest.skip("this data set is not bundled")
    target, kind = ANSWERS[name]
    table = np.genfromtxt(DATA / name, delimiter=",", names=True, dtype=None, encoding="utf-8")
    X = np.column_stack([table[column] for column in table.dtype.names if column != target]).astype(float)
    verdict = rb.separability(X, table[target])
    assert verdict.kind == kind
    assert verdict.certificate.verify(X, table[target]).startswith(kind)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sep_endometrial.csv", {"NV": "+inf", "PI": "finite", "EH": "finite", "(1)": "finite"}),
        ("sep_silvapulle1981.csv", {"ghqs": "+inf", "(1)": "-inf"}),
    ],
)
def test_known_coefficients(name: str, expected: dict[str, str]) -> None:
    if not (DATA / name).is_file():
        pytest.skip("this data set is not bundled")
    import pandas as pd

    table = pd.read_csv(DATA / name)
    target = ANSWERS[name][0]
    verdict = rb.separability(table.drop(columns=target), table[target], coefficients=True)
    assert {one.name: one.kind for one in verdict.coefficients} == expected


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, {"target": target}) for name, (target, _) in ANSWERS.items()),
        ("sep_ds_tiny6.csv", {"target": "y"}),
        ("sep_lizards.csv", {"counts": ("grahami", "opalinus")}),
        ("house_votes_84.csv", {"target": "y", "missing": "level"}),
        ("mushroom.csv", {"target": "y", "missing": "level"}),
        ("a1a.svm", {}),
        ("sonar.csv", {"target": "y"}),
    ],
)
def test_all_coefficients_are_settled(name: str, options: dict) -> None:
    if not (DATA / name).is_file():
        pytest.skip("this data set is not bundled")
    table = rb.data.open_table(DATA / name, **options)
    verdict = rb.separability(table, coefficients=True)
    assert verdict.coefficients is not None, verdict.reason
    X, y, _ = table.arrays()
    assert f"of {len(verdict.coefficients)} coefficients " in verdict.certificate.verify(X, y)
