"""One page about probes: a heatmap of layers and concepts, and for each probe a sentence and its numbers."""

import os
from html import escape
from typing import Any

import numpy as np

from rosenblatt.counting import chance_in_words
from rosenblatt.data.files import write_whole
from rosenblatt.probes import Probes, ProbesDisplay
from rosenblatt.probes.evidence import ANSWERS, in_short
from rosenblatt.report.shell import Cell, html_page, style, svg_figures, table
from rosenblatt.verdicts.words import CUT_OFF, MORE

__all__ = ["page", "write_page"]

_MOST = 500  # probes with details of their own
_CELLS = 4000  # probes in heatmaps
_NAMES = {
    "auc": "AUROC",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "recall_at_1": "recall at 1 % false positives",
    "log_loss": "log loss",
    "r2": "R²",
}


def write_page(probes: Probes, path: str | os.PathLike[str], title: str = "Probes") -> None:
    """Write `page` to a file, whole or not at all."""
    write_whole(path, page(probes, title).encode())


def page(probes: Probes, title: str = "Probes") -> str:
    """The page as text. It needs nothing from elsewhere, and follows the reader's choice of light or dark.

    >>> import numpy as np, rosenblatt as rb
    >>> X = np.random.default_rng(0).standard_normal((40, 30))
    >>> text = page(rb.probes.fit(X, np.arange(40) % 2 == 0, method="perceptron", passes=200), "Random labels")
    >>> "separated, not shown to be more than chance: 40 points in 30 dimensions" in text
    True
    """
    parts = [
        ("findings", "Findings", _findings(probes)),
        ("map", "Layers and concepts", _heatmaps(probes)),
        ("probes", "Probes", _details(probes) + _what_columns_mean(probes)),
        ("classes", "Several classes", _confusions(probes)),
        ("pictures", "Pictures", _pictures(probes)),
    ]
    return html_page(title, escape(_what_was_probed(probes)), parts, title=title)


def _what_was_probed(probes: Probes) -> str:
    rows = f"{probes.labelled.min():,}" + (f"–{probes.labelled.max():,}" if np.ptp(probes.labelled) else "")
    parts = [
        f"{len(probes):,} probes",
        ", ".join(dict.fromkeys(probes.method)),
        f"{probes.layers} layers" if probes.layers > 1 else "",
        f"{rows} labelled rows, {len(probes.weights):,} weights each",
        f"{len(probes.control_training)} controls each" if len(probes.control_training) else "no controls",
        f"{probes.held_labelled.max():,} rows held out" if probes.tested else "no rows held out",
    ]
    return " · ".join(part for part in parts if part)


def _findings(probes: Probes) -> str:
    sentences = [f"<strong>{in_short(probes)}</strong>"]
    few = sum(not probes.worth(j).more_than_chance for j in range(len(probes)) if not probes.numeric[j])
    if few:
        cut_off = chance_in_words(CUT_OFF)
        sentences.append(
            f"For {few:,} of them a separation by itself would not show {MORE}: with their labels shuffled, the chance "
            f"of another one may be above {cut_off}."
        )
    if not probes.tested:
        sentences.append("No rows were held out, so nothing here speaks of new ones.")
    return "".join(f"<p>{sentence}</p>" for sentence in sentences)


# ---------------------------------------------------------------------------------------------------------- the heatmap


def _heatmaps(probes: Probes) -> str:
    """A map for each method, with a line for each concept and a column for each layer; a cell links to its probe."""
    maps, left = [style("probes.css")], _CELLS
    for method in dict.fromkeys(probes.method):
        mine = [j for j in range(len(probes)) if probes.method[j] == method][: max(left, 0)]
        left -= len(mine)
        if mine:
            maps.append(_heatmap(probes, method, mine))
    if len(probes) > _CELLS:
        maps.append(f"<p>The first {_CELLS:,} of {len(probes):,} probes are shown.</p>")
    return "".join(maps)


def _heatmap(probes: Probes, method: str, mine: list[int]) -> str:
    places = {(probes.names[j], int(probes.layer[j])): j for j in mine}
    names, layers = list(dict.fromkeys(probes.names[j] for j in mine)), sorted({int(probes.layer[j]) for j in mine})
    head = "".join(f'<th scope="col" title="{escape(probes.titles[k])}">{k}</th>' for k in layers)
    rows = "".join(
        f'<tr><th scope="row" title="{escape(name)}">{escape(name)}</th>'
        + "".join(_heat(probes, places.get((name, k))) for k in layers)
        + "</tr>"
        for name in names
    )
    measure = "AUROC (R² of numbers) × 100" if probes.tested else "accuracy on the rows learned from, %"
    name = escape(method)
    return (
        f'<div class="heat" role="region" tabindex="0" aria-label="{name}"><table id="map-{name}">'
        f"<caption>{name}: {measure}; faint: not shown to be more than chance</caption>"
        f'<thead><tr><th scope="col">concept</th>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _heat(probes: Probes, j: int | None) -> str:
    if j is None:
        return "<td></td>"
    value, where = _value(probes, j), f"#probe-{j}" if j < _MOST else "#probes"
    if np.isnan(value):
        return f'<td class="no"><a href="{where}">—</a></td>'
    floor = 0.0 if probes.numeric[j] else 0.5
    share = max(0.0, min(1.0, (value - floor) / (1.0 - floor)))
    kind = probes.meaning(j).verdict
    return (
        f'<td class="{kind}" style="background:color-mix(in srgb,var(--positive) {45 * share:.0f}%,transparent)">'
        f'<a href="{where}">{100 * value:.0f}</a></td>'
    )


def _value(probes: Probes, j: int) -> float:
    if not probes.tested:
        return float(probes.training_accuracy[j])
    return float(probes.r2[j] if probes.numeric[j] else probes.auc[j])


# ---------------------------------------------------------------------------------------------------------- the details


def _details(probes: Probes) -> str:
    """A line for each concept and each probe; a click on it, or on the map, opens the details."""
    shown, count = min(len(probes), _MOST), len(probes)
    caption = f"The first {shown:,} of {count:,} probes" if shown < count else f"All {count:,} probes"
    records, concepts = probes.records()[:shown], dict[str, list[int]]()
    for j, record in enumerate(records):
        concepts.setdefault(record["name"], []).append(j)
    return f"<p>{caption}.</p>" + "".join(
        _concept(name, mine, records, [_detail(probes, j, records[j]) for j in mine]) for name, mine in concepts.items()
    )


def _concept(name: str, mine: list[int], records: list[dict[str, Any]], details: list[str]) -> str:
    """One line for a concept with several probes, so that a page about many layers stays short."""
    if len(mine) == 1:
        return details[0]
    more = sum(records[j]["means"] == "yes" for j in mine)
    title = f"{name}: {more:,} of {len(mine):,} probes {MORE}"
    return f'<details class="probe"><summary>{escape(title)}</summary>{"".join(details)}</details>'


def _detail(probes: Probes, j: int, record: dict[str, Any]) -> str:
    where = f", {record['layer_name']}" if probes.layers > 1 else ""
    title = f"{record['name']}{where}, {record['method']}: {ANSWERS[record['means']]}"
    rows = [[Cell(label), Cell(_with_interval(record, name))] for name, label in _NAMES.items() if _there(record[name])]
    rows += [
        [Cell(label), Cell(text)]
        for label, text in (
            ("chance of labels at random", _chance(record["p"])),
            ("after the correction for all probes", _chance(record["p_adjusted"])),
            ("control", _three_digits(record["control"])),
            ("selectivity", _three_digits(record["selectivity"])),
            ("on the rows to choose on", _three_digits(record["choice"])),
            ("λ", f"{record['strength']:g}" if _there(record["strength"]) else ""),
            ("rows learned from, +1 among them", f"{record['labelled']:,}, {record['positive']:,}"),
            ("margin", f"{record['margin']:.3g}" if _there(record["margin"]) else ""),
            ("chance of separation (Cover)", chance_in_words(record["log10_sizes"])),
            ("outcome", probes.outcome_of(j).sentence),
        )
        if text
    ]
    return (
        f'<details class="probe"><summary>{escape(title)}</summary><p id="probe-{j}">{escape(record["says"])}</p>'
        + table(f"probe-{j}-table", str(record["name"]), ["measure", "value"], rows)
        + "</details>"
    )


def _there(value: float) -> bool:
    return not np.isnan(value)


def _three_digits(value: float) -> str:
    return f"{value:.3f}".replace("-", "−") if _there(value) else ""


def _chance(p: float) -> str:
    return chance_in_words(float(np.log10(max(p, 1e-300)))) if _there(p) else ""


def _with_interval(record: dict[str, Any], name: str) -> str:
    low, high = record[f"{name}_low"], record[f"{name}_high"]
    ends = f" (95 %: {_three_digits(low)} to {_three_digits(high)})" if _there(low) and _there(high) else ""
    return _three_digits(record[name]) + ends


def _confusions(probes: Probes) -> str:
    """A table for every concept of several classes, where it is read best: which class is taken for which."""
    best: dict[str, dict[str, Any]] = {}
    for one in probes.confusions or []:
        if one["concept"] not in best or one["accuracy"] > best[one["concept"]]["accuracy"]:
            best[one["concept"]] = one
    return "".join(
        table(
            f"classes-{number}",
            f"{name}, {probes.titles[one['layer']]}, {one['method']}: {100 * one['accuracy']:.1f} % right by the "
            f"largest response (95 %: {100 * one['low']:.1f} to {100 * one['high']:.1f}); rows are the truth",
            [name, *one["classes"]],
            [
                [Cell(truth), *(Cell(f"{count:,}", count, "number") for count in row)]
                for truth, row in zip(one["classes"], one["matrix"], strict=True)
            ],
        )
        for number, (name, one) in enumerate(best.items())
    )


def _pictures(probes: Probes) -> str:
    first = "Accuracy and control by layer" if probes.layers > 1 else "Accuracy of each probe, against its control"
    panels = [
        ((3.9, 3.3), first),
        ((3.9, 3.3), "Margins"),
        ((3.9, 3.3), "Training accuracy by rows a weight, with the capacity at 2"),
    ]
    return svg_figures(ProbesDisplay(probes).plot, panels, "probes")


def _what_columns_mean(probes: Probes) -> str:
    judged = "Measures are on rows held out." if probes.tested else ""
    kind = (probes.settings or {}).get("control", "labels")
    task = "a random answer for each type" if kind == "type" else "shuffled labels"
    return (
        f"<p>{judged} Intervals hold 95 %; with groups they count groups, not rows. chance: permutations of labels, "
        f"of whole groups where each has one label. control: mean accuracy where the task is {task}; selectivity: "
        "accuracy − control. margin: the theorem's, min y·s/‖(w, b)‖ over the rows learned from. chance of separation: "
        "at most so likely is it that shuffled labels can be separated, with so many rows and weights (Cover 1965).</p>"
    )
