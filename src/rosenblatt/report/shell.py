"""What every page is: one file, nothing loaded from anywhere, light and dark, on paper and without JavaScript."""

from datetime import UTC, datetime
from html import escape
from importlib.resources import files

from rosenblatt.plot import replay

__all__ = ["html_page"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def html_page(heading: str, about: str, parts: list[tuple[str, str, str]], *, title: str, replays: bool = False) -> str:
    """The page. `about` and the content of the parts (identifier, heading, content) are HTML, all else is text.

    A part without content is left out.
    """
    links = "".join(f'<a href="#{name}">{escape(part)}</a>' for name, part, content in parts if content)
    first, words = parts[0][:2]
    here = files("rosenblatt.report")
    style, script = (here.joinpath(f"report.{ending}").read_text("utf-8") for ending in ("css", "js"))
    replay_style, replay_script = replay.assets() if replays else ("", "")
    body = "\n".join(
        f'<section id="{name}"><h2>{escape(part)}</h2>\n{content}\n</section>' if content else ""
        for name, part, content in parts
    )
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>{replay.css_variables()}
{style}
{replay_style}</style>
</head>
<body>
<a class="skip" href="#{first}">Skip to the {escape(words.lower())}</a>
<header>
<h1>{escape(heading)}</h1>
<p>{about}</p>
<nav aria-label="Parts of this report">{links}</nav>
</header>
<main>
{body}
</main>
<footer><p>Written by rosenblatt on {now}. This page loads nothing and sends nothing.</p></footer>
<script>{script}</script>
<script>{replay_script}</script>
</body>
</html>
"""
