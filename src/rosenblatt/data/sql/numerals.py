"""How a column writes its numbers: 1,5 and 1 234.5 and 68 % are numbers too, if one reading fits the whole column.

Nothing is guessed. A reading is taken where it turns every value of a column into a number, and every other reading
that does so gives the same numbers; 1,234 alone, which is two numbers, is refused with the words that decide it. What
was understood is said in a line. Texts are turned into texts that float64 is read from, so no value is rounded twice.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from rosenblatt.data.refusal import Refused, Remedy, quoted
from rosenblatt.data.sql.duck import Source, literal, no_number

__all__ = ["DATE_PARTS", "MISSING_WORDS", "PLAIN", "Numerals", "holds_dates", "holds_money", "holds_numbers"]
__all__ += ["looks_like_number", "moment", "recognised"]

MISSING_WORDS = ("NA", "N/A", "n/a", "#N/A", "null", "NULL", ".")  # among numbers they can only mean "missing"
DATE_PARTS = {  # what a date is as a number, in SQL
    "days": "",  # since 1970-01-01; hours are parts of a day: see _days
    "year": "extract(year FROM {})",
    "month": "extract(month FROM {})",
    "day": "extract(day FROM {})",
    "weekday": "extract(isodow FROM {})",  # Monday is 1
    "hour": "extract(hour FROM {})",
}
_DATE = "[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}([ T].*)?"  # year, month, day, and perhaps the time
_OTHER_DATE = "[0-9]{1,2}(?P<mark>[-/.])[0-9]{1,2}(?P=mark)[0-9]{4}([ T].*)?"  # day first, or month first: who knows
_DAY = 86_400_000_000  # microseconds
_CURRENCIES = "$€£¥₹₩₽₺₴₪"
_BLANKS = " \u00a0\u2009\u202f"
_MINUS = "\u2212"  # as typesetters, and R's and pandas' pretty printers, write it
_NUMERIC_LOOKS = (
    f"[-+{_MINUS}]?[0-9.,'\u2019{_BLANKS}]*[0-9][0-9.,'\u2019{_BLANKS}]*([eE][-+{_MINUS}]?[0-9]+)?[{_BLANKS}]*%?"
)
_LIKE_NUMBERS = (  # texts that a person may take as numbers, and that are none here
    r"[-+\u2010-\u2015\u2212]?(\d[\d.,'\u2019_\s]*)?\d\s*([/\u2044]\s*\d+|[a-zA-Z\u00b0\u00b5\u03bc\u2103%‰]{1,4}([23²³]|/[a-zA-Z]+)?)?"
    r"|[-+]?0[xX][0-9a-fA-F]+|[-+]?(\d+\.?\d*|\.\d+)[dD][-+]?\d+|[½⅓⅔¼¾⅕⅛]|\d+\s*[½⅓⅔¼¾⅕⅛]"
)


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
    minus: bool = False  # whether − (U+2212) is a minus too
    indian: bool = False  # whether groups before the last three digits have two: 12,34,567

    @property
    def is_plain(self) -> bool:
        """Whether a text is read as `float` reads it."""
        return self.decimal == "." and not (self.thousands or self.percent or self.date or self.minus)

    def pattern(self) -> str:
        """What every text must look like, as a regular expression."""
        point = re.escape(self.decimal)
        whole = "[0-9]+"
        if self.thousands:
            between = f"[{_BLANKS}]" if self.thousands == " " else re.escape(self.thousands)
            groups = f"[0-9]{{1,3}}(?:{between}[0-9]{{3}})+"
            if self.indian:
                groups = f"[0-9]{{1,2}}(?:{between}[0-9]{{2}})*{between}[0-9]{{3}}"
            whole = f"(?:{groups}|[0-9]+)"
        sign = f"[-+{_MINUS}]?" if self.minus else "[-+]?"
        body = f"{sign}(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)"
        return f"{body}[{_BLANKS}]*%" if self.percent else f"{body}(?:[eE]{sign}[0-9]+)?"

    def fits(self, text: str) -> str:
        """Whether a text is a number, or a date where one is expected, in SQL."""
        if self.is_plain:
            return f"TRY_CAST({text} AS DOUBLE) IS NOT NULL AND NOT {no_number(text)}"
        if self.date:  # DuckDB takes 24-01-31 as a day of the year 24
            written = f"CAST({text} AS VARCHAR)"
            return f"regexp_full_match({written}, {literal(_DATE)}) AND TRY_CAST({written} AS TIMESTAMP) IS NOT NULL"
        return f"regexp_full_match(trim({text}), {literal(self.pattern())})"

    def value(self, text: str) -> str:
        """The number of a text that fits, in SQL."""
        if self.date == "days":
            return _days(text)
        if self.date:
            return f"CAST({DATE_PARTS[self.date].format(f'CAST({text} AS TIMESTAMP)')} AS DOUBLE)"
        return f"CAST({self.plain(text)} AS DOUBLE)"

    def plain(self, text: str) -> str:
        """The text of a number as `float` reads it, of a text that fits, in SQL."""
        if self.is_plain:
            return text
        blanks = _BLANKS if self.thousands in ("", " ") else self.thousands + _BLANKS
        # translate drops the characters that have no counterpart in the second list
        lost = blanks.replace(_MINUS, "") + "%"
        plain = f"translate({text}, {literal((_MINUS if self.minus else '') + lost)}, {literal('-' * self.minus)})"
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
_MARKS: tuple[tuple[str, str], ...]
_MARKS = ((".", ""), (".", " "), (",", ""), (".", ","), (",", "."), (",", " "), (".", "'"), (",", "'"))
_MARKS += ((".", "\u2019"), (",", "\u2019"))
_READINGS = tuple(Numerals(*marks, percent=percent) for percent in (False, True) for marks in _MARKS)
_READINGS += tuple(Numerals(".", ",", percent=percent, indian=True) for percent in (False, True))


def moment(text: str) -> str:
    """SQL for the moment of a date as a text that no other moment has."""
    fine = f"CAST(TRY_CAST({text} AS TIMESTAMP_NS) AS VARCHAR)"  # these end in the year 2262
    return f"coalesce({fine}, CAST(CAST({text} AS TIMESTAMP) AS VARCHAR))"


def _days(text: str) -> str:
    """SQL for the float64 nearest to the days since 1970-01-01."""
    coarse, fine = f"epoch_us(CAST({text} AS TIMESTAMP))", f"epoch_ns(TRY_CAST({text} AS TIMESTAMP_NS))"
    return (
        f"CASE WHEN coalesce({fine} % 1000, 0) <> 0 THEN {_quotient(fine, _DAY * 1000)} "
        f"WHEN {coarse} % {_DAY} = 0 THEN CAST({coarse} // {_DAY} AS DOUBLE) ELSE {_quotient(coarse, _DAY)} END"
    )


def _quotient(number: str, by: int) -> str:
    """SQL for the float64 nearest to a quotient that is not whole.

    The quotient of two floats is rounded once. A number beyond them has 24 digits after the point, and a 1, to decide.
    """
    whole, rest = f"abs({number}) // {by}", f"abs({number}) % {by}"
    digits = f"lpad(CAST(CAST({rest} AS HUGEINT) * 1000000000000000000000000 // {by} AS VARCHAR), 24, '0')"
    sign = f"CASE WHEN {number} < 0 THEN '-' ELSE '' END"
    long = f"CAST({sign} || CAST({whole} AS VARCHAR) || '.' || {digits} || '1' AS DOUBLE)"
    return f"CASE WHEN abs({number}) < {1 << 53} THEN CAST({number} AS DOUBLE) / {by} ELSE {long} END"


def looks_like_number(text: str) -> bool:
    """Whether a person may take a text as a number that is none here: 1/2, 5kg, 0x10, 1d3, digits of other scripts.

    >>> [looks_like_number(text) for text in ("1/2", "5 kg", "0x10", "1d3", "١٢", "A1", "3 little pigs")]
    [True, True, True, True, True, False, False]
    """
    return re.fullmatch(_LIKE_NUMBERS, text.strip()) is not None


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
    patterns = [replace(one, minus=True).pattern() for one in _READINGS]
    return bool(texts) and all(any(re.fullmatch(pattern, text) for pattern in patterns) for text in texts)


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
    present, lost, alike, minus, words = source.select(
        f"SELECT count(c{i}), count_if({missing}), count_if({looks}), count_if(contains(c{i}, '{_MINUS}')), "
        f"list(DISTINCT CASE WHEN {missing} THEN c{i} END) FROM {rows}"
    )[0]
    if present == lost or alike < present - lost:
        return None
    allowed = [
        replace(reading, minus=minus > 0)
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
