"""Learn how a table is to be encoded: one scan that counts, for each column, what its values look like.

A column whose written values are all numbers is numbers; one without any is text (or boolean, if all are true or
false); one with both is refused, since one stray `x` would otherwise make a category of every number.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import fsum

import numpy as np

from rosenblatt.data.numbers import positive_last
from rosenblatt.data.refusal import Refused, Remedy, SeveralClasses, column_list, quoted
from rosenblatt.data.roles import RoleColumn, split_names
from rosenblatt.data.sql import (
    MISSING_WORDS,
    PLAIN,
    Numerals,
    Source,
    held_columns,
    holds_dates,
    holds_money,
    holds_numbers,
    is_nan,
    kind_of,
    longest_text,
    look_at_digits,
    moment,
    no_number,
    recognised,
)
from rosenblatt.data.tables.encoding import Column, Encoding
from rosenblatt.data.wording import is_number

__all__ = ["Depth", "Learned", "ReadingOptions", "kinds_of", "learned_from", "refusal_of_missing"]

_FIRST_BYTES = 1 << 20  # of a file whose first rows are looked at
_LONGEST_WORD = 30  # letters of a text that may mean "missing"

# How closely a column is looked at. "plain": finite numbers are counted; "counted": everything that tells its kind is;
# "levels": its different values are listed too.
Depth = dict[str, str]


@dataclass(frozen=True)
class ReadingOptions:
    """What the user said about columns and values."""

    target: str | None
    positive: str | None = None
    every_class: bool = False
    features: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    hashed: tuple[str, ...] = ()
    buckets: int = 256
    most_levels: int = 100
    na: tuple[str, ...] = ()
    missing: str = "refuse"
    weights: str | None = None
    counts: tuple[str, str] | None = None
    degree: int = 1
    intercept: bool = True
    decimal: str | None = None
    thousands: str | None = None
    id: str | None = None  # the column that names the rows
    numbers: tuple[str, ...] = ()  # columns that must hold numbers
    orders: tuple[tuple[str, tuple[str, ...]], ...] = ()  # of names, the levels in their order
    dates: tuple[tuple[str, str], ...] = ()  # columns of dates, and what of them is the number
    roles: tuple[RoleColumn, ...] | None = None  # the columns of a model; None: there are two classes, or several

    def with_names(self, columns: Collection[str]) -> "ReadingOptions":
        """The same options, where several names with commas between them are several columns."""

        def split(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(split_names(names, columns))

        return replace(
            self,
            features=None if self.features is None else split(self.features),
            drop=split(self.drop),
            categorical=split(self.categorical),
            hashed=split(self.hashed),
            numbers=split(self.numbers),
            dates=tuple((name, part) for names, part in self.dates for name in split((names,))),
        )

    def tell(self, source: Source) -> None:
        """Tell a source what the user said of its columns."""
        kept = {source.place(one.name) for one in self.roles or ()}  # how these are written is known for good
        source.numerals = {i: known for i, known in source.numerals.items() if i in kept}
        source.numerals |= {source.place(name): Numerals(date=part) for name, part in self.dates}
        source.written |= {
            i for i, kind in enumerate(source.types) if kind == "VARCHAR" and source.names[i] in self.numbers
        }
        source.levels |= {source.place(name): order for name, order in self.orders}

    @property
    def classes_of(self) -> str | None:
        """The column whose values are the classes; None where there is none, or where a model reads the target."""
        return self.target if self.roles is None else None

    @property
    def says_numerals(self) -> bool:
        """Whether the user said how numbers are written."""
        return self.decimal is not None or self.thousands is not None


@dataclass
class _Seen:
    """What one column's values look like."""

    present: int = 0
    numbers: int = 0
    booleans: int = 0
    nans: int = 0
    finite: int = 0  # in a plain look the only count besides the next
    longest: int = 0  # characters of the longest text
    levels: list[str] = field(default_factory=list)


@dataclass
class Learned:
    """An encoding, and whether all rows were seen."""

    encoding: Encoding
    rows: int
    complete: bool
    digits: dict[int, str] = field(default_factory=dict)  # of columns of numbers, as `look_at_digits` has them


def kinds_of(source: Source, names: list[str], options: ReadingOptions) -> dict[str, str]:
    """What each of these columns holds: "number", "boolean" or "text", which also is one with numbers and other texts.

    Of the options only those count that say how numbers are written, and which columns are `categorical`.
    """
    rows, seen = _count_looks(source, names, dict.fromkeys(names, "plain"), None)
    doubtful = [name for name in names if seen[name].finite < rows]
    if doubtful:
        seen |= _count_looks(source, doubtful, dict.fromkeys(doubtful, "counted"), None)[1]
    for name in names if options.says_numerals else doubtful:
        _recognise(source, options, name, seen[name], None)
    kinds = {}
    for name in names:
        i, counted = source.place(name), seen[name]
        if i in source.numerals:
            kinds[name] = "number"
        elif source.is_written(i):
            boolean = counted.present > 0 and counted.booleans == counted.present
            number = counted.numbers == counted.present and name not in options.categorical
            kinds[name] = "boolean" if boolean else "number" if number else "text"
        else:
            kinds[name] = kind_of(source.types[i]) or "text"
    return kinds


def learned_from(
    source: Source, options: ReadingOptions, features: list[str], limit: int | None, depth: Depth
) -> Learned:
    """Learn the encoding from the first `limit` rows, or from all; refuse what no encoding can express.

    `depth` holds what earlier looks have shown about how closely each column must be looked at, and is brought up to
    date. So the look at all rows is one scan, unless later rows hold what the first ones did not.
    """
    wanted = [*features, *([options.classes_of] if options.classes_of else [])]
    first = "counted" if options.says_numerals else "plain"
    for name in wanted:
        depth.setdefault(name, "levels" if name in (*options.categorical, options.target) else first)
    options.tell(source)
    for name in filter(None, (options.weights, *(options.counts or ()))):  # `_count_looks` leaves these columns out
        if source.is_written(source.place(name)):
            _take_numerals(source, options, source.place(name), limit)
    seen: dict[str, _Seen] = {}
    coming = wanted
    held = held_columns(source, None if limit is None else _FIRST_BYTES)
    while True:
        try:
            rows, found = _count_looks(source, coming, depth, limit, held)
        except Refused:
            _refuse_other_dates(source, options)
            raise
        seen |= found
        coming = [name for name in coming if _deepened(source, options, name, found[name], depth, limit)]
        if not coming:
            break
    complete = limit is None or rows < limit
    if rows == 0:
        raise Refused(f"{source.where} has a header and no rows.")
    columns = [_learned_column(source, options, name, seen[name], rows, complete) for name in features]
    # the first level of each text column is left out; without an intercept the first text column keeps it
    factors = [column.name for column in columns if column.is_factor][not options.intercept :]
    columns = [replace(column, reference=column.name in factors) for column in columns]
    classes: tuple[str, ...] = ()
    if options.classes_of is not None:
        classes = _classes(source, options, seen[options.classes_of], complete)
    elif options.counts:
        classes = (options.counts[1], options.counts[0])
    encoding = Encoding(
        tuple(columns),
        target=options.target,
        classes=classes,
        rest=options.positive is not None and bool(options.classes_of) and len(seen[options.target or ""].levels) > 2,
        missing=options.missing,
        na=options.na,
        weights=options.weights,
        counts=options.counts,
        degree=options.degree,
        delimiter=getattr(source, "delimiter", ","),
        id=options.id,
        numerals=source.readings(),
    )
    encoding.check_size(source.where)
    _check_days(source, options)
    doubtful = [c.name for c in columns if c.kind == "number" and _may_be_long(source, c.name, seen[c.name])]
    factors = [name for name in (options.weights, *(options.counts or ())) if name]
    closer = [i for i in map(source.place, doubtful + factors) if i not in held or i in source.numerals]
    return Learned(encoding, rows, complete, look_at_digits(source, closer, limit))


# ------------------------------------------------------------------------------------------------------------ looking


def _count_looks(
    source: Source, names: list[str], depth: Depth, limit: int | None, held: Collection[int] = ()
) -> tuple[int, dict[str, _Seen]]:
    """Count what the columns hold, in one scan; the texts of the columns `held` need not be measured."""
    expressions, takers = ["count(*)"], []
    for name in names:
        i = source.place(name)
        kind = "written" if source.is_written(i) else kind_of(source.types[i])
        kind = "number" if i in source.numerals else kind
        for field_name, expression in _counted_in(i, kind, depth[name], i not in held).items():
            expressions.append(expression)
            takers.append((name, field_name))
    rows = source.relation() if limit is None else f"(SELECT * FROM {source.relation()} LIMIT {limit})"
    total, *answer = source.select(f"SELECT {', '.join(expressions)} FROM {rows}")[0]
    seen = {name: _Seen(present=total, numbers=total) for name in names}
    for (name, field_name), value in zip(takers, answer, strict=True):
        setattr(seen[name], field_name, value or type(getattr(seen[name], field_name))())
    for one in seen.values():
        one.levels = sorted(level for level in one.levels if level is not None)
    return total, seen


def _may_be_long(source: Source, name: str, seen: _Seen) -> bool:
    """Whether a column must be looked at for numbers that float64 does not hold."""
    i = source.place(name)
    return seen.longest > 15 or i in source.numerals or not source.is_written(i)


def _counted_in(i: int, kind: str, depth: str, measured: bool) -> dict[str, str]:
    """What to count in column i: finite numbers only, or everything that decides its kind (FILTER would be slow)."""
    number = f"TRY_CAST(c{i} AS DOUBLE)"
    if depth == "plain" and kind in ("written", "number"):
        longest = {"longest": longest_text(f"c{i}")} if kind == "written" and measured else {}
        return {"finite": f"count_if(isfinite({number}))"} | longest
    counts = {"present": f"count(c{i})"}
    if kind in ("written", "number"):
        counts |= {"numbers": f"count({number})", "nans": f"count_if({is_nan(number)})"}
    if kind == "written":
        counts |= {"longest": longest_text(f"c{i}")} if measured else {}
        counts["numbers"] = f"count(CASE WHEN {no_number(f'c{i}')} THEN NULL ELSE {number} END)"
        counts["booleans"] = f"count_if(lower(c{i}) IN ('true', 'false'))"
    if depth == "levels":
        counts["levels"] = f"list(DISTINCT CAST(c{i} AS VARCHAR))"
    return counts


def _deepened(source: Source, options: ReadingOptions, name: str, seen: _Seen, depth: Depth, limit: int | None) -> bool:
    """Whether a column must be looked at again, and more closely, as `depth` then says."""
    doubtful = depth[name] == "plain" and seen.finite < seen.present
    if doubtful or (name != options.target and _recognise(source, options, name, seen, limit)):
        depth[name] = "counted"
    elif (
        depth[name] != "levels"
        and name != options.target
        and _kind_of_column(source, options, name, seen) == "category"
    ):
        depth[name] = "levels"
    else:
        return False
    return True


def _recognise(source: Source, options: ReadingOptions, name: str, seen: _Seen, limit: int | None) -> bool:
    """Whether a column of texts was just found to write numbers in an unusual way."""
    i = source.place(name)
    if not source.is_written(i) or i in source.numerals or name in (*options.categorical, *options.hashed):
        return False
    plain = seen.numbers == seen.present and not options.says_numerals
    if not seen.present or seen.booleans == seen.present or plain:
        return False
    return _take_numerals(source, options, i, limit)


def _take_numerals(source: Source, options: ReadingOptions, i: int, limit: int | None) -> bool:
    """Note how column i writes its numbers, where that is unusual; returns whether it is."""
    found = recognised(source, i, options.decimal, options.thousands, limit)
    if found is None or found == PLAIN:
        return False
    source.numerals[i] = found
    return True


# ----------------------------------------------------------------------------------------------------------- deciding


def _kind_of_column(source: Source, options: ReadingOptions, name: str, seen: _Seen) -> str:
    """The kind of a column: number, boolean, category or hash; "mixed" where only some of its texts are numbers."""
    if name in options.hashed:
        return "hash"
    if name in options.categorical:
        return "category"
    i = source.place(name)
    if i in source.numerals:
        return "number"
    if not source.is_written(i):
        declared = source.types[i]
        kind = kind_of(declared)
        if not kind:
            raise Refused(
                f"{source.where}: column {quoted(name)} is of type {declared}, neither number nor text: ",
                *_remedies_of_type(declared, name),
            )
        return "category" if kind == "text" else kind
    if seen.present and seen.booleans == seen.present:
        return "boolean"
    takes_plain = options.decimal in (None, ".") and not options.thousands  # 1.5 may be a number as it stands
    if seen.numbers == seen.present and takes_plain:
        return "number"
    return "mixed" if seen.numbers else "category"


def _learned_column(
    source: Source, options: ReadingOptions, name: str, seen: _Seen, rows: int, complete: bool
) -> Column:
    kind = _kind_of_column(source, options, name, seen)
    absent = rows - seen.present + (seen.nans if kind == "number" else 0)
    if complete and absent == rows:
        raise Refused(f"{source.where}: column {quoted(name)} has no value in any row: say ", Remedy("drop", name), ".")
    if kind == "mixed" or (kind == "category" and name in options.numbers):
        _refuse_mixed(source, options, name)
    if kind == "category" and name not in options.categorical:
        refuse_hidden_numbers(source, name, seen.levels)
    if kind == "category" and len(seen.levels) > options.most_levels:
        raise _many_names(source, options, name, seen, rows)
    levels: tuple[str, ...] = ()
    if kind == "category":  # in the order that the user or the file gives them, else in alphabetical order
        known = source.levels.get(source.place(name), ())
        levels = ordered_levels(source.where, name, seen.levels, dict(options.orders).get(name), known)
    own_place = options.missing == "indicator" or (options.missing == "level" and kind in ("category", "hash"))
    return Column(
        name,
        kind,
        levels=levels,
        buckets=options.buckets if kind == "hash" else 0,
        missing=bool(own_place and absent),
        mean=_exact_mean(source, name) if options.missing == "mean" and kind == "number" and absent else None,
    )


def ordered_levels(
    where: str, name: str, levels: list[str], said: Sequence[str] | None, known: Sequence[str]
) -> tuple[str, ...]:
    """The levels that occur, in the order that is `known`; one that is not in the order that was `said` is refused."""
    for level in levels:
        if said is not None and level not in said:
            raise Refused(f"{where}: column {quoted(name)} has {quoted(level)}, which is not in the order given.")
    order = {level: k for k, level in enumerate(known)}
    return tuple(sorted(levels, key=lambda level: (order.get(level, len(order)), level)))


def _exact_mean(source: Source, name: str) -> float:
    """The mean of the values that are not missing, rounded once: the sum is exact, whatever the order of the rows."""
    i = source.place(name)
    rows = f"(SELECT {source.number(i)} AS v FROM {source.relation([i])})"
    values = [value for (value,) in source.select(f"SELECT v FROM {rows} WHERE isfinite(v)")]
    return fsum(values) / len(values)


def _remedies_of_type(declared: str, name: str) -> tuple[str | Remedy, ...]:
    """What to do with a column of a type that is neither number nor text."""
    if declared == "DATE" or declared.startswith("TIMESTAMP"):
        return "say ", Remedy("dates", name), " or ", Remedy("drop", name), "."
    return "turn it into one of them first, or say ", Remedy("drop", name), "."


def refuse_hidden_numbers(source: Source, name: str, levels: list[str]) -> None:
    """Refuse texts that are dates, sums of money or numbers: a level for each would separate almost any classes."""
    where, dates = f"{source.where}: column {quoted(name)}", holds_dates(levels)
    ways = (Remedy("drop", name), ", or ", Remedy("categorical", name), " if they are names.")
    if dates == "iso":
        raise Refused(f"{where} is text that holds dates: say ", Remedy("dates", name), ", or ", *ways)
    if dates == "other":
        how = f"{where} is text that holds dates ({quoted(levels[0])}), which are read only as 2024-01-31"
        raise Refused(f"{how}: write them so, or say ", *ways)
    if holds_money(levels):
        how = f"{where} is text that holds sums of money ({quoted(levels[0])})"
        raise Refused(f"{how}: write the numbers without the sign, or say ", *ways)
    if source.is_written(source.place(name)) and holds_numbers(levels):
        shown = f"{quoted(levels[0])}, {quoted(levels[-1])}"
        raise Refused(
            f"{where} has numbers, but no one way of writing fits all ({shown}): write them alike, or say ", *ways
        )


def _refuse_other_dates(source: Source, options: ReadingOptions) -> None:
    """Name the first value that should be a date and is none, if there is one."""
    written = replace(source, numerals={})
    for name, part in options.dates:
        i = source.place(name)
        no_date = f"c{i} IS NOT NULL AND NOT ({Numerals(date=part).fits(f'c{i}')})"
        found = written.first(no_date, f"CAST(c{i} AS VARCHAR)")
        if found:
            raise Refused(
                f"{source.where}: row {found[0]:,}, column {quoted(name)} is {quoted(found[1])}, and not a date as in "
                f"2024-01-31: write dates so, or say ",
                Remedy("na", found[1]),
                " if it means that the date is missing, or ",
                Remedy("drop", name),
                ".",
            )


def _check_days(source: Source, options: ReadingOptions) -> None:
    """Refuse two moments that are the same number of days in float64, and say where days are not whole."""
    written = replace(source, numerals={})
    for name in (name for name, part in options.dates if part == "days"):
        i = source.place(name)
        present = f"(SELECT * FROM {written.relation()} WHERE c{i} IS NOT NULL)"
        rows = f"(SELECT {moment(f'c{i}')} AS t, {Numerals(date='days').value(f'c{i}')} AS v FROM {present})"
        if not source.select(f"SELECT count_if(t NOT LIKE '% 00:00:00') FROM {rows}")[0][0]:
            continue
        alike = source.select(f"SELECT min(t), max(t) FROM {rows} GROUP BY v HAVING min(t) <> max(t) LIMIT 1")
        if alike:
            first, second = map(quoted, alike[0])
            raise Refused(
                f"{source.where}: column {quoted(name)} has {first} and {second}, which are the same number of days in "
                f"float64: take another part of the dates, or write them as numbers of the unit that you need."
            )
        note = f"times of the day as parts of a day, the nearest floats; 1 column ({name})"
        source.notes += [] if note in source.notes else [note]


def _many_names(source: Source, options: ReadingOptions, name: str, seen: _Seen, rows: int) -> Refused:
    """The refusal of a text column with too many values; names of rows and numbers have remedies of their own."""
    ways: list[str | Remedy] = [Remedy("hash_columns", name), " or ", Remedy("drop", name), "."]
    if len(seen.levels) == rows and options.id is None:
        ways = [Remedy("id", name), " if it names the rows, ", *ways]
    if all(map(is_number, seen.levels)) and name not in options.categorical:
        ways = [Remedy("numbers", name), " if they are numbers, ", *ways]
    different = f"{len(seen.levels):,} different values, more than {options.most_levels}"
    return Refused(f"{source.where}: column {quoted(name)} is text with {different}: say ", *ways)


def _refuse_mixed(source: Source, options: ReadingOptions, name: str) -> None:
    i = source.place(name)
    fits = Numerals(options.decimal or ".", options.thousands or "").fits(f"c{i}")
    present, numbers = source.select(f"SELECT count(c{i}), count_if({fits}) FROM {source.relation()}")[0]
    row, value = source.first(f"c{i} IS NOT NULL AND NOT ({fits})", f"c{i}") or (0, "")
    raise Refused(
        f"{source.where}: column {quoted(name)} is text because of row {row:,} ({quoted(value)}); {numbers:,} of "
        f"{present:,} values are numbers. Say ",
        # a value with digits is hardly a word for a missing one: nobody is told to throw data away
        *((Remedy("na", value), ", or ") if _may_mean_missing(value) else ()),
        Remedy("categorical", name),
        ", or ",
        Remedy("drop", name),
        ".",
    )


def _may_mean_missing(text: str) -> bool:
    return len(text) <= _LONGEST_WORD and not any(c.isdigit() for c in text)


def _classes(source: Source, options: ReadingOptions, seen: _Seen, complete: bool) -> tuple[str, ...]:
    """The negative and the positive class: numbers sorted by value, texts by letter, the lectures' pairs by theirs."""
    values = _sorted_classes(seen.levels)
    where = f"{source.where}: the target {quoted(options.target or '')}"
    if options.positive is not None:
        if options.positive not in values:
            if not complete:
                return ("", options.positive)  # it may come in a later row
            raise Refused(f"{where} never is {quoted(options.positive)}; its values are {column_list(values)}.")
        others = [value for value in values if value != options.positive]
        if not others and complete:
            raise Refused(f"{where} is {quoted(options.positive)} in every row: there is nothing to tell apart.")
        return (others[0] if len(others) == 1 else f"not {options.positive}", options.positive)
    if len(values) < 2 and complete:
        only = f"is {quoted(values[0])} in every row" if values else "has no value in any row"
        raise Refused(f"{where} {only}: there is nothing to tell apart.")
    if len(values) > 2 and not options.every_class:
        number = f"{len(values)}{'' if complete else ' or more'}"
        ways: list[str | Remedy] = [Remedy("positive", "VALUE"), " to tell one of them from the rest."]
        for word in [value for value in values if value in MISSING_WORDS][:1]:
            ways = [Remedy("na", word), " and ", Remedy("missing", "drop"), " if that means missing, or ", *ways]
        raise SeveralClasses(
            len(values), f"{where} has {number} different values ({column_list(values, 5)}): say ", *ways
        )
    if len(values) > 1000:
        raise Refused(f"{where} has more than 1000 different values: it cannot be the class.")
    return tuple(positive_last(np.array(values)).tolist()) if len(values) == 2 else tuple(values)


def _sorted_classes(values: list[str]) -> list[str]:
    try:
        return sorted(values, key=float)
    except ValueError:
        return sorted(values)


def refusal_of_missing(
    source: Source, encoding: Encoding, to_learn_from: bool, roles: Iterable[RoleColumn] = ()
) -> Refused:
    """The refusal that says which columns lack values, how many, and where the first is."""
    kinds = {column.name: column.kind for column in encoding.columns if not column.missing and column.mean is None}
    others = {encoding.target or "": "", encoding.weights or "": "number"}
    others |= dict.fromkeys(encoding.counts or (), "number")
    others |= {one.name: one.kind for one in roles if one.role != "outcomes"}
    looked_at = {name: kind for name, kind in (kinds | others).items() if name in source.names}
    lacks = {name: _lacks(source.place(name), kind) for name, kind in looked_at.items()}
    answer = source.select(f"SELECT {', '.join(f'count_if({c})' for c in lacks.values())} FROM {source.relation()}")[0]
    counts = {name: number for name, number in zip(lacks, answer, strict=True) if number}
    if not counts:  # the file answers differently when it is asked again: its statistics and its values disagree
        return Refused(f"{source.where} has missing values that cannot be found again: the file is damaged.")
    worst = next(iter(counts))
    row = (source.first(lacks[worst], "1") or (0, None))[0]
    listed = column_list([f"{name} {number:,}" for name, number in counts.items()])
    found = f"{source.where} has missing values ({listed}; the first in row {row:,}, column {quoted(worst)})"
    if not to_learn_from:
        return Refused(f"{found}, where the original table had none: fill them in, or leave those rows out.")
    if worst in others:
        return Refused(f"{found}: say ", Remedy("missing", "drop"), ".")
    ways = Remedy("missing", "drop", "indicator", "mean" if kinds[worst] == "number" else "level")
    if encoding.missing == "level":
        found, ways = f"{found}: numbers have no level of their own", Remedy("missing", "indicator", "drop")
    if encoding.missing == "mean":
        found, ways = f"{found}: names have no mean", Remedy("missing", "indicator", "drop")
    return Refused(f"{found}: say ", ways, ", or ", Remedy("drop", worst), ".")


def _lacks(i: int, kind: str) -> str:
    """SQL for whether a value of column i is missing."""
    return f"(c{i} IS NULL OR {is_nan(f'TRY_CAST(c{i} AS DOUBLE)')})" if kind == "number" else f"(c{i} IS NULL)"
