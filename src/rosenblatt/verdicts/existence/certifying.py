"""A model's certificate: written from a proof, read back strictly, and checked on data."""

from typing import Any

from rosenblatt.verdicts.checker import OtherData, Refused, model_schema, proved_of_model
from rosenblatt.verdicts.claim import Parser, read_common
from rosenblatt.verdicts.decimals import fits
from rosenblatt.verdicts.existence.given import Given
from rosenblatt.verdicts.existence.holding import hold, hold_coefficients
from rosenblatt.verdicts.existence.models import MODELS
from rosenblatt.verdicts.existence.proving import ModelProof, Sides
from rosenblatt.verdicts.existence.question import Question
from rosenblatt.verdicts.fates import Fates

__all__ = ["certified", "claimed", "examine"]


def certified(proof: ModelProof, question: Question) -> dict[str, Any]:
    """The content of its certificate."""
    rows, entry = question.given.rows, question.columns.entry
    layout = "csr" if rows.sparse else "dense"
    content: dict[str, Any] = {
        "format": "rosenblatt-certificate/2",
        "verdict": proof.kind,
        "n": rows.n,
        "p": rows.p,
        "fit_intercept": question.bias,
        "layout": layout,
        "data_sha256": question.digest(layout),
        "classes": entry.get("classes", []),
        "features": question.given.names,
        "table": {
            "target": "y",
            "missing": "refuse",
            "columns": [{"name": name, "kind": "number"} for name in question.given.names],
        },
        "model": {"name": question.model} | entry,
    }
    if question.powers:
        content["decimals"] = list(question.powers)
    if proof.w:
        content["w"] = [hex(v) for v in proof.w]
    if proof.fates is not None:
        content["coefficients"] = _coefficients(proof.fates, question.sides)
    return content | (_mixture(proof, question.sides) if proof.kind != "complete" else {})


def _coefficients(fates: Fates, sides: Sides) -> dict[str, Any]:
    """The entry of the coefficients, with the rows' names."""
    entry = fates.entry()
    keys = sides.rows.keys_of({*fates.rows, *(i for one in fates.each for i in one.strict)})
    for one in entry["each"]:
        if "strict" in one:
            one["strict"] = {keys[int(i)]: m for i, m in one["strict"].items()}
    return entry | {"rows": [keys[i] for i in fates.rows]}


def _mixture(proof: ModelProof, sides: Sides) -> dict[str, Any]:
    """The fields of a mixture that vanishes."""
    keys = sides.rows.keys_of([*proof.mixture, *proof.free])
    spanned = {"base": hex(proof.base)} if proof.base else {"null": [[hex(a) for a in v] for v in proof.null]}
    return {
        "lambda": {keys[i]: hex(m) for i, m in sorted(proof.mixture.items())},
        "free": {keys[i]: hex(f) for i, f in sorted(proof.free.items())},
        **spanned,
    }


class _ModelParser(Parser):
    """Rows have names: "i" or "i:k"."""

    def __init__(self, content: dict[str, Any], sides: Sides) -> None:
        super().__init__(content, sides.d)
        self.n = len(sides.rows.row)  # as many entries a mixture may have
        self._rows = sides.rows

    def row(self, name: Any) -> int | None:
        """The number of the row of that name; None where there is no such row."""
        return self._rows.place_of(name) if isinstance(name, str) else None

    def listed(self, row: Any) -> int | None:
        """The same."""
        return self.row(row)


def claimed(content: dict[str, Any], sides: Sides) -> ModelProof:
    """What a certificate states of these rows; nothing of it is true before it is held. Raises `checker.Refused`."""
    kind, parser = content["verdict"], _ModelParser(content, sides)
    if kind == "complete":
        parser.only({"w", "model"}, {"coefficients"})
        return ModelProof(kind, parser.vector(content["w"]), {}, 0, fates=parser.fates())
    if kind not in ("quasi", "overlap"):
        raise Refused("it has an unknown verdict")
    spanned = "base" if "base" in content else "null"
    parser.only({"lambda", "free", "model", spanned} | ({"w"} if kind == "quasi" else set()), {"coefficients"})
    base = parser.whole(content["base"]) if spanned == "base" else 0
    if spanned == "base" and base <= 0:
        raise Refused("base is not positive")
    return ModelProof(
        kind,
        parser.vector(content["w"]) if kind == "quasi" else [],
        parser.mixture(content["lambda"]),
        base,
        parser.mixture(content["free"]),
        [] if spanned == "base" else parser.vectors(content["null"]),
        fates=parser.fates(),
    )


def examine(content: Any, X: Any, columns: dict[str, Any], sample_weight: Any = None) -> str:
    """What a certificate proves of these data. Raises `checker.Refused` and `checker.OtherData`."""
    read_common(content)
    question = _asked(content, X, columns, sample_weight)
    rows = question.given.rows
    if (content["n"], content["p"]) != (rows.n, rows.p):
        raise OtherData(f"it is about {content['n']} rows and {content['p']} columns")
    if content["data_sha256"] != question.digest(content["layout"]):
        raise OtherData("the data have another hash")
    if question.powers is not None and not fits(rows, question.powers):
        raise Refused("a value is not a decimal of its column's power of ten")
    return told(claimed(content, question.sides), question)


def told(proof: ModelProof, question: Question) -> str:
    """What a proof that holds has proved."""
    strict, fates = hold(proof, question.sides), hold_coefficients(proof, question.sides)
    return str(proved_of_model(question.model, proof.kind, strict.size, question.sides.at.size, fates))


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
