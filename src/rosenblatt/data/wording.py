"""Numbers with their nouns, and tables of text."""

from collections.abc import Collection

__all__ = ["aligned", "count"]


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
