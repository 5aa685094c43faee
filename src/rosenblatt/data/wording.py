"""Numbers in sentences."""

__all__ = ["count"]


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> count(1, "row"), count(1000, "row"), count(2, "pass", "passes")
    ('1 row', '1,000 rows', '2 passes')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
