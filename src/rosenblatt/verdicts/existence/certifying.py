"""A model's certificate: written from a proof, read back strictly, and checked on data."""

from typing import Any

from rosenblatt.verdicts.certificate import common_fields
from rosenblatt.verdicts.checker import OtherData, Refused, model_schema, proved_of_model
from rosenblatt.verdicts.claim import Claim, Parser
from rosenblatt.verdicts.decimals import fits
from rosenblatt.verdicts.existence.coefficients import hold_coefficients
from rosenblatt.verdicts.existence.given import Given
from rosenblatt.verdicts.existence.holding import hold
from rosenblatt.verdicts.existence.models import MODELS
from rosenblatt.verdicts.existence.proving import Sides
from rosenblatt.verdicts.existence.question import Question
from rosenblatt.verdicts.fates import Fates

__all__ = ["certified", "claimed", "examine"]


def certified(claim: Claim, question: Question) -> dict[str, Any]:
    """The content of its certificate."""
    rows, entry, names = question.given.rows, question.columns.entry, question.given.names
    digest = question.digest("csr" if rows.sparse else "dense")
    content = common_fields(2, claim.kind, rows, question.columns.bias, digest, entry.get("classes", []), names)
    content["model"] = {"name": question.model} | entry
    if question.powers:
        content["decimals"] = list(question.powers)
    if claim.w:
        content["w"] = [hex(v) for v in claim.w]
    if claim.fates is not None:
        content["coefficients"] = _coefficients(claim.fates, question.sides)
    return content | (_mixture(claim, question.sides) if claim.kind != "complete" else {})


def _coefficients(fates: Fates, sides: Sides) -> dict[str, Any]:
    """The entry of the coefficients, with the rows' names."""
    entry = fates.entry()
    keys = sides.rows.keys_of({*fates.rows, *(i for one in fates.each for i in one.strict)})
    for one in entry["each"]:
        if "strict" in one:
            one["strict"] = {keys[int(i)]: m for i, m in one["strict"].items()}
    return entry | {"rows": [keys[i] for i in fates.rows]}


def _mixture(claim: Claim, sides: Sides) -> dict[str, Any]:
    """The fields of a mixture that vanishes."""
    keys = sides.rows.keys_of([*claim.mixture, *claim.free])
    spanned = {"base": hex(claim.base)} if claim.base else {"null": [[hex(a) for a in v] for v in claim.null]}
    return {
        "lambda": {keys[i]: hex(m) for i, m in sorted(claim.mixture.items())},
        "free": {keys[i]: hex(f) for i, f in sorted(claim.free.items())},
        **spanned,
    }


class _ModelParser(Parser):
    """Rows have names: "i" or "i:k"."""

    own = ("model",)
    mixed = ("lambda", "free")

    def __init__(self, content: dict[str, Any], sides: Sides) -> None:
        super().__init__(content, sides.d)
        self.n = len(sides.rows.row)  # as many entries a mixture may have
        self._rows = sides.rows

    def row(self, name: Any) -> int | None:
        """The number of the row of that name; None where there is no such row."""
        return self._rows.place_of(name) if isinstance(name, str) else None

    listed = row

    def optional(self, bare: Claim) -> set[str]:
        """No margins."""
        return {"coefficients"}


def claimed(content: dict[str, Any], sides: Sides) -> Claim:
    """What a certificate states of these rows; nothing of it is true before it is held. Raises `checker.Refused`."""
    return _ModelParser(content, sides).proof(Claim.begun(content))


def examine(content: Any, X: Any, columns: dict[str, Any], sample_weight: Any = None) -> str:
    """What a certificate proves of these data. Raises `checker.Refused` and `checker.OtherData`."""
    bare = Claim.begun(content)
    question = _asked(content, X, columns, sample_weight)
    rows, sides = question.given.rows, question.sides
    bare.refuse_other_data(rows.n, rows.p, question.digest)
    if question.powers is not None and not fits(rows, question.powers):
        raise Refused("a value is not a decimal of its column's power of ten")
    claim = claimed(content, sides)
    strict, fates = hold(claim, sides), hold_coefficients(claim, sides)
    return str(proved_of_model(question.model, claim.kind, strict.size, sides.at.size, fates))


def _asked(content: dict[str, Any], X: Any, columns: dict[str, Any], sample_weight: Any) -> Question:
    """The question that a certificate answers, asked of these data."""
    model = content["model"]
    model_schema(model, content["p"], content["fit_intercept"])
    powers = Parser(content, content["p"]).decimals()
    choices = {name: model[name] for name in ("classes", "levels", "ties") if name in model}
    if not content["fit_intercept"] and "fit_intercept" in MODELS[model["name"]].takes:
        choices["fit_intercept"] = False
    try:
        asked = Question.of(model["name"], Given.of(X, columns, choices, sample_weight), "given", powers)
    except (TypeError, ValueError) as why:
        raise OtherData(f"the columns do not fit: {why}") from None
    if asked.columns.facts != {name: value for name, value in model.items() if name not in ("name", "columns")}:
        raise OtherData("its classes, levels, effects or items are others")
    if set(asked.columns.entry["columns"]) != set(model["columns"]):
        raise OtherData(f"it is about the columns {', '.join(sorted(model['columns']))}")
    return asked
