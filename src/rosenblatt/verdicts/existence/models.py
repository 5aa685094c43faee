"""The models by name: which arguments each takes, how its columns are read, and how its rows z are made."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats, Places
from rosenblatt.regressions import conditional, cox, multinomial, ordinal
from rosenblatt.regressions.machinery import counts
from rosenblatt.regressions.machinery.given import Given, ModelColumns, coded, grouped, numbers, refuse_where
from rosenblatt.regressions.machinery.rows import ModelRows, Values

__all__ = ["MODELS", "Family", "family"]


@dataclass(frozen=True)
class Family:
    """A model: `read` looks at the columns and refuses bad ones, `rows` makes the rows z that the engine decides."""

    read: Callable[[Given], ModelColumns]
    rows: Callable[[Values, ModelColumns], ModelRows]
    takes: tuple[str, ...] = ()  # arguments that may be given, besides X and sample_weight
    needs: tuple[str, ...] = ("y",)  # arguments that must be given
    pairs: str = ""  # what a row is compared with, where it has several comparisons


def family(name: str, arguments: set[str]) -> Family:
    """The model of this name; refuses arguments that it does not take, and asks for those that it needs."""
    if name not in MODELS:
        raise ValueError(f"model must be one of {', '.join(MODELS)}; it is {name!r}.")
    found = MODELS[name]
    for argument in found.needs:
        if argument not in arguments:
            raise TypeError(f"model={name!r} needs {argument}.")
    for argument in sorted(arguments):
        if argument not in (*found.takes, *found.needs):
            raise TypeError(f"model={name!r} does not take {argument}.")
    return found


# -- counts


def _count_columns(given: Given, arrays: dict[str, Any]) -> ModelColumns:
    """The columns of a count model: `arrays`, and the codes of its fixed effects."""
    codes, effects = list[Places](), list[tuple[str, list[str]]]()  # of each set of effects: codes; name and levels
    for k, values in enumerate(given.columns.get("fixed_effects", [])):
        name = str(getattr(values, "name", None) or f"effect {k + 1}")
        numbered, levels = grouped(values, name)
        codes.append(numbered)
        effects.append((name, levels))
    if codes and not given.bias:
        raise ValueError("fixed_effects bring an intercept with them: leave fit_intercept=False out.")
    named: dict[str, Any] = {name: name for name in arrays if name != "y"}
    entry: dict[str, Any] = {"columns": named}
    if codes:
        arrays = arrays | {"fixed_effects": np.column_stack(codes)}
        named["fixed_effects"] = [name for name, _ in effects]
        entry["effects"] = [levels for _, levels in effects]
    return ModelColumns(arrays, counts.weight_names(given.names, effects, given.bias), entry, bias=given.bias)


def _read_logistic(given: Given) -> ModelColumns:
    codes, classes = coded(given.columns["y"], "y", given.choices.get("classes"))
    if len(classes) > 2:
        raise ValueError(f"y must have two classes; it has {len(classes)}.")
    read = _count_columns(given, {"y": codes})
    return replace(read, entry={"classes": classes} | read.entry)


def _counted(values: Any, name: str) -> Floats:
    found = numbers(values, name)
    refuse_where((found < 0) | (found != np.rint(found)), found, name, "counts are whole numbers from 0 on")
    return found


def _read_binomial(given: Given) -> ModelColumns:
    k, m = _counted(given.columns["y"], "y"), _counted(given.columns["trials"], "trials")
    more = k > m
    refuse_where(more, k, "y", f"of {m[np.argmax(more)]:g} trials there cannot be more successes")
    return _count_columns(given, {"y": k, "trials": m})


def _read_poisson(given: Given) -> ModelColumns:
    y = numbers(given.columns["y"], "y")
    refuse_where(y < 0, y, "y", "a count is not negative")
    if "exposure" in given.columns:
        exposure = numbers(given.columns["exposure"], "exposure")
        refuse_where(exposure <= 0, exposure, "exposure", "it must be above 0")
    return _count_columns(given, {"y": y})


# -- several classes, comparisons


def _read_multinomial(given: Given) -> ModelColumns:
    codes, classes = coded(given.columns["y"], "y", given.choices.get("classes"))
    if len(classes) < 2:
        raise ValueError("y has one class alone: list the others too, as classes=[…].")
    names = multinomial.weight_names(given.names, classes, given.bias)
    entry = {"classes": classes, "columns": {}}
    return ModelColumns({"y": codes}, names, entry, tuple(classes), bias=given.bias)


def _multinomial_rows(values: Values, columns: ModelColumns) -> ModelRows:
    return multinomial.rows(values, columns.arrays["y"], len(columns.against), columns.weights, columns.bias)


def _read_paired(given: Given) -> ModelColumns:
    y = numbers(given.columns["y"], "y")
    refuse_where(~np.isin(y, (0, 0.5, 1)), y, "y", "say 1 where a won, 0 where b won, 0.5 for a draw")
    if "items" not in given.columns:
        return ModelColumns({"y": y}, tuple(given.names), {"columns": {}})
    if given.rows.p:
        raise ValueError("items have weights of their own: leave X out, as X=None.")
    if len(given.columns["items"]) != 2:
        raise ValueError("items must be two columns: who is a, and who is b.")
    both, items = grouped(np.concatenate([np.asarray(column) for column in given.columns["items"]]), "items")
    entry = {"items": items, "columns": {"items": ["a", "b"]}}
    return ModelColumns({"y": y, "items": both.reshape(2, -1).T}, tuple(items[1:]), entry)


# -- ordered levels, matched sets, times


def _read_ordinal(given: Given) -> ModelColumns:
    listed = given.choices.get("levels")
    codes, levels = coded(given.columns["y"], "y", listed)
    if len(levels) < 2:
        raise ValueError("y has one level alone: list the others too, as levels=[…].")
    if listed is None and len(levels) > 2 and np.asarray(given.columns["y"]).dtype.kind not in "biuf":
        raise TypeError(f"model='ordinal' cannot tell the order of {', '.join(levels)}: list them in levels.")
    empty = sorted({*range(1, len(levels) - 1)} - set(codes.tolist()))
    notes = tuple(f"level {levels[k]} has no rows: its two thresholds coincide" for k in empty)
    names = tuple(given.names) + ordinal.thresholds(codes, levels)
    against = ("", *names[len(given.names) :])  # thresholds are numbered from 1
    return ModelColumns({"y": codes}, names, {"levels": levels, "columns": {}}, against, notes)


def _ordinal_rows(values: Values, columns: ModelColumns) -> ModelRows:
    return ordinal.rows(values, columns.arrays["y"], columns.entry["levels"], columns.weights[: len(values.tens)])


def _read_conditional(given: Given) -> ModelColumns:
    cases = conditional.cases_of(given.columns["y"])
    sets, names = grouped(given.columns["groups"], "groups")
    silent = len(conditional.of_one_kind(cases, sets))
    notes = (f"{silent} of {len(names)} sets have cases only, or none: they say nothing",) if silent else ()
    entry = {"groups": names, "columns": {"groups": "groups"}}
    return ModelColumns({"y": cases.astype(np.int64), "groups": sets}, tuple(given.names), entry, (), notes)


def _conditional_rows(values: Values, columns: ModelColumns) -> ModelRows:
    return conditional.rows(values, columns.arrays["y"] > 0, columns.arrays["groups"], columns.weights)


def _read_cox(given: Given) -> ModelColumns:
    time = numbers(given.columns["time"], "time")
    entry = numbers(given.columns["entry"], "entry") if "entry" in given.columns else None
    known = cox.Survival.of(time, given.columns["event"], entry)
    facts: dict[str, Any] = {"ties": cox.ties_of(given.choices.get("ties"))}
    arrays: dict[str, Any] = {"time": time, "event": known.event.astype(np.int64)}
    if entry is not None:
        arrays["entry"] = entry
    if "groups" in given.columns:
        strata, facts["groups"] = grouped(given.columns["groups"], "groups")
        arrays = {"groups": strata} | arrays
    events = int(known.event.sum())
    notes = () if events else ("there are no events: the likelihood is constant",)
    return ModelColumns(arrays, tuple(given.names), facts | {"columns": {name: name for name in arrays}}, (), notes)


def _cox_rows(values: Values, columns: ModelColumns) -> ModelRows:
    arrays = columns.arrays
    known = cox.Survival(arrays["time"], arrays["event"] > 0, arrays.get("entry"), arrays.get("groups"))
    return cox.rows(values, known, columns.weights, columns.entry["ties"])


_COUNTED = ("offset", "fixed_effects", "fit_intercept")

MODELS: dict[str, Family] = {
    "logistic": Family(_read_logistic, counts.logistic, (*_COUNTED, "classes")),
    "binomial": Family(_read_binomial, counts.binomial, _COUNTED, ("y", "trials")),
    "poisson": Family(_read_poisson, counts.poisson, (*_COUNTED, "exposure")),
    "multinomial": Family(_read_multinomial, _multinomial_rows, ("offset", "classes", "fit_intercept"), pairs="class"),
    "ordinal": Family(_read_ordinal, _ordinal_rows, ("offset", "levels"), pairs="threshold"),
    "conditional": Family(_read_conditional, _conditional_rows, ("offset",), ("y", "groups"), "row of its set"),
    "cox": Family(_read_cox, _cox_rows, ("offset", "groups", "entry", "ties"), ("time", "event"), "row at risk"),
    "paired": Family(_read_paired, counts.paired, ("offset", "items")),
}
