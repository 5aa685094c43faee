"""What was understood of how a file is written, in words: said in one line, so that nothing is read silently."""

import re
from collections.abc import Iterable, Sequence

from rosenblatt.data.refusal import column_list, quoted
from rosenblatt.data.sql import MISSING_WORDS, CsvFile, Numerals, Source
from rosenblatt.data.tables import Encoding
from rosenblatt.data.wording import count

__all__ = [
    "encoding_in_words",
    "folders_in_words",
    "header_in_words",
    "indices_in_words",
    "names_in_words",
    "numerals_in_words",
    "written_in_words",
]
__all__ += ["source_in_words"]


def written_in_words(read: Iterable[tuple[str, Numerals]]) -> list[str]:
    """Each peculiarity of the columns' numbers, with the columns that have it.

    >>> written_in_words([("a", Numerals(",")), ("b", Numerals(",", na=("NA",)))])
    ['decimal comma; 2 columns (a, b)', '"NA" is missing; 1 column (b)']
    """
    columns: dict[str, list[str]] = {}
    for name, numerals in read:
        for word in numerals_in_words(numerals):
            columns.setdefault(word, []).append(name)
    return [_of_columns(word, names) for word, names in columns.items()]


def source_in_words(source: Source, formula: str = "") -> list[str]:
    """What was understood of a source whose columns have been looked at; a formula may name some as they are."""
    bare = re.findall(r"[\w.]+", re.sub(r"(?<![\w.])(?:C|factor|as\.factor)\([^()]*\)", "", formula))
    in_quotes = source.in_quotes & set(bare) if isinstance(source, CsvFile) else ()
    return [*source.notes, *written_in_words(source.readings()), *names_in_words([], [], (), in_quotes)]


def encoding_in_words(encoding: Encoding) -> list[str]:
    """How numbers are written, which levels look like missing values, and where means stand for these."""
    filled = [f"{column.name} {column.mean:.6g}" for column in encoding.columns if column.mean is not None]
    means = [_of_columns("missing values are the mean, the nearest float", filled)] if filled else []
    return [*written_in_words(encoding.numerals), *_levels_in_words(encoding), *means]


def _levels_in_words(encoding: Encoding) -> list[str]:
    """Levels and classes that other programs write for a missing value: "NA" may mean that, or Namibia."""
    columns: dict[str, list[str]] = {}
    for column in encoding.columns:
        for level in set(column.levels) & set(MISSING_WORDS):
            columns.setdefault(level, []).append(column.name)
    told = [_of_columns(f"{quoted(level)} is a level, not missing", names) for level, names in sorted(columns.items())]
    classes = sorted(set(encoding.classes) & set(MISSING_WORDS))
    return told + [_of_columns(f"{quoted(one)} is a class, not missing", [encoding.target or ""]) for one in classes]


def header_in_words(nameless: Iterable[int], numbers: list[str]) -> list[str]:
    """What is said of a header: columns without a name, by their places, and names that are numbers.

    R and pandas write numbers of rows into a column without a name. A name such as 5.1 may be a wavelength, or a value
    of the first row, in a file that has no header.

    >>> header_in_words([0], ["5.1"])
    ['left out column 1 (no name)', 'names that are numbers, in the first line; 1 column (5.1)']
    """
    places = [str(k + 1) for k in nameless]
    told = [f"left out column{'s' * (len(places) > 1)} {column_list(places)} (no name)"] if places else []
    return told + ([_of_columns("names that are numbers, in the first line", numbers)] if numbers else [])


def indices_in_words(names: list[str]) -> list[str]:
    """What is said of columns that hold the index of a frame."""
    return [_of_columns("index of the rows, so left out", names)] if names else []


def folders_in_words(names: Iterable[str]) -> list[str]:
    """What is said of columns that the names of folders have, where all rows are in the same folder.

    >>> folders_in_words({"year": "2023"})
    ['named by the folder and alike in all rows, so left out; 1 column (year)']
    """
    named = list(names)
    return [_of_columns("named by the folder and alike in all rows, so left out", named)] if named else []


def names_in_words(
    numbers: list[str],
    different: list[str],
    alike: Iterable[tuple[str, str]] = (),
    in_quotes: Iterable[str] = (),
    of_rows: Sequence[str] = (),
) -> list[str]:
    """What is said of text columns that are hardly categories: texts that are numbers, and names of rows.

    `alike` has columns with texts that look like numbers, each with the first of them; `in_quotes` columns of numbers
    in quotes, which may be names; `of_rows` columns of numbers that may be the rows' names.

    >>> names_in_words([], [], [("a", "1/2")])
    ['no numbers, taken as names, though "1/2" looks like one; 1 column (a)']
    """
    told = [_of_columns("numbers that are texts, taken as names", numbers)] if numbers else []
    told += [_of_columns(f"no numbers, taken as names, though {quoted(text)} looks like one", [n]) for n, text in alike]
    told += [_of_columns("a different name in every row", different)] if different else []
    factors = "numbers in quotes, as R writes a factor, taken as numbers; "
    factors += "to take them as names, say categorical, in a formula factor(…)"
    ids = "another whole number in every row, taken as numbers; to name the rows by them say id, to leave them out drop"
    told += [_of_columns(ids, list(of_rows))] if of_rows else []
    return told + ([_of_columns(factors, sorted(in_quotes))] if in_quotes else [])


def _of_columns(words: str, names: list[str]) -> str:
    return f"{words}; {count(len(names), 'column')} ({column_list(names)})"


def numerals_in_words(numerals: Numerals) -> list[str]:
    """What is unusual about how a column writes numbers, a few words each."""
    mark = "a blank" if numerals.thousands == " " else quoted(numerals.thousands)
    if numerals.date:
        return [f"dates as {numerals.date}"]
    told = ["decimal comma"] if numerals.decimal == "," else []
    told += [f"{mark} between thousands"] if numerals.thousands else []
    told += ["groups of two digits"] if numerals.indian else []
    told += ["− as minus"] if numerals.minus else []
    told += ["per cent as parts of 1"] if numerals.percent else []
    return told + [f"{quoted(text)} is missing" for text in numerals.na]
