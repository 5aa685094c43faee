"""A model's certificate, checked on data in exact arithmetic.

The search that found a proof is not trusted: what it found is checked here on every row.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.arrays import Places
from rosenblatt.context import Context, Unfinished
from rosenblatt.data.numbers import Reading, Rows
from rosenblatt.regressions import REGRESSIONS, Given, ModelRows, silent
from rosenblatt.threads import one_thread
from rosenblatt.verdicts import checker
from rosenblatt.verdicts.certificates import Claim, Parser, proven, read_as_claimed
from rosenblatt.verdicts.checker import DoesNotHold, OtherData
from rosenblatt.verdicts.existence.equalities import Equalities
from rosenblatt.verdicts.existence.proving import Sides, prove_model
from rosenblatt.verdicts.existence.question import Question

__all__ = ["examine", "hold", "judge", "strict_rows"]


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
