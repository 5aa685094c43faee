"""Bad input: one sentence that says what is wrong and where, exit 2, no traceback, no file left behind."""

import gzip
import io
import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.data import Store, open_table
from rosenblatt.models.storage import read_arrays, write_arrays
from tests.cli.conftest import Cli

GOOD = "a,b,y\n1,2,no\n3,4,no\n5,6,yes\n7,9,yes\n"
CHECK = ["check", "t.csv", "--target", "y"]
FIT = ["fit", "t.csv", "--target", "y", "-o", "m"]

Make = Callable[[], Any]


def text(content: str | bytes, name: str = "t.csv") -> Make:
    raw = content if isinstance(content, bytes) else content.encode()
    return lambda: Path(name).write_bytes(raw)


def parquet(cut: bool = False, select: str = "SELECT 1.5 AS a, 'no' AS y UNION ALL SELECT 2.5, 'yes'") -> Make:
    def make() -> None:
        import duckdb

        duckdb.connect().execute(f"COPY ({select}) TO 't.parquet' (FORMAT parquet)")
        if cut:
            raw = Path("t.parquet").read_bytes()
            Path("t.parquet").write_bytes(raw[: len(raw) // 2])

    return make


def database() -> None:
    import duckdb

    with duckdb.connect("t.duckdb") as connection:
        connection.execute("CREATE TABLE one AS SELECT 1 AS a, 0 AS y; CREATE TABLE two AS SELECT 1 AS a, 0 AS y")


def closed() -> None:
    Path("t.csv").write_text(GOOD)
    Path("t.csv").chmod(0)


def store(change: Callable[[Path], Any]) -> Make:
    def make() -> None:
        Path("t.csv").write_text(GOOD)
        Store.build(open_table("t.csv", target="y"), "rows")
        change(Path("rows"))

    return make


def rewritten(**changes: Any) -> Callable[[Path], Any]:
    """A schema changed by somebody who knows its checksum."""

    def change(folder: Path) -> None:
        from rosenblatt.data.tables import store as stores

        schema = json.loads((folder / "schema.json").read_text()) | changes
        schema.pop("checksum")
        schema["checksum"] = stores._own_checksum(schema)
        (folder / "schema.json").write_text(json.dumps(schema))

    return change


def spoilt(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], Any]:
    def spoil(folder: Path) -> None:
        file = next(folder.rglob(name))
        file.write_bytes(change(file.read_bytes()))

    return spoil


def flipped(raw: bytes) -> bytes:
    return raw[:9] + bytes([raw[9] ^ 1]) + raw[10:]


def model(change: Callable[[], Any] = lambda: None) -> Make:
    def make() -> None:
        Path("t.csv").write_text(GOOD)
        table = open_table("t.csv", target="y")
        X, y, _ = table.arrays()
        fitted = rb.LeastSquares().fit(X, y)
        fitted.encoding_ = table.encoding
        rb.save(fitted, "m")
        change()

    return make


def model_of_another_version() -> None:
    arrays, metadata = read_arrays("m", "model/1")
    write_arrays("m", "model/9", arrays, metadata)


def model_of_a_strange_class() -> None:
    arrays, metadata = read_arrays("m", "model/1")
    write_arrays("m", "model/1", arrays, metadata | {"class": "os.system"})


def certificate(change: Callable[[dict[str, Any]], Any] = lambda content: None) -> Make:
    def make() -> None:
        Path("t.csv").write_text(GOOD)
        verdict = rb.separability(*open_table("t.csv", target="y").arrays()[:2])
        content = verdict.certificate.content | {"table": open_table("t.csv", target="y").encoding.to_json()}
        change(content)
        Path("c.json").write_text(json.dumps(content))

    return make


def of_a_gigabyte() -> None:
    Path("t.csv").write_text(GOOD)
    with open("c.json", "wb") as file:
        file.truncate(10**9)


def checkpoint_of_something_else() -> None:
    Path("t.csv").write_text(GOOD)
    write_arrays("m.checkpoint", "trace/1", {"w": np.zeros(2)}, {})


nothing = text(GOOD)

BAD: dict[str, tuple[Make, list[str], str]] = {
    # files
    "empty file": (text(""), CHECK, "t.csv is empty"),
    "blank lines only": (text("\n\n\n"), CHECK, "t.csv is empty"),
    "header only": (text("a,b,y\n"), CHECK, "has a header and no rows"),
    "no header": (text("1,2,0\n3,4,1\n"), CHECK, "has no header"),
    "missing file": (nothing, ["check", "no.csv", "--target", "y"], "no.csv does not exist"),
    "a directory": (lambda: Path("folder").mkdir(), ["check", "folder", "--target", "y"], "folder is a folder"),
    "no permission": (closed, CHECK, "t.csv"),
    "an unknown ending": (text(GOOD, "t.xyz"), ["check", "t.xyz", "--target", "y"], "--format"),
    "an unknown format": (nothing, [*CHECK, "--format", "klingon"], "klingon"),
    "UTF-16, cut": (text(GOOD.encode("utf-16")[:-1]), CHECK, "not UTF-16 text all through"),
    "no text": (text(b"a,y\n1,\x81\x8d\n2,b\n"), CHECK, "not Windows-1252 text all through"),
    "zero bytes": (text("a,y\n1,\x00\n"), CHECK, "zero bytes"),
    "gzip cut short": (
        text(gzip.compress(GOOD.encode() * 100)[:60], "t.csv.gz"),
        ["check", "t.csv.gz", "--target", "y"],
        "damaged",
    ),
    "not gzip at all": (text(b"\x1f\x8bxyz", "t.csv.gz"), ["check", "t.csv.gz", "--target", "y"], "damaged"),
    "Parquet cut in half": (parquet(cut=True), ["check", "t.parquet", "--target", "y"], "t.parquet"),
    "Parquet by name only": (text(GOOD, "t.parquet"), ["check", "t.parquet", "--target", "y"], "t.parquet"),
    "Parquet with a list": (
        parquet(select="SELECT [1] AS a, 0 AS y UNION ALL SELECT [2], 1"),
        ["check", "t.parquet", "--target", "y"],
        'column "a"',
    ),
    "Parquet with long integers": (
        parquet(select="SELECT 12345678901234567890123456789012::DECIMAL(38, 0) AS a, 0 AS y UNION ALL SELECT 1, 1"),
        ["check", "t.parquet", "--target", "y"],
        'row 1, column "a" is "12345678901234567890123456789012"',
    ),
    "JSON that is none": (
        text('{"a": 1, "y": 0}\n{"a": \n', "t.jsonl"),
        ["check", "t.jsonl", "--target", "y"],
        "t.jsonl",
    ),
    "an npy file of text": (lambda: np.save("t.npy", np.array([["x"]])), ["check", "t.npy", "--target", "y"], "t.npy"),
    "an npz file cut short": (text(b"PK\x03\x04" + b"x" * 40, "t.npz"), ["check", "t.npz", "--target", "y"], "t.npz"),
    "a database with two tables": (database, ["check", "t.duckdb", "--target", "y"], "--table"),
    "a table that is not there": (database, ["check", "t.duckdb", "--target", "y", "--table", "three"], "three"),
    "a query with a slip": (nothing, ["check", "--sql", "SELEKT 1", "--target", "y"], "query"),
    "a query of a missing file": (nothing, ["check", "--sql", "SELECT * FROM 'no.csv'", "--target", "y"], "no.csv"),
    # rows and columns
    "ragged rows": (text("a,b,y\n1,2,no\n3,yes\n"), CHECK, "2 fields and the first line has 3"),
    "too long rows": (text("a,b,y\n1,2,no\n3,4,5,yes\n"), CHECK, "4 fields and the first line has 3"),
    "duplicate names": (text("a,a,y\n1,2,no\n3,4,yes\n"), CHECK, '2 columns called "a"'),
    "only nameless columns": (text(",,\n1,2,no\n3,4,yes\n"), CHECK, "no column names in its first line"),
    "an open quote": (text('a,y\n1,"no\n2,yes\n'), CHECK, "t.csv"),
    "a stray x": (text("a,y\n1,no\nx,no\n3,yes\n"), CHECK, 'column "a" is text because of row 2 ("x")'),
    "a word among numbers": (text("a,y\n1,no\nasked,no\n3,yes\n"), CHECK, "--na asked"),
    "hexadecimal": (text("a,y\n0x10,no\n2,yes\n"), CHECK, '"0x10"'),
    "commas of two kinds": (text("a;y\n1,534;no\n12;yes\n"), CHECK, "can be read in two ways"),
    "missing values": (text("a,y\n1,no\n,no\n3,yes\n"), CHECK, "missing values (a 1; the first in row 2"),
    "NaN": (text("a,y\n1,no\nnan,no\n3,yes\n"), CHECK, "row 2"),
    "inf": (text("a,y\n1,no\ninf,no\n3,yes\n"), CHECK, 'row 2, column "a" is infinite'),
    "1e9999": (text("a,y\n1,no\n1e9999,no\n3,yes\n"), CHECK, 'row 2, column "a" is "1e9999"; a number has at most 31'),
    "an empty column": (text("a,b,y\n1,,no\n2,,yes\n"), CHECK, 'column "b" has no value'),
    "too many names": (
        text("a,y\n" + "".join(f"name{i},{i % 2}\n" for i in range(300))),
        CHECK,
        "300 different values",
    ),
    "products beyond float64": (text("a,y\n1e200,no\n2,yes\n"), [*CHECK, "--degree", "2"], "beyond float64"),
    "too many products": (
        text(",".join(f"x{j}" for j in range(400)) + ",y\n" + "1," * 400 + "a\n" + "2," * 400 + "b\n"),
        [*CHECK, "--degree", "5"],
        "columns",
    ),
    # the target and other roles
    "no target said": (nothing, ["check", "t.csv"], "--target"),
    "a target that is not there": (nothing, ["check", "t.csv", "--target", "z"], 'no column "z"'),
    "a target misspelt": (
        text(GOOD.replace("y", "survived", 1)),
        ["check", "t.csv", "--target", "survivd"],
        'did you mean "survived"?',
    ),
    "one class": (text("a,y\n1,no\n2,no\n"), CHECK, 'is "no" in every row'),
    "a positive class that never comes": (nothing, [*CHECK, "--positive", "maybe"], '"maybe"'),
    "a target of numbers": (text("a,y\n" + "".join(f"{i},{i}.5\n" for i in range(50))), CHECK, "--positive"),
    "only the target": (text("y\nno\nyes\n"), CHECK, "no column left"),
    "an unknown feature": (nothing, [*CHECK, "--features", "q"], 'no column "q"'),
    "an unknown column to drop": (nothing, [*CHECK, "--drop", "q"], 'no column "q"'),
    "all dropped": (nothing, [*CHECK, "--drop", "a", "--drop", "b"], "no column left"),
    "both ways": (nothing, [*CHECK, "--features", "a", "--drop", "a"], "exclude each other"),
    "negative weights": (text("a,w,y\n1,-1,no\n2,1,yes\n"), [*CHECK, "--weights", "w"], "a weight must be 0 or more"),
    "all weights zero": (text("a,w,y\n1,0,no\n2,0,yes\n"), [*FIT, "--weights", "w"], "t.csv"),
    "a class without weight": (text("a,w,y\n1,0,no\n2,1,yes\n"), [*FIT, "--weights", "w"], "t.csv"),
    "counts that are no counts": (
        text("a,s,f\n1,1.5,0\n2,0,3\n"),
        ["check", "t.csv", "--counts", "s", "f"],
        "whole number",
    ),
    "counts and a target": (nothing, [*CHECK, "--counts", "a", "b"], "leave the target and the weights out"),
    "one count": (nothing, ["check", "t.csv", "--counts", "a"], "--counts"),
    # LIBSVM
    "a bad index": (text("+1 1:0.5 2:1\n-1 0:3\n", "t.svm"), ["check", "t.svm"], "line 2"),
    "indices out of order": (text("+1 2:0.5 1:1\n-1 1:3\n", "t.svm"), ["check", "t.svm"], "line 1"),
    "a value that is none": (text("+1 1:0.5\n-1 1:abc\n", "t.svm"), ["check", "t.svm"], "line 2"),
    "a label that is none": (text("+1 1:0.5\nspam 1:2\n", "t.svm"), ["check", "t.svm"], "line 2"),
    "a row of one class": (text("+1 1:0.5\n+1 1:2\n", "t.svm"), ["check", "t.svm"], "t.svm"),
    # stores
    "a store without its schema": (store(lambda f: (f / "schema.json").unlink()), ["check", "rows"], "interrupted"),
    "a store cut short": (
        store(spoilt("X.bin", lambda raw: raw[:-8])),
        ["check", "rows"],
        "has 56 bytes instead of 64",
    ),
    "a store with a flipped bit": (store(spoilt("X.bin", flipped)), ["check", "rows"], "not what was written"),
    "a store with another schema": (
        store(spoilt("schema.json", lambda raw: raw.replace(b'"n": 4', b'"n": 5'))),
        ["check", "rows"],
        "damaged",
    ),
    "a store whose schema is cut": (store(spoilt("schema.json", lambda raw: raw[:50])), ["check", "rows"], "damaged"),
    "a store of the other byte order": (store(rewritten(byte_order="middle")), ["check", "rows"], "middle-endian"),
    "a store of another version": (
        store(rewritten(format="rosenblatt-store/9")),
        ["check", "rows"],
        "rosenblatt-store/9",
    ),
    "a store and options": (
        store(lambda f: None),
        ["check", "rows", "--drop", "a"],
        "when it was built: leave out --drop.",
    ),
    "a store with another target": (store(lambda f: None), ["check", "rows", "--target", "z"], 'whose target is "y"'),
    "a store in a folder of other things": (nothing, [*CHECK, "--store", "."], "a store needs a folder of its own"),
    "a store where a file is": (nothing, [*CHECK, "--store", "t.csv"], "t.csv is a file"),
    # models
    "a model of another version": (
        model(model_of_another_version),
        ["predict", "m", "t.csv"],
        "holds model/9, not model/1",
    ),
    "a model of a strange class": (model(model_of_a_strange_class), ["predict", "m", "t.csv"], "os.system"),
    "a model that is none": (text("hello", "m"), ["predict", "m", "t.csv"], "not a rosenblatt file"),
    "a model with an absurd header": (
        text(struct.pack("<Q", 2**60) + b"{}", "m"),
        ["predict", "m", "t.csv"],
        "not a rosenblatt file",
    ),
    "a missing model": (nothing, ["predict", "no", "t.csv"], "no does not exist"),
    "a model that is a folder": (nothing, ["predict", ".", "t.csv"], ". is not a file"),
    "a model for other columns": (
        model(lambda: Path("t.csv").write_text("a,c\n1,2\n")),
        ["predict", "m", "t.csv"],
        'no column "b"',
    ),
    "text where the model has numbers": (
        model(lambda: Path("t.csv").write_text("a,b\n1,two\n")),
        ["predict", "m", "t.csv", "-o", "o.csv"],
        '"two"',
    ),
    "an ending nobody writes": (model(), ["predict", "m", "t.csv", "-o", "o.xlsx"], ".csv or .parquet"),
    "output into a missing folder": (model(), ["predict", "m", "t.csv", "-o", "no/o.csv"], "there is no folder"),
    "output onto a folder": (nothing, [*FIT[:-1], "."], "is a folder"),
    # certificates
    "a certificate of a gigabyte": (of_a_gigabyte, ["verify", "c.json", "t.csv"], "too long for a certificate"),
    "a certificate that is not JSON": (text("no", "c.json"), ["verify", "c.json", "t.csv"], "not JSON"),
    "a certificate that is a list": (text("[]", "c.json"), ["verify", "c.json", "t.csv"], "c.json"),
    "a certificate without a table": (
        certificate(lambda c: c.pop("table")),
        ["verify", "c.json", "t.csv"],
        "columns of a table",
    ),
    "a certificate with an odd table": (
        certificate(lambda c: c.update(table=[1])),
        ["verify", "c.json", "t.csv"],
        "damaged",
    ),
    "a certificate of other data": (certificate(lambda c: c.update(n=7)), ["verify", "c.json", "t.csv"], "7 rows"),
    "a certificate of other columns": (
        certificate(lambda c: c["table"]["columns"][0].update(name="q")),
        ["verify", "c.json", "t.csv"],
        'no column "q"',
    ),
    "a missing certificate": (nothing, ["verify", "c.json", "t.csv"], "c.json: no such file"),
    "a certificate into a missing folder": (nothing, [*CHECK, "--certificate", "no/c.json"], "there is no folder"),
    # usage
    "no data": (nothing, ["check"], "say which data"),
    "no output": (nothing, FIT[:4], "--output"),
    "an unknown command": (nothing, ["chek"], "did you mean 'check'"),
    "an unknown option": (nothing, [*CHECK, "--targt", "y"], "--target"),
    "an unknown learner": (nothing, [*FIT, "--learner", "svm"], "'averaged'"),
    "an option the learner lacks": (nothing, [*FIT, "--learner", "passive-aggressive", "--eta", "1"], "knows no --eta"),
    "a recipe of another learner": (nothing, [*FIT, "--learner", "adaline", "--recipe", "stein"], "--recipe"),
    "a trace of another learner": (nothing, [*FIT, "--learner", "logistic", "--trace", "x"], "knows no --trace"),
    "a step of zero": (nothing, [*FIT, "--eta", "0"], "eta"),
    "no passes": (nothing, [*FIT, "--passes", "0"], "--passes"),
    "words for a number": (nothing, [*FIT, "--passes", "many"], "--passes"),
    "a validation part of two": (nothing, [*FIT, "--validation", "2"], "between 0 and 1"),
    "a validation that takes all": (nothing, [*FIT, "--validation", "0.999"], "leaves no row of class"),
    "a validation file that is not there": (nothing, [*FIT, "--validation", "v.csv"], "v.csv does not exist"),
    "a step that overflows": (
        text("a,y\n1e200,no\n-1e200,yes\n3e200,yes\n"),
        [*FIT, "--learner", "adaline", "--eta", "10"],
        "overflow",
    ),
    "a checkpoint of another kind": (
        checkpoint_of_something_else,
        [*FIT, "--resume"],
        "holds trace/1, not checkpoint/1",
    ),
    "a checkpoint in the way": (checkpoint_of_something_else, FIT, "say --resume"),
    "degree zero": (nothing, [*CHECK, "--degree", "0"], "--degree"),
    "two delimiters": (nothing, [*CHECK, "--delimiter", ";;"], "delimiter"),
    "demo and data": (
        nothing,
        ["compare", "t.csv", "--target", "y", "--demo"],
        "brings its own data: leave out DATA, --target.",
    ),
}


def test_there_are_many() -> None:
    assert len(BAD) >= 60


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str, cli: Cli, folder: Path) -> None:
    make, arguments, said = BAD[name]
    make()
    if name == "no permission" and os.access("t.csv", os.R_OK):
        pytest.skip("root may read everything")
    before = _everything(folder)
    done = cli(*arguments)
    assert done.code == 2, done
    assert done.out == ""
    assert done.err.startswith("rosenblatt: ")
    assert len(done.err.splitlines()) == 1, "one sentence"
    assert said.lower() in done.err.lower()
    assert "should not have happened" not in done.err
    assert "Traceback" not in done.err
    assert _everything(folder) == before, "nothing is left behind"


def _everything(folder: Path) -> dict[str, Any]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.stat().st_size < 10**8)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files if os.access(path, os.R_OK)}


def test_nothing_on_standard_input(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    done = cli("check", "-", "--target", "y", "--format", "csv")
    assert done.code == 2
    assert done.err.startswith("rosenblatt: ")
    assert "Traceback" not in done.err
