"""What was understood of how a file is written, in words: said in one line, so that nothing is read silently."""

from collections.abc import Iterable

from rosenblatt.data.duck import Source
from rosenblatt.data.encoding import Encoding
from rosenblatt.data.numerals import MISSING_WORDS, Numerals
from rosenblatt.data.refusal import column_list, quoted
from rosenblatt.data.wording import count

__all__ = ["encoding_in_words", "in_words", "of_columns", "readings_in_words", "source_in_words"]


def readings_in_words(read: Iterable[tuple[str, Numerals]]) -> list[str]:
    """Each peculiarity of the columns' numbers, with the columns that have it.

    >>> readings_in_words([("a", Numerals(",")), ("b", Numerals(",", na=("NA",)))])
    ['decimal comma; 2 columns (a, b)', '"NA" is missing; 1 column (b)']
    """
    columns: dict[str, list[str]] = {}
    for name, numerals in read:
        for word in in_words(numerals):
            columns.setdefault(word, []).append(name)
    return [of_columns(word, names) for word, names in columns.items()]


def source_in_words(source: Source) -> list[str]:
    """What was understood of a source whose columns have been looked at."""
    return [*source.notes, *readings_in_words(source.readings())]


def encoding_in_words(encoding: Encoding) -> list[str]:
    """How numbers are written, which levels look like missing values, and where means stand for these."""
    filled = [f"{column.name} {column.mean:.6g}" for column in encoding.columns if column.mean is not None]
    means = [of_columns("missing values are the mean", filled)] if filled else []
    return [*readings_in_words(encoding.numerals), *_levels_in_words(encoding), *means]


def _levels_in_words(encoding: Encoding) -> list[str]:
    """Levels and classes that other programs write for a missing value: "NA" may mean that, or Namibia."""
    columns: dict[str, list[str]] = {}
    for column in encoding.columns:
        for level in set(column.levels) & set(MISSING_WORDS):
            columns.setdefault(level, []).append(column.name)
    told = [of_columns(f"{quoted(level)} is a level, not missing", names) for level, names in sorted(columns.items())]
    classes = sorted(set(encoding.classes) & set(MISSING_WORDS))
    return told + [of_columns(f"{quoted(one)} is a class, not missing", [encoding.target or ""]) for one in classes]


def of_columns(words: str, names: list[str]) -> str:
    """What is true of some columns, and of which."""
    return f"{words}; {count(len(names), 'column')} ({column_list(names)})"


def in_words(numerals: Numerals) -> list[str]:
    """What is unusual about how a column writes numbers, a few words each."""
    mark = "a blank" if numerals.thousands == " " else quoted(numerals.thousands)
    if numerals.date:
        return [f"dates as {numerals.date}"]
    told = ["decimal comma"] if numerals.decimal == "," else []
    told += [f"{mark} between thousands"] if numerals.thousands else []
    told += ["per cent as parts of 1"] if numerals.percent else []
    return told + [f"{quoted(text)} is missing" for text in numerals.na]
