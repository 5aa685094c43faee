"""What becomes of a logistic regression's coefficients, and one proof for all of them: a certificate's `coefficients`.

With `open` the directions that the plane rows leave open (all of them for complete data, `null` for overlapping ones):

    not identified   some v in null has v_j ≠ 0: v changes no response
    finite           every v in open has v_j = 0: e_j is a combination of plane rows
    +inf / −inf      μ > 0 on strict rows with Σ μ (z·v) = ±scale·v_j for every v in open: ±w_j > 0 for every w that has
                     no row wrong, and every row strictly right that can be
    undetermined     such a w has w_j = 0, and some v in open has v_j ≠ 0: others have w_j > 0, and w_j < 0
    open             nothing is claimed

`rows` are independent and span all rows, those on the plane first; so open and null are all such directions.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from rosenblatt.arrays import Integers
from rosenblatt.context import Unfinished

__all__ = ["FIELDS", "Fate", "Fates"]

FIELDS: dict[str, tuple[str, ...]] = {  # of the certificate's entries, besides the kind
    "not identified": (),
    "finite": (),
    "+inf": ("strict", "scale"),
    "-inf": ("strict", "scale"),
    "undetermined": ("separating",),
    "open": (),
}


@dataclass(frozen=True)
class Fate:
    """What becomes of one coefficient: its kind, and the fields that this kind has."""

    kind: str
    strict: dict[int, int] = field(default_factory=dict)  # ±inf: μ; 0 on its rows, as the scale, where floats prove it
    scale: int = 0
    separating: list[int] = field(default_factory=list)  # undetermined: w with w_j = 0

    def proof(self) -> dict[str, Any]:
        """The fields of its kind, by name."""
        return {name: getattr(self, name) for name in FIELDS[self.kind]}

    def entry(self, called: Callable[[int], str] = str) -> dict[str, Any]:
        """An element of the certificate's `each`, with what rows are called there."""
        written = {
            "strict": {called(i): hex(m) for i, m in sorted(self.strict.items())},
            "scale": hex(self.scale),
            "separating": [hex(v) for v in self.separating],
        }
        return {"kind": self.kind} | {name: written[name] for name in FIELDS[self.kind]}


@dataclass(frozen=True)
class Fates:
    """What becomes of all coefficients, the bias last."""

    rows: list[int]
    null: list[list[int]]
    each: list[Fate]
    open: list[list[int]] | None = None  # quasi
    reason: str = ""  # why some are `open`; "" where none is

    @classmethod
    def of_overlap(cls, d: int, null: list[list[int]]) -> "Fates":
        """Those of d coefficients where rows overlap and respond to everything but sums of `null`."""
        return cls([], null, [Fate("not identified" if any(v[j] for v in null) else "finite") for j in range(d)])

    @property
    def by_floats(self) -> bool:
        """Whether some are proved by floats with every rounding bounded, so that no certificate can be written yet."""
        return any(one.strict and not one.scale for one in self.each)

    @property
    def digits(self) -> int:
        """About how many hexadecimal digits the certificate's field has."""
        vectors = [*self.null, *(self.open or []), *(one.separating for one in self.each)]
        numbers = [v for some in vectors for v in some] + [m for one in self.each for m in one.strict.values()]
        return sum(v.bit_length() for v in numbers) // 4

    def all_settled(self) -> "Fates":
        """The same. Raises `Unfinished` where some are open."""
        if self.reason:
            raise Unfinished(self.reason)
        return self

    def renamed(self, numbers: Integers | None) -> "Fates":
        """The same with row i called numbers[i]; None: rows keep their numbers."""
        if numbers is None:
            return self
        each = [replace(one, strict={int(numbers[i]): m for i, m in one.strict.items()}) for one in self.each]
        return replace(self, rows=[int(numbers[i]) for i in self.rows], each=each)

    def entry(self, called: Callable[[int], str] | None = None) -> dict[str, Any]:
        """The certificate's field; rows are numbers, or what a model's certificate has `called` them."""
        said: dict[str, Any] = {"rows": [called(i) for i in self.rows] if called else self.rows}
        for name, vectors in (("open", self.open), ("null", self.null)):
            if vectors is not None:
                said[name] = [[hex(v) for v in one] for one in vectors]
        return said | {"each": [one.entry(called or str) for one in self.each]}
