"""Fields of text tables: which columns may hold a number that is not its float64.

A field of at most 15 bytes has no more digits than float64 tells apart. A longer one is held where it is a number that
is short all the same (0.100000000000000), or the shortest text of its float. A column is doubtful where any field of it
is longer and not surely held, or quoted, or looks like a number and is not plain (+1, 1_000), or is a tiny or huge one.
"""

import numpy as np

from rosenblatt.kernels.compile import helper, helper_inlined, kernel
from rosenblatt.kernels.decimals import held_number

__all__ = ["BLOCK", "all_short", "line_end", "look_at_fields"]

_FEW = 15
BLOCK = 1 << 13  # bytes that are looked at together: they stay in the processor's first cache

_QUOTE, _NEWLINE, _RETURN, _COMMA, _SMALL_E, _MINUS, _PLUS, _ZERO, _NINE = (np.uint8(ord(c)) for c in '"\n\r,e-+09')
_SMALL_LETTER = np.uint8(0x20)
_1, _2, _3, _4, _8 = (np.uint64(k) for k in (1, 2, 3, 4, 8))


@kernel
def line_end(text, stop):
    """Where the last line before `stop` ends, behind its end; 0 where none does."""
    while stop > 0 and text[stop - 1] != _NEWLINE:
        stop -= 1
    return stop


@kernel
def all_short(text, stop, delimiter, inside):
    """Whether no field is longer than 15 bytes, quoted, or perhaps an odd number: +-1, 1e-300, 1e400.

    Compilers make vectors of these loops: they take a tenth of the time of `look_at_fields`.

    text      bytes, and 16 more, which do not count; the last of those that count ends a line
    inside    BLOCK + 16 flags to work with
    """
    for first in range(0, stop, BLOCK):
        n = np.uint64(min(BLOCK, stop - first))
        part = text[first:]
        odd = False
        for i in range(n):
            one, next_one, third = part[i], part[i + _1], part[i + _3]
            power = (one | _SMALL_LETTER == _SMALL_E) & (next_one >= _PLUS) & (next_one <= _NINE) & (next_one != _COMMA)
            power &= (third >= _ZERO) & (third <= _NINE)
            odd |= (one == _QUOTE) | power | ((one == _PLUS) & (next_one == _MINUS))
        for i in range(n + _8 + _8):
            inside[i] = (part[i] != delimiter) & (part[i] != _NEWLINE) & (part[i] != _RETURN)
        # true where this byte and the next 1, 3, 7 are inside of a field; then where 16 are
        for i in range(n + _8 + _4 + _2):
            inside[i] &= inside[i + _1]
        for i in range(n + _8 + _4):
            inside[i] &= inside[i + _2]
        for i in range(n + _8):
            inside[i] &= inside[i + _4]
        for i in range(n):
            odd |= inside[i] & inside[i + _8]
        if odd:
            return False
    return True


@helper_inlined
def _ends(byte, delimiter):
    return byte in (delimiter, _NEWLINE, _RETURN)


@helper
def _after_quotes(text, at, stop):
    """Where the field ends whose quote opens at `at`; `stop` where it is open there."""
    at += 1
    while at < stop:
        if text[at] == _QUOTE:
            at += 1
            if text[at] != _QUOTE:  # two are one that is written
                return at
        at += 1
    return stop


@helper
def _other_field(text, begin, at, delimiter):
    """Where a field ends that is no plain number, and whether it is of no concern; −1 where a quote is inside of it."""
    while not _ends(text[at], delimiter):
        if text[at] == _QUOTE:
            return -1, False
        at += 1
    first = text[begin]
    # words such as NA are the reader's concern, and so is a missing value
    number = first < _COMMA or first == _MINUS or _ZERO <= first <= _NINE or first == np.uint8(46)
    return at, at == begin or (at - begin <= _FEW and not number)


@kernel
def look_at_fields(text, stop, delimiter, rows, doubtful):
    """Mark the doubtful columns of some rows, and return where the last of them ends that is whole.

    text        bytes, from the start of a row, and PADDING more; the last of those that count ends a line
    rows        how many to look at, at most

    Returns −1 where a row has another number of fields, or a quote is inside of a field.
    """
    at, done, column, fields = 0, 0, 0, doubtful.shape[0]
    while at < stop and rows > 0:
        begin = at
        if text[at] == _QUOTE:
            at = _after_quotes(text, at, stop)
            if at >= stop:
                return done
            held = False
            if not _ends(text[at], delimiter):
                return -1
        else:
            at, held = held_number(text, at)
            if not _ends(text[at], delimiter):
                at, held = _other_field(text, begin, at, delimiter)
                if at < 0:
                    return -1
            elif at == begin:
                held = True  # nothing is written
        if not held:
            doubtful[column] = True
        if text[at] == delimiter:
            at += 1
            column += 1
            if column == fields:
                return -1
            continue
        blank = column == 0 and at == begin
        if column != fields - 1 and not blank:
            return -1
        at += 1 + (text[at] == _RETURN and text[at + 1] == _NEWLINE)
        done, column = at, 0
        rows -= 1
    return done
