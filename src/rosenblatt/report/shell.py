"""The frame of every page: one file that loads nothing, light and dark, readable on paper and without JavaScript."""

from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from string import Template

from rosenblatt.plot.canvas import assets, css_variables

__all__ = ["html_page", "style"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def _asset(name: str) -> str:
    """A file beside this one."""
    return files("rosenblatt.report").joinpath(name).read_text("utf-8")


def style(name: str) -> str:
    """A style sheet beside this file, to be put into a page."""
    return f"<style>\n{_asset(name)}</style>"


def html_page(heading: str, about: str, parts: list[tuple[str, str, str]], *, title: str, replays: bool = False) -> str:
    """The page as text. `about` and the content of each part (identifier, heading, content) are HTML; the rest is text.

    A part without content is left out.
    """
    links = "".join(f'<a href="#{name}">{escape(part)}</a>' for name, part, content in parts if content)
    first, words = parts[0][:2]
    replay_style, replay_script = assets() if replays else ("", "")
    body = "\n".join(
        f'<section id="{name}"><h2>{escape(part)}</h2>\n{content}\n</section>' if content else ""
        for name, part, content in parts
    )
    return Template(_asset("page.html")).substitute(
        policy=_POLICY,
        title=escape(title),
        style=f"{css_variables()}\n{_asset('report.css')}\n{replay_style}",
        first=first,
        words=escape(words.lower()),
        heading=escape(heading),
        about=about,
        links=links,
        body=body,
        now=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        script=_asset("report.js"),
        replay_script=replay_script,
    )
