"""Tables that a reader can sort by any column; without JavaScript, and on paper, they are plain tables."""

from collections.abc import Iterable, Sequence
from html import escape
from math import isfinite, isnan
from typing import NamedTuple

__all__ = ["Cell", "number", "table", "whole"]

_ON_PAPER = 30  # rows; report.css hides the others


class Cell(NamedTuple):
    """A cell of a table: its text, the value it is sorted by, and how it looks."""

    text: str
    value: float | str = ""
    kind: str = ""  # "number", "positive", "negative", …: a class of the page's style


def number(value: float, form: str = ".4g") -> Cell:
    """A number; NaN is a dash, and sorts last."""
    if isnan(value):
        return Cell("—", "", "number")
    text = format(value, form).replace("-", "−") if isfinite(value) else ("∞" if value > 0 else "−∞")
    return Cell(text, value, "number")


def whole(value: int) -> Cell:
    """A whole number."""
    return Cell(f"{value:,}", value, "number")


def table(identifier: str, caption: str, headings: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A table in a region that scrolls by itself and can be reached with the keyboard."""
    head = "".join(
        f'<th scope="col"><button type="button">{escape(name)}<span aria-hidden="true"></span></button></th>'
        for name in headings
    )
    rows = list(rows)
    paper = '<span class="paper"> (on paper the first 30)</span>' if len(rows) > _ON_PAPER else ""
    body = "".join(f"<tr>{''.join(map(_cell, row, [True] + [False] * len(row)))}</tr>" for row in rows)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{identifier}-caption">'
        f'<table class="sortable" id="{identifier}">'
        f'<caption id="{identifier}-caption">{escape(caption)}{paper}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(cell: Cell, first: bool) -> str:
    tag = 'th scope="row"' if first else "td"
    kind = f' class="{cell.kind}"' if cell.kind else ""
    value = f"{cell.value:.9g}" if isinstance(cell.value, float) else str(cell.value)
    sort = f' data-sort="{escape(value)}"' if value else ""
    return f"<{tag}{kind}{sort}>{escape(cell.text)}</{tag.split()[0]}>"
