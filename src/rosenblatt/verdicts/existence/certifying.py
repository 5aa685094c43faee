"""A question about a model, its data made rows z; and a model's certificate, checked on data in exact arithmetic."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.arrays import Places
from rosenblatt.context import SILENT, Context, Unfinished
from rosenblatt.data.numbers import Reading, Rows, Written, exact_rows, number_column
from rosenblatt.regressions import (
    REGRESSIONS,
    SEVERAL,
    BadValue,
    Given,
    ModelColumns,
    ModelRows,
    Regression,
    Values,
    regression_of,
    silent,
)
from rosenblatt.threads import one_thread
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.certificates import Claim, Parser, digest_of_columns, proven, read_as_claimed
from rosenblatt.verdicts.checker import DoesNotHold, OtherData
from rosenblatt.verdicts.existence.equalities import Equalities
from rosenblatt.verdicts.existence.proving import Sides, prove_model

__all__ = ["Question", "examine", "hold", "judge", "strict_rows"]


@dataclass(frozen=True)
class Question:
    """`rows` are X with its exact values, `numbers` the model's columns that are numbers, each with its own."""

    regression: Regression
    given: Given
    columns: ModelColumns
    rows: Rows
    numbers: dict[str, Rows]
    sides: Sides

    @classmethod
    def of(
        cls,
        model: str,
        given: Given,
        read: Callable[[Rows, int], Rows] = lambda rows, _: exact_rows(rows),
        context: Context = SILENT,
    ) -> "Question":
        """Read the data and make the rows z; refuses bad columns.

        `read` finds the exact values of rows, whose first column is the k-th of all columns of numbers.
        """
        chosen = regression_of(model, given.arguments())
        columns = chosen.read(given)
        context.phase("reading the rows", given.n)
        named = [name for name, array in columns.arrays.items() if array.dtype.kind == "f"]
        numbers = {name: number_column(given.columns[name], name) for name in named}
        _refuse_collapsed(numbers)
        numbers = {name: read(one, given.rows.p + k) for k, (name, one) in enumerate(numbers.items())}
        rows = read(given.rows, 0)
        return cls(chosen, given, columns, rows, numbers, Sides(chosen.rows(Values.of(rows), columns), context))

    @property
    def bias(self) -> bool:
        """Whether the model has an intercept of its own."""
        return self.columns.bias

    @property
    def readings(self) -> list[Reading]:
        """How all columns of numbers are read: those of X, then the model's."""
        return [one for rows in (self.rows, *self.numbers.values()) if rows.exact for one in rows.exact.readings]

    def digest(self, layout: str, version: int = 3) -> str:
        """The hash of X and of every column that the model uses."""
        columns = list[Any]()
        for name, array in self.columns.arrays.items():
            columns += [self.numbers[name]] if name in self.numbers else list(array.T) if name in SEVERAL else [array]
        return digest_of_columns(self.rows if version > 2 else self.given.rows, columns, layout, version)

    def named(self, rows: Places) -> Places:
        """The caller's numbers of these rows, counted with the rows of weight 0."""
        return rows if self.given.places is None else np.asarray(self.given.places[rows])


def _refuse_collapsed(numbers: dict[str, Rows]) -> None:
    """Refuse columns with numbers that floats do not hold, where that could change a comparison.

    Times are only compared, so floats will do where different times have different floats.
    """
    long = {name: rows for name, rows in numbers.items() if rows.origin.written is not None}
    for name, rows in long.items():
        written = rows.origin.column(0)
        assert written is not None
        if name not in ("time", "entry"):
            raise _too_long(name, written, int(np.argmax(np.abs(written.floats()))))
        seen: dict[float, tuple[int, int, int]] = {}
        for i, (x, parts) in enumerate(zip(written.floats().tolist(), zip(*written, strict=True), strict=True)):
            if seen.setdefault(x, parts) != parts:
                raise _too_long(name, written, i)


def _too_long(name: str, written: Written, row: int) -> BadValue:
    return BadValue(
        name, written.texts()[row].removesuffix("e0"), row, "float64 does not tell it from others: round it"
    )


# --------------------------------------------------------------------------------------------------------- certificates
# The search that found a proof is not trusted: what it found is checked here on every row.


def examine(content: object, X: object, columns: Mapping[str, Any], sample_weight: object = None) -> str:
    """Check a certificate on these data; returns what it proves. Raises `checker.DoesNotHold`, `checker.OtherData`."""
    question = _asked(content, X, columns, sample_weight)
    bare = Claim.begun(content)
    bare.refuse_other_shape(question.rows.n, question.rows.p)
    bare.refuse_other_data(question.digest(bare.layout, bare.version))
    return judge(content, question)


def judge(content: Any, question: Question) -> str:
    """What a certificate proves, if it holds. Raises `DoesNotHold` and `OtherData`.

    `existence` asks this of what it has written, `examine` of what a stranger has: the answers cannot differ. The data
    are known to be the certified ones, so that no hash is compared.
    """
    readings = _claimed_readings(content)
    rows, sides, model = question.rows, question.sides, content["model"]
    if (content["n"], content["p"], content["fit_intercept"]) != (rows.n, rows.p, question.columns.bias):
        raise OtherData(f"it is about {content['n']} rows and {content['p']} columns, or another intercept")
    if Claim.begun(content).version > 2 and readings != tuple(question.readings):
        raise DoesNotHold("its readings are not those of the columns")
    if question.columns.facts != {name: value for name, value in model.items() if name not in ("name", "columns")}:
        raise OtherData("its classes, levels, effects or items are others")
    if model["name"] != question.regression.name or set(question.columns.entry["columns"]) != set(model["columns"]):
        raise OtherData(f"it is about the columns {', '.join(sorted(model['columns']))}")
    claim = Claim.of(content, sides.rows)
    plane, fates = hold(claim, sides)
    nothing = claim.kind == "overlap" and silent(sides.rows, len(question.columns.weights))
    many = (sides.at.size - plane, sides.at.size)
    return str(checker.proved_of_model(question.regression.name, claim.kind, *many, fates, nothing))


def _claimed_readings(content: Any) -> tuple[Reading, ...]:
    """How the columns are read; refuses a certificate without the fields of every one, or of its model."""
    Claim.begun(content)
    checker.model_schema(content.get("model"), content["p"], content["fit_intercept"])
    if not checker.same_classes(content):
        raise DoesNotHold("its classes are not those of its model")
    return Parser(content, model=True).readings()


def _asked(content: Any, X: object, columns: Mapping[str, Any], sample_weight: object) -> Question:
    """The question that a certificate answers, asked of these data."""
    readings, model, claim = _claimed_readings(content), content["model"], Claim.begun(content)
    choices = {name: model[name] for name in ("classes", "levels", "ties") if name in model}
    if not content["fit_intercept"] and "fit_intercept" in REGRESSIONS[model["name"]].options:
        choices["fit_intercept"] = False

    def read(rows: Rows, first: int) -> Rows:
        if first and claim.version < 3:
            return rows
        return read_as_claimed(rows, replace(claim, p=rows.p, readings=readings[first : first + rows.p]))

    try:
        given = Given.of(X, dict(columns), choices, sample_weight)
        claim.refuse_other_shape(given.n, given.rows.p)
        return Question.of(model["name"], given, read)
    except (TypeError, ValueError) as why:
        raise OtherData(f"the columns do not fit: {str(why).rstrip('.')}") from None


def hold(claim: Claim, sides: Sides) -> tuple[int, list[str]]:
    """How many inequalities are on the plane, and each coefficient's kind. Raises unless the claim is proved."""
    if claim.w and not sides.at.size:
        raise DoesNotHold("there is no row that w could separate")
    if not all(sides.rows.equal[row] for row in claim.free):
        raise DoesNotHold("free names a row that is no equality")
    equal = sides.equal
    if equal.size and claim.base is None:  # few of them span all
        spanning = Equalities(sides.equalities.patient()).basis.rows
        equal = equal[spanning] if spanning.size else equal[:1]
    return proven(replace(claim, p=sides.d, bias=False), sides.all, equal.tolist())


def strict_rows(rows: ModelRows, context: Context) -> Places:
    """The rows z that can be strict, proved and checked. Raises `Unfinished` where a limit is hit."""
    sides = Sides(rows, context)
    with one_thread():
        proof = prove_model(sides)
        try:
            hold(
                Claim(proof.kind, w=proof.w or None, mixture=proof.mixture, base=proof.base or None, free=proof.free),
                sides,
            )
        except DoesNotHold as why:
            raise Unfinished(f"the proof that was found does not hold: {why}") from None
        return np.flatnonzero(sides.all.signs(proof.w)) if proof.w else np.empty(0, dtype=np.int64)
