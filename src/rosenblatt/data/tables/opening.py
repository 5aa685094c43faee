"""`open_table`: open a file, a query or a frame as a table. What the options leave open is not guessed."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rosenblatt.arguments import checked
from rosenblatt.context import Context
from rosenblatt.data.numbers import column_names
from rosenblatt.data.paths import Files, SparseFile, Told, open_sources
from rosenblatt.data.readers import USUAL, Progress, is_row_index
from rosenblatt.data.refusal import Refused, Remedy, column_list, quoted, unknown_column
from rosenblatt.data.roles import KINDS, Kind, Role, role_columns
from rosenblatt.data.sql import DATE_PARTS, PLAIN, CsvFile, Source, from_frame, from_query
from rosenblatt.data.tables.column_table import ColumnTable
from rosenblatt.data.tables.encoding import MISSING, Encoding
from rosenblatt.data.tables.learn import ReadingOptions
from rosenblatt.data.tables.sparse_table import SparseTable
from rosenblatt.data.tables.store import Store
from rosenblatt.data.tables.table import Named, Table
from rosenblatt.data.understood import folders_in_words, indices_in_words

__all__ = ["coded_frame", "open_alike", "open_table"]

_MOST_FIELDS = 50_000  # the time to read a text file grows faster than its columns


@checked
def open_table(
    path: Files | None = None,
    *,
    sql: str | None = None,
    frame: Any = None,
    target: str | None = None,
    positive: str | None = None,
    features: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    na: Sequence[str] = (),
    missing: str = "refuse",
    hash_columns: Sequence[str] = (),
    hash_buckets: int = 256,
    max_levels: int = 100,
    numbers: Sequence[str] = (),
    factors: Mapping[str, Sequence[str]] | None = None,
    dates: Mapping[str, str] | None = None,
    id: str | None = None,  # noqa: A002 (the word a person would use)
    weights: str | None = None,
    counts: tuple[str, str] | None = None,
    degree: int = 1,
    intercept: bool = True,
    multiclass: bool = False,
    delimiter: str | None = None,
    header: bool = True,
    decimal: str | None = None,
    thousands: str | None = None,
    charset: str | None = None,
    format: str | None = None,  # noqa: A002 (the word a person would use)
    table: str | None = None,
    zero_based: bool = False,
    encoding: Encoding | None = None,
    labels: bool = True,
    roles: Mapping[Role, str | Sequence[str]] | None = None,
    reads: Mapping[Role, Kind] | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Table:
    r"""Open a file, the answer to a query, or a frame, as rows of numbers with labels.

    Parameters
    ----------
    path : path, or several
        A file: CSV or TSV, Parquet, JSON (a list of objects, or one a line), Excel or LibreOffice sheets, Stata, SPSS
        or SAS, a DuckDB or SQLite database, Arrow IPC or Feather, LIBSVM text, .npy, .npz (an array X, and others by
        their names); any of them in .gz, .zst (text), .bz2, .xz or .zip; a folder of Parquet files. "-" is standard
        input, and an http(s) address is fetched. file::name names a table, a sheet or a file in an archive. Several
        files, or a pattern such as "rows/*.csv", are one table; rows are counted through all of them. Folders called
        year=2023 and year=2024 give the rows in them a column year.
    sql : str
        A query for DuckDB, which may select from files by their names; with `path`, from a database file and nothing
        else. Say ORDER BY where the order of the rows must be the same every time.
    frame : pandas or polars frame, Arrow table
        A table in memory.
    target : str
        The column of the classes; none with `counts`.
    positive : str, optional
        The positive class; the others together are the negative one. Otherwise the second of two; of ⊕ and ⊖, C1 and
        C2, as in lectures, the first.
    features, drop : names
        The columns to use; those not to use. By default all but the target, the weights and the counts.
    categorical : names
        Columns to take as text whatever their values look like.
    na : texts
        Texts that mean a missing value, besides the empty text.
    missing : "refuse", "drop", "indicator", "level" or "mean"
        What becomes of missing values. "refuse": an error; "drop": their rows are left out; "indicator": 0, and a 0/1
        column that marks them; "level": a level of their own (text columns only); "mean": the mean of the other values
        (numbers only).
    hash_columns, hash_buckets : names, int
        Text columns with too many values to give each a column, and the number of columns that the values share.
    max_levels : int
        How many different values a text column may have.
    numbers : names
        Columns that must hold numbers: also texts of a sheet or a database that look like numbers.
    factors : dict
        Columns of names, each with its values in their order: the first is the one that others are measured against.
    dates : dict
        Columns of dates (2024-01-31), each with what is taken of it: "days" (since 1970-01-01), "year", "month",
        "day", "weekday" (Monday is 1) or "hour".
    id : str, optional
        The column that names the rows, each differently; it is not learned from. `ids` has the names.
    weights : str, optional
        The column of row weights; a row of weight zero is absent.
    counts : (str, str), optional
        The columns that count successes and failures of a group; a group with both is two rows.
    degree : int
        Append all products of up to so many columns: the feature map Φ of polynomials.
    intercept : bool
        Whether the model will have an intercept. A text column gets a 0/1 column for each of its values but the
        first, the reference, so that every coefficient is identified; without an intercept the first text column
        keeps all of them. The verdict is the same as with a column for each value.
    multiclass : bool
        Accept more than two classes; y then holds their numbers.
    delimiter : str, optional
        What separates fields; otherwise the one of `, tab ; |` that cuts the first rows as it cuts the header.
    header : bool
        Whether the first line of a text file or a sheet has the names of the columns; else they are c1, c2 and so on.
    decimal, thousands : str, optional
        The decimal mark ("," or "."), and what stands between thousands (",", ".", "'", "’", " "; "" for nothing) in
        columns of numbers. Where nothing is said, a reading is taken that turns every value of a column into a number,
        if it is the only one; `notes` says what was understood.
    charset : str, optional
        The encoding of text, such as "latin-1". Where nothing is said: UTF-8, UTF-16 if the text has its mark, and
        Windows-1252 if its first lines are not UTF-8.
    format : str, optional
        What the file is, where its name does not say it: csv, parquet, json, jsonl, excel, ods, stata, spss, sas,
        xport, duckdb, sqlite, arrow, npy, npz, libsvm.
    table : str, optional
        Which table of a database file, sheet of a workbook, or file of an archive.
    zero_based : bool
        Whether indices in LIBSVM text count from 0; to be said of each file, also with `encoding`.
    encoding : Encoding, optional
        Read the table as another one was read: only how the file is written (`format`, `table`, `delimiter`, `charset`)
        remains to be said. A table that does not fit is refused.
    labels : bool
        Whether labels and weights are wanted (with `encoding`: False to predict, and the target may be absent).
    roles : dict, optional
        For a regression: columns that are no features, by what they are for ("trials", "offset", "exposure", "groups",
        "time", "event", "entry"; several of them for "fixed_effects"). "event": "status=2" is yes where status is 2.
        The target is then read as the regression says in `reads`, and is `column("target")`; there are no labels.
    reads : dict, optional
        How a regression reads the columns of roles: "number", "classes", "groups" or "flag".
    time_limit : float, optional
        Seconds for the views and queries of a SQLite database, which may have no end; `Unfinished` is raised then.
    progress : callable, optional
        Called with the bytes fetched so far and all of them (None where the server does not say), of an address.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt.data import open_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "pets.csv"
    ...     _ = file.write_text("weight,coat,pet\n4.1,long,cat\n30,short,dog\n3.9,short,cat\n")
    ...     table = open_table(file, target="pet")
    ...     X, y, _ = table.arrays()
    >>> table.classes, table.features
    (('cat', 'dog'), ['weight', 'coat=short'])
    >>> X[1].tolist(), y.tolist()
    ([30.0, 1.0], [-1, 1, -1])
    """
    if (path is None and sql is None) == (frame is None):
        raise TypeError("open_table needs a path, a query or a frame, and one of them only.")
    if counts is not None and (isinstance(counts, str) or len(counts) != 2):
        raise ValueError(f"counts names two columns, successes and failures; it is {counts!r}.")
    options = ReadingOptions(
        target=None if target is None else str(target),
        positive=None if positive is None else str(positive),
        every_class=multiclass,
        features=None if features is None else _as_texts(features),
        drop=_as_texts(drop),
        categorical=tuple(dict.fromkeys((*_as_texts(categorical), *_as_texts(factors or ())))),
        hashed=_as_texts(hash_columns),
        buckets=hash_buckets,
        most_levels=max_levels,
        na=(*(encoding.na if encoding else ()), *_as_texts(na)),
        missing=missing,
        weights=None if weights is None else str(weights),
        counts=None if counts is None else (str(counts[0]), str(counts[1])),
        degree=degree,
        intercept=intercept,
        decimal=decimal,
        thousands=thousands,
        id=None if id is None else str(id),
        numbers=_as_texts(numbers),
        orders=tuple((str(name), _as_texts(levels)) for name, levels in (factors or {}).items()),
        dates=tuple((str(name), part) for name, part in (dates or {}).items()),
    )
    _refuse_contradictions(options)
    if frame is not None:
        source: Source | SparseFile = from_frame(frame, "the frame", options.na)
    elif path is None:
        source = from_query(sql or "", "the query", options.na)
    else:
        if encoding is not None and encoding.delimiter not in USUAL:  # it cannot be recognised, and was said once
            delimiter = delimiter or encoding.delimiter
        deadline = Context.of(time_limit).deadline
        told = Told(
            format, table, sql, delimiter, charset, options.na, zero_based, progress, header=header, deadline=deadline
        )
        source = open_sources(path, told)
    if isinstance(source, SparseFile):
        if roles is not None:
            raise Refused(f"{source.place.where} has sparse rows without column names: a model has no column to name.")
        return SparseTable(source, options, encoding, labels)
    options = options if encoding is not None else options.with_names(source.names)
    if roles is not None:
        first = options.target if encoding is None else encoding.target
        asked: dict[Role, str | Sequence[str]] = {} if first is None else {"target": first}
        options = replace(options, roles=role_columns(source.where, source.names, asked | dict(roles), reads or KINDS))
    if encoding is not None:
        return _as_before(source, encoding, labels, options)
    return ColumnTable(source, options, _features(source, options))


def coded_frame(X: Any, intercept: bool = True) -> Any:
    """A frame with columns of names as a table, which has 0/1 columns for their levels; anything else as it is."""
    names = None if isinstance(X, (Table, Named)) or hasattr(X, "dtype") else column_names(X)
    columns = (X.iloc[:, j] if hasattr(X, "iloc") else X[name] for j, name in enumerate(names or ()))
    return open_table(frame=X, roles={}, intercept=intercept) if any(map(_holds_names, columns)) else X


def _holds_names(column: Any) -> bool:
    """Whether a column of a frame is one of categories or texts."""
    kind = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
    if kind == "object":
        return any(isinstance(value, str) for value in column)
    return kind.startswith(("category", "categorical", "enum", "string", "str", "large_string", "dictionary"))


def open_alike(
    data: Files, encoding: Encoding, labels: bool = True, progress: Progress | None = None, **written: Any
) -> Table:
    """Open another table, or the store of one, to be read as the first table was read.

    `written` are arguments of `open_table` that say how this file is written.
    """
    if not isinstance(data, (str, os.PathLike)) or not Store.is_store(data):
        return open_table(data, encoding=encoding, labels=labels, progress=progress, **written)
    store = Store.open(data)
    if store.encoding != encoding:
        raise ValueError(f"{data} is a store of a table that was read in another way: name the table itself.")
    return store


def _as_texts(given: Iterable[Any]) -> tuple[str, ...]:
    """Names or values as texts: those of a frame may be numbers, and one alone need not be in a list."""
    return (given,) if isinstance(given, str) else tuple(map(str, given))


def _refuse_contradictions(options: ReadingOptions) -> None:
    """Refuse options that mean nothing, or contradict each other, whatever the table holds."""
    if options.missing not in MISSING:
        raise Refused(f"missing must be one of {', '.join(MISSING)}; it is {options.missing!r}.")
    if options.degree < 1:
        raise Refused(f"degree must be 1 or more; it is {options.degree}.")
    if options.buckets < 2:
        raise Refused(f"there must be 2 buckets or more to hash into; they are {options.buckets}.")
    if options.counts and (options.target or options.weights):
        raise Refused("counts hold the outcomes: leave the target and the weights out.")
    if options.decimal not in (None, ".", ",") or options.thousands not in (None, "", *".,' \u2019"):
        raise Refused("a decimal mark is . or , and thousands are separated by . , ' ’ or a blank, or not at all.")
    if options.decimal is not None and options.decimal == options.thousands:
        raise Refused(f"{quoted(options.decimal)} cannot be the decimal mark and stand between thousands too.")
    for name, part in options.dates:
        if part not in DATE_PARTS:
            raise Refused(f"column {quoted(name)}: a date is taken as {', '.join(DATE_PARTS)}; not as {quoted(part)}.")
    other_kinds = {*options.hashed, *options.numbers, *dict(options.dates)}
    both = set(options.features or ()) & set(options.drop) or set(options.categorical) & other_kinds
    if both:
        raise Refused(f"column {quoted(min(both))} is asked for in two ways that exclude each other.")


def _as_before(source: Source, encoding: Encoding, labels: bool, options: ReadingOptions) -> Table:
    """A table that is read by an encoding learned from another table; its numbers may be written in another way."""
    if options.id is not None:
        encoding = replace(encoding, id=options.id)
    names = [column.name for column in encoding.columns]
    needed = [encoding.target, encoding.weights, *(encoding.counts or ())] if labels else []
    source.ask([*names, *needed])
    there = set(source.names)
    for name in [*names, *(name for name in needed if name)]:
        if name not in there:
            raise unknown_column(source.where, name, source.names, ", which is needed")
    numerals = dict(encoding.numerals)
    if options.says_numerals:
        for name in (one.name for one in encoding.columns if one.kind == "number"):
            known = numerals.get(name, PLAIN)
            if not known.date:
                numerals[name] = replace(known, decimal=options.decimal or ".", thousands=options.thousands or "")
    source.numerals = written = {source.place(name): one for name, one in numerals.items() if name in there}
    positive = encoding.classes[1] if encoding.rest else None
    as_then = ReadingOptions(encoding.target, positive=positive, roles=options.roles)
    table = ColumnTable(source, as_then, names, encoding, labels)
    source.numerals = written  # columns with a role were read first, and forgot those of the others
    return table


def _features(source: Source, options: ReadingOptions) -> list[str]:
    """The columns to learn from, in the order of the table (or as `features` has them)."""
    roles = [options.target, options.weights, *(options.counts or ()), options.id]
    roles += [one.name for one in options.roles or ()]
    if options.target is None and not options.counts and options.roles is None:
        raise Refused(
            f"{source.where}: which column is the class? Say ",
            Remedy("target", "COLUMN"),
            f": {column_list(source.names)}.",
        )
    named = [*roles, *(options.features or ()), *options.drop, *options.categorical, *options.hashed]
    named += [*options.numbers, *(name for name, _ in options.dates)]
    source.ask(named)
    for name in named:
        if name is not None and name not in source.names:
            raise unknown_column(source.where, name, source.names)
    source.notes += folders_in_words(source.aside)
    chosen = list(options.features) if options.features is not None else source.names
    unasked = [name for name in source.names if is_row_index(name) and name not in named]
    source.notes += indices_in_words([name for name in unasked if name in chosen])
    chosen = [name for name in chosen if name not in unasked]
    chosen = [name for name in chosen if name not in roles and name not in options.drop]
    if not chosen and options.roles is None:
        raise Refused(f"{source.where} has no column left to learn from, besides {quoted(options.target or '')}.")
    if isinstance(source, CsvFile) and len(chosen) > _MOST_FIELDS:
        raise Refused(
            f"{source.where} has {len(chosen):,} columns to learn from, and at most {_MOST_FIELDS:,} are read from a "
            f"text file, which takes minutes: choose some by features or drop, or write LIBSVM lines."
        )
    return chosen
