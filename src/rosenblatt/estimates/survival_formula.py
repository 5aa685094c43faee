"""The left side of a Cox model's formula, as R writes it: `Surv(time, status == 2) ~ age + strata(centre)`."""

import ast
import re
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.refusal import Refused, unknown_column

__all__ = ["SurvivalFormula"]

_LEFT = re.compile(r"\s*Surv\s*\((?P<inside>.*)\)\s*$", re.DOTALL)
_STRATA = re.compile(r"\+?\s*\bstrata\s*\((?P<inside>[^()]*)\)\s*")
_ALLOWED = (
    *(ast.Expression, ast.Name, ast.Load, ast.Constant, ast.List, ast.Tuple, ast.Compare, ast.cmpop),
    *(ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop),
)
_ORDERS = {2: ("time", "event"), 3: ("entry", "time", "event")}  # as Surv(time, event) and Surv(time, time2, event)


class SurvivalFormula(NamedTuple):
    """What a formula says of times: each part an expression of columns, and the terms that are left."""

    parts: dict[str, str]  # "time", "event", and perhaps "entry"
    strata: tuple[str, ...]
    terms: str

    @classmethod
    def of(cls, text: str) -> "SurvivalFormula | None":
        """The parts of a formula with Surv(…) on its left; None for any other."""
        left, mark, right = text.partition("~")
        found = _LEFT.match(left)
        if not mark or found is None:
            return None
        given = [part.strip() for part in _separate(found["inside"])]
        if len(given) not in _ORDERS or not all(given):
            raise Refused(f"the formula {text!r}: say Surv(time, event) or Surv(entry, time, event).")
        strata = [name.strip() for one in _STRATA.finditer(right) for name in one["inside"].split(",")]
        terms = _STRATA.sub("", right).strip().removeprefix("+").strip()
        return cls(dict(zip(_ORDERS[len(given)], map(_unnamed, given), strict=True)), tuple(strata), terms or "1")

    def columns(self, frame: Any) -> dict[str, Any]:
        """The arguments of a Cox model; `frame` is a pandas frame."""
        found = {name: _computed(expression, frame) for name, expression in self.parts.items()}
        found["event"] = _happened(found["event"], self.parts["event"])
        if self.strata:
            codes = [np.asarray(_computed(name, frame)).astype(str) for name in self.strata]
            joined = codes[0] if len(codes) == 1 else np.array([", ".join(row) for row in zip(*codes, strict=True)])
            found["groups"] = joined
        return found

    @property
    def used(self) -> set[str]:
        """The names of the columns in these parts."""
        trees = (_tree(one) for one in (*self.parts.values(), *self.strata))
        return {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _separate(inside: str) -> list[str]:
    """The arguments between the commas, but for commas inside brackets."""
    depth, parts = 0, [""]
    for sign in inside:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _unnamed(argument: str) -> str:
    """An argument without its name: R's `event = died`."""
    return re.sub(r"^\w+\s*=(?!=)\s*", "", argument)


def _tree(expression: str) -> ast.Expression:
    try:
        tree = ast.parse(expression, mode="eval")
    except SyntaxError:
        tree = None
    if tree is None or not all(isinstance(node, _ALLOWED) for node in ast.walk(tree)):
        raise Refused(
            f"Surv(…) takes names of columns, arithmetic and comparisons, as status == 2; {expression!r} is none."
        )
    return tree


def _computed(expression: str, frame: Any) -> Any:
    """The values of an expression; its name is what it says."""
    tree, names = _tree(expression), [str(name) for name in frame.columns]
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in names:
            raise unknown_column("the data of the formula", node.id, names)
    known = {node.id: frame[node.id] for node in ast.walk(tree) if isinstance(node, ast.Name)}
    try:
        found = eval(compile(tree, "Surv", "eval"), {"__builtins__": {}}, known)  # of columns and constants alone
    except (TypeError, ValueError, ArithmeticError) as error:
        raise Refused(f"Surv(…): {expression!r} cannot be computed: {error}.") from None
    if np.shape(found) != (len(frame),):
        raise Refused(f"Surv(…): {expression!r} names no column.")
    return found.rename(expression)


def _happened(event: Any, expression: str) -> Any:
    """Events as 0 and 1; where a column has 1 and 2, these are censored and event, as in R."""
    values = event.dropna()
    if event.dtype == bool:
        return event.astype(np.int64)
    if values.dtype.kind in "iuf" and set(values.unique()) == {1, 2}:
        return (event == 2).astype(np.int64).where(event.notna())
    if values.dtype.kind not in "iufb":
        shown = sorted(map(str, values.unique()))
        which = f"say which is the event, as in {expression} == {shown[-1]!r}" if shown else "it has no values"
        raise Refused(f"Surv(…): {expression} holds {', '.join(shown[:4])}: {which}.")
    return event
