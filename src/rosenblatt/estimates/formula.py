"""A formula and its data, as in R: `died ~ age + C(centre)`, by formulaic, or `Surv(time, status == 2) ~ age`."""

import ast
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Flags, Floats, Places
from rosenblatt.data.numbers import column_names, number_column
from rosenblatt.data.refusal import Refused, Remedy, unknown_column
from rosenblatt.data.tables import ArrayTable, Column, Encoding, Named
from rosenblatt.estimates.arguments import BesideColumns, Missing, RowsGiven
from rosenblatt.regressions import coded

if TYPE_CHECKING:
    import pandas as pd
    from formulaic import Formula, ModelMatrix

__all__ = ["Encoded", "FormulaTable", "SurvivalFormula", "given_formula"]


_NEEDED = "a formula needs the package formulaic: pip install 'rosenblatt[formula]'"
_INTERCEPT = "Intercept"
_DOT = re.compile(r"(?<![\w.])\.(?![\w.])")  # the term that stands for all columns
_FACTOR = re.compile(r"(?<![\w.])(?:as\.)?factor\(")  # in R what formulaic calls C(…)
_OF_R = {  # functions of R's formulas, and what to do instead
    "offset": "give the column as offset, or the exponential of it as exposure",
    "cbind": "name the successes on the left, and give the column of trials as trials",
    "Surv": "it stands alone on the left, as in Surv(time, event) ~ age",
    "strata": "it goes with Surv(time, event) on the left",
}


def given_formula(text: str, data: object, columns: BesideColumns, missing: Missing) -> tuple[RowsGiven, bool]:
    """Rows and outcomes, with the names of terms and levels; and whether there is an intercept."""
    if missing not in ("refuse", "drop"):
        raise ValueError(f"missing must be 'refuse' or 'drop'; it is {missing!r}.")
    frame, given_beside = _as_frame(data), {key: values for key, values in vars(columns).items() if values is not None}
    names = [str(name) for name in frame.columns]
    taken = {values for values in given_beside.values() if isinstance(values, str)}  # columns with a part of their own
    text, effects = _without_effects(_FACTOR.sub("C(", text))
    if effects:
        if "fixed_effects" in given_beside:
            raise TypeError("the formula says the fixed effects behind its bar: leave fixed_effects out.")
        given_beside["fixed_effects"] = _effect_columns(effects, frame, names)
    survival = SurvivalFormula.of(text)
    if survival is not None:
        given_beside |= survival.columns(frame)
        taken |= survival.used
    formula = _parsed(text if survival is None else survival.terms, [name for name in names if name not in taken])
    outcome = "" if survival is not None else str(formula.lhs)
    terms = formula if survival is not None else formula.rhs
    for name in sorted(formula.required_variables):
        if name in _OF_R and name not in names:
            raise Refused(f"the formula {text!r} has {name}(…), which is R's: {_OF_R[name]}.")
        if name not in names:
            raise unknown_column("the data of the formula", name, names)
        if names.count(name) > 1:
            raise Refused(f'the data of the formula have {names.count(name)} columns "{name}": rename them first.')
        _refuse_long(frame[name], name)
    beside = {key: _named(values, frame, names, key) for key, values in given_beside.items()}
    used = formula.required_variables | (survival.used if survival is not None else set())
    used |= {name for one in effects for name in one}
    kept = _complete_rows(used, frame, missing, text)
    frame = _without_empty_levels(frame[kept])
    columns = BesideColumns(**{key: _kept(values, kept) for key, values in beside.items()})
    y = None
    if survival is None:
        y = frame[outcome] if outcome in names else _evaluated_outcome(formula, frame, text)
        y = y if hasattr(y, "cat") and y.cat.ordered else np.asarray(y)  # levels in an order keep it
    matrix = _matrix(terms, frame, text)
    labels = [str(name) for name in matrix.columns if name != _INTERCEPT]
    X = np.asarray(matrix[labels], dtype=np.float64).reshape(len(frame), len(labels))
    numbers = np.flatnonzero(kept) + 1
    encode = Encoded(frame, matrix.model_spec, tuple(labels))
    references = _references(matrix)
    given = RowsGiven(X, y, columns, labels, outcome or "y", references, numbers=numbers, encode=encode)
    return given, _INTERCEPT in matrix.columns


class Encoded(NamedTuple):
    """The rows of a formula's data, and what its terms make of such rows."""

    frame: "pd.DataFrame"
    spec: Any  # of formulaic
    labels: tuple[str, ...]

    def __call__(self, new: object) -> Floats:
        """New data as rows."""
        found = self.spec.get_model_matrix(_as_frame(new), context={}, output="pandas")
        return np.asarray(found[list(self.labels)], dtype=np.float64).reshape(len(found), len(self.labels))

    def without(self, names: Collection[str], rows: Places, y: Floats) -> tuple[str, "pd.DataFrame"]:
        """A formula of the terms that have a column among `names`, and its data: some rows, and y."""
        columns, slices = self.spec.column_names, self.spec.term_slices
        terms = [str(term) for term, at in slices.items() if str(term) != "1" and set(columns[at]) & {*names}]
        data = _without_empty_levels(self.frame.iloc[rows].reset_index(drop=True))
        outcome = "y" if "y" not in data.columns else "outcome"
        text = " + ".join([*terms, "1" if _INTERCEPT in columns else "0"])
        return f"{outcome} ~ {text}", data.assign(**{outcome: y})


def _kept(values: Any, kept: Flags) -> Any:
    """The rows of a column, or of a list of columns, that are kept; a column of the formula keeps its name."""
    if isinstance(values, list) and values and np.ndim(values[0]) == 1:
        return [_kept(one, kept) for one in values]
    return values[kept] if hasattr(values, "iloc") else np.asarray(values)[kept]


def _without_effects(text: str) -> tuple[str, list[list[str]]]:
    """The formula before its bar; and behind it the effects, each of one column or of several, as in firm^year."""
    depth, quoted, bar = 0, "", -1
    for at, sign in enumerate(text):
        if quoted or sign in "\"'`":
            quoted = "" if sign == quoted else quoted or sign
        else:
            depth += (sign in "([") - (sign in ")]")
            bar = at if sign == "|" and not depth and bar < 0 else bar
    if bar < 0 or "~" not in text[:bar]:
        return text, []
    return text[:bar].strip(), [[part.strip() for part in one.split("^")] for one in text[bar + 1 :].split("+")]


def _effect_columns(effects: list[list[str]], frame: "pd.DataFrame", names: list[str]) -> list[Any]:
    """A column for each set of effects; a combination has one value for each pair that occurs."""
    for name in (name for one in effects for name in one):
        if name not in names:
            raise unknown_column("the data of the formula", name, names, ", which stands behind its bar")
    joined = [frame[one[0]] if len(one) == 1 else frame[one].astype(str).agg("^".join, axis=1) for one in effects]
    return [column.rename("^".join(one)) for column, one in zip(joined, effects, strict=True)]


class FormulaTable(ArrayTable):
    """The rows that a formula describes, as a table of their own; the columns are the formula's terms."""

    columns_are_of_source = False

    def __init__(self, given: RowsGiven, name: str) -> None:
        y, classes = given.y, list[str]()
        if y is not None and given.usual_model == "logistic":
            codes, classes = coded(y, "y")
            y = np.where(codes > 0, 1, -1) if len(classes) == 2 else codes
        columns = tuple(Column(one) for one in given.names or [])
        encoding = Encoding(columns, given.target, tuple(classes))
        super().__init__(given.X, y, given.columns.sample_weight, name=name, encoding=encoding, numbers=given.numbers)
        self._given = given

    def arguments(self) -> dict[str, Any]:
        """What `existence` and `estimate` take of this table."""
        given = self._given
        found = {"X": Named(given.X, self.features), "y": given.y} | vars(given.columns)
        return {name: value for name, value in found.items() if value is not None}


def _refuse_long(column: "pd.Series", name: str) -> None:
    """Refuse whole numbers and decimals that floats do not hold: a formula computes in floats."""
    kind = str(column.dtype).lower()
    if ("int" in kind or "decimal" in kind) and number_column(column.dropna(), name).origin.columns:
        raise Refused(
            f'column "{name}" has numbers that floats do not hold, and a formula computes in floats: round them to 15 '
            f"digits, or subtract a constant."
        )


def _parsed(text: str, available: list[str]) -> Any:
    """The formula; "." stands for the columns that are `available`, but for the outcome."""
    try:
        from formulaic import Formula
        from formulaic.errors import FormulaicError
    except ImportError:
        raise ImportError(_NEEDED) from None
    if _DOT.search(text) and (numeric := [name for name in available if name.replace(".", "", 1).isdecimal()]):
        raise Refused(f'a formula takes the name of column "{numeric[0]}" for a number: rename it first.')
    try:
        formula = Formula(text, _context={"__formulaic_variables_available__": available})
    except FormulaicError as error:
        raise Refused(f"the formula {text!r} cannot be read: {_first_sentence(error)}") from None
    if "~" not in text:  # the terms of a Cox model, whose left side is read already
        return formula
    if not hasattr(formula, "lhs") or len(list(formula.lhs)) != 1:
        raise Refused(f"the formula {text!r} must name one outcome on its left, as in died ~ age + C(centre).")
    if not hasattr(formula.rhs, "get_model_matrix"):
        raise Refused(f"the formula {text!r} has several parts on its right; one is wanted.")
    return formula


def _as_frame(data: Any) -> Any:
    """A pandas frame, whatever the data are."""
    try:
        import pandas  # formulaic needs it, so it is there with formulaic
    except ImportError:
        raise ImportError(_NEEDED) from None
    if data is None:
        raise TypeError("data is missing: a formula names columns, say of which table.")
    if type(data).__name__ == "LazyFrame":
        raise TypeError("data is a polars LazyFrame, a query that has not run: pass data.collect() instead.")
    if isinstance(data, pandas.DataFrame):
        return data.reset_index(drop=True)
    names = list(data) if isinstance(data, dict) else column_names(data)
    if not names:
        raise TypeError("data must be a table with named columns: a frame, an Arrow table or a dictionary.")
    return pandas.DataFrame({str(name): np.asarray(data[name]) for name in names})


def _named(values: object, frame: "pd.DataFrame", names: list[str], key: str) -> Any:
    """A column beside the formula: one of the frame, if it was given by name."""
    if not isinstance(values, str):
        return values
    if values not in names:
        raise unknown_column("the data of the formula", values, names, f", which {key} names")
    return frame[values]  # a series: notes name it


def _complete_rows(columns: set[str], frame: "pd.DataFrame", missing: Missing, text: str) -> Any:
    """Where no column of the formula lacks a value; refuses gaps unless they are to be dropped."""
    used = [name for name in map(str, frame.columns) if name in columns]
    gaps = frame[used].isna()
    for name in used:
        if len(frame) and gaps[name].all():
            raise Refused(f'column "{name}" of the formula has no value in any row: leave it out.')
    lacking = gaps.any(axis=1).to_numpy()
    if lacking.any() and missing != "drop":
        row = int(np.argmax(lacking))
        name = next(name for name in used if gaps[name].iloc[row])
        raise Refused(
            f'column "{name}" of the formula lacks a value in row {row}, as {int(lacking.sum()):,} of {len(frame):,} '
            f"rows do in some column: say ",
            Remedy("missing", "drop"),
            " to leave them out.",
        )
    if lacking.all():
        raise Refused(f"the formula {text!r} has no row left: every row lacks a value.")
    return ~lacking


def _without_empty_levels(frame: "pd.DataFrame") -> Any:
    """The frame without levels that no row has: R drops them too, and one of them could not be the reference."""
    factors = [name for name in frame.columns if hasattr(frame[name], "cat")]
    return frame.assign(**{name: frame[name].cat.remove_unused_categories() for name in factors})


def _matrix(terms: "Formula", frame: "pd.DataFrame", text: str) -> Any:
    from formulaic.errors import FormulaicError

    try:
        return terms.get_model_matrix(frame, context={}, na_action="ignore", output="pandas")
    except (FormulaicError, ValueError, TypeError) as error:
        dates = [name for name in sorted(terms.required_variables) if frame[name].dtype.kind in "mM"]
        if dates:
            raise Refused(
                f'column "{dates[0]}" of the formula holds dates or durations: make numbers of them, such as days.'
            ) from None
        raise Refused(f"the formula {text!r} cannot be computed: {_first_sentence(error)}") from None


def _evaluated_outcome(formula: "Formula", frame: "pd.DataFrame", text: str) -> Any:
    """An outcome that is computed, as in I(score > 3): one column of numbers, or of two classes."""
    found = _matrix(formula.lhs, frame, text).drop(columns=_INTERCEPT, errors="ignore")
    if found.shape[1] > 2:
        raise Refused(f"the formula {text!r} has an outcome of {found.shape[1]} columns; one is wanted.")
    return found.iloc[:, -1]


def _references(matrix: "ModelMatrix") -> dict[str, str]:
    """The columns that are levels of a factor, each with the level that it is measured against."""
    found: dict[str, str] = {}
    for factor, state in matrix.model_spec.factor_contrasts.items():
        base = getattr(state.contrasts, "base", None)
        if base is None:  # other contrasts measure against a mean, or the level before
            continue
        reference = str(base) if base in state.levels else str(state.levels[0])
        inside = [f"{factor}[T.{level}]" for level in state.levels]
        found |= {name: reference for name in inside if name in matrix.columns}
    return found


def _first_sentence(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".") + "."


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

    def columns(self, frame: "pd.DataFrame") -> dict[str, Any]:
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


def _computed(expression: str, frame: "pd.DataFrame") -> Any:
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


def _happened(event: "pd.Series", expression: str) -> Any:
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
