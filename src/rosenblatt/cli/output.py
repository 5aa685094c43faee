"""What a person reads, in a terminal as in a log: lines of plain text. What programs read: JSON and exit codes."""

import json
import os
import sys
import textwrap
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, TextIO

from rosenblatt.data.wording import count

__all__ = ["BAD_INPUT", "DONE", "INTERRUPTED", "LIMIT", "NO"]  # exit codes
__all__ += ["Page", "complain", "json_text", "note", "print_json", "say"]  # how something is said
__all__ += ["count", "error_console", "few", "listed", "screen_width"]

DONE = 0  # also a fit that ended in BUDGET
NO = 1  # the certificate does not hold; or the answer is "no" and --exit-code was given
BAD_INPUT = 2  # bad usage or input
LIMIT = 3  # a limit was hit before the answer was known
INTERRUPTED = 130  # by Ctrl-C or SIGTERM, with the checkpoint saved where there is one

_WIDTH = 100  # of a log; a terminal may be narrower
_PROGRAM = "rosenblatt: "


class Page:
    """An answer: a headline, the sentence that matters, facts with their names, small print."""

    def __init__(self) -> None:
        self.console = _console()
        self.width = min(self.console.width, _WIDTH) if self.console.is_terminal else _WIDTH

    def headline(self, text: str) -> None:
        """What the answer is about."""
        self.console.print(text)

    def answer(self, sentence: str, proved: bool = False) -> None:
        """The answer, between empty lines; "proved" beside it only where a certificate can be checked."""
        from rich.text import Text

        self.console.print()
        *lines, last = textwrap.wrap(sentence, self.width - 4, break_long_words=False)
        if proved and len(f"  {last}  proved") > self.width:  # a word goes down with it
            before, _, word = last.rpartition(" ")
            lines, last = [*lines, before] if before else lines, word
        for line in lines:
            self.console.print(Text("  ").append(line, style="bold"))
        text = Text("  ").append(last, style="bold")
        self.console.print(text.append("  ").append("proved", style="green") if proved else text)
        self.console.print()

    def facts(self, facts: Iterable[tuple[str, str]]) -> None:
        """Names in one column, what is known in the other."""
        self._columns(list(facts), break_on_hyphens=False)

    def table(self, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Columns of words under their headings."""
        self._columns([headings, *rows], break_on_hyphens=True)

    def _columns(self, lines: Sequence[Sequence[str]], break_on_hyphens: bool) -> None:
        """Each column as wide as its longest cell, the last one wrapped."""
        widths = [max(map(len, column)) + 2 for column in zip(*(line[:-1] for line in lines), strict=True)]
        for line in lines:
            lead = "".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=False))
            room = max(30, self.width - len(lead) - 2)
            first, *more = textwrap.wrap(line[-1], room, break_on_hyphens=break_on_hyphens) or [""]
            self.console.print(f"  {lead}{first}".rstrip())
            for rest in more:
                self.console.print(f"{'':<{len(lead) + 2}}{rest}")

    def paragraph(self, text: str) -> None:
        """A sentence or two."""
        for line in textwrap.wrap(text, self.width - 2, break_long_words=False, break_on_hyphens=False):
            self.console.print(f"  {line}")

    def small_print(self, text: str) -> None:
        """The last line."""
        self.gap()
        self.paragraph(text)

    def gap(self) -> None:
        """An empty line."""
        self.console.print()


def print_json(schema: str, content: dict[str, Any], file: TextIO | None = None) -> None:
    """One JSON object on standard output; `schema` names its version, and its fields do not change meaning in it."""
    print(json_text({"schema": schema, **content}), file=file)


def json_text(content: dict[str, Any]) -> str:
    """The same as text."""
    return json.dumps(_finite(content), ensure_ascii=False, indent=1, allow_nan=False)


def screen_width() -> int | None:
    """How many characters fit into a line; None where nobody looks."""
    console = _console()
    return int(console.width) if console.is_terminal else None


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: null stands for them."""
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def say(*lines: str) -> None:
    """Lines of text: as they are in a log, wrapped and still indented where a terminal is too narrow for them."""
    console = _console()
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        fits = not console.is_terminal or len(line) <= console.width
        for part in [line] if fits else textwrap.wrap(line, console.width, subsequent_indent=indent):
            console.print(part)


def error_console() -> Any:
    """Standard error, for those who look at it."""
    return _console(stderr=True)


def _console(**more: Any) -> Any:
    """A console that shows text as it is; NO_COLOR means no styles either."""
    from rich.console import Console

    plain = bool(os.environ.get("NO_COLOR"))
    return Console(
        highlight=False, soft_wrap=True, emoji=False, markup=False, color_system=None if plain else "auto", **more
    )


def complain(sentence: str) -> None:
    """What is wrong, on standard error: one line in a log, wrapped where somebody looks."""
    _to_stderr(sentence, style="red")


def note(sentence: str) -> None:
    """What is worth knowing, on standard error."""
    _to_stderr(sentence)


def _to_stderr(sentence: str, style: str = "") -> None:
    from rich.text import Text

    console = error_console()
    lines = sentence.splitlines() or [""]
    if console.is_terminal:
        room = max(40, console.width - len(_PROGRAM))
        lines = [part for line in lines for part in textwrap.wrap(line, room, break_on_hyphens=False) or [""]]
    sys.stdout.flush()
    console.print(Text.assemble((_PROGRAM, style), lines[0]))
    for line in lines[1:]:
        console.print(" " * len(_PROGRAM) + line)


def listed(text: str | None) -> list[str]:
    """What stands between the commas of an option."""
    return [one.strip() for one in (text or "").split(",") if one.strip()]


def few(values: Iterable[Any], most: int = 8) -> str:
    """The first of some values, and how many there are if there are more: 1, 2, … 9 in all."""
    values = list(values)
    shown = ", ".join(f"{value:,}" if isinstance(value, int) else str(value) for value in values[:most])
    return f"{shown}, … {len(values):,} in all" if len(values) > most else shown
