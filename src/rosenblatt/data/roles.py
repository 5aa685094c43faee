"""Roles: what a column of a table is for, besides the features; and kinds: how a column of that role is read."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Literal, NamedTuple

from rosenblatt.data.refusal import Refused, column_list, quoted, unknown_column

__all__ = ["COMPARED", "KINDS", "SEVERAL", "Kind", "Role", "RoleColumn", "role_columns", "split_names"]

Role = Literal[
    "target",
    "weights",
    "trials",
    "offset",
    "exposure",
    "groups",
    "time",
    "event",
    "entry",
    "fixed_effects",
    "items",
    "outcomes",
    "id",
    "cluster",
]

# "number": a number in every row. "classes", "groups": values that are told apart, numbers or names. "flag": yes or no,
# as 1 and 0 or true and false, or as one value of the column and the others ("status=2").
Kind = Literal["number", "classes", "groups", "flag"]

SEVERAL: tuple[Role, ...] = ("fixed_effects", "items", "outcomes")  # of these there may be several columns
COMPARED: tuple[Role, ...] = ("groups", "time", "entry", "fixed_effects", "items")  # asked only: equal, or larger?
KINDS: Mapping[Role, Kind] = MappingProxyType(  # how a role is read where a model does not say it
    {
        "target": "classes",
        "weights": "number",
        "trials": "number",
        "offset": "number",
        "exposure": "number",
        "groups": "groups",
        "time": "number",
        "event": "flag",
        "entry": "number",
        "fixed_effects": "groups",
        "items": "groups",
        "outcomes": "classes",
        "id": "groups",
        "cluster": "groups",
    }
)


class RoleColumn(NamedTuple):
    """A column that has a role. Of a flag, `value` may be the text that means yes."""

    role: Role
    name: str
    kind: Kind
    value: str | None = None


def split_names(names: str | Iterable[str], columns: Collection[str]) -> list[str]:
    """The names, where one may be several with commas between; a column that is called so itself is meant as it is.

    >>> split_names(["a,b", "c, d"], ["a", "b", "c, d"])
    ['a', 'b', 'c, d']
    """
    given = [names] if isinstance(names, str) else list(names)
    return [part.strip() for name in given for part in ([name] if name in columns else name.split(","))]


def _matching(where: str, columns: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """The columns that match one of the patterns, such as "y*"."""
    found = [name for name in columns if name in patterns or any(fnmatchcase(name, one) for one in patterns)]
    if not found:
        raise Refused(
            f"{where} has no column that is called {' or '.join(map(quoted, patterns))}; its columns are "
            f"{column_list(columns)}."
        )
    return found


def role_columns(
    where: str, columns: Sequence[str], roles: Mapping[Role, str | Sequence[str]], reads: Mapping[Role, Kind]
) -> tuple[RoleColumn, ...]:
    """The columns with a role; "status=2" is the flag of the rows where status is 2, unless a column is called that.

    >>> role_columns("t.csv", ["t", "status"], {"time": "t", "event": "status=2"}, KINDS)[1]
    RoleColumn(role='event', name='status', kind='flag', value='2')
    """
    found = []
    for role, asked in roles.items():
        kind = reads.get(role, KINDS[role])
        names = split_names(asked, columns)
        for name in _matching(where, columns, names) if role == "outcomes" else names:
            column, mark, value = name.rpartition("=") if kind == "flag" and name not in columns else (name, "", "")
            if column not in columns:
                raise unknown_column(where, column or name, list(columns))
            found.append(RoleColumn(role, column, kind, value if mark else None))
    return tuple(found)
