"""The page decides, proves and checks as Python does: two implementations, asked the same questions."""

import base64
import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.lab.packing import unpack
from rosenblatt.lab.settings import LabSettings
from rosenblatt.lab.simulation import LabPoints, simulate
from rosenblatt.verdicts import checker
from tests.lab.configurations import configuration
from tests.lab.conftest import Ask
from tests.old_certificates import version_2_of

# ---------------------------------------------------------------------------------------------------------- verdicts


def test_the_page_and_python_say_the_same(page: Ask, soak: bool) -> None:
    cases = [configuration(i) for i in range(10_000 if soak else 1_000)]
    answers = page({"act": "prove", "X": X.tolist(), "y": y.tolist()} for X, y in cases)
    seen: Counter[str] = Counter()
    for i, ((X, y), theirs) in enumerate(zip(cases, answers, strict=True)):
        mine = rb.separability(X, y, numbers="binary", margin=i % 10 == 0)
        assert theirs["kind"] == mine.kind, i
        assert mine.rows is not None
        assert theirs["plane"] == mine.rows["plane"].tolist(), i
        content = json.loads(theirs["certificate"])
        assert checker.check(content, X.tolist(), y.tolist()) == theirs["said"], i
        if i % 10 == 0:
            _compare_margins(mine, content)
        seen[mine.kind] += 1
    assert min(seen.values()) >= len(cases) / 20, seen


def _compare_margins(mine: rb.Verdict, content: dict[str, Any]) -> None:
    """Both intervals are proved, so they meet; the page's are narrow."""
    assert ("margin" in content) == (mine.margin is not None)
    assert ("street" in content) == (mine.street is not None)
    for name, ends in (("margin", mine.margin), ("street", mine.street and mine.street[:2])):
        if ends is None:
            continue
        lower, upper = (
            Fraction(*(int(part, 16) for part in content[name][end].split("/"))) for end in ("lower", "upper")
        )
        assert upper - lower <= upper / 2**80
        assert ends[0] <= upper
        assert lower <= ends[1]


def test_python_holds_what_the_page_proves_in_many_dimensions(page: Ask) -> None:
    """A few dozen weights: separable, overlapping, and quasi-separable with a plane of many rows."""
    rng = np.random.default_rng(4)
    cases = []
    for p, touching in ((24, False), (24, True), (12, True), (30, False)):
        X = rng.integers(-9, 10, size=(90, p)) / 8
        y = np.where(X @ rng.normal(size=p) > 0, 1, -1)
        if touching:
            X[:60, 0], X[60:, 0] = 0.0, np.where(y[60:] > 0, 1.0, -1.0)
            y[:60] = rng.choice([-1, 1], size=60)
        cases.append((X, y.astype(np.int8)))
    answers = page({"act": "prove", "X": X.tolist(), "y": y.tolist()} for X, y in cases)
    for (X, y), theirs in zip(cases, answers, strict=True):
        assert theirs["kind"] == rb.separability(X, y, numbers="binary", margin=False).kind
        assert checker.check(json.loads(theirs["certificate"]), X.tolist(), y.tolist()) == theirs["said"]
    assert {one["kind"] for one in answers} >= {"complete", "quasi"}


SETTINGS: list[dict[str, Any]] = [
    {},
    {"recipe": "stein", "eta": 0.3},
    {"recipe": "unit"},
    {"recipe": "own", "start": "random", "order": "shuffled"},
    {"learner": "passive-aggressive"},
]


def test_the_page_shows_what_python_would_show(page: Ask) -> None:
    """Sentences and counts are the same; numbers are, up to rounding."""
    questions, expected = [], []
    for i in range(60):
        X, y = configuration(9 * i + (0, 1, 6, 8)[i % 4])
        settings = LabSettings.read({"limit": 300, "seed": i, **SETTINGS[i % len(SETTINGS)]})
        header, columns = unpack(simulate(LabPoints(X, y), settings))
        run = {name: columns[name].tolist() for name in ("rows", "steps", "start")} | {"eta": header["eta"]}
        given = {**settings.__dict__, "rivals": []}
        questions.append({"act": "answer", "X": X.tolist(), "y": y.tolist(), "settings": given, "run": run})
        expected.append((header, columns))
    for (header, columns), theirs in zip(expected, page(questions), strict=True):
        _compare_verdicts(header["verdict"], theirs["verdict"])
        mine, its = header["theorem"], theirs["theorem"]
        assert (mine["bound"] is None) == (its["bound"] is None)
        if mine["bound"] is not None:  # from another w*, so that it may be a little smaller or larger
            assert its["bound"] == pytest.approx(mine["bound"], rel=1e-6, abs=1)
        for name in ("begin", "growth", "ahead", "gain"):
            assert its[name] == (None if mine[name] is None else pytest.approx(mine[name], rel=1e-9, abs=1e-9))
        assert theirs["k"] == columns["k"].tolist()
        np.testing.assert_allclose(theirs["normSq"], columns["norm_sq"], rtol=1e-12)
        assert len(theirs["cos"]) == len(columns["cos"])


def _compare_verdicts(mine: dict[str, Any], its: dict[str, Any]) -> None:
    for name in ("kind", "sentence", "proved", "worth", "plane", "limits"):
        assert its[name] == mine[name], name
    assert (mine["w"] is None) == (its["w"] is None)
    for name in ("radius", "margin"):
        assert its[name] == (None if mine[name] is None else pytest.approx(mine[name], rel=1e-9))
    assert (mine["street"] is None) == (its["street"] is None)
    if mine["street"] is not None:
        np.testing.assert_allclose(its["street"]["w"], mine["street"]["w"], rtol=1e-6, atol=1e-9)


def test_the_regressions_lines_are_those_of_python(page: Ask) -> None:
    cases = [configuration(i) for i in range(9, 60) if i % 9 not in (2, 5)]  # units that squares do not suit in floats
    cases = [(X, y) for X, y in cases if len(set(y.tolist())) == 2]
    names = ["least squares", "LMS", "logistic"]
    answers = page({"act": "rivals", "X": X.tolist(), "y": y.tolist(), "names": names} for X, y in cases)
    for (X, y), theirs in zip(cases, answers, strict=True):
        header, _ = unpack(simulate(LabPoints(X, y), LabSettings.read({"rivals": names})))
        unique = np.linalg.matrix_rank(np.column_stack([X, np.ones(len(X))])) > X.shape[1]
        for mine, its in zip(header["rivals"], theirs, strict=True):
            assert its["name"] == mine["name"]
            if mine["name"] == "logistic" and header["verdict"]["kind"] != "overlap":
                continue  # there is no minimum, and whoever seeks it stops somewhere
            if unique or mine["name"] == "LMS":
                np.testing.assert_allclose(its["w"], mine["w"], rtol=1e-6, atol=1e-7)


# ---------------------------------------------------------------------------------------------------- the two checkers


def _encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _python(certificate: bytes, table: bytes, folder: Path) -> tuple[str, str]:
    """What checker.py says of two files: holds, refused or other data, and its words."""
    (folder / "certificate.json").write_bytes(certificate)
    (folder / "table.csv").write_bytes(table)
    try:
        content = checker.read_certificate(str(folder / "certificate.json"))
        X, y, *_ = checker.read_table(content, str(folder / "table.csv"))
        return "holds", str(checker.check(content, X, y))
    except checker.DoesNotHold as why:
        return "refused", str(why)
    except checker.OtherData as why:
        return "other data", str(why)


def _compare(page: Ask, files: list[tuple[bytes, bytes]], folder: Path) -> Counter[str]:
    """Both checkers on all files: the same answer, and the same words where it holds."""
    answers = page({"act": "check", "certificate": _encoded(c), "table": _encoded(t)} for c, t in files)
    seen: Counter[str] = Counter()
    for (certificate, table), theirs in zip(files, answers, strict=True):
        answer, words = _python(certificate, table, folder)
        assert theirs["answer"] == answer, (words, theirs, certificate[:2000])
        assert theirs["words"] == words or answer != "holds", certificate[:2000]
        seen[answer] += 1
    return seen


def _files(X: Any, y: Any, **options: Any) -> tuple[bytes, bytes]:
    """A certificate and its table, as a person would have them."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([*(f"x{j}" for j in range(np.shape(X)[1])), "y"])
    writer.writerows([*map(repr, np.asarray(x).tolist()), label] for x, label in zip(X, y, strict=True))
    return json.dumps(version_2_of(X, y, **options)).encode(), out.getvalue().encode()


@pytest.fixture(scope="module")
def certified() -> list[tuple[bytes, bytes]]:
    """Certificates of every kind: both verdicts of numbers, with and without street, decimals and coefficients."""
    found = []
    for i in range(48):
        X, y = configuration(i + 9)
        two = len(set(y.tolist())) == 2
        labels = np.where(y > 0, "yes", "no")
        options = {"numbers": ("binary", "decimal")[i % 2], "coefficients": i % 3 == 0, "margin": i % 4 < 3}
        if two:
            found.append(_files(X, labels.tolist(), fit_intercept=i % 5 != 0, **options))
    return found


def test_certificates_of_python_hold_in_the_page(
    page: Ask, certified: list[tuple[bytes, bytes]], tmp_path: Path
) -> None:
    assert _compare(page, certified, tmp_path) == {"holds": len(certified)}
    contents = [json.loads(certificate) for certificate, _ in certified]
    for field in ("street", "margin", "decimals", "coefficients", "base", "null"):
        assert any(field in content for content in contents), field


def test_a_later_version_is_not_taken_for_a_false_one(page: Ask) -> None:
    certificate = rb.separability([[0.0], [1.0]], ["no", "yes"]).certificate
    assert certificate is not None
    files = {
        "certificate": _encoded(json.dumps(certificate.content).encode()),
        "table": _encoded(b"x0,y\n0,no\n1,yes\n"),
    }
    (said,) = page([{"act": "check", **files}])
    assert said["answer"] == "not read"
    assert said["words"] == "certificates of version 3 are checked by checker.py; this checker reads versions 1 and 2"


def _tampered(certificate: bytes, rng: np.random.Generator) -> bytes:
    """One thing in a certificate is changed, anywhere in it, or in the text itself."""
    content = json.loads(certificate)
    text = json.dumps(content)
    way = rng.integers(10)
    if way == 0:  # a name twice
        return text.replace("{", '{"n": 1, ', 1).encode()
    if way == 1:
        return text[: int(rng.integers(len(text)))].encode()
    if way == 2:
        at = int(rng.integers(len(text)))
        return (text[:at] + str(rng.choice([*'0x-",[]{}:fF1e.'])) + text[at + 1 :]).encode()
    places = [*_places(content)]
    holder, key = places[int(rng.integers(len(places)))]
    if way == 3 and isinstance(holder, dict):
        holder[key + "x"] = holder.pop(key)
    elif way == 4:
        del holder[key]
    elif way == 5:
        holder[key] = [None, True, 0, 1.0, -1, "0x1", "", [], {}, "0x0", 2**70, "-0x1"][int(rng.integers(12))]
    elif way == 6 and isinstance(holder, list):
        holder.append(holder[key])
    elif way == 7:
        content[str(rng.choice(["base", "null", "margin", "street", "decimals", "w", "lambda", "more"]))] = holder[key]
    elif isinstance(holder[key], str) and holder[key].startswith(("0x", "-0x")) and "/" not in holder[key]:
        holder[key] = hex(int(holder[key], 16) * int(rng.choice([1, 2, -1])) + int(rng.integers(-1, 2)))
    elif isinstance(holder[key], str):
        holder[key] = holder[key][:-1] + str(rng.choice([*"0123456789abcdef/"]))
    elif isinstance(holder[key], int):
        holder[key] += int(rng.choice([-1, 1]))
    return json.dumps(content).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def test_both_checkers_answer_tampered_certificates_alike(
    page: Ask, certified: list[tuple[bytes, bytes]], tmp_path: Path, soak: bool
) -> None:
    rng = np.random.default_rng(8)
    files, truths = [], []
    for i in range(2_000 if soak else 200):
        certificate, table = certified[i % len(certified)]
        files.append((_tampered(certificate, rng), table))
        truths.append(json.loads(certificate)["verdict"])
    seen = _compare(page, files, tmp_path)
    assert min(seen[answer] for answer in ("holds", "refused", "other data")) >= len(files) / 100, seen
    for (certificate, table), truth in zip(files, truths, strict=True):
        if _python(certificate, table, tmp_path)[0] == "holds":  # and so in the page
            assert json.loads(certificate)["verdict"] == truth


# --------------------------------------------------------------------------------------------------------------- tables


TABLE = (
    b'\xef\xbb\xbf"how, big",colour,smooth,weighs,wins,losses,class\n1.5,red,true,1,2,0,"A ""first"""\n'
    b' -2e-1,green,FALSE,0.5,0,1,B\n1_0,"dark\nblue",true,2,1,1,B\n\n0.25,red,false,0,3,1,"A ""first"""\r\n'
    b',green,true,1,0,2,B\n3,NA,true,1,1,0,"A ""first"""\n'
)


def test_tables_of_every_kind_are_rebuilt(page: Ask, tmp_path: Path) -> None:
    """Numbers, truths, levels, buckets, products, groups, weights, missing values: the same rows, or the same no."""
    number = {"name": "how, big", "kind": "number"}
    level = {"name": "colour", "kind": "category", "levels": ["dark\nblue", "green", "red"]}
    bucket = {"name": "colour", "kind": "hash", "buckets": 3}
    truth = {"name": "smooth", "kind": "boolean"}
    plain = {"target": "class", "positive": 'A "first"', "missing": "drop", "na": ["NA"]}
    tables: list[dict[str, Any]] = [
        {**plain, "columns": [number, truth]},
        {**plain, "columns": [number, {**level, "reference": 1}]},
        {**plain, "columns": [{**number, "missing": True}, {**level, "missing": True}]},
        {**plain, "columns": [bucket, {**bucket, "reference": 1, "missing": True}]},
        {**plain, "columns": [number, truth], "degree": 3},
        {**plain, "columns": [number], "weights": "weighs"},
        {"counts": ["wins", "losses"], "positive": 1, "missing": "drop", "columns": [truth, number]},
        {**plain, "columns": [number], "missing": "refuse"},
        {**plain, "columns": [{**level, "levels": ["red"]}]},
        {**plain, "columns": [{"name": "none", "kind": "number"}]},
        {**plain, "columns": [{"name": "colour", "kind": "number"}]},
        {**plain, "columns": [{"name": "class", "kind": "category", "levels": ["B"]}]},
        {**plain, "columns": [number], "delimiter": ";"},
    ]
    files = [(_about(table, tmp_path), TABLE) for table in tables]
    seen = _compare(page, files, tmp_path)
    assert seen["holds"] == 7, seen


def _about(table: dict[str, Any], folder: Path) -> bytes:
    """A certificate with this table; of its rows, where there are any."""
    (folder / "table.csv").write_bytes(TABLE)
    content: dict[str, Any] = {"p": 1, "table": table}
    for p in range(1, 40):  # the table must describe as many columns as the certificate is about
        try:
            X, y, *_ = checker.read_table({**content, "p": p}, str(folder / "table.csv"))
        except (checker.DoesNotHold, checker.OtherData):
            continue
        return json.dumps({**version_2_of(X, y), "table": table}).encode()
    return json.dumps({**version_2_of([[0.0], [1.0]], [0, 1]), "table": table}).encode()


def test_csv_is_read_as_python_reads_it(page: Ask) -> None:
    rng = np.random.default_rng(2)
    texts = ["".join(rng.choice([*'ab",,\n\r"; '], size=rng.integers(1, 24))) for _ in range(1_000)]
    read = page({"act": "csv", "text": text, "delimiter": ","} for text in texts)
    for text, theirs in zip(texts, read, strict=True):
        assert theirs == [*csv.reader(io.StringIO(text, newline=""))], repr(text)
