"""What a command shows: answers as plain text or JSON, exit codes, remarks on standard error, and progress there.

`outputs` knows the files that a command was asked to write, and which of them it has written.

Progress is drawn only where standard error is a terminal.
"""

import json
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from math import isfinite
from typing import TYPE_CHECKING, Any, TextIO

from rosenblatt.cli.streams import take_data
from rosenblatt.context import Progress
from rosenblatt.data import files
from rosenblatt.data.wording import count, tame

if TYPE_CHECKING:
    from rosenblatt.learners.runs import Run

__all__ = ["BAD_INPUT", "DONE", "INTERRUPTED", "LIMIT", "NO"]  # exit codes
__all__ += ["Page", "complain", "count", "few", "json_text", "note", "outputs", "print_json", "say", "screen_width"]
__all__ += ["counting", "deciding", "fetching", "learning", "probing", "validating", "waiting"]  # progress

DONE = 0  # also a fit that ended in BUDGET
NO = 1  # the certificate does not hold; or the answer is "no" and --exit-code was given
BAD_INPUT = 2  # bad usage or input
LIMIT = 3  # a limit was hit before the answer was known
INTERRUPTED = 130  # by Ctrl-C or SIGTERM, with the checkpoint saved where there is one

_WIDTH = 100  # characters in a line where the output is no terminal; a terminal may have fewer
_NARROWEST = 20  # characters of a column that is wrapped
_PROGRAM = "rosenblatt: "
_REFRESH = 0.2  # seconds between two drawings of a progress line


class Page:
    """An answer: a headline, the sentence that matters, facts with their names, small print."""

    def __init__(self) -> None:
        self.console = _console()
        self.width = min(self.console.width, _WIDTH) if self.console.is_terminal else _WIDTH
        self._after_gap = False

    def headline(self, text: str) -> None:
        """What the answer is about; one line where the output is no terminal."""
        self.lines(_wrapped(text, self.width) if self.console.is_terminal else [text])

    def answer(self, sentence: str, proved: str = "") -> None:
        """The answer, between empty lines, with "proved" beside it, or how it is, where there is a proof."""
        from rich.text import Text

        self.console.print()
        *lines, last = _wrapped(tame(sentence), self.width - 4)
        if proved and len(f"  {last}  {proved}") > self.width:  # take the last word down to the line of "proved"
            before, _, word = last.rpartition(" ")
            lines, last = [*lines, before] if before else lines, word
        for line in lines:
            self.console.print(Text("  ").append(line, style="bold"))
        text = Text("  ").append(last, style="bold")
        self.console.print(text.append("  ").append(proved, style="green") if proved else text)
        self._after_gap = False
        self.gap()

    def facts(self, facts: Iterable[tuple[str, str]]) -> None:
        """Two columns: the name of each fact, and the fact."""
        self._columns(list(facts))

    def table(self, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Columns of words under their headings."""
        self._columns([headings, *rows])

    def _columns(self, lines: Sequence[Sequence[str]]) -> None:
        """Columns as wide as their longest cells; the last one is wrapped, below the others where there is no room."""
        widths = [max(map(len, column)) + 2 for column in zip(*(line[:-1] for line in lines), strict=True)]
        indent = 2 + sum(widths)
        below = self.width - indent < min(_NARROWEST, max((len(line[-1]) for line in lines), default=0))
        indent = 6 if below else indent
        for line in lines:
            lead = "  " + "".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=False))
            last = _wrapped(line[-1], self.width - indent) or [""]
            self.lines([lead.rstrip() if below else f"{lead}{last.pop(0)}".rstrip()])
            self.lines(f"{'':<{indent}}{rest}" for rest in last)

    def paragraph(self, text: str) -> None:
        """A sentence or two."""
        self.lines(f"  {line}" for line in _wrapped(text, self.width - 2))

    def lines(self, lines: Iterable[str]) -> None:
        """Lines that fit, as they are."""
        for line in lines:
            self.console.print(tame(line))
            self._after_gap = False

    def small_print(self, text: str) -> None:
        """The last line."""
        self.gap()
        self.paragraph(text)

    def gap(self) -> None:
        """An empty line, where the last one is not."""
        if not self._after_gap:
            self.console.print()
        self._after_gap = True


def _wrapped(text: str, room: int) -> list[str]:
    """Lines of words; a name or a path is never cut, so that it can be copied."""
    return textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False)


def print_json(schema: str, content: dict[str, Any], file: TextIO | None = None) -> None:
    """Print one JSON object; `schema` names its version, within which no field changes its meaning."""
    if file is None:
        take_data()
    print(json_text({"schema": schema, **content}), file=file)


def json_text(content: dict[str, Any]) -> str:
    """A JSON object as text."""
    return json.dumps(_finite(content), ensure_ascii=False, indent=1, allow_nan=False)


def screen_width() -> int | None:
    """How many characters fit into a line of the terminal; None where the output is no terminal."""
    console = _console()
    return int(console.width) if console.is_terminal else None


def _finite(value: object) -> Any:
    """The value with None for NaN and infinity, which JSON does not have."""
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def say(*lines: str) -> None:
    """Print lines of text; on a terminal that is too narrow they are wrapped and keep their indentation."""
    console = _console()
    for line in map(tame, lines):
        indent = line[: len(line) - len(line.lstrip())]
        fits = not console.is_terminal or len(line) <= console.width
        for part in [line] if fits else textwrap.wrap(line, console.width, subsequent_indent=indent):
            console.print(part)


def _console(**more: Any) -> Any:
    """A console that shows text as it is; with NO_COLOR in the environment, without colours and bold letters."""
    from rich.console import Console

    plain = bool(os.environ.get("NO_COLOR"))
    return Console(
        highlight=False, soft_wrap=True, emoji=False, markup=False, color_system=None if plain else "auto", **more
    )


def complain(sentence: str) -> None:
    """Say what is wrong, on standard error: in one line, or wrapped on a terminal."""
    _to_stderr(sentence, coloured=True)


def note(sentence: str) -> None:
    """Say something worth knowing, on standard error."""
    _to_stderr(sentence)


def _to_stderr(sentence: str, coloured: bool = False) -> None:
    """Without Rich, which cannot be loaded any more where memory has run out; a stream that is gone is no error."""
    lines, lead = tame(sentence).splitlines() or [""], _PROGRAM
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    with suppress(OSError, ValueError):
        if sys.stderr.isatty():
            room = max(40, shutil.get_terminal_size().columns - len(_PROGRAM))
            lines = [part for line in lines for part in textwrap.wrap(line, room, break_on_hyphens=False) or [""]]
            plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
            lead = f"\x1b[31m{_PROGRAM}\x1b[0m" if coloured and not plain else lead
        text = "".join(f"{' ' * len(_PROGRAM)}{line}\n" for line in lines[1:])
        sys.stderr.write(f"{lead}{lines[0]}\n{text}")
        sys.stderr.flush()


class _Outputs:
    """The files and folders that a command may write, as they were when it began."""

    def __init__(self) -> None:
        self._before: dict[str, tuple[object, str]] = {}

    def clear(self) -> None:
        """Another command begins."""
        self._before = {}

    def make_ready(self, *outputs: files.Location | None, inputs: Iterable[files.Location | None] = ()) -> None:
        """Refuse outputs that cannot be written, as `files.make_ready` does, and watch them."""
        files.make_ready(*outputs, inputs=inputs)
        for one in outputs:
            if one is not None and not files.is_stream(one):
                self.watch(one)

    def watch(self, path: files.Location, what: str = "") -> None:
        """Watch a file or a folder; `what` is said of it where it has changed, if it is not simply written.

        Of one that is watched already, other words are said from now on.
        """
        name = os.fspath(path)
        self._before[name] = (self._before[name][0] if name in self._before else _state(path), what)

    def in_words(self) -> str:
        """What has changed on the disk."""
        changed = [(path, what) for path, (before, what) in self._before.items() if _state(path) != before]
        plain = [path for path, what in changed if not what]
        told = [f"{', '.join(plain)} {'is' if len(plain) == 1 else 'are'} written"] if plain else []
        return "; ".join([*told, *(f"{path} {what}" for path, what in changed if what)]) or "nothing was written"


outputs = _Outputs()


def _state(path: files.Location) -> object:
    """What changes when a file is written, or a folder's files are; None where it is not there."""
    try:
        if os.path.isdir(path):  # its own time changes when something is written and removed again
            return sorted((one.name, one.stat().st_mtime_ns) for one in os.scandir(path))
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def few(values: Iterable[Any], most: int = 8) -> str:
    """The first values, and their number where some are not shown: "1, 2, … 9 in all"."""
    values = list(values)
    shown = ", ".join(f"{value:,}" if isinstance(value, int) else str(value) for value in values[:most])
    return f"{shown}, … {len(values):,} in all" if len(values) > most else shown


# ------------------------------------------------------------------------------------------------------------- progress


class _ProgressBar:
    """One line that is drawn again and again: words, how much is done, the time left.

    Without `at_once` the line appears only when `show` is called for the first time.
    """

    def __init__(
        self, words: str, total: int | None = None, before_time: str = "", quiet: bool = False, at_once: bool = True
    ) -> None:
        self._bar: Any = None
        self._at_once = at_once
        if sys.stderr.isatty() and not quiet:
            self._bar = _bar(before_time)
            self._task = self._bar.add_task(words, total=total or None)
        self._drawn_at = 0.0
        self._counted, self._counted_at = 0, time.monotonic()

    def __enter__(self) -> "_ProgressBar":
        if self._bar and self._at_once:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar and self._bar.live.is_started:
            self._bar.stop()

    @property
    def due(self) -> bool:
        """Whether it is time to draw the line again."""
        return bool(self._bar) and time.monotonic() - self._drawn_at > _REFRESH

    def show(self, words: str, done: int, total: int | None, at_once: bool = False) -> None:
        """Change the line; with `at_once` it is drawn now, else at the next regular drawing."""
        if self._bar:
            self._bar.start()
            self._drawn_at = time.monotonic()
            total = total and max(done, total)
            self._bar.update(self._task, description=words, completed=done, total=total, refresh=at_once)

    def rate(self, made: int, what: str) -> str:
        """How many were made per second since the last call, such as "12,000 rows/s"."""
        now = time.monotonic()
        rate = (made - self._counted) / max(now - self._counted_at, 1e-9)
        self._counted, self._counted_at = made, now
        return f"{rate / 1e6:.1f} million {what}/s" if rate >= 1e6 else f"{rate:,.0f} {what}/s"


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show that something is going on."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.text import Text

    with _console(stderr=True).status(Text(f"{what} …")):
        yield


@contextmanager
def counting(
    what: str, expected: int | None = None, quiet: bool = False, at_once: bool = True
) -> Iterator[Callable[..., None]]:
    """How many are done, how many per second, and the time left: "1,200 rows scored · …".

    `quiet` is for commands whose answer itself goes to the terminal, where a progress line would be in its way.
    """
    with _ProgressBar(what, expected, quiet=quiet, at_once=at_once) as bar:

        def show(done: int, of: int | None = None) -> None:
            if bar.due:
                bar.show(f"{done:,} {what} · {bar.rate(done, what.partition(' ')[0])}", done, of or expected)

        yield show


def fetching() -> AbstractContextManager[Callable[..., None]]:
    """The bytes that came from an address, how many per second, and the time left; drawn when the first bytes come."""
    return counting("bytes fetched", at_once=False)


@contextmanager
def _showing(
    words: str, told: Callable[[str, int, int | None], str], before_time: str = "", always: bool = False
) -> Iterator[Progress]:
    """A line for each phase: what is `told` of it, drawn at once where the phase is new, or `always`."""
    shown = ""
    with _ProgressBar(words, before_time=before_time) as bar:

        def show(phase: str, done: int, of: int | None) -> None:
            nonlocal shown
            if always or phase != shown or bar.due:
                bar.show(told(phase, done, of), done, of, at_once=always or phase != shown)
                shown = phase

        yield show


def deciding(time_limit: float | None = None) -> AbstractContextManager[Progress]:
    """The phase of a verdict, the rows seen in its present pass, and the time left: of this pass, and of the limit."""
    end = None if time_limit is None else time.monotonic() + time_limit

    def told(phase: str, seen: int, rows: int | None) -> str:
        limit = "" if end is None else f" · at most {max(0.0, end - time.monotonic()):,.0f} s"
        return f"{phase} · {seen:,} rows{limit}"

    return _showing("deciding", told)


def validating() -> AbstractContextManager[Progress]:
    """The learner that is cross-validated, how many fits are made, and the time left for the other fits."""

    def told(name: str, done: int, of: int | None) -> str:
        return f"cross-validating {name} · fit {done + 1:,}" + (f" of {of:,}" if of else "")

    return _showing("cross-validating", told, always=True)


def probing() -> AbstractContextManager[Progress]:
    """The pass of many perceptrons at once, and how many of them still learn."""
    return _showing("reading", lambda where, made, of: f"{where} · pass {made:,} of {of:,}", before_time="at most")


@contextmanager
def learning(n: int) -> Iterator[Callable[[Any], None]]:
    """The pass of a run on n rows, the mistakes of the pass before, and the time the run may still take."""
    with _ProgressBar("learning", before_time="at most") as bar:

        def show(run: "Run") -> None:
            if bar.due:
                made, limit = run.position
                mistakes = f" · {run.mistakes_per_pass[-1]:,} mistakes in the last" if run.mistakes_per_pass else ""
                passes = f"pass {made // n + 1:,} of {-(-limit // n):,}"
                bar.show(f"{passes}{mistakes} · {bar.rate(made, 'rows')}", made, limit)

        yield show


def _bar(before_time: str) -> Any:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20, style="dim", complete_style="bold", finished_style="bold", pulse_style="dim"),
        *([TextColumn(before_time)] if before_time else []),
        TimeRemainingColumn(compact=True),
        console=_console(stderr=True),
        transient=True,
        redirect_stdout=False,  # what is printed meanwhile is the answer
    )
