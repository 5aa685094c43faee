"""`separability`, and the way from any question to its verdict: read, prove, measure, write down, check."""

import hashlib
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from typing import Any, Protocol

import numpy as np

from rosenblatt.arguments import checked
from rosenblatt.arrays import Flags, Integers, Places
from rosenblatt.context import Context, Progress, Unfinished
from rosenblatt.data.numbers import (
    Reading,
    Rows,
    exact_rows,
    label_values,
    present_rows,
    rows_of,
    signs_of,
    single_columns,
)
from rosenblatt.data.tables import Table
from rosenblatt.theory import sqrt_above
from rosenblatt.threads import one_thread
from rosenblatt.verdicts.certificates import Certificate, PromisedCertificate, digest, labelled
from rosenblatt.verdicts.fates import Coefficient, Fates, Levels, PlaneRows, coefficients_of, reasons, settle
from rosenblatt.verdicts.margins import Margins, both_margins, widest_margin
from rosenblatt.verdicts.points import Points, distinct_rows
from rosenblatt.verdicts.search import Compared, Proof, prove_on_clear_columns, written
from rosenblatt.verdicts.verdict import Street, Verdict, as_hyperplane, hyperplane_of
from rosenblatt.verdicts.words import Worth, is_narrow, readings_of

__all__ = [
    "Askable",
    "SeparabilityMatrix",
    "decided",
    "fates_on",
    "rows_by_side",
    "separability",
    "separability_matrix",
]

_HASHED_AT_ONCE = 1 << 15  # values that are hashed before a thread for it would have begun
_LARGEST_COUNT = 1 << 22  # values up to which different rows are counted


class Askable(Protocol):
    """A question that has a proof: about two classes, or about the estimate of another model."""

    context: Context
    numbers: str

    @property
    def n(self) -> int:
        """How many rows the caller has."""

    @property
    def points(self) -> object:
        """All rows z, in the table's units: `Points`, or what stands for rows in blocks."""

    def prove(self) -> Proof:
        """The proof. Raises `Unfinished` where a limit is hit."""

    def parts(self, proof: Proof) -> dict[str, Places]:
        """A verdict's `rows`."""

    def measured(self, proof: Proof, parts: dict[str, Places]) -> dict[str, Any]:
        """Facts of the verdict that are proved beside it; they go into the proof."""

    def fates(self, proof: Proof, parts: dict[str, Places], context: Context, floats: bool) -> Fates:
        """What becomes of all coefficients. Raises `Unfinished` where none is settled. `floats` may prove some."""

    def entry(self, found: Fates) -> dict[str, Any]:
        """The certificate's field about coefficients."""

    def coefficients(self, found: Fates) -> list[Coefficient]:
        """All coefficients, by name."""

    def unchanged(self, head: dict[str, Any]) -> bool:
        """Whether the caller's rows are those of a certificate that begins so."""

    def certificate(self, proof: Proof) -> Certificate:
        """The proof, written down."""

    def confirm(self, certificate: Certificate) -> None:
        """Check it as a reader of its file would: a verdict is returned only if its proof passes."""

    def told(self, proof: Proof, parts: dict[str, Places], began: float) -> dict[str, Any]:
        """What else the verdict says."""

    def left(self, why: Unfinished) -> dict[str, Any]:
        """What it says where a limit was hit."""


def decided(asked: Askable, coefficients: bool, began: float) -> Verdict:
    """The verdict on a question, with a certificate that holds."""
    try:
        with one_thread():
            proof = asked.prove()
            parts = asked.parts(proof)
            facts = asked.measured(proof, parts)
            settled, by_floats = _settled(asked, proof, parts) if coefficients else ({}, False)
            facts |= settled
            certificate = asked.certificate(proof)
            asked.context.phase("checking the proof", asked.n)
            if proof.fitted is None:
                asked.confirm(certificate)
            if proof.fitted is not None or by_floats:
                certificate = _promised(asked, proof, parts, certificate, coefficients)
    except Unfinished as why:
        how = asked.left(why)
        return Verdict("unknown", asked.n, time.monotonic() - began, str(why), numbers=asked.numbers, **how)
    facts |= asked.told(proof, parts, began)
    how = {"certificate": certificate, "numbers": asked.numbers}
    return Verdict(proof.kind, asked.n, time.monotonic() - began, **how, **facts)


def _promised(
    asked: Askable, proof: Proof, parts: dict[str, Places], head: Certificate, coefficients: bool
) -> Certificate:
    """The certificate of a proof in floats, to be written when it is read, within the verdict's time limit."""
    fitted, seconds, points = proof.fitted, asked.context.limit, asked.points
    assert isinstance(points, Points)
    if fitted is not None and not np.array_equal(np.sort(fitted.rows), parts["plane"]):
        raise Unfinished("the fit is not about the rows on the plane")
    if fitted is not None and proof.w and points.signs(proof.w).min() < 0:
        raise Unfinished("a row is not where w should have it")

    def write() -> Certificate:
        if not asked.unchanged(head.content):
            raise ValueError("the rows have changed since they were decided: decide them again for a certificate.")
        try:
            with one_thread():
                context = Context.of(seconds)
                whole = written(proof, context)
                if coefficients and not whole.coefficients:
                    whole.coefficients = asked.entry(asked.fates(whole, parts, context, False))
                certificate = asked.certificate(whole)
                asked.confirm(certificate)
        except Unfinished as why:
            raise ValueError(f"the certificate was not written: {why}; floats prove the verdict.") from None
        return certificate

    return PromisedCertificate(head.content, write)


def _settled(asked: Askable, proof: Proof, parts: dict[str, Places]) -> tuple[dict[str, Any], bool]:
    """What becomes of the coefficients, added to the proof, or why it is not known; and whether floats prove it."""
    asked.context.phase("working out the coefficients", asked.n)
    try:
        found = asked.fates(proof, parts, asked.context, True)
    except Unfinished as why:
        return {"reason": str(why)}, False
    if not (proof.by_fit_alone or found.by_floats):
        proof.coefficients = asked.entry(found)
    return {"coefficients": asked.coefficients(found), "reason": found.reason}, found.by_floats


def fates_on(points: Points, proof: Proof, parts: dict[str, Places], names: list[str], floats: bool = False) -> Fates:
    """What becomes of all coefficients. Raises `Unfinished` where none is settled."""
    if proof.by_fit_alone:  # it shows what the rows respond to
        return Fates.of_overlap(points.d, proof.null)
    return settle(points, proof, parts["strict"], parts["plane"], names, floats)


@checked
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

    That a large table overlaps is proved in floats with every rounding bounded; `verdict.proof` says which proof there
    is, and `verdict.certificate` is exact always: there it is written when it is read.

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
    asked = _TwoClasses(X, y, sample_weight, fit_intercept, margin, numbers, groups, positive, context)
    return decided(asked, coefficients, began)


class _TwoClasses:
    """The question whether a hyperplane tells two classes apart."""

    _points: Points | None = None
    _hash: Callable[[], str]
    _mark = ""  # of rows without zeros: their hash, from which all rows follow; that of all rows takes far longer

    def __init__(
        self,
        X: object,
        y: object,
        sample_weight: object,
        bias: bool,
        margin: bool,
        numbers: str,
        groups: object,
        positive: object,
        context: Context,
    ) -> None:
        self.table = X if isinstance(X, Table) else None
        self.names, rows, y, sample_weight = labelled(X, y, sample_weight)
        if not rows.p and not bias:
            raise ValueError("X has no columns and there is no intercept: a hyperplane needs one of them.")
        self.rows, self.places, self.weights = present_rows(rows, sample_weight)
        y = y if self.places is None else np.asarray(y)[self.places]
        self.classes, self.signs = _classes_of_two(y, self.places, positive), signs_of(y, self.rows.n, positive)
        self.bias, self.margin, self.numbers, self.groups, self.context = bias, margin, numbers, groups, context

    @property
    def n(self) -> int:
        """How many rows have a weight above zero."""
        return self.rows.n

    @property
    def points(self) -> Points:
        """The rows, read. Raises `Unfinished` where time is over before all are."""
        if self._points is None:
            self.context.phase("reading the rows", self.n)
            self._as_read = read_numbers(self.rows, self.numbers)
            light = None if self.n <= self.rows.p else self._as_read.without_zeros()
            rows = light or self._as_read
            self._points = Points(rows, self.signs, self.bias, self.context)
        return self._points

    def prove(self) -> Proof:
        """The proof; hashing needs no Python, and runs beside the search."""
        points, layout = self.points, "csr" if self.rows.sparse else "dense"
        if points.rows is not self._as_read:
            self._mark, self._hash = self._mark_of(points.rows), cache(partial(self.digest, layout))
        elif self.rows.n * self.rows.p < _HASHED_AT_ONCE:
            self._hash = partial(str, self.digest(layout))
        else:
            aside = ThreadPoolExecutor(1)
            self._hash = aside.submit(self.digest, layout).result
            aside.shutdown(wait=False)
        self.context.phase("seeking a hyperplane", self.n)
        try:
            return prove_on_clear_columns(points, floats=True)
        except Unfinished:
            if not points.rows.origin.dense:
                raise
            self.context.check()
            self._points = Points(self._as_read, self.signs, self.bias, self.context)
            return prove_on_clear_columns(self._points, floats=True)

    def parts(self, proof: Proof) -> dict[str, Places]:
        """Rows on the hyperplane, and off it."""
        return rows_by_side(proof, self.points)

    def fates(self, proof: Proof, parts: dict[str, Places], context: Context, floats: bool) -> Fates:
        """What becomes of all coefficients."""
        return fates_on(self.points.under(context), proof, parts, self.names, floats)

    def measured(self, proof: Proof, parts: dict[str, Places]) -> dict[str, Any]:
        """Margins, and why the classes are separable."""
        facts = _measure_margins(proof, self.points) if self.margin and proof.kind == "complete" else {}
        because = reasons(self.points, proof, self.margin)
        proof.because = [one.entry() for one in because]
        return facts | {"because": tuple(one.renamed(self.places) for one in because)}

    def entry(self, found: Fates) -> dict[str, Any]:
        """The fates; rows by their numbers."""
        return found.entry()

    def coefficients(self, found: Fates) -> list[Coefficient]:
        """All coefficients, the bias last; those of levels with their reference."""
        levels = Levels(self.table.encoding, self.rows, self.signs) if self.table else None
        return coefficients_of(found, self.names, levels, self._number)

    def digest(self, layout: str) -> str:
        """The hash of rows and signs."""
        self.points  # noqa: B018  (reads the rows)
        return digest(self._as_read, self.signs, layout)

    def _mark_of(self, rows: Rows | None) -> str:
        """A hash of rows in CSR, and of the signs."""
        h = hashlib.sha256()
        for part in () if rows is None else (*rows.kernel[:3], self.signs):
            h.update(np.ascontiguousarray(part).data)
        return h.hexdigest()

    def unchanged(self, head: dict[str, Any]) -> bool:
        """Whether rows and signs are still the same."""
        if self._mark:
            return self._mark_of(self._as_read.without_zeros()) == self._mark
        return self.digest(head["layout"]) == str(head["data_sha256"])

    def certificate(self, proof: Proof) -> Certificate:
        """The certificate, which describes the file of a table."""
        self.context.phase("hashing the rows", self.n)
        later = self._mark and proof.fitted is not None  # the certificate is written when it is read
        made = Certificate.of(proof, self.points, "" if later else self._hash(), self.classes, self.names)
        made.content["layout"] = "csr" if self.rows.sparse else "dense"
        if later:
            del made.content["data_sha256"]
        return made.about(self.table.encoding) if self.table else made

    def confirm(self, certificate: Certificate) -> None:
        """Check it on the rows that were read."""
        certificate.check(self.points)

    def told(self, proof: Proof, parts: dict[str, Places], began: float) -> dict[str, Any]:
        """Rows, what it is worth, and what would differ for floats."""
        places, plane = self.places, parts["plane"]
        return {
            "hyperplane": hyperplane_of(proof, self.bias),
            "rows": parts if places is None else {name: places[some] for name, some in parts.items()},
            "witness": self._numbered(proof.witness),
            "cover": self._worth(),
            "plane_rows": PlaneRows(self.rows, self.signs, self.weights, self.bias, plane) if plane.size else None,
        } | self._read(proof, time.monotonic() - began)

    def left(self, why: Unfinished) -> dict[str, Any]:
        """What was proved by then, and columns that may be what took so long."""
        read = {} if self._points is None else self._read()
        return {"witness": self._numbered(why.witness)} | read

    def _read(self, proof: Proof | None = None, seconds: float = 0.0) -> dict[str, Any]:
        """How the columns were read, and how they compare."""
        compared = Compared(self.points, self._as_read, self.names, proof, seconds)
        return {"readings": readings_of(self.rows, self.points.readings, self.names), "compared": compared}

    def _worth(self) -> Worth:
        """What a complete separation of such rows would be worth."""
        d = self.rows.p + self.bias
        if self.groups is None:
            positive, rows = self.signs > 0, self.points.rows
            few = self.n * rows.width <= _LARGEST_COUNT  # else counting takes long, and the bound holds for n too
            different, kinds = distinct_rows(rows, positive) if few else (self.n, None)
            return Worth.of(self.n, int(positive.sum()), different, d, self.bias, kinds)
        groups = np.asarray(self.groups)
        return Worth.of_groups(self.signs, groups if self.places is None else groups[self.places], d, self.bias)

    def _numbered(self, witness: dict[int, int]) -> dict[int, int] | None:
        """The witness with the caller's row numbers; None where it is empty."""
        return {self._number(i): m for i, m in sorted(witness.items())} or None

    def _number(self, row: int) -> int:
        """The caller's number of a row."""
        return row if self.places is None else int(self.places[row])


def refuse_numbers(numbers: str) -> None:
    """Refuse a value of `numbers` that does not exist."""
    if numbers not in ("decimal", "binary"):
        raise ValueError(f"numbers must be 'decimal' or 'binary'; it is {numbers!r}.")


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


def _classes_of_two(y: object, places: Places | None, positive: object) -> list[Any]:
    """The two labels; where there is one class only, "" and its label. `places` are the rows' numbers."""
    classes: list[Any] = label_values(y, places, positive).tolist()
    if len(classes) > 2:
        raise ValueError(
            f"y must have two classes; it has {len(classes)}: rb.existence(X, y, model='multinomial') decides all of "
            f"them together, rb.separability(X, y == {classes[0]!r}) one against the rest."
        )
    return classes if len(classes) == 2 else ["", *classes]


def _measure_margins(proof: Proof, points: Points) -> dict[str, Any]:
    """Find both margins, let the proof have the theorem's w, and return the facts that follow."""
    if not points.metric:
        return no_margins(points.bias)
    points.context.phase("measuring the margins", points.n)
    two_classes = abs(int(points.y.sum())) < points.n

    found = both_margins(partial(widest_margin, points), proof.w, points.bias, two_classes)
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


class Sided(Protocol):
    """Rows on either side of a hyperplane: `Points`, or those in blocks."""

    @property
    def n(self) -> int:
        """How many there are."""

    @property
    def listed(self) -> int:
        """The same, or 0 where there are so many that a verdict does not list the numbers of all of them."""

    def plane(self, w: list[int]) -> Places:
        """The rows with z·w = 0."""


def rows_by_side(proof: Proof, points: Sided) -> dict[str, Places]:
    """A verdict's `rows`; of very many only those on the hyperplane, and of the witness."""
    every, none = np.arange(points.listed), np.arange(0)
    plane = points.plane(proof.w) if proof.kind == "quasi" else none if proof.kind == "complete" else every
    # without few rows: those of λ, which base puts on all rows of the plane
    all_of_plane = proof.fitted is not None or (proof.base and not proof.witness)
    witness = plane if all_of_plane else np.array(sorted(proof.witness or proof.mixture), dtype=np.int64)
    found = {"plane": plane, "witness": witness}
    return {"strict": np.delete(every, plane), **found} if points.listed == points.n else found


# ------------------------------------------------------------------------------------------------------ several classes


@dataclass(frozen=True)
class SeparabilityMatrix:
    """`against_rest[c]` and `pairs[a, b]` are verdicts; row numbers in a pair's verdict count that pair's rows only."""

    against_rest: dict[Any, Verdict]
    pairs: dict[tuple[Any, Any], Verdict]

    def __str__(self) -> str:
        """A line per verdict."""
        lines = [f"{c!r} against the rest: {v.kind}" for c, v in self.against_rest.items()]
        return "\n".join(lines + [f"{a!r} against {b!r}: {v.kind}" for (a, b), v in self.pairs.items()])


@checked
def separability_matrix(X: Any, y: Any, fit_intercept: bool = True, **options: Any) -> SeparabilityMatrix:
    """Decide, for every class against the rest and for every pair of classes, whether a hyperplane tells them apart.

    `options` are those of `separability`.

    >>> print(separability_matrix([[0.0], [1.0], [2.0]], ["a", "b", "c"]))
    'a' against the rest: complete
    'b' against the rest: overlap
    'c' against the rest: complete
    'a' against 'b': complete
    'a' against 'c': complete
    'b' against 'c': complete
    """
    rows, labels = rows_of(X), np.asarray(y)
    classes = np.unique(labels).tolist()
    if len(classes) < 2:
        found = f"one class only, {classes[0]!r}" if classes else "no labels"
        raise ValueError(f"y has {found}: there is nothing to tell apart.")
    whole = {c: separability(rows, labels == c, fit_intercept, **options) for c in classes}
    pairs = {}
    for a, b in combinations(classes, 2):
        both = np.flatnonzero((labels == a) | (labels == b))
        pairs[a, b] = separability(rows.subset(both), labels[both], fit_intercept, **options)
    return SeparabilityMatrix(whole, pairs)
