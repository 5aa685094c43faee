"""A certificate, parsed once and strictly, into what it claims.

A certificate must have exactly the fields of its verdict and version, of the right kinds, signs and sizes. Anything
else is refused here, so that the check of a claim (`holding.holds`) meets whole numbers and fractions only.
"""

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rosenblatt.data.numbers import BINARY, Reading
from rosenblatt.verdicts.checker import (
    COMMON,
    MOST_DECIMALS,
    DoesNotHold,
    OtherData,
    is_reading,
    number,
    numbers_of_model,
    short_list,
    vector,
)
from rosenblatt.verdicts.fates import FIELDS, Fate, Fates

if TYPE_CHECKING:
    from rosenblatt.regressions import ModelRows

__all__ = ["Claim", "Interval", "Parser"]

_MARGINS = {"margin", "street"}
# the fields that a certificate of each version may have, besides those that it must have
_FORMATS = {"rosenblatt-certificate/1": {"margin"}, "rosenblatt-certificate/2": {*_MARGINS, "coefficients"}}
_FORMATS["rosenblatt-certificate/3"] = {*_MARGINS, "coefficients", "because"}
_ABOUT = ("kind", "n", "p", "bias", "layout", "digest")  # what a claim calls the first of these fields
_ROW = re.compile(r"0|[1-9][0-9]{0,17}")


@dataclass(frozen=True)
class Interval:
    """lower ≤ margin ≤ upper: `w` proves the lower end, `mixture` the upper one.

    `street`: the bias does not count in ‖w‖, and the mixture's sum is the same over both classes.
    """

    lower: Fraction
    upper: Fraction
    w: list[int]
    mixture: dict[int, int]
    street: bool

    @property
    def name(self) -> str:
        """The certificate's field."""
        return "street" if self.street else "margin"

    @property
    def length_sq(self) -> int:
        """‖w‖², with or without the bias."""
        return sum(v * v for v in (self.w[:-1] if self.street else self.w))


@dataclass(frozen=True)
class Claim:
    """What a certificate states. Whether that is true, a check on the data shows.

    The first fields say which data it is about. With a model, row numbers are those of the model's rows, and w is in
    the user's units.
    """

    kind: str
    n: int = 0
    p: int = 0
    bias: bool = False
    layout: str = ""
    digest: str = ""
    w: list[int] | None = None  # complete, quasi
    mixture: dict[int, int] = field(default_factory=dict)  # quasi, overlap
    base: int | None = None  # λ is base plus its entry on every row of the plane; None: λ's rows span the plane
    null: list[list[int]] = field(default_factory=list)  # without base: directions to which plane rows do not respond
    free: dict[int, int] = field(default_factory=dict)  # with a model: factors of equalities
    intervals: list[Interval] = field(default_factory=list)  # complete
    readings: tuple[Reading, ...] = ()  # of each column of X, then of each of a model's columns that are numbers
    fates: Fates | None = None  # what becomes of each coefficient
    because: list[list[int]] = field(default_factory=list)  # weights on few columns that do what w does
    version: int = 3

    @property
    def d(self) -> int:
        """Weights, the bias included."""
        return self.p + self.bias

    @classmethod
    def of(cls, content: object, made: "ModelRows | None" = None) -> "Claim":
        """The claim of a certificate's JSON object; with a model, about its rows z. Raises `checker.DoesNotHold`."""
        bare = cls.begun(content)
        assert isinstance(content, dict)  # `begun` has refused anything else
        return Parser(content, made).proof(bare)

    @classmethod
    def begun(cls, content: object) -> "Claim":
        """The claim with only those fields that every certificate has. Raises `checker.DoesNotHold`."""
        if not isinstance(content, dict):
            raise DoesNotHold("it is not a JSON object")
        for name, kind in COMMON.items():
            if type(content.get(name)) is not kind:
                raise DoesNotHold(f"its {name} is missing or of the wrong kind")
        if content["format"] not in _FORMATS:
            raise DoesNotHold("it has an unknown format")
        if content["layout"] not in ("dense", "csr"):
            raise DoesNotHold("it has an unknown layout")
        if content["n"] < 1 or content["p"] < 0:
            raise DoesNotHold("it is about no rows")
        common = ("verdict", "n", "p", "fit_intercept", "layout", "data_sha256")
        values: dict[str, Any] = dict(zip(_ABOUT, (content[name] for name in common), strict=True))
        return cls(**values, version=int(content["format"][-1]))

    def refuse_other_shape(self, n: int, p: int) -> None:
        """Raise `checker.OtherData` unless n and p are those of the claim."""
        if (self.n, self.p) != (n, p):
            raise OtherData(f"it is about {self.n} rows and {self.p} columns")

    def refuse_other_data(self, digest: str) -> None:
        """Raise `checker.OtherData` unless this hash of the data is that of the claim."""
        if self.digest != digest:
            raise OtherData("the data have another hash")


class Parser:
    """Reads the fields of a certificate's proof. With a model, it is about the rows z that were `made`.

    Two classes call rows by their numbers, and a model by the keys "i" and "i:k".
    """

    def __init__(self, content: dict[str, Any], made: "ModelRows | None" = None, model: bool = False) -> None:
        self.content, self.made, self.model = content, made, model or made is not None
        self.n, self.d = content["n"], content["p"] + content["fit_intercept"]
        if made is not None:  # a mixture has at most one entry for each row z
            self.n, self.d = len(made.row), len(made.names)

    def row(self, name: object) -> int | None:
        """The number of the row with this name; None where there is no such row."""
        if not isinstance(name, str):
            return None
        if self.made is not None:
            return self.made.place_of(name)
        return int(name) if _ROW.fullmatch(name) and int(name) < self.n else None

    def listed(self, name: object) -> int | None:
        """The same for a row in a list, where the names of two classes' rows are numbers instead of text."""
        if self.model:
            return self.row(name)
        return name if type(name) is int and 0 <= name < self.n else None

    def readings(self) -> tuple[Reading, ...]:
        """How each column is read; version 2 has the powers of ten of decimals, version 1 only floats."""
        p, numbers = int(self.content["p"]), len(numbers_of_model(self.content["model"])) if self.model else 0
        if self.content["format"].endswith("3"):
            entries = short_list(self.content.get("readings"), p + numbers)
            if len(entries) < p + numbers or not all(map(is_reading, entries)):
                raise DoesNotHold("its readings are not one for each column")
            return tuple(map(Reading.of, entries))
        if "decimals" not in self.content:
            return (BINARY,) * (p + numbers)
        powers = short_list(self.content["decimals"], p)
        known = all(k is None or (type(k) is int and 0 <= k <= MOST_DECIMALS) for k in powers)
        if not known or len(powers) < p or not any(powers):
            raise DoesNotHold("its decimals are not one power of ten a column")
        return (*(BINARY if k is None else Reading(-k) for k in powers), *(BINARY,) * numbers)

    def proof(self, bare: Claim) -> Claim:
        """The claim with the fields of its proof; refuses fields that its verdict does not have."""
        kind, content = bare.kind, self.content
        readings, optional = self.readings(), self.optional(bare)
        if kind == "complete":
            self._only({"w"}, optional)
            w = self.vector(content["w"])
            intervals = [self._interval(name, w) for name in ("margin", "street") if name in content]
            because = self._because(bare)
            return replace(bare, readings=readings, w=w, intervals=intervals, fates=self.fates(), because=because)
        if kind not in ("quasi", "overlap"):
            raise DoesNotHold("it has an unknown verdict")
        spanned = "base" if "base" in content else "null"
        optional = optional - _MARGINS - (set() if kind == "quasi" else {"because"})
        self._only({"lambda", spanned, *["free"] * self.model} | ({"w"} if kind == "quasi" else set()), optional)
        return replace(
            bare,
            readings=readings,
            because=self._because(bare) if kind == "quasi" else [],
            w=self.vector(content["w"]) if kind == "quasi" else None,
            mixture=self.mixture(content["lambda"]),
            free=self.mixture(content["free"]) if "free" in content else {},
            base=self.whole(content["base"]) if spanned == "base" else None,
            null=self.vectors(content["null"]) if spanned == "null" else [],
            fates=self.fates(),
        )

    def optional(self, bare: Claim) -> set[str]:
        """The fields that a certificate of this version may have; a model has no margin, and version 1 no model."""
        found = _FORMATS[self.content["format"]] - (_MARGINS if self.model else set())
        if self.model and not found:
            raise DoesNotHold("its fields are not those of its verdict and version")
        return found if bare.bias else found - {"street"}

    def _only(self, needed: set[str], optional: set[str]) -> None:
        """Refuse a certificate that lacks a field, or has one that its verdict does not."""
        needed = needed | {"model"} if self.model else needed
        read_by = {"2": {"decimals"}, "3": {"readings"}}.get(self.content["format"][-1], set())
        there = set(self.content) - set(COMMON) - read_by
        if needed - there:
            raise DoesNotHold(f"its {min(needed - there)} is missing or of the wrong kind")
        if there - needed - optional:
            raise DoesNotHold("its fields are not those of its verdict and version")

    def whole(self, text: object) -> int:
        """A whole number in hexadecimal, of no more digits than a proof can need."""
        return int(number(text, self.d))

    def vector(self, value: object) -> list[int]:
        """d whole numbers, not all zero."""
        return list(vector(value, self.d))

    def vectors(self, value: object) -> list[list[int]]:
        """Up to d vectors of d whole numbers."""
        return [self.vector(v) for v in short_list(value, self.d)]

    def fates(self) -> Fates | None:
        """What the certificate says about coefficients; None where it says nothing about them."""
        if "coefficients" not in self.content:
            return None
        entry, quasi = self.content["coefficients"], self.content["verdict"] == "quasi"
        if not isinstance(entry, dict) or set(entry) != {"rows", "null", "each"} | ({"open"} if quasi else set()):
            raise DoesNotHold("its coefficients do not have the fields of such")
        rows = [i for i in map(self.listed, short_list(entry["rows"], self.d)) if i is not None]
        if len(set(rows)) < len(entry["rows"]):
            raise DoesNotHold("coefficients name a row that is not there, or one twice")
        null, each = self.vectors(entry["null"]), [self._fate(one) for one in short_list(entry["each"], self.d)]
        if len(rows) + len(null) != self.d or len(each) != self.d:
            raise DoesNotHold("coefficients are missing, or rows and null are not as many as weights")
        return Fates(rows, null, each, self.vectors(entry["open"]) if quasi else None)

    def _because(self, bare: Claim) -> list[list[int]]:
        """Weights that are 0 but in the columns they name, and in the bias."""
        found = []
        for entry in short_list(self.content.get("because", []), self.d):
            if not isinstance(entry, dict) or set(entry) != {"columns", "w"}:
                raise DoesNotHold("its because does not have the fields of such")
            columns, w = short_list(entry["columns"], self.d), self.vector(entry["w"])
            last = self.d - bare.bias
            if not columns or columns != sorted({j for j in columns if type(j) is int and 0 <= j < last}):
                raise DoesNotHold("its because names columns that are not there, or not in their order")
            if any(v and j < last and j not in columns for j, v in enumerate(w)):
                raise DoesNotHold("weights of its because are not 0 elsewhere")
            found.append(w)
        return found

    def _fate(self, entry: object) -> Fate:
        if not isinstance(entry, dict):
            raise DoesNotHold("a coefficient does not have the fields of its kind")
        kind = entry.get("kind")
        known = kind != "open" or self.content["format"].endswith("3")
        if not isinstance(kind, str) or kind not in FIELDS or set(entry) != {"kind", *FIELDS[kind]} or not known:
            raise DoesNotHold("a coefficient does not have the fields of its kind")
        if kind == "undetermined":
            return Fate(kind, separating=self.vector(entry["separating"]))
        if not FIELDS[kind]:
            return Fate(kind)
        found = Fate(kind, self.mixture(entry["strict"]), self.whole(entry["scale"]))
        if not found.strict or min(found.scale, *found.strict.values()) <= 0:
            raise DoesNotHold("a combination of strict rows is empty or not positive")
        return found

    def mixture(self, entries: object) -> dict[int, int]:
        """λ's entries, all on rows that are there."""
        if not isinstance(entries, dict) or len(entries) > self.n:
            raise DoesNotHold("lambda is missing or too long")
        rows = [self.row(i) for i in entries]
        if None in rows:
            raise DoesNotHold("lambda names a row that is not there")
        return {i: self.whole(m) for i, m in zip(rows, entries.values(), strict=True) if i is not None}

    def _interval(self, name: str, w: list[int]) -> Interval:
        entry = self.content[name]
        fields = {"lower", "upper", "lambda"} | ({"w"} if name == "street" else set())
        if not isinstance(entry, dict) or set(entry) != fields:
            raise DoesNotHold(f"its {name} does not have the fields of one")
        ends = (self._ratio(entry["lower"]), self._ratio(entry["upper"]))
        w = self.vector(entry["w"]) if name == "street" else w
        found = Interval(*ends, w, self.mixture(entry["lambda"]), name == "street")
        if found.lower > found.upper or not found.length_sq:
            raise DoesNotHold(f"its {name} is no interval, or its w has no direction")
        if not found.mixture or min(found.mixture.values()) <= 0:
            raise DoesNotHold("lambda is empty or not positive")
        return found

    def _ratio(self, text: object) -> Fraction:
        """p/q in hexadecimal, p ≥ 0 and q > 0."""
        parts = [self.whole(part) for part in text.split("/", 2)] if isinstance(text, str) else []
        if len(parts) != 2 or parts[0] < 0 or parts[1] <= 0:
            raise DoesNotHold("an end of the margin is not a fraction")
        return Fraction(*parts)
