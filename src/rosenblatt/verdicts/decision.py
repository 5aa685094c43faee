"""`separability`: decides, proves, and says what is known in a `Verdict`."""

import decimal
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from html import escape
from math import ceil, floor, log10
from typing import Any, NamedTuple, Protocol

import numpy as np

from rosenblatt.arrays import Flags, Integers, Places, Signs
from rosenblatt.context import Context, Progress, Unfinished
from rosenblatt.data.numbers import Reading, Rows, exact_rows, label_values, signs_of, single_columns
from rosenblatt.data.tables import Table
from rosenblatt.models import Hyperplane
from rosenblatt.regressions.machinery.given import present_rows
from rosenblatt.theory import sqrt_above
from rosenblatt.threads import one_thread
from rosenblatt.verdicts.certificates import Certificate, digest, labelled
from rosenblatt.verdicts.existence import Model
from rosenblatt.verdicts.fates import (
    Because,
    Coefficient,
    Fates,
    FinitePart,
    Levels,
    PlaneRows,
    coefficients_of,
    reasons,
    settle,
)
from rosenblatt.verdicts.margins import Margin, Margins, both_margins, widest_margin
from rosenblatt.verdicts.points import Points, distinct_rows
from rosenblatt.verdicts.search import Difference, Nearly, Proof, difference, nearly_computable, prove_on_clear_columns
from rosenblatt.verdicts.words import (
    ColumnReading,
    Worth,
    certified_readings,
    is_narrow,
    readings_in_words,
    readings_of,
    with_warning,
)

__all__ = ["Street", "Verdict", "separability"]

_LARGEST_COUNT = 1 << 22  # values up to which different rows are counted

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
    witness: dict[int, int] | None = None  # quasi, overlap, sometimes unknown: whole λ > 0 on few rows
    certificate: Certificate | None = None
    numbers: str = "decimal"  # what was asked for: decimals where columns have them, or floats
    readings: tuple[ColumnReading, ...] = ()  # how each column was read
    narrow: bool = False  # whether the street is as narrow as the rounding of its numbers
    model: Model | None = None  # of `existence`; None: separability itself
    difference: Difference | None = None  # what would differ if decimals were read as floats, where that is known
    nearly: Nearly | None = None  # columns that can be computed from others to 10 digits, though not exactly
    plane_rows: FinitePart | None = field(default=None, repr=False, compare=False)  # `finite_part` is fitted to these

    def __post_init__(self) -> None:
        if not self.readings and self.certificate is not None:
            object.__setattr__(self, "readings", certified_readings(self.certificate.content))

    @cached_property
    def finite_part(self) -> Hyperplane | None:
        """The finite part of a logistic regression's estimate: all of it where data overlap; None for complete data.

        It is the maximum-likelihood estimate on the rows of the plane, with their weights: floats, computed when read.
        With a model, `w` has all weights, in the order of `model.weights`; logistic, binomial and Poisson models have a
        finite part, others have none.

        >>> X, y = [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0], [9.0, 0.0]], [0, 1, 0, 1, 1]
        >>> separability(X, y).finite_part.w.round(4)  # the last row can be strict: it says nothing about the slope
        array([ 0.9082, -0.6811])
        """
        return None if self.plane_rows is None else self.plane_rows.estimate()

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
        content = self.certificate.content if self.certificate else {}
        facts = [("because", one) for one in self.reasons_in_words()[:1]] + self.margins_in_words()
        if self.model is None and content.get("classes", [])[:1] == [""] and content["fit_intercept"]:
            facts.append(("one class", "a bias alone separates it, and there is nothing to tell apart"))
        facts += [("note", note) for note in (self.model.notes if self.model else ())]
        if self.mistake_bound is not None:
            corrections = f"{_grouped(self.mistake_bound)} correction{'' if self.mistake_bound == 1 else 's'}"
            facts.append(("perceptron", f"makes at most {corrections} from w = 0"))
        if self.kind in ("quasi", "overlap") and self.rows and self.model is None:
            shown = ", ".join(map(str, self.rows["witness"][:8])) + (" …" if len(self.rows["witness"]) > 8 else "")
            # without an intercept the rows of one class may cancel by themselves: no point of two hulls need coincide
            mixtures = content.get("fit_intercept", True)
            what = "whose mixtures coincide" if mixtures else "with positive multiples of y·x that add up to zero"
            facts.append(("witness", f"{len(self.rows['witness'])} rows {what}: {shown}"))
        for one in self.coefficients or []:
            shown = ", ".join(map(str, one.rows[:5])) + (" …" if len(one.rows) > 5 else "")
            because = f" (row{'s' if len(one.rows) > 1 else ''} {shown})" if one.rows else ""
            against = f" (against {one.reference})" if one.reference else ""
            pure = f"{one.because}; " if one.because else ""
            facts.append((f"{one.name}{against}", f"{pure}{one.advice}{because}"))
        if self.reason and self.kind != "unknown":
            some = "not all" if self.coefficients else "not"
            facts.append(("coefficients", f"{some} worked out: {self.reason}"))
        if read := readings_in_words(self.readings, self.numbers):
            facts.append(("numbers read", read))
        if self.difference and content:
            facts.append(("numbers", self.difference.sentence(content["features"])))
        if self.nearly is not None:
            facts.append(("rounding", self.nearly.sentence()))
        if self.cover is not None:
            facts.append(("what it is worth", self.cover.sentence(self.kind)))
        return facts

    def reasons_in_words(self, names: Sequence[str] = (), classes: Sequence[str] = ()) -> list[str]:
        """Why the classes are separable, in sentences; by other names of the columns and classes, if given."""
        content = self.certificate.content if self.certificate else {}
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
        lines = [f"{self.sentence}{'' if self.certificate is None else '  proved'}", ""]
        facts = self.facts()
        width = min(_WIDEST_NAME, max((len(name) for name, _ in facts), default=0))
        lines += [f"  {name:<{width}}  {text}" for name, text in facts]
        return "\n".join([*lines, f"  {self.seconds:.2f} s"])

    def _repr_html_(self) -> str:
        """The same for a notebook."""
        left = "style='text-align:left'"  # JupyterLab would set sentences flush right, as it does numbers
        cells = ((f"<th scope='row' {left}>{escape(k)}</th>", f"<td {left}>{escape(v)}</td>") for k, v in self.facts())
        rows = "".join(f"<tr>{name}{text}</tr>" for name, text in cells)
        proved = "" if self.certificate is None else " <em>proved</em>"
        return f"<p><strong>{escape(self.sentence)}</strong>{proved}</p><table>{rows}</table>"

    def __repr__(self) -> str:
        return f"<Verdict: {self.sentence}>"


def separability(
    X: Any,
    y: Any = None,
    fit_intercept: bool = True,
    margin: bool = True,
    coefficients: bool = False,
    time_limit: float | None = None,
    sample_weight: Any = None,
    numbers: str = "decimal",
    progress: Progress | None = None,
    groups: Any = None,
    positive: Any = None,
) -> Verdict:
    """Decide linear separability of two classes and prove it in exact arithmetic.

    Every value is taken as the fraction it is, so the verdict depends neither on a tolerance nor on units: 0.1 is one
    tenth in a column of decimals (see `numbers`). Where an exact solution would be too large, or `time_limit` seconds
    are over, the verdict is "unknown" and says so.

    Parameters
    ----------
    X, y : rows of numbers and their labels
        Two classes; one class alone is decided like any other data. X may also be a table of `rb.data.open_table`,
        without y: it has its own labels and names, and the certificate then says how to rebuild X from the file.
    fit_intercept : bool
        Whether hyperplanes may miss the origin.
    margin : bool
        Of separable data, also find the theorem's margin and the widest street, each in a proved interval.
    coefficients : bool
        Also say of each coefficient of a logistic regression whether its estimate exists, and prove that.
    time_limit : float, optional
        Seconds.
    sample_weight : array, optional
        Rows of weight zero are absent (row numbers stay the caller's); other weights make no difference to a verdict.
    numbers : "decimal" or "binary"
        What a float is. "decimal": where every value of a column is the float nearest to a decimal of at most 15
        digits, a value is that decimal, as a file has it; in other columns it is the float. "binary": always the float.
    progress : callable, optional
        Called with what is being done, how many rows this pass over them has seen, and how many there are.
    groups : one name a row, optional
        Rows of one group (a patient, a document) are related. The verdict stays; what it is worth (`cover`) counts one
        row of each group, because labels at random would have been exchanged between whole groups.
    positive : label, optional
        The class on the positive side of hyperplanes; otherwise the second in order, or ⊕ of ⊕ and ⊖, C1 of C1 and C2.

    Examples
    --------
    >>> separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    <Verdict: Overlapping: no hyperplane separates the classes, not even touching.>
    >>> verdict = separability([[1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> verdict.kind, verdict.rows["plane"]
    ('quasi', array([1, 2]))
    >>> verdict.certificate.verify([[1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1])
    'quasi: no row is on the wrong side, 2 of 4 rows lie on every such hyperplane'
    """
    began = time.monotonic()
    refuse_numbers(numbers)
    context = Context.of(time_limit, progress)
    table = X if isinstance(X, Table) else None
    names, rows, y, sample_weight = labelled(X, y, sample_weight)
    if not rows.p and not fit_intercept:
        raise ValueError("X has no columns and there is no intercept: a hyperplane needs one of them.")
    rows, places, weights = present_rows(rows, sample_weight)
    y = y if places is None else np.asarray(y)[places]
    classes, signs = _two_classes(y, places, positive), signs_of(y, rows.n, positive)
    points = None
    try:
        points = _read(rows, signs, fit_intercept, numbers, context)
        with one_thread(), ThreadPoolExecutor(1) as aside:  # hashing needs no Python: it runs beside the search
            hashing = aside.submit(digest, points.rows, signs, "csr" if rows.sparse else "dense")
            context.phase("seeking a hyperplane", rows.n)
            proof = prove_on_clear_columns(points)
            facts = _widen(proof, points) if margin and proof.kind == "complete" else {}
            partition = _partition(proof, points)
            because = reasons(points, proof, margin)
            proof.because = [one.entry() for one in because]
            if coefficients:
                levels = Levels(table.encoding, rows, signs) if table else None
                found, facts["reason"] = _settled(points, proof, partition, names)
                facts["coefficients"] = found and coefficients_of(found.renamed(places), names, levels)
            context.phase("hashing the rows", rows.n)
            certificate = Certificate.of(proof, points, hashing.result(), classes, names)
            certificate = certificate.about(table.encoding) if table else certificate
    except Unfinished as why:
        seconds, witness = time.monotonic() - began, _numbered(why.witness, places)
        nearly = None if points is None else nearly_computable(points, names)  # such columns may be what took so long
        read = () if points is None else readings_of(rows, points.readings, names)
        how: dict[str, Any] = {"numbers": numbers, "readings": read, "nearly": nearly}
        return Verdict("unknown", rows.n, seconds, str(why), witness=witness, **how)
    context.phase("checking the proof", rows.n)
    certificate.check(points)  # a verdict is returned only if its proof passes the check
    plane, d = partition["plane"], rows.p + fit_intercept
    if groups is None:
        worth = Worth.of(rows.n, int(np.sum(signs > 0)), _distinct(points.rows), d, fit_intercept)
    else:
        worth = Worth.of_groups(
            signs, np.asarray(groups) if places is None else np.asarray(groups)[places], d, fit_intercept
        )
    with one_thread():
        facts["difference"] = difference(points, proof, plane, began) or None
        facts["nearly"] = nearly_computable(points, names)
    return Verdict(
        proof.kind,
        rows.n,
        time.monotonic() - began,
        hyperplane=hyperplane_of(proof, fit_intercept),
        because=tuple(one.renamed(places) for one in because),
        rows=partition if places is None else {name: places[some] for name, some in partition.items()},
        witness=_numbered(proof.witness, places),
        cover=worth,
        certificate=certificate,
        numbers=numbers,
        readings=readings_of(rows, points.readings, names),
        plane_rows=PlaneRows(rows, signs, weights, points.bias, plane) if plane.size else None,
        **facts,
    )


def refuse_numbers(numbers: str) -> None:
    """Refuse a value of `numbers` that does not exist."""
    if numbers not in ("decimal", "binary"):
        raise ValueError(f"numbers must be 'decimal' or 'binary'; it is {numbers!r}.")


def _read(rows: Rows, signs: Signs, bias: bool, numbers: str, context: Context) -> Points:
    """The points. Raises Unfinished where time is over before all rows are read."""
    context.phase("reading the rows", rows.n)
    return Points(read_numbers(rows, numbers), signs, bias, context)


def read_numbers(rows: Rows, numbers: str) -> Rows:
    """The rows with their exact values: by the rule for readings, or ("binary") as the floats they are."""
    if numbers == "decimal":
        return exact_rows(rows)
    found = exact_rows(rows, binary_readings(rows.origin.columns, single_columns(rows)))
    assert found is not None  # every float is a float
    return found


def binary_readings(written: tuple[int, ...], single: Flags) -> tuple[Reading, ...]:
    """Readings as floats; columns with `written` numbers, which floats do not hold, are refused."""
    if written:
        raise ValueError(
            f"column {written[0]} has numbers that floats do not hold: numbers='binary' would change them; "
            f"leave it out."
        )
    return tuple(Reading(None, bits) for bits in np.where(single, 32, 64).tolist())


def _two_classes(y: Any, places: Places | None, positive: Any) -> list[Any]:
    """The two labels; where there is one class only, "" and its label. `places` are the rows' numbers."""
    classes: list[Any] = label_values(y, places, positive).tolist()
    if len(classes) > 2:
        raise ValueError(
            f"y must have two classes; it has {len(classes)}: rb.existence(X, y, model='multinomial') decides all of "
            f"them together, rb.separability(X, y == {classes[0]!r}) one against the rest."
        )
    return classes if len(classes) == 2 else ["", *classes]


def _numbered(witness: dict[int, int], places: Places | None) -> dict[int, int] | None:
    """The witness with the caller's row numbers; None where it is empty."""
    return {i if places is None else int(places[i]): m for i, m in sorted(witness.items())} or None


def _settled(points: Points, proof: Proof, partition: dict[str, Places], names: list[str]) -> tuple[Fates | None, str]:
    """What becomes of the coefficients, which is added to the proof; or None, and why it is not known."""
    points.context.phase("working out the coefficients", points.n)
    try:
        found = settle(points, proof, partition["strict"], partition["plane"], names)
    except Unfinished as why:
        return None, str(why)
    proof.coefficients = found.entry()
    return found, found.reason


def _distinct(rows: Rows) -> int:
    """How many different rows there are; n where counting would take long (Cover's bounds hold for n too)."""
    return rows.n if rows.n * rows.width > _LARGEST_COUNT else distinct_rows(rows)


def _widen(proof: Proof, points: Points) -> dict[str, Any]:
    """Find both margins, let the proof have the theorem's w, and return the facts that follow."""
    if not points.metric:
        return no_margins(points.bias)
    points.context.phase("measuring the margins", points.n)
    two_classes = abs(int(points.y.sum())) < points.n

    def seek(w: list[int], street: bool, guess: Places) -> Margin:
        return widest_margin(points, w, street, guess)

    found = both_margins(seek, proof.w, points.bias, two_classes)
    theorem = found.theorem
    delta = Fraction(0) if theorem is None else points.least_for_both(theorem.w, theorem.delta)
    return margin_facts(proof, found, delta, points.radius_sq(), points)


def no_margins(bias: bool) -> dict[str, Any]:
    """The facts where lengths cannot be measured."""
    why = "a column is in units that float64 does not hold"
    return {"limits": {"margin": why, "street": why} if bias else {"margin": why}}


class Measured(Protocol):
    """What a verdict's facts need to know of its rows: of `Points`, or of those in shards."""

    @property
    def bias(self) -> bool:
        """Whether there is one."""

    @property
    def readings(self) -> tuple[Reading, ...]:
        """How each column is read."""

    @property
    def exponents(self) -> Integers:
        """Columns are at most 2^exponents large."""


def margin_facts(proof: Proof, found: Margins, delta: Fraction, epsilon: Fraction, rows: Measured) -> dict[str, Any]:
    """A verdict's facts about both margins; those that a certificate states are written into the proof.

    delta ≤ z·w and epsilon ≥ ‖z‖² hold for decimals and for the floats nearest to them: a perceptron works on floats.
    """
    facts: dict[str, Any] = {"limits": found.limits}
    if found.theorem is not None:
        proof.w, proof.margin = found.theorem.w, found.theorem.entry()
        facts["margin"] = found.theorem.ends
        facts["radius"] = float(sqrt_above(epsilon))
        if delta > 0:
            facts["mistake_bound"] = (epsilon * found.theorem.length_sq / delta**2).__floor__()
    if found.street is not None:
        proof.street = found.street.entry()
    street = found.street if rows.bias else found.theorem
    if street is not None:
        facts["street"] = wide = Street(*street.ends, as_hyperplane(street.w, rows.bias))
        facts["narrow"] = is_narrow(wide.upper, wide.hyperplane.w, rows.readings, rows.exponents)
    return facts


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


def _grouped(number: int) -> str:
    return f"{number:,}" if number < _READABLE else f"10^{ceil(10 * log10(number)) / 10:.1f}"


def _partition(proof: Proof, points: Points) -> dict[str, Places]:
    """A verdict's `rows`."""
    if proof.kind == "quasi":
        signs = points.signs(proof.w)
        strict, plane = np.flatnonzero(signs), np.flatnonzero(signs == 0)
    else:  # all rows are strict, or all are on the plane
        every, none = np.arange(points.n), np.arange(0)
        strict, plane = (every, none) if proof.kind == "complete" else (none, every)
    # without few rows: those of λ, which base puts on all rows of the plane
    witness = plane if proof.base and not proof.witness else sorted(proof.witness or proof.mixture)
    return {"strict": strict, "plane": plane, "witness": np.array(witness, dtype=np.int64)}
