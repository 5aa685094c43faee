"""The proved checker and checker.py give the same answer, word for word, on proofs and on forgeries."""

import copy
import json
import subprocess
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.data.numbers.rows import as_rows
from rosenblatt.verdicts import checker
from tests.cli.conftest import Cli, cli, folder  # noqa: F401 (fixtures)
from tests.old_certificates import rewrite_file, version_2_of
from tests.verdicts.test_corpus import CORPUS
from tests.verdicts.test_forgeries import forge, originals
from tests.verdicts.test_separability import with_null
from tests.verified.conftest import Answer, independent, said

Case = tuple[dict[str, Any], Any, Any]


def bases(step: int) -> Iterator[Case]:
    """Certificates of hard cases, with margins and coefficients where those are quick, and with null spaces."""
    yield from originals()
    for name, X, y, _ in CORPUS[::step]:
        small = len(y) < 20
        options = {"margin": small and "2^-" not in name, "coefficients": small and X.shape[1] < 9}
        for content in (version_2_of(X, y, **options), rb.separability(X, y, **options).certificate.written()):
            yield content, X, np.asarray(y).astype(int)
            if "lambda" in content and X.shape[1] < 4:
                yield with_null(content, X, y, True), X, np.asarray(y).astype(int)


def hash_of(content: Any, X: Any, y: Any) -> str:
    """The hash that a certificate about these rows has."""
    rows, labels = X.tolist(), y.tolist()
    if "readings" not in content:
        return checker.digest(rows, labels, content["layout"])
    readings = content["readings"]
    numbers = [[checker._number_as(v, reading) for v, reading in zip(x, readings, strict=True)] for x in rows]
    return checker.digest_of_blocks(numbers, {"y": array("b", labels)}, content["layout"], readings, {})


def renamed(entries: dict[str, str], places: Any, factor: int) -> dict[str, str]:
    return {str(places[int(i)]): hex(factor * int(m, 16)) for i, m in entries.items()}


def disguised(rng: np.random.Generator, content: Any, X: Any, y: Any) -> Case:
    """Another true certificate: the rows in another order, weights and mixtures times whole numbers."""
    order = rng.permutation(len(y))
    places = np.argsort(order)
    content, X, y = copy.deepcopy(content), X[order], y[order]
    content["data_sha256"] = hash_of(content, X, y)
    k = int(rng.integers(1, 1 << 40))
    for part in (content, content.get("margin", {}), content.get("street", {}), *content.get("because", [])):
        if "lambda" in part:
            part["lambda"] = renamed(part["lambda"], places, k)
        if "w" in part:
            part["w"] = [hex(k * int(v, 16)) for v in part["w"]]
    if "base" in content:
        content["base"] = hex(k * int(content["base"], 16))
    fates = content.get("coefficients", {"rows": [], "each": []})
    fates["rows"] = [int(places[i]) for i in fates["rows"]]
    for fate in fates["each"]:
        if "strict" in fate:
            fate["strict"], fate["scale"] = renamed(fate["strict"], places, k), hex(k * int(fate["scale"], 16))
    return content, X, y


def test_the_same_answer_on_proofs(proved: Callable[..., Answer], request: pytest.FixtureRequest) -> None:
    soak = request.config.getoption("--soak")
    rng = np.random.default_rng(7)
    found: Counter[str] = Counter()
    pool = list(bases(1 if soak else 7))
    for trial in range(10_000 if soak else 1_000):
        case = pool[trial % len(pool)]
        case = disguised(rng, *case) if trial >= len(pool) else case
        answer = proved(*case)
        assert answer == independent(*case), case
        assert answer[0] == 0, case
        found[case[0]["verdict"]] += 1
        found["margin"] += "margin" in case[0]
        found["null"] += "null" in case[0]
        found["readings"] += "readings" in case[0]
        found["because"] += "because" in case[0]
    kinds = ("complete", "quasi", "overlap", "margin", "null", "readings", "because")
    assert min(found[name] for name in kinds) >= 50, found


def by_package(content: Any, X: Any, y: Any) -> str:
    """What the package says is proved; nothing where it refuses."""
    try:
        return rb.Certificate(json.loads(json.dumps(content))).examine(as_rows(X), y.astype(np.int8))
    except (checker.DoesNotHold, checker.OtherData):
        return ""


def test_the_same_answer_on_forgeries(proved: Callable[..., Answer], request: pytest.FixtureRequest) -> None:
    rng = np.random.default_rng(8)
    pool = list(bases(80))
    refused, count = 0, 3_000 if request.config.getoption("--soak") else 300
    for _ in range(count):
        kind, *case = forge(rng, pool, *pool[rng.integers(len(pool))])
        answer = proved(*case)
        assert answer == independent(*case), (kind, case)
        assert answer[1] == by_package(*case), (kind, case)
        refused += answer[0] != 0
    assert refused > count / 2


def test_the_ends_of_float64(proved: Callable[..., Answer]) -> None:
    tiny = 5e-324
    for X in (
        [[1e308, -tiny], [-1e308, tiny], [1.0, 2.0]],
        [[tiny, 0.0], [-tiny, 0.0], [0.0, -0.0]],
        [[0.1, 1e22], [0.2, -1e-300], [0.30000000000000004, 1e300]],
    ):
        for y in ([1, -1, 1], [1, -1, -1], [-1, -1, 1]):
            case = version_2_of(X, y), np.array(X), np.array(y)
            assert proved(*case) == independent(*case)
            assert proved(*case)[0] == 0
    content, X, y = next(case for case in originals() if "readings" not in case[0])
    for bad in (np.nan, np.inf, -np.inf):
        spoiled = X.copy()
        spoiled[0, 0] = bad
        content = {**content, "data_sha256": checker.digest(spoiled.tolist(), y.tolist())}
        assert proved(content, spoiled, y)[0] == 2


@pytest.mark.parametrize("k", range(16))
def test_decimals_are_read_as_checker_py_reads_them(k: int, proved: Callable[..., Answer]) -> None:
    """Where checker.py knows decimals: it reads 30 columns of floats, a few of them not the nearest ones."""
    if "decimals" not in Path(checker.__file__).read_text():
        pytest.skip("this checker.py knows no decimals")
    rng = np.random.default_rng(k)
    fields = {"format": "rosenblatt-certificate/2", "verdict": "complete", "n": 1, "p": 30, "fit_intercept": True}
    fields |= {"layout": "dense", "classes": [], "features": [], "table": {}, "w": ["0x0"] * 30 + ["0x1"]}
    answers: Counter[int] = Counter()
    for trial in range(12):
        digits = [max(k, 1), *(rng.integers(0, 16, size=29).tolist())]
        whole = rng.integers(-(10 ** int(rng.integers(1, 16))), 10**9, size=30).tolist()
        values = [m / 10**j for m, j in zip(whole, digits, strict=True)]
        if trial % 3 == 0:
            values[trial] = float(np.nextafter(values[trial], np.inf))
        if trial % 4 == 0:
            values[1] = 2.0 ** -int(rng.integers(1, 20))
        X, y = np.array([values]), np.array([1])
        content = {**fields, "decimals": digits, "data_sha256": checker.digest(X.tolist(), [1])}
        assert proved(content, X, y) == independent(content, X, y)
        answers[proved(content, X, y)[0]] += 1
    assert answers[0]
    assert answers[1]


# ------------------------------------------------------------------------------------------------------- tables

TABLES: list[tuple[str, list[str]]] = [
    ("x,y\n1,no\n2,no\n2,yes\n3,yes\n", []),
    ("x,y\r\n1,no\r\n3,no\r\n2,yes\r\n4,yes\r\n", []),
    ('x,"the ""y"""\n"1",no\n2.5e0,no\n\n 3 ,yes\n-4,"y,es"\n', ["--target", 'the "y"', "--positive", "no"]),
    ("\ufeffx;y\n1;a\n2;b\n", ["--delimiter", ";"]),
    ("size,tail,y\n1,long,a\n2,short,b\n3,none,a\n4,short,b\n", ["--degree", "2"]),
    ("x,y\nNA,a\n1,a\n2,b\nNA,b\n", ["--na", "NA", "--missing", "indicator"]),
    ("x,y\n,a\n1,a\n2,b\n,b\n", ["--missing", "drop"]),
    ("x,w,y\n1,2,a\n2,0,a\n3,1,b\n", ["--weights", "w"]),
    ("x,y\n1,a\n2,b\n3,c\n", ["--positive", "c"]),
    ("x,y\n1,a\n2,b\n", ["--no-intercept"]),
    ("on,x,y\ntrue,1,a\nfalse,2,b\ntrue,3,b\n", []),
    ("stadt,x,y\nKöln,1,a\nБонн,2,b\n東京,3,a\nKöln,4,b\n", []),
]


def both(program: Path) -> tuple[Answer, Answer]:
    ours = said(subprocess.run([program, "t.json", "t.csv"], capture_output=True, text=True, check=False))
    alone = [sys.executable, "-I", checker.__file__]
    return ours, said(subprocess.run([*alone, "t.json", "t.csv"], capture_output=True, text=True, check=False))


@pytest.mark.parametrize(("table", "options"), TABLES)
def test_tables_are_read_alike(table: str, options: list[str], program: Path, cli: Cli, folder: Path) -> None:  # noqa: F811
    Path("t.csv").write_bytes(table.encode())
    target = [] if "--target" in options else ["--target", "y"]
    assert cli("check", "t.csv", *target, *options, "--certificate", "t.json").code == 0
    for old in (False, True):
        if old:
            rewrite_file("t.json", "t.csv")
        ours, theirs = both(program)
        assert ours == theirs
        assert ours[0] == 0
        Path("t.csv").write_bytes(table.replace("2", "7", 1).encode())
        ours, theirs = both(program)
        assert ours == theirs
        assert ours[0] == (0 if "--weights" in options else 2), "how much a row weighs does not matter"
        Path("t.csv").write_bytes(table.encode())


WRITTEN: list[tuple[str, list[str]]] = [  # version 3 only: numbers that no float holds, and numbers with marks
    ("x,y\n0.1234567890123456789,a\n0.1234567890123456788,b\n2,a\n", []),
    ("x,y\n1234567890123456789012345678901,a\n1234567890123456789012345678900,b\n2,a\n", []),
    ("x,y\n1e-300,a\n1.5e-300,b\n2e-300,b\n", []),
    ("x,y\n0.30000000000000004,a\n0.3,b\n3.141592653589793,b\n", []),
    ("x,y\n5e-324,a\n2.2250738585072014e-308,b\n1.7976931348623157e308,b\n", []),
    ("x;y\n1.234,5;a\n2.000,25;b\n3,5;b\n", ["--delimiter", ";", "--decimal", ",", "--thousands", "."]),
    ("x,y\n68 %,a\n71.5 %,b\n2 %,b\n", []),
    ("x,y\n−2,a\n−1.5,b\n3,b\n", []),
    ("x,y\nNA,a\n1,a\n2.5,b\n,b\n", ["--na", "NA", "--missing", "mean"]),
]


@pytest.mark.parametrize(("table", "options"), WRITTEN)
def test_numbers_as_they_are_written(table: str, options: list[str], program: Path, cli: Cli, folder: Path) -> None:  # noqa: F811
    Path("t.csv").write_bytes(table.encode())
    done = cli("check", "t.csv", "--target", "y", *options, "--certificate", "t.json")
    assert done.code == 0, done.err
    ours, theirs = both(program)
    assert ours == theirs
    assert ours[0] == 0
    again = cli("verify", "t.json", "t.csv", "--with", program)
    assert again.code == 0, again.err
    for old, new in (("5", "6"), ("2", "3"), ("a\n", "b\n")):
        Path("t.csv").write_bytes(table.replace(old, new, 1).encode())
        ours, theirs = both(program)
        assert ours == theirs, (old, new)


def test_the_shortest_text_of_a_float(proved_of_lists: Callable[..., Answer]) -> None:
    """In a column of floats a text must be what programs write for its float: at powers of two, and elsewhere."""
    rng = np.random.default_rng(3)
    texts = [repr(2.0**k) for k in range(-1074, 1024, 13)] + [repr(float(v)) for v in rng.normal(size=150)]
    texts += [f"{float(v):.17e}" for v in rng.normal(size=40)] + [f"{2.0**k:.16e}" for k in range(-1000, 1000, 97)]
    fields = {"format": "rosenblatt-certificate/3", "verdict": "complete", "n": 1, "p": 1, "fit_intercept": True}
    fields |= {"layout": "dense", "classes": [], "features": [], "table": {}, "w": ["0x0", "0x1"]}
    answers: Counter[int] = Counter()
    for text in texts:
        for reading in ({"binary": 64}, {"binary": 32}, {"power": -20}):
            content = {**fields, "readings": [reading]}
            try:
                numbers = [[checker._number_as(text, reading)]]
                content["data_sha256"] = checker.digest_of_blocks(
                    numbers, {"y": array("b", [1])}, "dense", [reading], {}
                )
            except (checker.OtherData, OverflowError):
                content["data_sha256"] = ""
            if reading == {"binary": 32} and abs(float(text)) > 3e38:
                continue  # beyond float32, where struct raises
            answer = proved_of_lists(content, [[text]], [1])
            assert answer == independent(content, [[text]], [1]), (text, reading)
            answers[answer[0]] += 1
    assert min(answers[0], answers[2]) > 50, answers


def test_a_certificate_about_another_table_is_refused_alike(program: Path, cli: Cli, folder: Path) -> None:  # noqa: F811
    Path("t.csv").write_text("x,city,y\n1,A,no\n2,B,no\n2,A,yes\n3,B,yes\n")
    assert cli("check", "t.csv", "--target", "y", "--certificate", "t.json").code == 0
    rewrite_file("t.json", "t.csv")
    whole = json.loads(Path("t.json").read_text())
    changes: list[dict[str, Any]] = [
        {"target": "x"}, {"target": "z"}, {"positive": "no"}, {"delimiter": ";"}, {"delimiter": "::"}, {"na": ["2"]},
        {"columns": []}, {"columns": whole["table"]["columns"][:1]}, {"columns": whole["table"]["columns"][::-1]},
        {"missing": "drop", "na": ["2"]}, {"degree": 2}, {"degree": 0}, {"weights": "x"}, {"counts": ["x", "x"]},
    ]  # fmt: skip
    for change in changes:
        Path("t.json").write_text(json.dumps({**whole, "table": {**whole["table"], **change}}))
        ours, theirs = both(program)
        assert ours == theirs, change
    for text in ("", "[]", "{", '{"a": 1, "a": 2}', json.dumps(whole) + "x", json.dumps(whole)[:-1], "nul", "[" * 5000):
        Path("t.json").write_text(text)
        ours, theirs = both(program)
        assert ours == theirs, text
        assert ours[0] == 1


def test_verify_with_the_proved_checker(
    program: Path,
    cli: Cli,  # noqa: F811
    folder: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("t.csv").write_text("x,y\n1,no\n2,no\n2,yes\n3,yes\n")
    cli("check", "t.csv", "--target", "y", "--certificate", "t.json")
    for old in (False, True):
        if old:
            rewrite_file("t.json", "t.csv")
        done = cli("verify", "t.json", "t.csv", "--with", "proved")
        assert done.code == 0, done.err
        assert "It holds. Quasi: no row is on the wrong side, 2 of 4 rows lie on every such hyperplane." in done.out
        assert "rosenblatt-verify" in done.out
    answer = json.loads(cli("verify", "t.json", "t.csv", "--with", program, "--json").out)
    assert (answer["holds"], answer["checker"]) == (True, "other")
    content = json.loads(Path("t.json").read_text())
    Path("forged.json").write_text(json.dumps({**content, "w": ["-0x1", "0x0"]}))
    forged = cli("verify", "forged.json", "t.csv", "--with", program)
    assert (forged.code, forged.out) == (1, "")
    Path("t.csv").write_text("x,y\n1,no\n2,no\n2,yes\n4,yes\n")
    other = cli("verify", "t.json", "t.csv", "--with", program)
    assert other.code == 2
    assert "the data have another hash" in other.err
    own = folder / "rosenblatt-verify"  # on the path it is found first
    own.write_text("#!/bin/sh\necho 'holds: complete: by mine'\n")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    assert "Complete: by mine." in cli("verify", "t.json", "t.csv", "--with", "proved").out


def test_models_are_verified_by_it_too(program: Path, cli: Cli, folder: Path) -> None:  # noqa: F811
    Path("t.csv").write_text("firm,x,n\na,1,0\na,2,3\nb,1,0\nb,3,0\nc,2,1\nc,5,2\n")
    asked = ("check", "t.csv", "--target", "n", "--model", "poisson", "--fixed-effects", "firm")
    assert cli(*asked, "--certificate", "t.json").code == 0
    done = cli("verify", "t.json", "t.csv", "--with", "proved")
    assert done.code == 0, done.err
    assert cli("verify", "t.json", "t.csv").out.splitlines()[:3] == done.out.splitlines()[:3]
    assert json.loads(cli("verify", "t.json", "t.csv", "--with", program, "--json").out)["checker"] == "other"
    Path("t.csv").write_text("firm,x,n\na,1,0\na,2,3\nb,1,0\nb,3,1\nc,2,1\nc,5,2\n")
    assert cli("verify", "t.json", "t.csv", "--with", "proved").code == 2


def test_what_it_does_not_read_it_says(program: Path, cli: Cli, folder: Path) -> None:  # noqa: F811
    Path("t.csv").write_text("when,y\n2020-01-01,a\n2020-02-01,b\n2020-03-01,a\n")
    assert cli("check", "t.csv", "--target", "y", "--date", "when", "--certificate", "t.json").code == 0
    done = subprocess.run([program, "t.json", "t.csv"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "is not read: columns of dates are read by checker.py\n")
    assert cli("verify", "t.json", "t.csv", "--with", program).code == 0, "rosenblatt reads the dates"
