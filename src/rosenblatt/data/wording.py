"""Values as a person would write them, numbers with their nouns, and tables of text."""

import datetime
import re
from collections.abc import Collection

__all__ = ["aligned", "count", "in_blocks", "is_number", "is_whole", "tame", "text_of"]

_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # but for tabs and new lines
_EXACT = 1 << 53  # whole numbers up to here are floats too


def text_of(value: object) -> str:
    """A value as a person would write it: whole numbers without a point, dates by year, month and day.

    >>> import datetime
    >>> [text_of(v) for v in (3.0, 0.1, True, datetime.datetime(2024, 1, 31), "a")]
    ['3', '0.1', 'true', '2024-01-31', 'a']
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and is_whole(value):
        return str(int(value))
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    return str(value)


def tame(text: str) -> str:
    r"""A text without characters that steer a terminal or turn the direction of writing: they are shown by their names.

    >>> print(tame("red" + chr(27) + "[31m"))
    red\x1b[31m
    """
    return _STEERING.sub(lambda found: repr(found[0])[1:-1], text)


def is_whole(value: float) -> bool:
    """Whether a float is a whole number, and no other one is rounded to it."""
    return value.is_integer() and abs(value) <= _EXACT


def is_number(text: str) -> bool:
    """Whether a text is a number, NaN and infinity included."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> count(1, "row"), count(1000, "row"), count(2, "pass", "passes")
    ('1 row', '1,000 rows', '2 passes')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def aligned(lines: list[list[str]], words: Collection[int]) -> list[str]:
    """Lines with columns of equal width: those with `words` to the left, numbers to the right.

    >>> aligned([["name", "n"], ["a", "100"]], words=[0])
    ['name    n', 'a     100']
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = [str.ljust if k in words else str.rjust for k in range(len(widths))]
    cells = ((side(cell, width) for side, cell, width in zip(sides, line, widths, strict=True)) for line in lines)
    return ["  ".join(line).rstrip() for line in cells]


def in_blocks(lines: list[list[str]], room: int, words: Collection[int]) -> list[str]:
    """The same where no line may be longer than `room`: columns that do not fit go on in another block below.

    Every block begins with the first column, and there is an empty line between blocks.

    >>> in_blocks([["name", "n", "mean"], ["a", "100", "0.25"]], 9, words=[0])
    ['name    n', 'a     100', '', 'name  mean', 'a     0.25']
    """
    blocks = [[0]]
    for column in range(1, len(lines[0])):
        wider = aligned([[line[k] for k in (*blocks[-1], column)] for line in lines], words=())
        if len(blocks[-1]) > 1 and max(map(len, wider)) > room:
            blocks.append([0])
        blocks[-1].append(column)
    shown: list[str] = []
    for block in blocks:
        to_the_left = [place for place, k in enumerate(block) if k in words]
        shown += ["", *aligned([[line[k] for k in block] for line in lines], words=to_the_left)]
    return shown[1:]
