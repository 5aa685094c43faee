"""Tables whose answers are known. The small ones are in `tables/`, and one comes with scikit-learn.

Three others are too large, or their licences keep them out of the project: they are read where they are found.
"""

import csv
from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb

HERE = Path(__file__).parent / "tables"
ELSEWHERE = Path(__file__).parents[3] / "shared" / "data"
BUNDLED = {
    "sep_ucla_complete.csv": ("Y", "complete"),
    "sep_safe_complete.csv": ("y", "complete"),
    "sep_safe_quasi.csv": ("y", "quasi"),
    "sep_ds_counterexample.csv": ("y", "complete"),
    "sep_ds_overlap4.csv": ("y", "overlap"),
    "sep_ds_tiny6.csv": ("y", "complete"),
    "sep_factor_quasi.csv": ("y", "quasi"),
    "sep_step_quasi.csv": ("y", "quasi"),
}
NOT_OURS = {
    "banknote_authentication.csv": ("y", "overlap"),
    "sep_silvapulle1981.csv": ("y", "quasi"),
    "sep_endometrial.csv": ("HG", "quasi"),
}
COEFFICIENTS = {
    "sep_factor_quasi.csv": {"f": "+inf", "a": "finite", "b": "finite", "(1)": "finite"},
    "sep_step_quasi.csv": {"x": "+inf", "(1)": "-inf"},
    "sep_endometrial.csv": {"NV": "+inf", "PI": "finite", "EH": "finite", "(1)": "finite"},
    "sep_silvapulle1981.csv": {"ghqs": "+inf", "(1)": "-inf"},
}


def read(path: Path, target: str) -> tuple[np.ndarray, np.ndarray, list[str]]:
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name != target]
    X = np.array([[float(row[name]) for name in names] for row in rows])
    return X, np.array([row[target] for row in rows]), names


def check(path: Path, target: str, kind: str) -> None:
    X, y, names = read(path, target)
    expected = COEFFICIENTS.get(path.name)
    verdict = rb.separability(X, y, coefficients=expected is not None)
    assert verdict.kind == kind
    assert verdict.certificate.verify(X, y).startswith(kind)
    if expected is not None:
        found = [one.kind for one in verdict.coefficients]
        assert dict(zip([*names, "(1)"], found, strict=True)) == expected


@pytest.mark.parametrize("name", BUNDLED)
def test_known_answer(name: str) -> None:
    check(HERE / name, *BUNDLED[name])


@pytest.mark.parametrize("name", NOT_OURS)
def test_known_answers_of_tables_that_are_not_ours(name: str) -> None:
    if not (ELSEWHERE / name).is_file():
        pytest.skip("its licence is unknown, so that it is not bundled")
    check(ELSEWHERE / name, *NOT_OURS[name])


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, {"target": target}) for name, (target, _) in (BUNDLED | NOT_OURS).items()),
        ("sep_lizards.csv", {"counts": ("grahami", "opalinus")}),
        ("house_votes_84.csv", {"target": "y", "missing": "level"}),
        ("mushroom.csv", {"target": "y", "missing": "level"}),
        ("a1a.svm", {}),
        ("sonar.csv", {"target": "y"}),
    ],
)
def test_all_coefficients_are_settled(name: str, options: dict) -> None:
    path = HERE / name if name in BUNDLED else ELSEWHERE / name
    if not path.is_file():
        pytest.skip("this data set is not bundled")
    table = rb.data.open_table(path, **options)
    verdict = rb.separability(table, coefficients=True)
    assert verdict.coefficients is not None, verdict.reason
    X, y, _ = table.arrays()
    assert f"of {len(verdict.coefficients)} coefficients " in verdict.certificate.verify(X, y)


def test_breast_cancer() -> None:
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    verdict = rb.separability(X, y)
    assert verdict.kind == "complete"
    assert verdict.certificate.verify(X, y).startswith("complete")


def test_every_bundled_table_is_used() -> None:
    assert {path.name for path in HERE.glob("*.csv")} == set(BUNDLED)
