"""One self-contained HTML page: what was found, the picture, and a sentence for every probe."""

import io
import os
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.counting import chance_in_words
from rosenblatt.data.files import write_whole
from rosenblatt.probes.words import ANSWERS, in_short
from rosenblatt.verdicts.worth import CUT_OFF, MORE

if TYPE_CHECKING:
    from rosenblatt.probes.result import Probes

__all__ = ["page", "write_page"]

_INKS = {"light": "#20242a", "dark": "#d7dae0"}
_MOST = 2000  # probes in the table

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark;
  --ink: #20242a; --soft: #667080; --line: #dfe3e8; --page: #fff; --yes: #2a7d4f; --no: #a8442f; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --ink: #d7dae0; --soft: #98a1ae; --line: #343a43; --page: #15181d; --yes: #6cc493; --no: #e58a73; }} }}
body {{ font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
  max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.5rem; margin-bottom: 0; }} .soft {{ color: var(--soft); }}
svg {{ width: 100%; height: auto; }} .dark {{ display: none; }}
@media (prefers-color-scheme: dark) {{ .dark {{ display: block; }} .light {{ display: none; }} }}
.scroll {{ overflow-x: auto; }}
table {{ border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: left; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line); }}
td {{ vertical-align: top; }}
th {{ color: var(--soft); font-weight: 500; }} td.n, th.n {{ text-align: right; white-space: nowrap; }}
.yes, .no, .open {{ white-space: nowrap; }} .yes {{ color: var(--yes); }} .no {{ color: var(--no); }}
</style></head><body>
<h1>{title}</h1>
<p class="soft">{about}</p>
{findings}
<figure style="margin:1rem 0">{pictures}</figure>
<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>
{rows}
</tbody></table></div>
<p class="soft">{more}accuracy: {rows_judged}; 95 % confidence interval (Wilson). control: mean accuracy of copies
trained on shuffled labels. selectivity: accuracy − control. margin: the theorem's, min y·s/‖(w, b)‖ over the rows
learned from. chance: at most so likely is it that shuffled labels can be separated, with so many rows and weights
(Cover 1965).</p>
</body></html>
"""


def write_page(probes: "Probes", path: str | os.PathLike[str], title: str = "Probes") -> None:
    """Write `page` to a file, whole or not at all."""
    write_whole(path, page(probes, title).encode())


def page(probes: "Probes", title: str = "Probes") -> str:
    """The page as text. It needs nothing from elsewhere, and follows the reader's choice of light or dark.

    >>> import numpy as np, rosenblatt as rb
    >>> X = np.random.default_rng(0).standard_normal((40, 30))
    >>> text = page(rb.probes.fit(X, np.arange(40) % 2 == 0, passes=200), "Random labels")
    >>> "separated, not shown to be more than chance: 40 points in 30 dimensions" in text
    True
    """
    ranked = probes.best() if probes.layers == 1 else probes
    shown = ranked.select(slice(0, _MOST))
    records = shown.records()
    columns = _columns(probes)
    head = "".join(f'<th class="{"n" if number else "w"}">{escape(name)}</th>' for name, number, _ in columns)
    return _PAGE.format(
        title=escape(title),
        about=escape(_about(probes)),
        findings=_findings(probes),
        pictures="".join(f'<div class="{name}">{_svg(probes, ink)}</div>' for name, ink in _INKS.items()),
        head=head,
        rows="\n".join(_row(record, columns) for record in records),
        more=f"The first {_MOST:,} of {len(probes):,} probes. " if len(probes) > _MOST else "",
        rows_judged="on rows held out" if probes.validated else "on the rows learned from",
    )


def _about(probes: "Probes") -> str:
    settings = probes.settings or {}
    rows = f"{probes.labelled.min():,}" + (f"–{probes.labelled.max():,}" if np.ptp(probes.labelled) else "")
    parts = [
        f"{len(probes):,} perceptrons",
        f"{probes.layers} layers" if probes.layers > 1 else "",
        f"{rows} labelled rows, {len(probes.weights):,} weights each",
        f"at most {settings['passes']} passes, {settings['order']} order" if settings else "",
        f"{len(probes.control_training)} controls each" if len(probes.control_training) else "no controls",
        f"{probes.held_labelled.max():,} rows held out" if probes.validated else "no rows held out",
    ]
    return " · ".join(part for part in parts if part)


def _findings(probes: "Probes") -> str:
    sentences = [f"<strong>{in_short(probes)}</strong>"]
    few = sum(not probes.worth(j).more_than_chance for j in range(len(probes)))
    if few:
        cut_off = chance_in_words(CUT_OFF)
        sentences.append(
            f"For {few:,} of them a separation by itself would not show {MORE}: with their labels shuffled, the chance "
            f"of another one may be above {cut_off}."
        )
    if not probes.validated:
        sentences.append("No rows were held out, so nothing here speaks of new ones.")
    return "".join(f"<p>{sentence}</p>" for sentence in sentences)


def _columns(probes: "Probes") -> list[tuple[str, bool, Any]]:
    """(heading, whether it is a number, how a record shows it)."""
    kind = "validation" if probes.validated else "training"
    columns: list[tuple[str, bool, Any]] = [("probe", False, lambda r: escape(r["name"]))]
    if probes.layers > 1:
        columns.append(("layer", True, lambda r: str(r["layer"])))
    columns += [
        ("rows", True, lambda r: f"{r['labelled']:,}"),
        ("+1", True, lambda r: f"{r['positive']:,}"),
        ("accuracy, %", True, lambda r: _percent(r[f"{kind}_accuracy"])),
        ("95 % of it", True, lambda r: f"{_percent(r[f'{kind}_low'])}–{_percent(r[f'{kind}_high'])}"),
    ]
    if len(probes.control_training):
        columns += [
            ("control, %", True, lambda r: _percent(r["control"])),
            ("selectivity", True, lambda r: f"{r['selectivity']:+.2f}"),
        ]
    columns += [
        ("outcome", False, lambda r: r["outcome"]),
        ("margin", True, lambda r: f"{r['margin']:.3g}"),
        ("chance", True, lambda r: chance_in_words(r["log10_sizes"])),
        ("", False, lambda r: f'<span class="{r["means"]}">{ANSWERS[r["means"]]}</span>'),
        ("why", False, lambda r: escape(r["says"])),
    ]
    return columns


def _row(record: dict[str, Any], columns: list[tuple[str, bool, Any]]) -> str:
    cells = (f'<td class="{"n" if number else "w"}">{show(record)}</td>' for _, number, show in columns)
    return f"<tr>{''.join(cells)}</tr>"


def _percent(part: float) -> str:
    return "—" if np.isnan(part) else f"{100 * part:.1f}"


def _svg(probes: "Probes", ink: str) -> str:
    import matplotlib

    from rosenblatt.probes.picture import ProbesDisplay

    with matplotlib.rc_context({"svg.hashsalt": ink, "svg.fonttype": "none", "font.family": "sans-serif"}):
        text = io.StringIO()
        ProbesDisplay(probes).plot(ink).figure_.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()[text.getvalue().index("<svg") :]
