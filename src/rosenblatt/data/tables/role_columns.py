"""Columns with a role besides the features (trials, times, groups, …): each by its kind, for the rows that X has."""

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags, Floats, Integers
from rosenblatt.data.numbers import Written
from rosenblatt.data.refusal import Refused, Remedy, column_list, quoted
from rosenblatt.data.roles import COMPARED, SEVERAL, Role, RoleColumn
from rosenblatt.data.sql import Source, refuse_long
from rosenblatt.data.tables.learn import ReadingOptions
from rosenblatt.data.tables.named_columns import columns_read
from rosenblatt.data.tables.table import Named
from rosenblatt.data.wording import is_whole, text_of

__all__ = ["RoleColumns"]

_YES_AND_NO = ({"0", "1"}, {"true", "false"})


class RoleColumns:
    """All rows of the columns with a role, in memory; `lacking` says which rows have a gap that may not be."""

    def __init__(self, source: Source, options: ReadingOptions) -> None:
        self._source, self._columns = source, options.roles or ()
        options.tell(source)
        written: dict[str, Written] = {}
        names = list(dict.fromkeys(one.name for one in self._columns))
        self._values = columns_read(source, names, options, written=written)
        for one in self._columns:
            self._check(one, written.get(one.name))
        self.classes, self.rest = self._two_classes(options.positive)
        gaps = [_gaps(self._values[one.name]) for one in self._columns if one.role != "outcomes"]
        n = len(next(iter(self._values.values()), ()))
        self.lacking: Flags = np.logical_or.reduce([np.zeros(n, dtype=bool), *gaps])

    def of(self, role: Role, rows: Integers) -> Named | list[Named] | None:
        """What these rows, counted from 1, have in the column, or the columns, of a role; None where none has it."""
        found = [
            Named(_whole_classes(self._read(one)[rows - 1], one), [one.name])
            for one in self._columns
            if one.role == role
        ]
        if role in SEVERAL:
            return found or None
        return found[0] if found else None

    def _two_classes(self, positive: str | None) -> tuple[tuple[str, ...], bool]:
        """(negative, positive) where one class is told from the others, and whether these are several."""
        target = next((one for one in self._columns if one.role == "target" and one.kind == "classes"), None)
        if positive is None or target is None:
            return (), False
        values = self._values[target.name]
        is_it, present = self._is(values, positive), ~_gaps(values)
        others = sorted({text_of(value) for value in values[present & ~is_it].tolist()})
        where = f"{self._source.where}: the target {quoted(target.name)}"
        if not is_it.any():
            raise Refused(f"{where} never is {quoted(positive)}; its values are {column_list(others)}.")
        if not others:
            raise Refused(f"{where} is {quoted(positive)} in every row: there is nothing to tell apart.")
        classes = (others[0] if len(others) == 1 else f"not {positive}", positive)
        named = np.array([*classes, None], dtype=object)
        self._values[target.name] = named[np.where(present, is_it * 1, 2)]
        return classes, len(others) > 1

    def _read(self, one: RoleColumn) -> npt.NDArray[np.generic]:
        values = self._values[one.name]
        if one.value is not None:
            return self._is(values, one.value)
        if one.kind == "number" and values.dtype == bool:
            return values.astype(np.float64)
        return values

    def _is(self, values: npt.NDArray[np.generic], value: str) -> Flags:
        """Where a column has a value, which is written as the column writes it, or is the same number."""
        if values.dtype.kind == "f":
            return np.asarray(values == _typed_number(value))
        return np.array([text_of(one) == value for one in values.tolist()], dtype=bool)

    def _check(self, one: RoleColumn, written: Written | None) -> None:
        """Refuse values that the column's role has no use for."""
        values, where = self._values[one.name], f"{self._source.where}: column {quoted(one.name)}"
        if one.kind == "number" and values.dtype == object:
            self._refuse_text(one, where)
        if one.kind == "flag":
            self._check_flag(one, values, where)
        if written is not None:
            _check_long(self._source, one, values, written)

    def _refuse_text(self, one: RoleColumn, where: str) -> None:
        i = self._source.place(one.name)
        no_number = f"c{i} IS NOT NULL AND TRY_CAST(c{i} AS DOUBLE) IS NULL"
        row, value = self._source.first(no_number, f"CAST(c{i} AS VARCHAR)") or (1, "")
        raise Refused(
            f"{where} is {quoted(value)} in row {row:,}; the column of the {_role_word(one.role)} must hold numbers: "
            f"correct it, or say ",
            Remedy("na", value),
            " if that means a missing value.",
        )

    def _check_flag(self, one: RoleColumn, values: npt.NDArray[np.generic], where: str) -> None:
        known = {text_of(value) for value in np.unique(values[~_gaps(values)].astype(object)).tolist()}
        if one.value is not None:
            if not self._is(values, one.value).any():
                raise Refused(f"{where} never is {quoted(one.value)}; its values are {column_list(sorted(known))}.")
        elif not any(known <= pair for pair in _YES_AND_NO):
            shown = column_list(sorted(known), 5)
            example = f"{one.name}={max(known)}"
            raise Refused(
                f"{where} must be 1 or 0 in every row, and its values are {shown}: say which one means yes, as in ",
                Remedy(one.role, example),
                ".",
            )


def _typed_number(text: str) -> float:
    """A number that was typed; NaN, which nothing is equal to, where it is none."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _whole_classes(values: npt.NDArray[np.generic], one: RoleColumn) -> npt.NDArray[np.generic]:
    """Classes that are whole numbers as such: they are called 2, and not 2.0."""
    if one.role != "target" or one.kind != "classes" or values.dtype.kind != "f":
        return values
    return values.astype(np.int64) if all(map(is_whole, values.tolist())) else values


def _role_word(role: Role) -> str:
    return role.replace("_", " ")


def _gaps(values: npt.NDArray[np.generic]) -> Flags:
    """Where a column lacks a value."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    return np.array([value is None for value in values.tolist()], dtype=bool)


def _check_long(source: Source, one: RoleColumn, floats: Floats, written: Written) -> None:
    """Refuse numbers that float64 does not hold, or, of those that are only compared, two that it takes as one."""
    if one.role not in COMPARED:
        why = "which float64 does not hold, as this column's numbers must be"
        refuse_long(source, source.place(one.name), why, "round it, or choose another unit.")
    known: dict[float, tuple[int, str]] = {}
    for row, (x, text) in enumerate(zip(floats.tolist(), written.shortened().texts(), strict=True), 1):
        first, other = known.setdefault(x, (row, text))
        if other != text:
            raise Refused(
                f"{source.where}: rows {first:,} and {row:,}, column {quoted(one.name)} are {other} and {text}, which "
                f"float64 takes as one number: choose another unit, or take a number away from all of them."
            )
