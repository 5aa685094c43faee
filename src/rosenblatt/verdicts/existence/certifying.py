"""A model's certificate: written from a proof, read back strictly, and checked on data in exact arithmetic.

The search that found a proof is not trusted: what it found is checked here on every row.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.arrays import Places
from rosenblatt.context import Context, Unfinished
from rosenblatt.data.numbers import Reading, Rows
from rosenblatt.exact.linear import rank
from rosenblatt.regressions import REGRESSIONS
from rosenblatt.regressions.machinery.given import Given
from rosenblatt.regressions.machinery.rows import ModelRows
from rosenblatt.regressions.machinery.sets import silent
from rosenblatt.threads import one_thread
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.certificates import Claim, Parser, common_fields, read_as_claimed
from rosenblatt.verdicts.checker import DoesNotHold, OtherData
from rosenblatt.verdicts.existence.coefficients import hold_coefficients
from rosenblatt.verdicts.existence.equalities import Equalities
from rosenblatt.verdicts.existence.proving import Sides, prove_model
from rosenblatt.verdicts.existence.question import Question
from rosenblatt.verdicts.fates import Fates

__all__ = ["certified", "claimed", "examine", "hold", "judge", "strict_rows"]


def certified(claim: Claim, question: Question) -> dict[str, Any]:
    """The certificate of a claim, as plain values for a JSON file."""
    rows, entry, names = question.rows, question.columns.entry, question.given.names
    digest = question.digest("csr" if rows.sparse else "dense")
    common = (claim.kind, rows, question.columns.bias, digest, entry.get("classes", []), names, question.readings)
    content = common_fields(*common) | {"model": {"name": question.regression.name} | entry}
    if claim.w:
        content["w"] = [hex(v) for v in claim.w]
    if claim.fates is not None:
        content["coefficients"] = _coefficients(claim.fates, question.sides)
    return content | (_mixture(claim, question.sides) if claim.kind != "complete" else {})


def _coefficients(fates: Fates, sides: Sides) -> dict[str, Any]:
    """The certificate's entry "coefficients"; rows are named by their keys."""
    entry = fates.entry()
    keys = sides.rows.keys_of({*fates.rows, *(i for fate in fates.each for i in fate.strict)})
    for fate in entry["each"]:
        if "strict" in fate:
            fate["strict"] = {keys[int(i)]: m for i, m in fate["strict"].items()}
    return entry | {"rows": [keys[i] for i in fates.rows]}


def _mixture(claim: Claim, sides: Sides) -> dict[str, Any]:
    """The certificate's fields of a mixture of rows that adds up to zero."""
    keys = sides.rows.keys_of([*claim.mixture, *claim.free])
    spanned = {"base": hex(claim.base)} if claim.base else {"null": [[hex(a) for a in v] for v in claim.null]}
    return {
        "lambda": {keys[i]: hex(m) for i, m in sorted(claim.mixture.items())},
        "free": {keys[i]: hex(f) for i, f in sorted(claim.free.items())},
        **spanned,
    }


class _ModelParser(Parser):
    """Reads a certificate whose rows have the keys "i" or "i:k"."""

    own = ("model",)
    mixed = ("lambda", "free")

    def __init__(self, content: dict[str, Any], sides: Sides | None) -> None:
        super().__init__(content, sides.d if sides else content["p"])
        if sides:
            self.n = len(sides.rows.row)  # a mixture has at most one entry for each row
            self._rows = sides.rows

    def row(self, name: Any) -> int | None:
        """The number of the row with this key; None where there is no such row."""
        return self._rows.place_of(name) if isinstance(name, str) else None

    listed = row

    def optional(self, bare: Claim) -> set[str]:
        """A model's certificate may have coefficients, but no margin; version 1 had no models."""
        if bare.version == 1:
            raise DoesNotHold("its fields are not those of its verdict and version")
        return {"coefficients", "because"} if bare.version > 2 else {"coefficients"}

    def number_columns(self) -> int:
        """How many columns besides X are hashed as numbers."""
        return len(checker.numbers_of_model(self.content["model"]))


def claimed(content: dict[str, Any], sides: Sides) -> Claim:
    """What a certificate states about these rows. It is not checked yet: `hold` does that. Raises `DoesNotHold`."""
    return _ModelParser(content, sides).proof(Claim.begun(content))


def examine(content: Any, X: Any, columns: dict[str, Any], sample_weight: Any = None) -> str:
    """Check a certificate on these data; returns what it proves. Raises `checker.DoesNotHold`, `checker.OtherData`."""
    question = _asked(content, X, columns, sample_weight)
    bare = Claim.begun(content)
    bare.refuse_other_shape(question.rows.n, question.rows.p)
    bare.refuse_other_data(question.digest(bare.layout, bare.version))
    return judge(content, question)[1]


def judge(content: Any, question: Question) -> tuple[Places, str]:
    """The strict rows of a certificate that holds, and what it proves. Raises `DoesNotHold` and `OtherData`.

    `existence` asks this of what it has written, `examine` of what a stranger has: the answers cannot differ. The data
    are known to be the certified ones, so that no hash is compared.
    """
    readings = _schema(content)
    rows, sides, model = question.rows, question.sides, content["model"]
    if (content["n"], content["p"], content["fit_intercept"]) != (rows.n, rows.p, question.columns.bias):
        raise OtherData(f"it is about {content['n']} rows and {content['p']} columns, or another intercept")
    if Claim.begun(content).version > 2 and readings != tuple(question.readings):
        raise DoesNotHold("its readings are not those of the columns")
    if question.columns.facts != {name: value for name, value in model.items() if name not in ("name", "columns")}:
        raise OtherData("its classes, levels, effects or items are others")
    if model["name"] != question.regression.name or set(question.columns.entry["columns"]) != set(model["columns"]):
        raise OtherData(f"it is about the columns {', '.join(sorted(model['columns']))}")
    claim = claimed(content, sides)
    strict, fates = hold(claim, sides), hold_coefficients(claim, sides)
    nothing = claim.kind == "overlap" and silent(sides.rows, len(question.columns.weights))
    many = (strict.size, sides.at.size)
    return strict, str(checker.proved_of_model(question.regression.name, claim.kind, *many, fates, nothing))


def _schema(content: Any) -> tuple[Reading, ...]:
    """How the columns are read; refuses a certificate without the fields of every one, or of its model."""
    Claim.begun(content)
    checker.model_schema(content.get("model"), content["p"], content["fit_intercept"])
    if not checker.same_classes(content):
        raise DoesNotHold("its classes are not those of its model")
    return _ModelParser(content, None).readings()


def _asked(content: Any, X: Any, columns: dict[str, Any], sample_weight: Any) -> Question:
    """The question that a certificate answers, asked of these data."""
    readings, model, claim = _schema(content), content["model"], Claim.begun(content)
    choices = {name: model[name] for name in ("classes", "levels", "ties") if name in model}
    if not content["fit_intercept"] and "fit_intercept" in REGRESSIONS[model["name"]].options:
        choices["fit_intercept"] = False

    def read(rows: Rows, first: int) -> Rows:
        if first and claim.version < 3:
            return rows
        return read_as_claimed(rows, replace(claim, p=rows.p, readings=readings[first : first + rows.p]))

    try:
        given = Given.of(X, columns, choices, sample_weight)
        claim.refuse_other_shape(given.n, given.rows.p)
        return Question.of(model["name"], given, read)
    except (TypeError, ValueError) as why:
        raise OtherData(f"the columns do not fit: {why}") from None


def hold(claim: Claim, sides: Sides) -> Places:
    """Check the claim on every row; returns the numbers of the rows with z·w > 0. Raises `checker.DoesNotHold`."""
    signs = _signs(claim, sides)
    plane = np.flatnonzero(signs == 0)
    if claim.kind == "complete":
        if plane.size or sides.equal.size:
            raise DoesNotHold("a row is not where w should have it")
        return sides.at
    where = {int(row): i for i, row in enumerate(sides.at)}
    if not all(row in where and not signs[where[row]] for row in claim.mixture):
        raise DoesNotHold("lambda names a row that is not on the plane")
    mixture = {where[row]: m for row, m in claim.mixture.items()}
    if not mixture and not (claim.base and plane.size) and sides.at.size and not sides.equal.size:
        raise DoesNotHold("lambda is empty")
    if claim.base is not None and claim.base <= 0:
        raise DoesNotHold("base is not positive")
    if any(m + (claim.base or 0) <= 0 for m in mixture.values()):
        raise DoesNotHold("lambda is not positive")
    if any(_residual(claim, sides, mixture, plane)):
        raise DoesNotHold("the mixture does not vanish")
    if claim.base is None:
        _hold_span(claim, sides, plane, np.array(sorted(mixture), dtype=np.int64))
    return np.asarray(sides.at[signs > 0])


def strict_rows(rows: ModelRows, context: Context) -> Places:
    """The rows z that can be strict, proved and checked. Raises `Unfinished` where a limit is hit."""
    sides = Sides(rows, context)
    try:
        with one_thread():
            return hold(prove_model(sides), sides)
    except DoesNotHold as why:
        raise Unfinished(f"the proof that was found does not hold: {why}") from None


def _signs(claim: Claim, sides: Sides) -> Any:
    """The signs of z·w on the inequalities, all 0 where there is no w.

    Refuses a w with z·w < 0 on some row, with no row > 0, or with an equality that is not 0; so also without rows.
    """
    if claim.kind == "overlap":
        return np.zeros(sides.at.size, dtype=np.int8)
    if not sides.at.size:
        raise DoesNotHold("there is no row that w could separate")
    w = sides.weights(claim.w or [])
    signs = sides.inequalities.signs(w)
    if signs.min() < 0 or signs.max() <= 0:
        raise DoesNotHold("a row is not where w should have it")
    if sides.equal.size and np.any(sides.equalities.signs(w)):
        raise DoesNotHold("an equality does not hold for w")
    return signs


def _residual(claim: Claim, sides: Sides, mixture: dict[int, int], plane: Places) -> list[Fraction]:
    """Σ λ z + Σ free·z, which must be 0."""
    total = [Fraction(0)] * sides.d
    if sides.at.size:
        total = sides.inequalities.mixed(mixture, claim.base or 0, plane)
    where = {int(row): i for i, row in enumerate(sides.equal)}
    if not all(row in where for row in claim.free):
        raise DoesNotHold("free names a row that is no equality")
    if claim.free:
        free = sides.equalities.mixed({where[row]: f for row, f in claim.free.items()})
        total = [a + b for a, b in zip(total, free, strict=True)]
    return total


def _hold_span(claim: Claim, sides: Sides, plane: Places, mixed: Places) -> None:
    """Check that the rows `mixed` of λ and the equalities span the rows of the plane.

    They do if their rank is d − |null| and z·v = 0 on every row of the plane, for each v of null.
    """
    null = [sides.weights(v) for v in claim.null]
    if rank(null) < len(null):
        raise DoesNotHold("the vectors of null are dependent")
    for v in null:
        if np.any(sides.inequalities.signs(v, plane)[plane]) or (
            sides.equal.size and np.any(sides.equalities.signs(v))
        ):
            raise DoesNotHold("a vector of null is not 0 on a row of the plane")
    together = sides.some(np.concatenate([sides.at[mixed], sides.equal]))
    reached = Equalities(together.patient()).basis.rows.size if together.n else 0
    if reached < together.d - len(null):
        raise DoesNotHold("the rows of lambda and the equalities do not span the rows on the plane")
