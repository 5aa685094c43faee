"""One exception for input that cannot be used, and the remedies it names: in Python's words, or in the shell's."""

import difflib
import json
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

__all__ = ["Refused", "Remedy", "SeveralClasses", "check_names", "chosen_table", "column_list", "extra", "imported"]
__all__ += ["quoted", "unknown_column", "unlike"]

_LISTS = ("drop", "categorical", "na", "hash_columns", "numbers")  # arguments of open_table that take several values
_OPTIONS = {"hash_columns": "hash", "numbers": "number", "dates": "date"}  # where the option has another name


class Remedy:
    """An argument of `open_table` and the value, or the choice of values, that would help.

    >>> remedy = Remedy("drop", "age")
    >>> remedy.in_python(), remedy.in_shell()
    ('drop=["age"]', '--drop age')
    >>> remedy = Remedy("missing", "drop", "indicator")
    >>> remedy.in_python(), remedy.in_shell()
    ('missing="drop" or "indicator"', '--missing drop or indicator')
    >>> Remedy("dates", "visit").in_python(), Remedy("dates", "visit").in_shell()
    ('dates={"visit": "days"}', '--date visit')
    """

    def __init__(self, argument: str, *values: str) -> None:
        self.argument, self.values = argument, values

    def in_python(self) -> str:
        """The remedy as an argument of `open_table`."""
        values = [json.dumps(value, ensure_ascii=False) for value in self.values]
        if self.argument == "header":
            return "header=False"
        if self.argument == "dates":
            return f'dates={{{values[0]}: "days"}}'
        return f"{self.argument}={f'[{values[0]}]' if self.argument in _LISTS else _choice(values)}"

    def in_shell(self) -> str:
        """The remedy as an option of the command line."""
        if self.argument == "header":
            return "--no-header"
        return f"--{_OPTIONS.get(self.argument, self.argument)} {_choice([_in_shell(value) for value in self.values])}"


class Refused(ValueError):
    """Input that cannot be used; the message is one sentence: the file, the row, the column, and what to do.

    It is made of texts and remedies; `str` has the remedies as arguments, `in_shell` as options.

    Examples
    --------
    >>> raise Refused('data.csv has no column "z".')
    Traceback (most recent call last):
    ...
    rosenblatt.data.refusal.Refused: data.csv has no column "z".
    >>> why = Refused("The column is empty: say ", Remedy("drop", "z"), ".")
    >>> str(why), why.in_shell()
    ('The column is empty: say drop=["z"].', 'The column is empty: say --drop z.')
    """

    def __init__(self, *parts: str | Remedy) -> None:
        super().__init__("".join(part if isinstance(part, str) else part.in_python() for part in parts))
        self._parts = parts

    def in_shell(self) -> str:
        """The sentence for someone at the command line."""
        return "".join(part if isinstance(part, str) else part.in_shell() for part in self._parts)

    @property
    def problem(self) -> str:
        """The sentence without its remedies, for a command that has no such options.

        >>> Refused("The column is empty: say ", Remedy("drop", "z"), ".").problem
        'The column is empty.'
        """
        at = next((k for k, part in enumerate(self._parts) if isinstance(part, Remedy)), None)
        if at is None:
            return str(self)
        told = "".join(map(str, self._parts[:at])).removesuffix("say ").rstrip(":, ")
        return told.rpartition("; if ")[0] + "." if "; if " in told else f"{told}."

    def __reduce__(self) -> tuple[type["Refused"], tuple[str | Remedy, ...]]:
        """Travel between processes with all parts."""
        return Refused, self._parts


def _in_shell(value: str) -> str:
    """A value as it is typed; a sign alone is in quotes, so that it is not taken for a part of the sentence."""
    typed = shlex.quote(value)
    return typed if typed != value or any(c.isalnum() for c in value) else f"'{value}'"


def _choice(values: list[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} or {values[-1]}"


def quoted(name: str) -> str:
    """A name or a value as a sentence shows it: in quotes, cut where it is long."""
    return '"' + _shown(name) + '"'


def _shown(name: str) -> str:
    """A text on one line, cut where it is too long to be read."""
    name = name if len(name) <= 60 else name[:57] + "…"
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in name)


def column_list(names: Iterable[str], most: int = 8) -> str:
    r"""The names; of many the first and the last, where the one that is meant often is.

    >>> column_list(["age", "a\nb"])
    'age, a\\nb'
    """
    names = [_shown(name) if name == name.strip() else quoted(name) for name in names]
    if len(names) <= most:
        return ", ".join(names)
    return ", ".join([*names[: most // 2], "…", *names[len(names) - most // 2 :]]) + f" ({len(names)} in all)"


class SeveralClasses(Refused):
    """A target with more than two classes, where two are needed; `number` of them."""

    def __init__(self, number: int, *parts: str | Remedy) -> None:
        super().__init__(*parts)
        self.number = number


def unknown_column(where: str, name: str, names: list[str], role: str = "") -> Refused:
    """The refusal of a name that no column has, with the likeliest one that was meant."""
    near = difflib.get_close_matches(name.lower(), [n.lower() for n in names], n=1)
    meant = next((n for n in names if near and n.lower() == near[0]), None)
    several = [part.strip() for part in name.split(",")]
    if set(several) <= set(names):
        hint = f"name its columns one at a time: {', '.join(map(quoted, several))}."
    else:
        hint = f"did you mean {quoted(meant)}?" if meant else f"its columns are {column_list(names)}."
    return Refused(f"{where} has no column {quoted(name)}{role}; {hint}")


def unlike(has: str, lacks: str, name: str) -> Refused:
    """The refusal of two files of one table, of which one has a column that the other has not."""
    return Refused(
        f"{has} has a column {quoted(name)} and {lacks} has none: the files of one table have the same columns."
    )


def check_names(names: list[str], where: str) -> None:
    """Every column has a name of its own."""
    for name, times in Counter(names).items():
        if times > 1:
            raise Refused(f"{where} has {times} columns called {quoted(name)}: rename all but one.")
        if not name.strip():
            raise Refused(f"{where} has a column without a name (number {names.index(name) + 1}): give it one.")


def chosen_table(where: str, tables: Sequence[str], asked: str | None, what: str = "table") -> str:
    """The one of several tables that was asked for, or the only one."""
    if asked is None and len(tables) == 1:
        return tables[0]
    if not tables:
        raise Refused(f"{where} holds no {what}.")
    if asked is None or asked not in tables:
        lead = f"holds several {what}s" if asked is None else f"has no {what} {quoted(asked)}"
        file = where.partition("::")[0]
        or_so = "" if file == "-" else f", or {file}::NAME,"
        raise Refused(f"{where} {lead}; say ", Remedy("table", "NAME"), f"{or_so} with one of {column_list(tables)}.")
    return asked


def extra(module: str, name: str, where: str) -> Any:
    """A package that an extra of this one brings; without it, the command that installs it."""
    try:
        return import_module(module)
    except ImportError:
        raise Refused(f"{where} needs {module}: pip install 'rosenblatt[{name}]'.") from None


def imported(package: str, what: str) -> Any:
    """A package that only `what` needs; without it, the command that installs it."""
    try:
        return import_module(package)
    except ImportError:
        raise ImportError(f"{what} needs {package}, which is not installed: pip install {package}.") from None
