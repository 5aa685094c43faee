"""What is known of a question, and its words: a `Verdict`; with a `Model`, where another likelihood was asked about."""

import decimal
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from math import ceil, floor, log10
from typing import Literal, NamedTuple

import numpy as np

from rosenblatt.arrays import Integers, Places
from rosenblatt.models import Hyperplane
from rosenblatt.regressions import ModelRows, Regression
from rosenblatt.verdicts.certificates import Certificate
from rosenblatt.verdicts.fates import Because, Coefficient, FinitePart, coefficients_in_words
from rosenblatt.verdicts.search import Compared, Difference, Nearly, Proof
from rosenblatt.verdicts.words import ColumnReading, Worth, certified_readings, readings_in_words, with_warning

__all__ = ["Model", "Street", "Verdict", "as_hyperplane", "hyperplane_of"]

_READABLE = 10**15  # bounds from here on are shown as powers of ten
_WIDEST_NAME = 40  # letters up to which names of facts make a column
_MARGINS = {
    "street": ("street", "half its width; the widest there is, in input space"),
    "margin": ("theorem's margin", "the largest there is, bias included"),
}

_SENTENCES = {
    "complete": "Completely separable: a hyperplane has every example strictly on its side.",
    "quasi": "Quasi-separable: a hyperplane has no example on the wrong side, but {plane} of {n} rows lie on it.",
    "overlap": "Overlapping: no hyperplane separates the classes, not even touching.",
    "unknown": "Not decided: {reason}.",
}
_NONE = "There is no maximum-likelihood estimate: "
_EXISTS = "The maximum-likelihood estimate exists: no row can be predicted with certainty."
_SILENT = "Nothing is identified: no comparison of these rows depends on a coefficient, so the likelihood is constant."
_LAST = "; drop them and the others have a finite estimate."


@dataclass(frozen=True)
class Model:
    """The model of a verdict, and which of its comparisons are decided with certainty."""

    regression: Regression
    weights: tuple[str, ...]  # names, in the order of the certificate's w
    comparisons: int  # how many there are
    pairs: Integers  # the strict comparisons (row, class), where a row has several
    against: tuple[str, ...] = ()  # names of what a row is compared with; empty where that is another row
    notes: tuple[str, ...] = ()  # what else a reader should know
    silent: bool = False  # whether the likelihood is constant: the data say nothing about any coefficient
    rows: ModelRows | None = field(default=None, repr=False, compare=False)  # z
    plane: Places = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False, compare=False)  # z·w = 0

    @property
    def name(self) -> str:
        """The name of the regression."""
        return self.regression.name

    @property
    def compared(self) -> str:
        """What a row is compared with ("class"), where it has several comparisons."""
        return self.regression.words.compared

    @cached_property
    def collinear(self) -> list[dict[str, int]]:
        """Relations Σ factor·column = 0 between the columns, by their weights' names, on the rows of the plane.

        They hold once the separated rows are dropped. They are exact, and computed when they are first read.
        """
        from rosenblatt.verdicts.existence.proving import relations

        return [] if self.rows is None else relations(self.rows, self.plane)

    def sentence(self, kind: str, strict: int, n: int) -> str:
        """The answer in one sentence; `strict` of n rows are separated."""
        if kind == "overlap":
            return _SILENT if self.silent else _EXISTS
        if self.compared:
            every = "every" if kind == "complete" else f"{len(self.pairs):,} of {self.comparisons:,}"
            are = "comparison (row, {0}) is" if kind == "complete" else "comparisons (row, {0}) are"
            return f"{_NONE}{every} {are.format(self.compared)} decided with certainty."
        if kind == "complete":
            return _NONE + self.regression.words.every
        return f"{_NONE}{strict:,} of {n:,} rows {self.regression.words.certain}{_LAST}"


class Street(NamedTuple):
    """The widest street between two classes: `lower` ≤ half its width ≤ `upper`, both proved, and its middle."""

    lower: float
    upper: float
    hyperplane: Hyperplane


@dataclass(frozen=True)
class Verdict:
    """Whether a hyperplane tells two classes apart; `kind` is "complete", "quasi", "overlap" or "unknown".

    `hyperplane` is the one that proves complete and quasi, rounded to floats; the certificate has its whole numbers.
    `rows` has three lists of row numbers: "strict" (strictly on their side), "plane" (on the hyperplane) and "witness".
    Rows of the witness have λ > 0 in a mixture that vanishes, Σ λ·y·(x, 1) = 0; `witness` has these λ.

    `margin` and `street` are two numbers. The theorem's margin, max min y·(w·x + b)/‖(w, b)‖, is the one of the mistake
    bound; `hyperplane` has it. The street is what one sees: half the distance of the classes' convex hulls in input
    space, max min y·(w·x + b)/‖w‖, with a hyperplane of its own. Without an intercept they are the same.
    """

    kind: str
    n: int
    seconds: float
    reason: str = ""
    hyperplane: Hyperplane | None = None
    margin: tuple[float, float] | None = None  # the theorem's margin, in an interval that is proved
    street: Street | None = None  # the widest street between two classes
    limits: dict[str, str] = field(default_factory=dict)  # why "margin" or "street" is missing or wide, if it is
    radius: float | None = None  # R = max‖(x, 1)‖
    mistake_bound: int | None = None  # ⌊(R/γ)²⌋, for any perceptron from w = 0 without margin, weights, normalisation
    cover: Worth | None = None  # how likely complete separation of so many rows in so many dimensions is by chance
    coefficients: list[Coefficient] | None = None  # of a logistic regression, if asked for
    because: tuple[Because, ...] = ()  # columns that separate by themselves, most telling first
    rows: dict[str, Places] | None = None
    witness: dict[int, int] | None = None  # whole λ > 0 on few rows; None where floats are the proof, and of complete
    certificate: Certificate | None = None
    numbers: str = "decimal"  # what was asked for: decimals where columns have them, or floats
    readings: tuple[ColumnReading, ...] = ()  # how each column was read
    narrow: bool = False  # whether the street is as narrow as the rounding of its numbers
    model: Model | None = None  # of `existence`; None: separability itself
    plane_rows: FinitePart | None = field(default=None, repr=False, compare=False)  # `finite_part` is fitted to these
    compared: Compared | None = field(default=None, repr=False, compare=False)  # `difference` and `nearly`

    def __post_init__(self) -> None:
        if not self.readings and self.certificate is not None:
            object.__setattr__(self, "readings", certified_readings(self.certificate.head))

    @cached_property
    def finite_part(self) -> Hyperplane | None:
        """The finite part of a logistic regression's estimate: all of it where data overlap; None for complete data.

        It is the maximum-likelihood estimate on the rows of the plane, with their weights: floats, computed when read.
        With a model, `w` has all weights, in the order of `model.weights`; logistic, binomial and Poisson models have a
        finite part, others have none.

        >>> import rosenblatt as rb
        >>> X, y = [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0], [9.0, 0.0]], [0, 1, 0, 1, 1]
        >>> rb.separability(X, y).finite_part.w.round(4)  # the last row can be strict: it says nothing about the slope
        array([ 0.9082, -0.6811])
        """
        return None if self.plane_rows is None else self.plane_rows.estimate()

    @property
    def difference(self) -> Difference | None:
        """What would differ if decimals were read as floats, where that is known; worked out when it is first read."""
        return None if self.compared is None else self.compared.difference

    @property
    def nearly(self) -> Nearly | None:
        """Columns that can be computed from others to 10 digits, though not exactly; worked out when first read."""
        return None if self.compared is None else self.compared.nearly

    @property
    def proof(self) -> Literal["certificate", "floats", ""]:
        """What proves it: a certificate, or floats with every rounding bounded; "" where nothing is decided.

        Of a verdict that is proved in floats `certificate` is written when it is read, and then it is the proof.
        """
        if self.certificate is None:
            return ""
        return "certificate" if self.certificate.is_written else "floats"

    @property
    def proved(self) -> str:
        """The proof in words; "" where nothing is decided."""
        return {"certificate": "proved", "floats": "proved in verified floats", "": ""}[self.proof]

    @property
    def sentence(self) -> str:
        """The answer, in words a person would say."""
        if self.model is not None and self.kind != "unknown":
            return self.model.sentence(self.kind, len(self.rows["strict"]) if self.rows else 0, self.n)
        plane = len(self.rows["plane"]) if self.rows else 0
        return with_warning(_SENTENCES[self.kind].format(plane=plane, n=self.n, reason=self.reason), self.narrow)

    @property
    def pairs(self) -> Places | None:
        """For a model that compares a row with several classes, thresholds or rows: the strict (row, against)."""
        return self.model.pairs if self.model is not None and self.model.compared else None

    @property
    def middle(self) -> Hyperplane | None:
        """The hyperplane to draw: the middle of the widest street if there is one, otherwise that of the proof."""
        return self.hyperplane if self.street is None else self.street.hyperplane

    def facts(self) -> list[tuple[str, str]]:
        """What else is known, each with its name."""
        content = self.certificate.head if self.certificate else {}
        facts = [("because", one) for one in self.reasons_in_words()[:1]] + self.margins_in_words()
        if self.model is None and content.get("classes", [])[:1] == [""] and content["fit_intercept"]:
            facts.append(("one class", "a bias alone separates it, and there is nothing to tell apart"))
        facts += [("note", note) for note in (self.model.notes if self.model else ())]
        if bound := self.bound_in_words:
            facts.append(("perceptron", f"{bound} from w = 0"))
        if self.kind in ("quasi", "overlap") and self.rows and self.model is None:
            shown = ", ".join(map(str, self.rows["witness"][:8])) + (" …" if len(self.rows["witness"]) > 8 else "")
            # without an intercept the rows of one class may cancel by themselves: no point of two hulls need coincide
            mixtures = content.get("fit_intercept", True)
            what = "whose mixtures coincide" if mixtures else "with positive multiples of y·x that add up to zero"
            facts.append(("witness", f"{len(self.rows['witness'])} rows {what}: {shown}"))
        facts += self.coefficients_in_words() + self.remarks_in_words()
        if self.cover is not None:
            facts.append(("what it is worth", self.cover.sentence(self.kind)))
        return facts

    def coefficients_in_words(self, rows: bool = True) -> list[tuple[str, str]]:
        """What becomes of the coefficients, each with its name; many are counted. `rows`: on account of which rows."""
        reason = bool(self.because) and self.because[0].complete
        return coefficients_in_words(self.coefficients or (), reason, rows)

    def remarks_in_words(self, names: Sequence[str] = ()) -> list[tuple[str, str]]:
        """What every reader should know, each with its name: what a limit left open, and how the numbers were read.

        By other names of the columns, if given.
        """
        remarks, content = list[tuple[str, str]](), self.certificate.head if self.certificate else {}
        if self.reason and self.kind != "unknown":
            some = "not all" if self.coefficients else "not"
            remarks.append(("coefficients", f"{some} worked out: {self.reason}"))
        if read := readings_in_words(self.readings, self.numbers, names or None):
            remarks.append(("numbers read", read))
        if self.difference and (names or content):
            remarks.append(("numbers", self.difference.sentence(names or content["features"])))
        if self.nearly is not None:
            remarks.append(("rounding", self.nearly.sentence(names or None)))
        return remarks

    @property
    def bound_in_words(self) -> str:
        """How many corrections a perceptron from w = 0 makes at most; a large number is rounded up. "": not known."""
        if self.mistake_bound is None:
            return ""
        bound = self.mistake_bound
        number = f"{bound:,}" if bound < _READABLE else f"10^{ceil(10 * log10(bound)) / 10:.1f}"
        return f"makes at most {number} correction{'' if bound == 1 else 's'}"

    def reasons_in_words(self, names: Sequence[str] = (), classes: Sequence[str] = ()) -> list[str]:
        """Why the classes are separable, in sentences; by other names of the columns and classes, if given."""
        content = self.certificate.head if self.certificate else {}
        target = content.get("table", {}).get("target") or "y"
        classes = classes or [f"{target} = {one}" for one in content.get("classes", [])]
        return [one.sentence(names or content["features"], classes) for one in self.because]

    def margins_in_words(self) -> list[tuple[str, str]]:
        """The street and the theorem's margin, each with its name, and why it is missing or not narrow."""
        ends = {"street": self.street and self.street[:2], "margin": self.margin}
        return [
            (name, _interval_in_words(ends[key], what, self.limits.get(key, "")))
            for key, (name, what) in _MARGINS.items()
            if ends[key] is not None or key in self.limits
        ]

    def __str__(self) -> str:
        """The answer, whether it is proved, and the facts."""
        lines = [f"{self.sentence}{self.proved and f'  {self.proved}'}", ""]
        facts = self.facts()
        width = min(_WIDEST_NAME, max((len(name) for name, _ in facts), default=0))
        lines += [f"  {name:<{width}}  {text}" for name, text in facts]
        return "\n".join([*lines, f"  {self.seconds:.2f} s"])

    def _repr_html_(self) -> str:
        """The same for a notebook."""
        left = "style='text-align:left'"  # JupyterLab would set sentences flush right, as it does numbers
        cells = ((f"<th scope='row' {left}>{escape(k)}</th>", f"<td {left}>{escape(v)}</td>") for k, v in self.facts())
        rows = "".join(f"<tr>{name}{text}</tr>" for name, text in cells)
        proved = self.proved and f" <em>{self.proved}</em>"
        return f"<p><strong>{escape(self.sentence)}</strong>{proved}</p><table>{rows}</table>"

    def __repr__(self) -> str:
        return f"<Verdict: {self.sentence}>"


def hyperplane_of(proof: Proof, bias: bool) -> Hyperplane | None:
    """The proof's w as floats; the certificate has the whole numbers."""
    return as_hyperplane(proof.w, bias) if proof.w else None


def as_hyperplane(whole: list[int], bias: bool) -> Hyperplane:
    """Whole numbers as floats, scaled so that the largest is one."""
    shift = max(0, max(abs(v).bit_length() for v in whole) - 1000)
    w = np.array([float(v >> shift) for v in whole])
    w = w / np.max(np.abs(w))
    return Hyperplane(w[:-1], w[-1]) if bias else Hyperplane(w)


def _interval_in_words(ends: tuple[float, float] | None, what: str, why: str) -> str:
    """A margin with the digits that are known; the ends of a wide interval are rounded outward."""
    if ends is None:
        return f"not found: {why}"
    lower, upper = ends
    because = f"; no closer, as {why}" if why else ""
    if lower == upper:
        return f"{lower:.6g} ({what})"
    digits = floor(-log10((upper - lower) / upper)) if lower > 0 else 0
    if digits >= 3:
        return f"{lower:.{min(digits, 6)}g} ({what}; known to {digits} digits{because})"
    low = decimal.Context(prec=3, rounding=decimal.ROUND_FLOOR).create_decimal_from_float(lower)
    high = decimal.Context(prec=3, rounding=decimal.ROUND_CEILING).create_decimal_from_float(upper)
    return f"between {low:g} and {high:g} ({what}{because})"
