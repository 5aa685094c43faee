"""A certificate, parsed once and strictly, into what it claims.

Exactly the fields of its verdict and version, of the right kinds, signs and sizes: whatever else stands there is
refused here, so that whoever checks a claim (`fast.holds`) meets whole numbers and fractions only.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from rosenblatt.verdicts.checker import DIGITS_A_WEIGHT, LONGEST_NUMBER, MOST_DECIMALS, Refused
from rosenblatt.verdicts.decimals import Powers
from rosenblatt.verdicts.fates import FIELDS, Fate, Fates

__all__ = ["Claim", "Interval", "Parser", "read_common"]

_MARGINS = {"margin", "street"}
_FORMATS = {"rosenblatt-certificate/1": {"margin"}, "rosenblatt-certificate/2": {*_MARGINS, "coefficients"}}
_COMMON: dict[str, type] = {
    "format": str,
    "verdict": str,
    "n": int,
    "p": int,
    "fit_intercept": bool,
    "layout": str,
    "data_sha256": str,
    "classes": list,
    "features": list,
    "table": dict,
}
_WHOLE = re.compile(r"-?0x[0-9a-fA-F]+")
_ROW = re.compile(r"0|[1-9][0-9]{0,17}")


@dataclass(frozen=True)
class Interval:
    """lower ≤ margin ≤ upper: `w` proves the lower end, `mixture` the upper one. `street`: ‖w‖ without the bias."""

    name: str
    w: list[int]
    lower: Fraction
    upper: Fraction
    mixture: dict[int, int]

    @property
    def street(self) -> bool:
        """Whether it is the street, not the theorem's margin."""
        return self.name == "street"

    @property
    def length_sq(self) -> int:
        """‖w‖²."""
        return sum(v * v for v in (self.w[:-1] if self.street else self.w))


@dataclass(frozen=True)
class Claim:
    """What a certificate states; nothing of it is true before it is checked on data."""

    kind: str
    n: int
    p: int
    bias: bool
    layout: str
    digest: str
    w: list[int] | None = None  # complete, quasi
    mixture: dict[int, int] = field(default_factory=dict)  # quasi, overlap
    base: int | None = None
    null: list[list[int]] = field(default_factory=list)
    intervals: list[Interval] = field(default_factory=list)  # complete
    decimals: Powers | None = None  # each column's power of ten, or its floats
    fates: Fates | None = None  # what becomes of each coefficient

    @property
    def d(self) -> int:
        """Weights, the bias included."""
        return self.p + self.bias

    @classmethod
    def of(cls, content: Any) -> "Claim":
        """The claim of a certificate's JSON object. Raises `checker.Refused`."""
        read_common(content)
        common = (content[name] for name in ("verdict", "n", "p", "fit_intercept", "layout", "data_sha256"))
        return Parser(content, content["p"] + content["fit_intercept"]).proof(cls(*common))


def read_common(content: Any) -> None:
    """The fields that every certificate has are of the right kinds. Raises `checker.Refused`."""
    if not isinstance(content, dict):
        raise Refused("it is not a JSON object")
    for name, kind in _COMMON.items():
        if type(content.get(name)) is not kind:
            raise Refused(f"its {name} is missing or of the wrong kind")
    if content["format"] not in _FORMATS:
        raise Refused("it has an unknown format")
    if content["layout"] not in ("dense", "csr"):
        raise Refused("it has an unknown layout")
    if content["n"] < 1 or content["p"] < 0:
        raise Refused("it is about no rows")


class Parser:
    """Reads the fields of a certificate's proof: d weights, and rows that are called by their numbers."""

    def __init__(self, content: dict[str, Any], d: int) -> None:
        self.content = content
        self.n, self.d = content["n"], d
        self._longest = max(LONGEST_NUMBER, DIGITS_A_WEIGHT * d)

    def row(self, name: Any) -> int | None:
        """The number of the row of that name; None where there is no such row."""
        return int(name) if isinstance(name, str) and _ROW.fullmatch(name) and int(name) < self.n else None

    def listed(self, row: Any) -> int | None:
        """The same of a row in a list, where it is a number."""
        return row if type(row) is int and 0 <= row < self.n else None

    def decimals(self) -> Powers | None:
        """The columns' powers of ten, some of them more than 0; None where all columns are floats."""
        if "decimals" not in self.content:
            return None
        powers = _list(self.content["decimals"], self.content["p"])
        known = all(k is None or (type(k) is int and 0 <= k <= MOST_DECIMALS) for k in powers)
        if not known or len(powers) < self.content["p"] or not any(powers):
            raise Refused("its decimals are not one power of ten a column")
        return tuple(powers)

    def proof(self, bare: Claim) -> Claim:
        """The claim with the fields of its verdict, no others."""
        bare = replace(bare, decimals=self.decimals())
        optional = _FORMATS[self.content["format"]]
        if bare.kind == "complete":
            self.only({"w"}, optional if bare.bias else optional - {"street"})
            w = self.vector(self.content["w"])
            intervals = [self._interval(name, w) for name in ("margin", "street") if name in self.content]
            return Claim(**vars(bare) | {"w": w, "intervals": intervals, "fates": self.fates()})
        if bare.kind not in ("quasi", "overlap"):
            raise Refused("it has an unknown verdict")
        spanned = "base" if "base" in self.content else "null"
        self.only({"lambda", spanned} | ({"w"} if bare.kind == "quasi" else set()), optional - _MARGINS)
        found: dict[str, Any] = {"mixture": self.mixture(self.content["lambda"]), "fates": self.fates()}
        if bare.kind == "quasi":
            found["w"] = self.vector(self.content["w"])
        if spanned == "base":
            found["base"] = self.whole(self.content["base"])
        else:
            found["null"] = self.vectors(self.content["null"])
        return Claim(**vars(bare) | found)

    def only(self, needed: set[str], optional: Collection[str] = ()) -> None:
        """Refuse a certificate that lacks a field, or has one that its verdict does not."""
        there = set(self.content) - set(_COMMON) - ({"decimals"} if self.content["format"].endswith("2") else set())
        if needed - there:
            raise Refused(f"its {min(needed - there)} is missing or of the wrong kind")
        if there - needed - set(optional):
            raise Refused("its fields are not those of its verdict and version")

    def vector(self, value: Any) -> list[int]:
        """d whole numbers, not all zero."""
        numbers = [self.whole(v) for v in _list(value, self.d)]
        if len(numbers) != self.d or not any(numbers):
            raise Refused("a vector has the wrong length or is zero")
        return numbers

    def vectors(self, value: Any) -> list[list[int]]:
        """Up to d of those."""
        return [self.vector(v) for v in _list(value, self.d)]

    def fates(self) -> Fates | None:
        """What it says of the coefficients, where it does."""
        if "coefficients" not in self.content:
            return None
        entry, quasi = self.content["coefficients"], self.content["verdict"] == "quasi"
        if not isinstance(entry, dict) or set(entry) != {"rows", "null", "each"} | ({"open"} if quasi else set()):
            raise Refused("its coefficients do not have the fields of such")
        rows = [i for i in map(self.listed, _list(entry["rows"], self.d)) if i is not None]
        if len(set(rows)) < len(entry["rows"]):
            raise Refused("coefficients name a row that is not there, or one twice")
        null, each = self.vectors(entry["null"]), [self._fate(one) for one in _list(entry["each"], self.d)]
        if len(rows) + len(null) != self.d or len(each) != self.d:
            raise Refused("coefficients are missing, or rows and null are not as many as weights")
        return Fates(rows, null, each, self.vectors(entry["open"]) if quasi else None)

    def _fate(self, entry: Any) -> Fate:
        kind = entry.get("kind") if isinstance(entry, dict) else None
        if not isinstance(kind, str) or kind not in FIELDS or set(entry) != {"kind", *FIELDS[kind]}:
            raise Refused("a coefficient does not have the fields of its kind")
        if kind == "undetermined":
            return Fate(kind, separating=self.vector(entry["separating"]))
        if not FIELDS[kind]:
            return Fate(kind)
        found = Fate(kind, self.mixture(entry["strict"]), self.whole(entry["scale"]))
        if not found.strict or min(found.scale, *found.strict.values()) <= 0:
            raise Refused("a combination of strict rows is empty or not positive")
        return found

    def mixture(self, entries: Any) -> dict[int, int]:
        """λ's entries, all on rows that are there."""
        if not isinstance(entries, dict) or len(entries) > self.n:
            raise Refused("lambda is missing or too long")
        rows = [self.row(i) for i in entries]
        if None in rows:
            raise Refused("lambda names a row that is not there")
        return {i: self.whole(m) for i, m in zip(rows, entries.values(), strict=True) if i is not None}

    def _interval(self, name: str, w: list[int]) -> Interval:
        entry = self.content[name]
        fields = {"lower", "upper", "lambda"} | ({"w"} if name == "street" else set())
        if not isinstance(entry, dict) or set(entry) != fields:
            raise Refused(f"its {name} does not have the fields of one")
        found = Interval(
            name,
            self.vector(entry["w"]) if name == "street" else w,
            self._ratio(entry["lower"]),
            self._ratio(entry["upper"]),
            self.mixture(entry["lambda"]),
        )
        if found.lower > found.upper or not found.length_sq:
            raise Refused(f"its {name} is no interval, or its w has no direction")
        if not found.mixture or min(found.mixture.values()) <= 0:
            raise Refused("lambda is empty or not positive")
        return found

    def whole(self, text: Any) -> int:
        """A whole number in hexadecimal, of no more digits than a proof can need."""
        if not isinstance(text, str) or not _WHOLE.fullmatch(text):
            raise Refused("a number is not written in hexadecimal")
        if len(text) > self._longest:
            raise Refused(f"a number has {len(text)} digits: no proof with {self.d} weights needs so many")
        return int(text, 16)

    def _ratio(self, text: Any) -> Fraction:
        """p/q in hexadecimal, p ≥ 0 and q > 0."""
        parts = [self.whole(part) for part in text.split("/", 2)] if isinstance(text, str) else []
        if len(parts) != 2 or parts[0] < 0 or parts[1] <= 0:
            raise Refused("an end of the margin is not a fraction")
        return Fraction(*parts)


def _list(value: Any, longest: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > longest:
        raise Refused("a list is missing or too long")
    return value
