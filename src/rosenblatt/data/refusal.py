"""One exception for input that cannot be used."""

import difflib
from collections.abc import Iterable

__all__ = ["Refused", "column_list", "quoted", "unknown_column"]


class Refused(ValueError):
    """Input that cannot be used; the message is one sentence: the file, the row, the column, and what to do.

    Examples
    --------
    >>> raise Refused('data.csv has no column "z".')
    Traceback (most recent call last):
    ...
    rosenblatt.data.refusal.Refused: data.csv has no column "z".
    """


def quoted(name: str) -> str:
    """A name or a value as a sentence shows it: in quotes, cut where it is long."""
    shown = name if len(name) <= 60 else name[:57] + "…"
    return '"' + shown.replace("\n", "\\n") + '"'


def column_list(names: Iterable[str], most: int = 8) -> str:
    """The names; of many the first and the last, where the one that is meant often is."""
    names = list(names)
    if len(names) <= most:
        return ", ".join(names)
    return ", ".join([*names[: most // 2], "…", *names[len(names) - most // 2 :]]) + f" ({len(names)} in all)"


def unknown_column(where: str, name: str, names: list[str], role: str = "") -> Refused:
    """The refusal of a name that no column has, with the likeliest one that was meant."""
    near = difflib.get_close_matches(name.lower(), [n.lower() for n in names], n=1)
    meant = next((n for n in names if near and n.lower() == near[0]), None)
    hint = f"did you mean {quoted(meant)}?" if meant else f"its columns are {column_list(names)}."
    return Refused(f"{where} has no column {quoted(name)}{role}; {hint}")
