"""Certificates: a verdict and its proof in one JSON file, bound to the data by a hash; checked by another program."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.arrays import Signs
from rosenblatt.data.files import write_whole
from rosenblatt.data.numbers import (
    Reading,
    Rows,
    label_values,
    named_rows,
    pieces,
    present_rows,
    signs_of,
    single_columns,
)
from rosenblatt.data.tables import Encoding, Table
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.certificates.claim import Claim
from rosenblatt.verdicts.certificates.holding import LabelledRows, digest, holds, read_as_claimed
from rosenblatt.verdicts.points import Points
from rosenblatt.verdicts.search import Proof

__all__ = [
    "Certificate",
    "PromisedCertificate",
    "examine_file_with",
    "examine_with",
    "in_words",
    "labelled",
    "program_named",
    "values_as_written",
    "verify",
]


class Certified(Protocol):
    """What a certificate says of its rows: of `Points`, of those in shards, or of a model's question."""

    @property
    def rows(self) -> Rows:
        """X, with its exact values."""

    @property
    def bias(self) -> bool:
        """Whether there is an intercept."""

    @property
    def readings(self) -> Sequence[Reading]:
        """How each column of numbers is read."""


@dataclass(frozen=True)
class Certificate:
    """A verdict with its proof, which `verify` or `python -m rosenblatt.verdicts.checker` checks on the data.

    `content` is the JSON object. Its format is "rosenblatt-certificate/3"; older ones are read too.
    """

    content: dict[str, Any]

    @property
    def head(self) -> dict[str, Any]:
        """What the content says of rows, columns and classes, and w; of a promised certificate nothing is written."""
        return self.content

    @property
    def is_written(self) -> bool:
        """Whether the proof is in whole numbers already."""
        return True

    @classmethod
    def of(
        cls,
        proof: Proof,
        about: Certified,
        digest: str,
        classes: Sequence[Any],
        features: list[str],
        model: dict[str, Any] | None = None,
        called: Callable[[int], str] = str,
    ) -> "Certificate":
        """The certificate of a proof; of a `model`, with its entry and what its rows z are called."""
        named, columns = [str(c) for c in classes], [{"name": name, "kind": "number"} for name in features]
        table: dict[str, Any] = {"target": "y", "missing": "refuse", "columns": columns}
        content: dict[str, Any] = {
            "format": "rosenblatt-certificate/3",
            "verdict": proof.kind,
            "n": about.rows.n,
            "p": about.rows.p,
            "fit_intercept": about.bias,
            "layout": "csr" if about.rows.sparse else "dense",
            "data_sha256": digest,
            "classes": named,
            "features": features,
            "table": table | ({} if model else {"positive": named[1]}),
            "readings": [one.entry() for one in about.readings],
        }
        content |= {"model": model} if model else {}
        if proof.w:
            content["w"] = [hex(v) for v in proof.w]
        if proof.kind != "complete":
            content["lambda"] = {called(i): hex(m) for i, m in sorted(proof.mixture.items())}
            content |= {"free": {called(i): hex(f) for i, f in sorted(proof.free.items())}} if model else {}
            content["base" if proof.base else "null"] = hex(proof.base) if proof.base else []
        more = {name: getattr(proof, name) for name in ("margin", "street", "coefficients", "because")}
        return cls(content | {name: entry for name, entry in more.items() if entry})

    def about(self, table: Encoding) -> "Certificate":
        """The certificate with a description of the file (`table.encoding`), from which a checker can rebuild X."""
        described = {"classes": list(table.classes), "features": table.features, "table": table.to_json()}
        return Certificate(self.content | described)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON file."""
        write_whole(path, json.dumps(self.content, indent=1).encode())

    def written(self) -> Any:
        """The content as a reader of the file will have it."""
        return json.loads(json.dumps(self.content))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Certificate":
        """Read a certificate from a JSON file. Whether it is true is not checked here: see `verify`."""
        try:
            return cls(checker.read_certificate(os.fspath(path)))
        except checker.DoesNotHold as why:
            raise ValueError(f"{path} cannot be a certificate: {why}.") from None

    def verify(self, X: Any, y: Any = None, *, sample_weight: Any = None, **columns: Any) -> str:
        """Check the proof on these data; returns what is proved, or raises ValueError saying why it does not hold.

        X is what `separability` took: rows of numbers, or a table of `rb.data.open_table`, which has its own labels. A
        model's certificate takes the columns that `existence` took: `trials`, `fixed_effects`, `groups`, …
        """
        if isinstance(self.content, dict) and "model" in self.content:
            from rosenblatt.verdicts.existence import examine

            return in_words(lambda: examine(self.content, X, {"y": y} | columns, sample_weight))
        if columns:
            raise TypeError(f"this certificate is about two classes: leave {min(columns)} out.")
        _, rows, y, sample_weight = labelled(X, y, sample_weight)
        if sample_weight is not None:
            rows, places, _ = present_rows(rows, sample_weight)
            y = y if places is None else np.asarray(y)[places]
        return in_words(lambda: self.examine(rows, signs_of(y, rows.n, self._positive(y))))

    def _positive(self, y: object) -> Any:
        """The label that the certificate calls the positive one; None where y has no such label."""
        told = self.content.get("classes") if isinstance(self.content, dict) else None
        if not isinstance(told, list) or len(told) != 2 or len(labels := label_values(y)) != 2:
            return None
        return next((label for label in labels.tolist() if str(label) == told[1]), None)

    def examine(self, rows: Rows, signs: Signs, independent: bool = False) -> str:
        """Check the proof on rows with labels −1/+1. Raises `checker.DoesNotHold` or `checker.OtherData`.

        `independent` uses `checker.py`, which takes about `work` steps in plain Python.
        """
        if independent:
            return str(checker.check(self.content, values_as_written(rows), signs.tolist()))
        claim = Claim.of(self.content)
        claim.refuse_other_shape(rows.n, rows.p)
        if claim.version < 3:  # its hash is of the floats
            claim.refuse_other_data(digest(rows, signs, claim.layout, claim.version))
        read = read_as_claimed(rows, claim)
        if claim.version > 2:
            claim.refuse_other_data(digest(read, signs, claim.layout))
        return holds(claim, Points(read, signs, claim.bias))

    def check(self, points: LabelledRows) -> str:
        """Check the file's content on rows that are known to be the certified ones, so that no hash is compared."""
        return in_words(lambda: holds(Claim.of(self.written()), points))

    def work(self, rows: Rows) -> int:
        """About how many values a check looks at: all of them for w, and again for each direction of coefficients."""
        return rows.n * rows.p * _looks(self.content)


class PromisedCertificate(Certificate):
    """The certificate of a verdict that floats have proved: written in whole numbers when its `content` is first read.

    Raises ValueError with the reason where it cannot be written. Pickled before that, it is not written any more.
    """

    def __init__(self, head: dict[str, Any], write: Callable[[], Certificate] | None) -> None:
        self.__dict__ |= {"_head": head, "_write": write, "_made": None}

    @property
    def head(self) -> dict[str, Any]:
        """What is known without the proof; the hash of many zeros takes longer than it, and comes with the content."""
        return dict(self.__dict__["_head"])

    @property
    def is_written(self) -> bool:
        """Whether it was read before."""
        return self.__dict__["_made"] is not None

    @property
    def content(self) -> dict[str, Any]:
        """The JSON object."""
        if not self.is_written:
            write = self.__dict__["_write"]
            if write is None:
                raise ValueError(
                    "the certificate was not written before the verdict was pickled, and its rows are not here: "
                    "decide them again."
                )
            self.__dict__["_made"] = made = write().content
            self.__dict__["_head"] |= {"data_sha256": made["data_sha256"]}
        return dict(self.__dict__["_made"])

    def about(self, table: Encoding) -> Certificate:
        """The same with a description of the file; it is written when it is read."""
        if self.is_written:
            return Certificate(self.content).about(table)
        head = Certificate(self.head).about(table).content
        return PromisedCertificate(head, lambda: Certificate(self.content).about(table))

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<PromisedCertificate: {'written' if self.is_written else 'not written yet'}>"

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_write": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def values_as_written(rows: Rows) -> list[list[Any]]:
    """All values as the checker takes them: floats, and texts of numbers where floats do not hold these."""
    values: list[list[Any]] = rows.take(slice(0, rows.n)).tolist()
    texts = {j: written.texts() for j in rows.origin.columns if (written := rows.origin.column(j)) is not None}
    for j in np.flatnonzero(single_columns(rows)).tolist():
        texts[j] = [str(np.float32(x[j])) for x in values]
    for j, column in texts.items():
        for x, text in zip(values, column, strict=True):
            x[j] = text
    return values


def _looks(content: object) -> int:
    """How often a check of this certificate looks at all rows."""
    entry = content.get("coefficients") if isinstance(content, dict) else None
    if not isinstance(entry, dict):
        return 1
    lists = [entry.get(name) for name in ("open", "null", "each")]
    items = [item for items in lists if isinstance(items, list) for item in items]
    return 1 + sum(isinstance(item, list) or (isinstance(item, dict) and "separating" in item) for item in items)


def in_words(check: Callable[[], str]) -> str:
    """What a check says is proved. Raises ValueError with the reason where the certificate does not hold."""
    try:
        return check()
    except checker.DoesNotHold as why:
        raise ValueError(f"the certificate does not hold: {why}.") from None
    except checker.OtherData as why:
        raise ValueError(f"the certificate is not about these data: {why}.") from None


def labelled(X: object, y: object, sample_weight: object) -> tuple[list[str], Rows, Any, Any]:
    """The names of the columns, the rows, y and weights as they were given; of a table, its own ones."""
    if isinstance(X, Table):
        if y is not None or sample_weight is not None:
            raise TypeError("a table has its own labels and weights: leave y and sample_weight out.")
        if len(X.classes) > 2:
            raise ValueError(f"{X.name} has {len(X.classes)} classes: open it with positive= to tell one of them.")
        _, y, sample_weight = X.arrays()
        return X.features, X.rows(), y, sample_weight
    if y is None:
        raise TypeError("y is missing: say the labels, or give a table of rb.data.open_table, which has its own.")
    names, rows = named_rows(X)
    return names or [f"x{j}" for j in range(rows.p)], rows, y, sample_weight


@checked
def verify(certificate: Certificate, X: Any, y: Any = None, **columns: Any) -> str:
    """Check a certificate on data; returns what is proved, or raises ValueError.

    It takes what `separability` or `existence` took: X, y, `sample_weight`; for a model also its other columns, such as
    `trials`, `fixed_effects` or `groups`.
    """
    if not isinstance(certificate, Certificate):
        raise TypeError("certificate must be an rb.Certificate: rb.Certificate.load(path) reads one from its file.")
    return certificate.verify(X, y, **columns)


# ------------------------------------------------------------------------------------------------------ another checker


_BUILT = Path(__file__).parents[4] / "verified" / "rosenblatt-verify"  # in a checkout, by `make verified`


def program_named(name: str) -> Path:
    """The program of this name; "proved" is the proved checker, from the path or where it was built."""
    if name != "proved":
        return Path(name)
    found = shutil.which("rosenblatt-verify")
    if found is None and not _BUILT.exists():
        raise ValueError(
            f"The proved checker is neither {_BUILT} nor rosenblatt-verify on the path: `make verified` builds it."
        )
    return Path(found or _BUILT)


def examine_with(program: Path, certificate: Path, rows: Rows, signs: Signs) -> str:
    """What the program says is proved. Raises `checker.DoesNotHold` or `checker.OtherData` where it says no.

    The program gets the certificate and the rows as raw bytes, X as little-endian float64 and then the labels as int8;
    or, where floats do not hold what was written, as a JSON file {"X": rows, "y": labels} with texts of numbers.
    """
    with TemporaryDirectory() as folder:
        written = bool(rows.origin.columns) or bool(single_columns(rows).any())
        data = Path(folder) / ("rows.json" if written else "rows.f64")
        if written:
            data.write_text(json.dumps({"X": values_as_written(rows), "y": signs.tolist()}))
        else:
            _write(data, rows, signs)
        return examine_file_with(program, certificate, data)


def examine_file_with(program: Path, certificate: Path, data: Path) -> str:
    """The same of a file that the program reads itself."""
    command = [str(program.resolve()), str(certificate), str(data)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as why:
        raise ValueError(f"{program} cannot be run: {why.strerror}. `make verified` builds {_BUILT.name}.") from None
    answer, _, words = done.stdout.partition("\n")[0].partition(": ")
    match done.returncode, answer:
        case 0, "holds":
            return words
        case 1, "does not hold":
            raise checker.DoesNotHold(words)
        case 2, "is not about these data":
            raise checker.OtherData(words)
        case 3, "is not read":
            raise ValueError(f"{program} does not read it: {words}.")
    raise ValueError(f"{program} gave no answer: it ended with {done.returncode}.")


def _write(path: Path, rows: Rows, signs: Signs) -> None:
    with path.open("wb") as file:
        for start, stop in pieces(rows.n, rows.p):
            file.write(np.ascontiguousarray(rows.take(slice(start, stop)), dtype="<f8").tobytes())
        file.write(signs.astype(np.int8).tobytes())
