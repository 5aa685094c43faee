"""Tables as people and programs write them, through every door: what is proved is about the numbers as written.

Tables are made as *text*. The oracle reads the texts as fractions, by a rule of its own, and decides by the edges of a
cone. Verdict, strict rows and fates must be the oracle's, and both checkers must agree; nothing is refused.
"""

import json
import random
import sqlite3
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rosenblatt as rb
from rosenblatt.data.numbers.gate import rows_of
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.certificates.certificate import values_as_written
from tests.existence import oracle

Column = list[str]

# ------------------------------------------------------------------------------------------------------------ the rule


def digits(text: str) -> int:
    """Significant digits; zeros at either end do not count."""
    return len(text.lower().partition("e")[0].replace(".", "").lstrip("+-").strip("0"))


def is_program_float(text: str) -> bool:
    """Whether a program writes some float64 so."""
    x = float(text)
    if not np.isfinite(x) or Fraction(text) != Fraction(repr(x)):
        return False
    return not text.lstrip("+-").isdigit() or Fraction(text) == Fraction(x)


def as_written(column: Column) -> list[Fraction]:
    """What a column of written numbers says."""
    if any(digits(text) > 15 for text in column) and all(is_program_float(text) for text in column):
        return [Fraction(float(text)) for text in column]
    return [Fraction(text) for text in column]


def as_single(column: Column) -> list[Fraction]:
    """What a column of float32 says, made of these texts."""
    values = [np.float32(text) for text in column]
    for places in range(5):
        m = [round(Fraction(float(v)) * 10**places) for v in values]
        if all(abs(a) < 10**7 and np.float32(a / 10**places) == v for a, v in zip(m, values, strict=True)):
            return [Fraction(a, 10**places) for a in m]
    return [Fraction(float(v)) for v in values]


# --------------------------------------------------------------------------------------------------------- the columns


def long_whole(rnd: random.Random, n: int) -> Column:
    base = rnd.randrange(10**15, 10 ** rnd.choice([17, 19, 25, 31]) - 9)
    return [str(rnd.choice([1, 1, 1, -1]) * (base + rnd.randrange(6))) for _ in range(n)]


def long_decimal(rnd: random.Random, n: int) -> Column:
    base = rnd.randrange(10**14, 10 ** rnd.choice([16, 20, 28]))
    return [f"{rnd.choice(['0', '0', '-0', '12'])}.{base}{rnd.randrange(6)}" for _ in range(n)]


def exponents(rnd: random.Random, n: int) -> Column:
    e = rnd.choice([-400, -320, -25, -16, 22, 24, 305, 400])
    return [f"{rnd.choice(['', '-'])}{rnd.randrange(7)}{rnd.choice(['', '.5', '.25'])}e{e}" for _ in range(n)]


def mixed_units(rnd: random.Random, n: int) -> Column:
    return [f"{rnd.randrange(-20, 20)}e{rnd.choice([0, 0, -3, -18, 5, 12])}" for _ in range(n)]


def program_floats(rnd: random.Random, n: int) -> Column:
    return [repr(rnd.choice([0.1 + 0.2, 1 / 3, rnd.gauss(0, 1), rnd.gauss(0, 1) * 1e-8, 0.5, 3.0])) for _ in range(n)]


def floats_and_one_longer(rnd: random.Random, n: int) -> Column:
    """One cell that no program writes makes the whole column decimal."""
    column = program_floats(rnd, n)
    column[rnd.randrange(n)] = rnd.choice(["1.2500000000000001", "0.30000000000000004000001", "0.1000000000000000055"])
    return column


def as_r_writes(rnd: random.Random, n: int) -> Column:
    return [f"{rnd.gauss(0, 1) * 10 ** rnd.randrange(-4, 3):.15g}" for _ in range(n)]


def cents(rnd: random.Random, n: int) -> Column:
    return [f"{rnd.randrange(-300, 300) / 100:.2f}" for _ in range(n)]


def tenths(rnd: random.Random, n: int) -> Column:
    return [f"{rnd.randrange(-30, 30) / 10:.1f}" for _ in range(n)]


COLUMNS = [long_whole, long_decimal, exponents, mixed_units, program_floats, floats_and_one_longer, as_r_writes, cents]


def table_of(rnd: random.Random) -> tuple[list[Column], list[int]]:
    """Columns of texts, and labels of two classes, often by a threshold of the first column."""
    n = rnd.randrange(3, 7)
    columns = [rnd.choice(COLUMNS)(rnd, n) for _ in range(rnd.choice([1, 1, 2]))]
    values = [Fraction(text) for text in columns[0]]
    cut = sorted(values)[rnd.randrange(n)]
    by_value = [int(v >= cut) for v in values]
    y = by_value if rnd.random() < 0.5 and len(set(by_value)) == 2 else [rnd.randrange(2) for _ in range(n)]
    y[0] = 1 - y[1] if len(set(y)) == 1 else y[0]
    return columns, y


# ----------------------------------------------------------------------------------------------------------- the doors


def write_csv(folder: Path, columns: list[Column], y: list[int]) -> None:
    names = [f"x{j}" for j in range(len(columns))]
    lines = [",".join([*names, "y"]), *(",".join(map(str, row)) for row in zip(*columns, y, strict=True))]
    (folder / "t.csv").write_text("\n".join(lines) + "\n")


def by_csv(folder: Path, columns: list[Column], y: list[int]) -> Any:
    write_csv(folder, columns, y)
    return rb.data.open_table(folder / "t.csv", target="y")


def by_json(folder: Path, columns: list[Column], y: list[int]) -> Any:
    fields = [[f'"x{j}": {text}' for text in column] for j, column in enumerate(columns)]
    rows = ["{" + ", ".join([*row, f'"y": {t}']) + "}" for *row, t in zip(*fields, y, strict=True)]
    (folder / "t.jsonl").write_text("\n".join(rows) + "\n")
    return rb.data.open_table(folder / "t.jsonl", target="y")


def by_parquet(folder: Path, columns: list[Column], y: list[int]) -> Any:
    """DECIMAL(38, s) where the numbers fit; else text in a column that is said to hold numbers."""
    fields: dict[str, Any] = {}
    for j, column in enumerate(columns):
        numbers = [Decimal(text) for text in column]
        places = max(0, *(-int(v.as_tuple().exponent) for v in numbers))
        fits = places < 38 and all(abs(v) < Decimal(10) ** (38 - places) for v in numbers)
        fields[f"x{j}"] = pa.array(numbers, pa.decimal128(38, places)) if fits else pa.array(column)
    pq.write_table(pa.table(fields | {"y": y}), folder / "t.parquet")
    return rb.data.open_table(folder / "t.parquet", target="y", numbers=list(fields))


def by_sqlite(folder: Path, columns: list[Column], y: list[int]) -> Any:
    path = folder / "t.sqlite"
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as base:
        names = ", ".join(f"x{j} {_affinity(column)}" for j, column in enumerate(columns))
        base.execute(f"CREATE TABLE t ({names}, y INTEGER)")
        rows = zip(*([_stored(text, column) for text in column] for column in columns), y, strict=True)
        base.executemany(f"INSERT INTO t VALUES ({', '.join('?' * (len(columns) + 1))})", rows)
    base.close()
    return rb.data.open_table(path, target="y", numbers=[f"x{j}" for j in range(len(columns))])


def _affinity(column: Column) -> str:
    if all(text.lstrip("-").isdigit() and abs(int(text)) < 2**63 for text in column):
        return "INTEGER"
    return "TEXT"


def _stored(text: str, column: Column) -> Any:
    return int(text) if _affinity(column) == "INTEGER" else text


def by_frame(folder: Path, columns: list[Column], y: list[int]) -> Any:
    frame = pd.DataFrame({f"x{j}": _objects(column) for j, column in enumerate(columns)} | {"y": y})
    return rb.data.open_table(frame=frame, target="y")


def _objects(column: Column) -> list[Any]:
    return [int(text) if text.lstrip("-").isdigit() else Decimal(text) for text in column]


def by_store(folder: Path, columns: list[Column], y: list[int]) -> Any:
    target = folder / "store"
    return rb.data.Store.build(by_csv(folder, columns, y), target)


def by_list(folder: Path, columns: list[Column], y: list[int]) -> Any:
    return [list(row) for row in zip(*map(_objects, columns), strict=True)]


def by_frame_of_x(folder: Path, columns: list[Column], y: list[int]) -> Any:
    return pd.DataFrame({f"x{j}": _objects(column) for j, column in enumerate(columns)})


FILES: list[Callable[..., Any]] = [by_csv, by_json, by_parquet, by_sqlite, by_frame, by_store]
DOORS = [*FILES, *[by_list, by_frame_of_x] * 5]  # opening a file takes longest


# ---------------------------------------------------------------------------------------------------------- the oracle


def judge(columns: list[list[Fraction]], y: list[int]) -> tuple[str, set[int], list[str]]:
    """Kind, strict rows, and fates of the coefficients, the bias last."""
    Z = [[v if t else -v for v in [*row, Fraction(1)]] for row, t in zip(zip(*columns, strict=True), y, strict=True)]
    kind, strict = oracle.verdict(Z, [], len(columns) + 1)
    return kind, strict, oracle.fates(Z, [], len(columns) + 1)


def decided(X: Any, y: list[int]) -> rb.Verdict:
    how: dict[str, Any] = {"coefficients": True, "margin": len(y) % 2 == 0}
    return rb.separability(X, **how) if hasattr(X, "encoding") else rb.separability(X, y, **how)


def assert_true(verdict: rb.Verdict, truth: tuple[str, set[int], list[str]], said: Any) -> None:
    kind, strict, fates = truth
    assert verdict.kind == kind, said
    assert set(verdict.rows["strict"].tolist()) == strict, said
    assert [one.kind for one in verdict.coefficients] == fates, said


def test_what_is_proved_is_about_the_numbers_as_written(
    tmp_path: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    rnd, seen = random.Random(9), set[tuple[str, str]]()  # of this seed 300 tables have every kind at every door
    for trial in range(50_000 if request.config.getoption("--soak") else 300):
        columns, y = table_of(rnd)
        door = DOORS[trial % len(DOORS)]
        said = (trial, door.__name__, columns, y)
        truth = judge([as_written(column) for column in columns], y)
        X = door(tmp_path, columns, y)
        verdict = decided(X, y)
        assert_true(verdict, truth, said)
        seen.add((door.__name__, verdict.kind))
        assert verdict.certificate.verify(*((X,) if hasattr(X, "encoding") else (X, y))).startswith(verdict.kind), said
        signs = [1 if t else -1 for t in y]
        content = json.loads(json.dumps(verdict.certificate.content))
        if door is by_csv:
            verdict.certificate.save(tmp_path / "c.json")
            assert checker.main([str(tmp_path / "c.json"), str(tmp_path / "t.csv")]) == 0, (said, capsys.readouterr())
        else:
            rows = X.rows() if hasattr(X, "encoding") else rows_of(X)
            assert checker.check(content, values_as_written(rows), signs).startswith(verdict.kind), said
    assert len(seen) == 3 * len(set(DOORS))


def test_one_digit_changed_is_other_data(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Whichever digit of whichever used cell: neither checker takes the certificate for this file."""
    rnd, changed = random.Random(6), 0
    while changed < (3000 if request.config.getoption("--soak") else 60):
        columns, y = table_of(rnd)
        decided(by_csv(tmp_path, columns, y), y).certificate.save(tmp_path / "c.json")
        column, i = rnd.choice(columns), rnd.randrange(len(y))
        places = [k for k, one in enumerate(column[i].partition("e")[0]) if one.isdigit()]
        k = rnd.choice(places)
        text = column[i][:k] + str((int(column[i][k]) + rnd.randrange(1, 9)) % 10) + column[i][k + 1 :]
        if Fraction(text) == Fraction(column[i]):
            continue
        column[i] = text
        table = by_csv(tmp_path, columns, y)
        assert checker.main([str(tmp_path / "c.json"), str(tmp_path / "t.csv")]) != 0, (columns, y, i, k)
        with pytest.raises(ValueError, match="the certificate"):
            rb.Certificate.load(tmp_path / "c.json").verify(table)
        changed += 1


@pytest.mark.parametrize("door", ["array", "frame", "parquet", "stata"])
def test_float32(tmp_path: Path, door: str) -> None:
    """Tenths that were stored in 32 bits are tenths; other numbers are what they are."""
    rnd, seen = random.Random(7), set[str]()
    for _ in range(12 if door == "stata" else 40):  # a child reads files of Stata
        n = rnd.randrange(3, 7)
        columns = [rnd.choice([tenths, cents, tenths, as_r_writes])(rnd, n) for _ in range(2)]
        y = [rnd.randrange(2) for _ in range(n)]
        y[:2] = [0, 1]
        truth = judge([as_single(column) for column in columns], y)
        X = np.array([[np.float32(text) for text in row] for row in zip(*columns, strict=True)], dtype=np.float32)
        frame = pd.DataFrame(X, columns=["x0", "x1"])
        target: Any = X if door == "array" else frame
        if door == "parquet":
            frame.assign(y=y).to_parquet(tmp_path / "t.parquet")
            target = rb.data.open_table(tmp_path / "t.parquet", target="y")
        if door == "stata":
            frame.assign(y=np.array(y, dtype=np.int8)).to_stata(tmp_path / "t.dta", write_index=False)
            target = rb.data.open_table(tmp_path / "t.dta", target="y")
        verdict = decided(target, y)
        assert_true(verdict, truth, (columns, y))
        seen |= {next(iter(one)) for one in verdict.certificate.content["readings"]}
        rows = target.rows() if hasattr(target, "encoding") else rows_of(target)
        checker.check(verdict.certificate.content, values_as_written(rows), [1 if t else -1 for t in y])
    assert seen == {"power", "binary"}


SIX = [(3, 2), (5, 2), (8, 8), (8, 7), (4, 2), (8, 1)]


@pytest.mark.parametrize("unit", ["", "e-16", "e22", "e-300", "e-25", "e290", "e-400"])
def test_units_make_no_difference(tmp_path: Path, unit: str) -> None:
    """a, b and t = a + b in any unit."""
    columns = [[f"{v}{unit}" for v in column] for column in zip(*[(a, b, a + b) for a, b in SIX], strict=True)]
    assert decided(by_csv(tmp_path, columns, [0, 1, 0, 1, 1, 0]), [0, 1, 0, 1, 1, 0]).kind == "overlap"


# ------------------------------------------------------------------------------- each of these was wrong, and "proved"


@pytest.mark.parametrize(
    ("columns", "y", "kind"),
    [
        ([["9007199254740992", "9007199254740993"] * 2], [0, 1, 0, 1], "complete"),
        (
            [["1234567890123456788", "1234567890123456789", "1234567890123456780", "1234567890123456799"]],
            [0, 1] * 2,
            "",
        ),
        ([["4000123412341234567", "4000123412341234568"] * 2, ["31", "30", "31", "32"]], [0, 1, 0, 1], "complete"),
        ([["0.10000000000000000001", "0.10000000000000000002"] * 2], [0, 1, 0, 1], "complete"),
        ([["0.1", "0.1000000000000000000000001"] * 2], [0, 1, 0, 1], "complete"),
        ([["0", "1e-400"] * 2], [0, 1, 0, 1], "complete"),
        ([["1.2500000000000001", "1.25", "0.1", "3.5"]], [0, 1, 1, 0], "complete"),
    ],
)
def test_files_that_were_rounded(tmp_path: Path, columns: list[Column], y: list[int], kind: str) -> None:
    for door in DOORS[:8]:
        X = door(tmp_path, columns, y)
        verdict = decided(X, y)
        assert verdict.kind == (kind or "complete"), door.__name__
        assert_true(verdict, judge([as_written(column) for column in columns], y), door.__name__)


@pytest.mark.parametrize(
    ("X", "kind"),
    [
        ([[2**53], [2**53 + 1]], "complete"),
        (np.array([[2**53], [2**53 + 1]], dtype=object), "complete"),
        (np.array([[2**63], [2**63 + 1]], dtype=np.uint64), "complete"),
        ([[Decimal("0.1")], [Decimal("0.1000000000000000000000001")]], "complete"),
        (pd.DataFrame({"x": [Decimal(2**53), Decimal(2**53 + 1)]}), "complete"),
        (
            pa.table({"x": pa.array([Decimal("0.1"), Decimal("0." + "0" * 29 + "1")], pa.decimal128(38, 30))}),
            "complete",
        ),
        (
            np.array([["2024-01-01T00:00:00.000000001"], ["2024-01-01T00:00:00.000000002"]], "datetime64[ns]"),
            "complete",
        ),
        (np.array([[np.longdouble(1)], [np.longdouble(2)]]), "complete"),
    ],
)
def test_values_that_were_rounded(X: Any, kind: str) -> None:
    verdict = rb.separability(X, [0, 1])
    assert verdict.kind == kind
    assert verdict.certificate.verify(X, [0, 1]).startswith(kind)


_MASKED = np.ma.array([[0.0], [1.0], [2.0], [3.0]], mask=[[0], [0], [0], [1]])
_COMPLEX = np.array([[1 + 1j], [1 - 1j], [2 + 0j], [3 + 0j]])
_LONGER = np.array([[1], [2], [3], [1]]) + np.longdouble(2) ** -60 * np.array([[0], [1], [0], [0]])


@pytest.mark.parametrize("X", [_MASKED, _COMPLEX, _LONGER], ids=["masked", "complex", "longdouble"])
@pytest.mark.parametrize(
    "call",
    [
        lambda X: rb.separability(X, [0, 1, 0, 1]),
        lambda X: rb.existence(X, [0, 1, 0, 1], "poisson"),
        lambda X: rb.separability_matrix(X, [0, 1, 2, 1]),
        lambda X: rb.estimate(X, [0, 1, 0, 1]),
        lambda X: rb.cover.dichotomies(X),
        lambda X: rb.cover.general_position(X),
    ],
    ids=["separability", "existence", "separability_matrix", "estimate", "dichotomies", "general_position"],
)
def test_what_is_hidden_or_has_two_parts_is_refused(X: Any, call: Callable[[Any], Any]) -> None:
    with pytest.raises((ValueError, TypeError), match=r"masked|complex|float64 does not hold"):
        call(X)


def test_counts_of_dichotomies_are_of_the_numbers_as_written() -> None:
    assert rb.cover.dichotomies([[2**60], [2**60 + 1]]) == rb.cover.dichotomies([[0], [1]]) == 4
    assert rb.cover.general_position([[Decimal("0.1")], [Decimal("0.1000000000000000000000001")]])


def test_stata_keeps_its_float32(tmp_path: Path) -> None:
    """price + off = paid, in tenths: as in the same file in double."""
    g = np.random.default_rng(3)
    a, b = g.integers(1, 400, 60) / 10, g.integers(1, 400, 60) / 10
    frame = pd.DataFrame({"price": a, "off": b, "paid": np.round(a + b, 1), "y": g.integers(0, 2, 60)})
    kinds = set()
    for name, kind in (("double", "float64"), ("single", "float32")):
        frame.astype(dict.fromkeys(["price", "off", "paid"], kind)).to_stata(
            tmp_path / f"{name}.dta", write_index=False
        )
        verdict = rb.separability(rb.data.open_table(tmp_path / f"{name}.dta", target="y"), coefficients=True)
        kinds.add((verdict.kind, *(one.kind for one in verdict.coefficients)))
    assert kinds == {("overlap", "not identified", "not identified", "not identified", "finite")}


MODELS = ["poisson", "binomial", "multinomial", "ordinal", "conditional", "cox", "paired"]


@pytest.mark.parametrize("model", MODELS)
def test_models_are_about_the_numbers_as_written(model: str, request: pytest.FixtureRequest) -> None:
    """Every proof holds for the checker, which takes each number as the fraction that its text says."""
    rnd, seen = random.Random(MODELS.index(model)), set[str]()
    for trial in range(400 if request.config.getoption("--soak") else 40):
        columns, _ = table_of(rnd)
        n = len(columns[0])
        y, given = _outcomes(model, rnd, n)
        X = by_list(Path(), columns, []) if trial % 2 else by_frame_of_x(Path(), columns, [])
        verdict = rb.existence(X, y, model, coefficients=True, **given)
        said = (trial, columns, y, given)
        assert verdict.kind != "unknown" or "300 powers of ten" in verdict.reason, said
        if verdict.certificate is None:
            continue
        seen.add(verdict.kind)
        assert rb.verify(verdict.certificate, X, y, **given).startswith(verdict.kind), said
        content = json.loads(json.dumps(verdict.certificate.content))
        rows = values_as_written(rows_of(X))
        named = {name: [str(v) for v in values] if name == "groups" else values for name, values in given.items()}
        labels = [str(v) for v in y] if model in ("multinomial", "ordinal") else y
        assert checker.check(content, rows, labels, **named).startswith(verdict.kind), said
    assert len(seen) > 1


def _outcomes(model: str, rnd: random.Random, n: int) -> tuple[Any, dict[str, Any]]:
    """y and the further columns of a model."""
    few = [rnd.randrange(2) for _ in range(n)]
    if model == "poisson":
        return [rnd.choice([0, 0, 1, 5]) for _ in range(n)], {}
    if model == "binomial":
        return [rnd.choice([0, 3, 5]) for _ in range(n)], {"trials": [5] * n}
    if model in ("multinomial", "ordinal"):
        return [*"ab", *(rnd.choice("abc") for _ in range(n - 2))] if model == "multinomial" else [1, 2, *few[2:]], {}
    if model == "conditional":
        return few, {"groups": [rnd.choice("st") for _ in range(n)]}
    if model == "cox":
        return None, {"time": [float(rnd.randrange(1, 6)) for _ in range(n)], "event": few}
    return [rnd.choice([0.0, 1.0, 0.5]) for _ in range(n)], {}


@pytest.mark.parametrize(
    "arguments",
    [
        ["count", "--points", "t.csv"],
        ["estimate", "t.csv", "--formula", "y ~ x0", "--model", "poisson"],
        ["estimate", "t.csv", "--target", "y", "--model", "poisson"],
    ],
)
def test_commands_that_compute_in_floats_refuse_longer_numbers(
    tmp_path: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from rosenblatt.cli.app import main

    write_csv(tmp_path, [["9007199254740993", "9007199254740992", "5"]], [0, 1, 2])
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert "x0" in said
    assert "as they are" in said


def test_models_of_the_command_line_take_numbers_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from rosenblatt.cli.app import main

    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path, [["9007199254740992", "9007199254740993"] * 3], [0, 3, 0, 1, 0, 2])
    assert main(["check", "t.csv", "--target", "y", "--model", "poisson", "--certificate", "c.json"]) == 0
    assert "3 of 6 rows are separated" in capsys.readouterr().out
    assert checker.main(["c.json", "t.csv"]) == 0
    Path("s.csv").write_text(
        "x,t,e\n9007199254740992,1,0\n9007199254740993,2,1\n9007199254740992,3,1\n9007199254740993,4,1\n"
    )
    assert main(["check", "s.csv", "--model", "cox", "--time", "t", "--event", "e", "--certificate", "c.json"]) == 0
    assert "The maximum-likelihood estimate exists" in capsys.readouterr().out
    assert checker.main(["c.json", "s.csv"]) == 0
