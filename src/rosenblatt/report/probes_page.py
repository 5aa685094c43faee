"""One page about probes: what was found, the picture, and a sentence for every probe."""

import os
from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from rosenblatt.counting import chance_in_words
from rosenblatt.data.files import write_whole
from rosenblatt.probes import Probes
from rosenblatt.probes.picture import ProbesDisplay
from rosenblatt.probes.words import ANSWERS, in_short
from rosenblatt.report.shell import html_page
from rosenblatt.report.svg import svg_figures
from rosenblatt.report.tables import Cell, number, table, whole
from rosenblatt.verdicts.worth import CUT_OFF, MORE

__all__ = ["page", "write_page"]

_MOST = 2000  # probes in the table


def write_page(probes: Probes, path: str | os.PathLike[str], title: str = "Probes") -> None:
    """Write `page` to a file, whole or not at all."""
    write_whole(path, page(probes, title).encode())


def page(probes: Probes, title: str = "Probes") -> str:
    """The page as text. It needs nothing from elsewhere, and follows the reader's choice of light or dark.

    >>> import numpy as np, rosenblatt as rb
    >>> X = np.random.default_rng(0).standard_normal((40, 30))
    >>> text = page(rb.probes.fit(X, np.arange(40) % 2 == 0, passes=200), "Random labels")
    >>> "separated, not shown to be more than chance: 40 points in 30 dimensions" in text
    True
    """
    parts = [
        ("findings", "Findings", _findings(probes)),
        ("pictures", "Pictures", _pictures(probes)),
        ("probes", "Probes", _table(probes) + _notes(probes)),
    ]
    return html_page(title, escape(_about(probes)), parts, title=title)


def _about(probes: Probes) -> str:
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


def _findings(probes: Probes) -> str:
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


def _pictures(probes: Probes) -> str:
    first = "Accuracy and control by layer" if probes.layers > 1 else "Accuracy of each probe, against its control"
    panels = [
        ((3.9, 3.3), first),
        ((3.9, 3.3), "Margins"),
        ((3.9, 3.3), "Training accuracy by rows a weight, with the capacity at 2"),
    ]
    return svg_figures(ProbesDisplay(probes).plot, panels, "probes")


def _table(probes: Probes) -> str:
    """The probes, where there is one layer the best first."""
    ranked = probes.best() if probes.layers == 1 else probes
    shown, count, columns = ranked.select(slice(0, _MOST)), len(probes), _columns(probes)
    caption = f"The first {len(shown):,} of {count:,} probes" if len(shown) < count else f"All {count:,} probes"
    body = [[show(record) for _, show in columns] for record in shown.records()]
    return table("probes-table", caption, [name for name, _ in columns], body)


def _columns(probes: Probes) -> list[tuple[str, Callable[[dict[str, Any]], Cell]]]:
    """(heading, how a record shows it)."""
    kind = "validation" if probes.validated else "training"
    columns: list[tuple[str, Callable[[dict[str, Any]], Cell]]] = [("probe", lambda r: Cell(r["name"], r["name"]))]
    if probes.layers > 1:
        columns.append(("layer", lambda r: whole(r["layer"])))
    columns += [
        ("rows", lambda r: whole(r["labelled"])),
        ("+1", lambda r: whole(r["positive"])),
        ("accuracy, %", lambda r: number(100 * r[f"{kind}_accuracy"], ".1f")),
        ("95 % of it", lambda r: _interval(r[f"{kind}_low"], r[f"{kind}_high"])),
    ]
    if len(probes.control_training):
        columns += [
            ("control, %", lambda r: number(100 * r["control"], ".1f")),
            ("selectivity", lambda r: number(r["selectivity"], "+.2f")),
        ]
    columns += [
        ("outcome", lambda r: Cell(r["outcome"], r["outcome"])),
        ("margin", lambda r: number(r["margin"], ".3g")),
        ("chance", lambda r: Cell(chance_in_words(r["log10_sizes"]), r["log10_sizes"], "number")),
        ("answer", lambda r: Cell(ANSWERS[r["means"]], r["means"], r["means"])),
        ("why", lambda r: Cell(r["says"], "", "words")),
    ]
    return columns


def _interval(low: float, high: float) -> Cell:
    return Cell("—", "", "number") if np.isnan(low) else Cell(f"{100 * low:.1f}–{100 * high:.1f}", low, "number")


def _notes(probes: Probes) -> str:
    judged = "on rows held out" if probes.validated else "on the rows learned from"
    return (
        f"<p>accuracy: {judged}; 95 % confidence interval (Wilson). control: mean accuracy of copies trained on "
        "shuffled labels. selectivity: accuracy − control. margin: the theorem's, min y·s/‖(w, b)‖ over the rows "
        "learned from. chance: at most so likely is it that shuffled labels can be separated, with so many rows and "
        "weights (Cover 1965).</p>"
    )
