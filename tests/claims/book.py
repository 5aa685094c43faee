"""The page of all sentences, docs/explanation/sentences.md, as something to read with.

A section's table has one sentence a row: its name, the sentence, what it claims, what proves it. In a sentence `{name}`
stands for something that varies, `[…]` for something that may be left out, and `(s)` for a plural's ending.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

__all__ = ["PAGE", "Book", "Reader", "Template", "book", "flat"]

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "sentences.md"

_WHOLE = r"\d[\d,]*"
_REAL = r"[-+−]?(?:\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?|inf|nan)"
_KINDS = {"#": _WHOLE, "~": _REAL}  # {#n} a whole number, {~loss} a number, {name} anything
_OWN = {"after": r"[\d,]+ (?:correction|pass|step|phase)(?:s|es)?(?:, [\d,]+ phases?)?"}  # {after} work of some kind
_MARKS = re.compile(r"\{(?P<field>[#~]?\w+)\}|(?P<plural>(?<=\w)\((?:s|es)\))|(?P<open>\[)|(?P<close>\])")


@dataclass(frozen=True)
class Template:
    """One row of a table."""

    section: str
    name: str
    text: str
    claims: str
    proof: str

    @property
    def regex(self) -> re.Pattern[str]:
        return _compiled(self.text)


@cache
def _compiled(text: str) -> re.Pattern[str]:
    pattern, at = "", 0
    for mark in _MARKS.finditer(text):
        pattern += re.escape(text[at : mark.start()])
        at = mark.end()
        if mark["field"]:
            kind, name = mark["field"][0], mark["field"].lstrip("#~")
            again = f"(?P<{name}>" in pattern
            pattern += f"(?P={name})" if again else f"(?P<{name}>{_OWN.get(name) or _KINDS.get(kind, '.+?')})"
        elif mark["plural"]:
            pattern += f"(?:{mark['plural'][1:-1]})?"
        else:
            pattern += "(?:" if mark["open"] else ")?"
    return re.compile(pattern + re.escape(text[at:]))


class Book:
    """All templates, by section."""

    def __init__(self, text: str) -> None:
        self.templates: dict[str, dict[str, Template]] = {}
        section = ""
        for line in text.splitlines():
            if found := re.fullmatch(r"\(said-(\w+)\)=", line):
                section = found[1]
                self.templates[section] = {}
            cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
            if section and line.startswith("| ") and len(cells) == 4 and cells[1].startswith("`"):
                name, said, claims, proof = cells
                assert name not in self.templates[section], f"{section}: {name} is there twice"
                self.templates[section][name] = Template(section, name, said.strip("`"), claims, proof)

    def find(self, section: str, text: str) -> tuple[Template, dict[str, Any]]:
        """The template that a sentence was made from, and what varies."""
        for template in self.templates[section].values():
            if found := template.regex.fullmatch(text):
                return template, found.groupdict()
        raise AssertionError(f"{PAGE.name} has no sentence like this in section {section!r}: {text!r}")

    def find_all(self, section: str, text: str) -> list[tuple[Template, dict[str, Any]]]:
        """The same of several sentences one after the other."""
        if not text:
            return []
        for template in self.templates[section].values():
            for found in _beginnings(template.regex, text):
                try:
                    return [(template, found.groupdict()), *self.find_all(section, text[found.end() :].lstrip())]
                except AssertionError:
                    continue
        raise AssertionError(f"{PAGE.name} has no sentence like this in section {section!r}: {text!r}")


def _beginnings(regex: re.Pattern[str], text: str):
    """Matches that end where the text ends or has a space."""
    for stop in [m.start() for m in re.finditer(r" ", text)] + [len(text)]:
        if found := regex.fullmatch(text, 0, stop):
            yield found


@lru_cache(maxsize=1)
def book() -> Book:
    return Book(PAGE.read_text(encoding="utf-8"))


def flat(text: str) -> str:
    """One line, one space between words."""
    return " ".join(text.split())


@dataclass
class Reader:
    """Reads what one section says, and has every sentence checked by the function of its name."""

    section: str
    checks: dict[str, Callable[..., None]] = field(default_factory=dict)
    met: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)  # all of them are shown, not the first alone

    def of(self, *names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Make a function the check of these sentences: it is called with what is known and with what varies."""

        def register(check: Callable[..., None]) -> Callable[..., None]:
            self.checks.update(dict.fromkeys(names, check))
            return check

        return register

    def read(self, text: str, known: Any) -> str:
        """Find the sentence, check what it claims; its name, or nothing where the page does not have it."""
        return next(iter(self._read(book().find, text, known)), "")

    def read_all(self, text: str, known: Any) -> list[str]:
        """The same of several sentences one after the other."""
        return self._read(book().find_all, text, known)

    def _read(self, find: Callable[..., Any], text: str, known: Any) -> list[str]:
        try:
            found = find(self.section, flat(text))
        except AssertionError as why:
            self.wrong.append(f"{why}, said of {known}")
            return []
        found = found if isinstance(found, list) else [found]
        for template, fields in found:
            self.met[template.name] += 1
            self.check(lambda t=template, f=fields: self.checks[t.name](known, **f), text, known)
        return [template.name for template, _ in found]

    def check(self, claim: Callable[[], None], text: str, known: Any) -> None:
        """Note it where a claim does not hold."""
        try:
            claim()
        except AssertionError as why:
            self.wrong.append(f"{self.section}: {flat(text)!r} is not true of {known}: {why}")

    def finish(self, rare: dict[str, str]) -> None:
        """All that was said is true; every sentence of the page has a check, and was met or is rare."""
        shown = "\n".join(self.wrong[:25])
        assert not self.wrong, (
            f"{len(self.wrong)} of {self.met.total() + len(self.wrong)} sentences are wrong:\n{shown}"
        )
        on_page = set(book().templates[self.section])
        assert on_page == set(self.checks), f"{self.section}: page and checks differ: {on_page ^ set(self.checks)}"
        assert set(rare) <= on_page, f"{self.section}: not on the page: {set(rare) - on_page}"
        unmet = on_page - set(self.met) - set(rare)
        assert not unmet, f"{self.section}: never said: {sorted(unmet)}"
