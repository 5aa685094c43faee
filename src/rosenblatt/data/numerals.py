"""How a column writes its numbers: 1,5 and 1 234.5 and 68 % are numbers too, if one reading fits the whole column.

Nothing is guessed. A reading is taken where it turns every value of a column into a number, and every other reading
that does so gives the same numbers; 1,234 alone, which is two numbers, is refused with the words that decide it. What
was understood is said in a line. Texts are turned into texts that float64 is read from, so no value is rounded twice.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from rosenblatt.data.duck import Source, literal
from rosenblatt.data.refusal import Refused, Remedy, quoted

__all__ = ["DATE_PARTS", "MISSING_WORDS", "PLAIN", "Numerals", "holds_dates", "holds_money", "holds_numbers"]
__all__ += ["recognised"]

MISSING_WORDS = ("NA", "N/A", "n/a", "#N/A", "null", "NULL", ".")  # among numbers they can only mean "missing"
DATE_PARTS = {  # what a date is as a number, in SQL
    "days": "epoch({}) / 86400",  # since 1970-01-01; hours are parts of a day
    "year": "extract(year FROM {})",
    "month": "extract(month FROM {})",
    "day": "extract(day FROM {})",
    "weekday": "extract(isodow FROM {})",  # Monday is 1
    "hour": "extract(hour FROM {})",
}
_DATE = "[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}([ T].*)?"  # year, month, day, and perhaps the time
_OTHER_DATE = "[0-9]{1,2}(?P<mark>[-/.])[0-9]{1,2}(?P=mark)[0-9]{4}([ T].*)?"  # day first, or month first: who knows
_CURRENCIES = "$€£¥₹₩₽₺₴₪"
_BLANKS = " \u00a0\u2009\u202f"
_NUMERIC_LOOKS = f"[-+]?[0-9.,'{_BLANKS}]*[0-9][0-9.,'{_BLANKS}]*([eE][-+]?[0-9]+)?[{_BLANKS}]*%?"


@dataclass(frozen=True)
class Numerals:
    """The decimal mark, what stands between thousands, whether all are per cent, and what is missing.

    >>> Numerals(",", ".").sql("c0")  # doctest: +ELLIPSIS
    "CASE WHEN c0 IS NULL THEN NULL WHEN regexp_full_match(trim(c0), ...) THEN CAST(...
    """

    decimal: str = "."
    thousands: str = ""
    percent: bool = False
    na: tuple[str, ...] = ()
    date: str = ""  # of dates: what of them is the number, one of DATE_PARTS

    @property
    def is_plain(self) -> bool:
        """Whether a text is read as `float` reads it."""
        return self.decimal == "." and not self.thousands and not self.percent and not self.date

    def pattern(self) -> str:
        """What every text must look like, as a regular expression."""
        point = re.escape(self.decimal)
        whole = "[0-9]+"
        if self.thousands:
            between = f"[{_BLANKS}]" if self.thousands == " " else re.escape(self.thousands)
            whole = f"(?:[0-9]{{1,3}}(?:{between}[0-9]{{3}})+|[0-9]+)"
        body = f"[-+]?(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)"
        return f"{body}[{_BLANKS}]*%" if self.percent else f"{body}(?:[eE][-+]?[0-9]+)?"

    def fits(self, text: str) -> str:
        """Whether a text is a number, or a date where one is expected, in SQL."""
        if self.is_plain:
            return f"TRY_CAST({text} AS DOUBLE) IS NOT NULL"
        if self.date:  # DuckDB takes 24-01-31 as a day of the year 24
            written = f"CAST({text} AS VARCHAR)"
            return f"regexp_full_match({written}, {literal(_DATE)}) AND TRY_CAST({written} AS TIMESTAMP) IS NOT NULL"
        return f"regexp_full_match(trim({text}), {literal(self.pattern())})"

    def value(self, text: str) -> str:
        """The number of a text that fits, in SQL."""
        if self.date:
            return f"CAST({DATE_PARTS[self.date].format(f'CAST({text} AS TIMESTAMP)')} AS DOUBLE)"
        return f"CAST({self.plain(text)} AS DOUBLE)"

    def plain(self, text: str) -> str:
        """The text of a number as `float` reads it, of a text that fits, in SQL."""
        if self.is_plain:
            return text
        blanks = _BLANKS if self.thousands in ("", " ") else self.thousands + _BLANKS
        plain = f"translate({text}, {literal(blanks + '%')}, '')"
        if self.decimal != ".":
            plain = f"replace({plain}, {literal(self.decimal)}, '.')"
        return f"{plain} || 'e-2'" if self.percent else plain

    def sql(self, text: str, as_text: bool = False) -> str:
        """The number of a text, or its plain text: NULL where it is missing, an error where it is none."""
        value = self.plain(text) if as_text else self.value(text)
        lost = f"{text} IS NULL"
        if self.na:
            lost += f" OR {text} IN ({', '.join(map(literal, self.na))})"
        if self.is_plain:
            return f"CASE WHEN {lost} THEN NULL ELSE {value} END"
        wrong = f"error('Could not convert string ''' || CAST({text} AS VARCHAR) || ''' to a number')"
        return f"CASE WHEN {lost} THEN NULL WHEN {self.fits(text)} THEN {value} ELSE {wrong} END"

    def to_json(self) -> dict[str, Any]:
        """The fields that differ from plain numbers."""
        return {name: value for name, value in asdict(self).items() if value != getattr(PLAIN, name)}


PLAIN = Numerals()
# Of readings that give the same numbers the first is taken: so (".", " ") is tried before those that expect a comma.
_MARKS = ((".", ""), (".", " "), (",", ""), (".", ","), (",", "."), (",", " "), (".", "'"), (",", "'"))
_READINGS = tuple(Numerals(*marks, percent=percent) for percent in (False, True) for marks in _MARKS)


def holds_dates(texts: Sequence[str]) -> str:
    """Whether all texts look like dates: "iso" for 2024-01-31, "other" for 31.01.2024 and the like, "" for no dates.

    >>> holds_dates(["2024-01-31", "2024-02-01 12:30"]), holds_dates(["31.01.2024"]), holds_dates(["1.5", "2024"])
    ('iso', 'other', '')
    """
    for kind, pattern in (("iso", _DATE), ("other", f"{_DATE}|{_OTHER_DATE}")):
        if texts and all(re.fullmatch(pattern, text) for text in texts):
            return kind
    return ""


def holds_numbers(texts: Sequence[str]) -> bool:
    """Whether every text is a number in some reading, words for missing values aside.

    >>> holds_numbers(["1,5", "1,234.5", "NA"]), holds_numbers(["192.168.0.1"]), holds_numbers(["NA"])
    (True, False, False)
    """
    texts = [text.strip() for text in texts if text not in MISSING_WORDS]
    return bool(texts) and all(any(re.fullmatch(one.pattern(), text) for one in _READINGS) for text in texts)


def holds_money(texts: Sequence[str]) -> bool:
    """Whether every text is a number with the sign of a currency, words for missing values aside.

    >>> holds_money(["$1,200.50", "-$3"]), holds_money(["5,00 €", "NA"]), holds_money(["5", "$"])
    (True, True, False)
    """
    texts = [text for text in texts if text not in MISSING_WORDS]
    return all(any(sign in text for sign in _CURRENCIES) for text in texts) and holds_numbers(
        [re.sub(f"[{_CURRENCIES}{_BLANKS}]", "", text) for text in texts]
    )


def recognised(
    source: Source, i: int, decimal: str | None = None, thousands: str | None = None, limit: int | None = None
) -> Numerals | None:
    """How column i of texts writes its numbers, in the first `limit` rows or in all; None where they are no numbers."""
    rows = source.relation() if limit is None else f"(SELECT * FROM {source.relation()} LIMIT {limit})"
    missing = f"c{i} IN ({', '.join(map(literal, MISSING_WORDS))})"
    looks = f"regexp_full_match(trim(c{i}), {literal(_NUMERIC_LOOKS)}) OR TRY_CAST(c{i} AS DOUBLE) IS NOT NULL"
    present, lost, alike, words = source.select(
        f"SELECT count(c{i}), count_if({missing}), count_if({looks}), list(DISTINCT CASE WHEN {missing} THEN c{i} END) "
        f"FROM {rows}"
    )[0]
    if present == lost or alike < present - lost:
        return None
    allowed = [
        reading
        for reading in _READINGS
        if decimal in (None, reading.decimal) and thousands in (None, reading.thousands)
    ]
    rows = f"(SELECT * FROM {rows} WHERE NOT {missing})"
    tests = ", ".join(f"count_if({reading.fits(f'c{i}')})" for reading in allowed)
    counts = source.select(f"SELECT {tests} FROM {rows}")[0]
    fitting = [reading for reading, number in zip(allowed, counts, strict=True) if number == present - lost]
    if not fitting:
        return None
    _refuse_two_ways(source, i, rows, fitting)
    return replace(fitting[0], na=tuple(sorted(word for word in words or () if word is not None)))


def _refuse_two_ways(source: Source, i: int, rows: str, fitting: Sequence[Numerals]) -> None:
    """Refuse a column whose texts are different numbers in two readings."""
    first, *others = fitting
    for other in others:
        here, there = first.value(f"c{i}"), other.value(f"c{i}")
        found = source.select(f"SELECT c{i}, {here}, {there} FROM {rows} WHERE {here} <> {there} LIMIT 1")
        if found:
            text, one, two = found[0]
            raise Refused(
                f"{source.where}: column {quoted(source.names[i])} has numbers that can be read in two ways "
                f"({quoted(text)} is {one:.12g} or {two:.12g}): say ",
                _remedy(first),
                " or ",
                _remedy(other),
                ", or ",
                Remedy("categorical", source.names[i]),
                " if they are names.",
            )


def _remedy(reading: Numerals) -> Remedy:
    return Remedy("thousands", reading.thousands) if reading.thousands else Remedy("decimal", reading.decimal)
