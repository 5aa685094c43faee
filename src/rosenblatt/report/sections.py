"""The parts of the page, each one function from a study to HTML; "" where there is nothing to say."""

import json
import platform
from collections import Counter
from html import escape
from importlib.metadata import version
from pathlib import PurePath
from typing import Any

import numpy as np

from rosenblatt.report import pictures
from rosenblatt.report.study import Study
from rosenblatt.report.tables import Cell, number, table, whole

__all__ = ["SECTIONS", "certificate_name", "section"]

_SHOWN_ROWS = 300
_SHOWN_COEFFICIENTS = 500
_SHOWN_FEATURES = 4
_LARGEST_CERTIFICATE = 400_000  # characters

_PROOFS = {
    "complete": "whole numbers w, the bias last, with y·(w·x + b) > 0 on each of the {n} rows",
    "quasi": "whole numbers w that have no row on the wrong side, and positive whole numbers λ on {witness} rows with "
    "Σ λ·y·(x, 1) = 0, which pin {plane} rows to every such hyperplane",
    "overlap": "positive whole numbers λ on {witness} rows with Σ λ·y·(x, 1) = 0: a mixture of rows of one class equals "
    "a mixture of rows of the other, so no hyperplane can pass between them",
}
_LOGISTIC = {
    "complete": "has no maximum-likelihood estimate: its likelihood grows for ever along the separating hyperplane. "
    "Penalise it (ridge, Firth), or use the hyperplane itself.",
    "quasi": "has no maximum-likelihood estimate, though some of its coefficients settle: see the coefficients below.",
    "overlap": "has a maximum-likelihood estimate, as far as its columns can be told apart.",
}
_FATES = {"finite": "finite", "+inf": "+∞", "-inf": "−∞", "undetermined": "undetermined", "not identified": "not identified"}
_FATE_ORDER = {"+inf": 0, "-inf": 1, "undetermined": 2, "not identified": 3, "finite": 4}


def section(identifier: str, heading: str, content: str) -> str:
    """A part of the page with its heading."""
    return f'<section id="{identifier}"><h2>{escape(heading)}</h2>\n{content}\n</section>' if content else ""


def verdict(study: Study, source: str) -> str:
    """The answer, in one sentence, and what goes with it."""
    found = study.verdict
    proved = '<span class="proved">proved</span>' if found.certificate is not None else ""
    facts = [*_margin_facts(study), ("What it is worth", cover_in_words(study)), *_logistic_facts(study)]
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{text}</dd></div>" for name, text in facts if text)
    sentence = escape(found.sentence)
    return f'<p class="verdict {found.kind}">{sentence} {proved}</p>\n<dl class="facts">{rows}</dl>'


def _margin_facts(study: Study) -> list[tuple[str, str]]:
    found, model = study.verdict, study.model
    run = escape(model.outcome_.sentence) if hasattr(model, "outcome_") else ""
    facts = []
    if found.margin is not None and found.radius is not None and found.mistake_bound is not None:
        low, high = found.margin
        digits = f"{low:.6g}" if f"{low:.6g}" == f"{high:.6g}" else f"{low:.6g} … {high:.6g}"
        facts.append(("Margin γ", f"{digits}, the largest possible (with the bias counted as a coordinate)"))
        facts.append(("Radius R", f"{found.radius:.6g}, the length of the longest (x, 1)"))
        facts.append(("Mistake bound", f"No perceptron that starts at 0 makes more than (R/γ)² = {found.mistake_bound:,} corrections"))
        made = int(getattr(model, "n_updates_", 0))
        share = made / found.mistake_bound if found.mistake_bound else 0.0
        facts.append(("This run", f"{run} That is {_share(share)} of the bound" if made else run))
    elif run:
        facts.append(("This run", run))
    return facts


def _share(part: float) -> str:
    return f"{part:.0%}" if part >= 0.1 else f"{part:.2g}".join(("", "")) if part == 0 else f"1/{round(1 / part):,}"


def _logistic_facts(study: Study) -> list[tuple[str, str]]:
    found = study.verdict
    if found.kind not in _LOGISTIC:
        return []
    words = _LOGISTIC[found.kind]
    if found.coefficients:
        kinds = Counter(_FATES[one.kind] for one in found.coefficients)
        words += " Its coefficients: " + ", ".join(f"{count} {kind}" for kind, count in kinds.items()) + "."
    return [("Logistic regression", escape(words))]


def cover_in_words(study: Study) -> str:
    """Cover's theorem, for these points."""
    worth, kind = study.verdict.cover, study.verdict.kind
    if worth is None:
        return ""
    points = f"{worth.points:,} different points and {worth.weights:,} weights"
    if worth.log10_fair > -0.5:
        meaning = "so that these are separable says little" if kind == "complete" else "yet these are not"
        return f"With {points}, labels drawn by fair coins would often be separable too (Cover 1965), {meaning}."
    chance = f"at most one labeling in {_power(-worth.log10_fair)} would be separable"
    sizes = "" if worth.log10_sizes > -0.5 else f", with these class sizes one in {_power(-worth.log10_sizes)}"
    meaning = {
        "complete": "The separation says something about the classes." if worth.log10_sizes < -2 else "",
        "overlap": "That these are not separable is what chance would give.",
        "quasi": "That these are not completely separable is what chance would give.",
    }.get(kind, "")
    return f"With {points}, had the labels been drawn by fair coins, {chance}, wherever the points lie{sizes} (Cover 1965). {meaning}"


def _power(exponent: float) -> str:
    if exponent < 6:
        return f"{round(10**exponent):,}"
    return f"10<sup>{exponent:.1f}</sup>"


def proof(study: Study, source: str) -> str:
    """The certificate, and how anybody can check it."""
    found = study.verdict
    if found.certificate is None:
        return f"<p>There is no proof, because there is no answer: {escape(found.reason)}.</p>"
    content = found.certificate.content
    counts = {name: f"{len(rows):,}" for name, rows in (found.rows or {}).items()}
    what = _PROOFS[found.kind].format(n=f"{study.examples.rows.n:,}", **counts)
    text = json.dumps(content, indent=1)
    name = certificate_name(source)
    lines = [f"<p>The certificate holds {escape(what)}. Nothing in it was rounded, and no tolerance was used. Who found it "
             f"need not be believed: checking it takes one file of the Python standard library, which comes with "
             f"rosenblatt.</p>"]  # fmt: skip
    if len(text) > _LARGEST_CERTIFICATE:
        lines.append(
            f"<p>It is too long for this page ({len(text):,} characters). "
            f"<code>verdict.certificate.save({escape(repr(name))})</code> writes it.</p>"
        )
        return "\n".join(lines)
    data = source or "data.csv"
    lines.append(
        f'<p><button type="button" class="save" data-save="certificate" data-name="{escape(name)}">'
        f"Save {escape(name)}</button> and check it:</p>"
        f"<pre><code>python -m rosenblatt.verdicts.checker {escape(_quoted(name))} {escape(_quoted(data))}</code></pre>"
        f"<details><summary>The certificate ({len(text):,} characters)</summary><pre class='long'>"
        f"{escape(text[:4000])}{'…' if len(text) > 4000 else ''}</pre></details>"
        f'<script type="application/json" id="certificate">{text.replace("<", chr(92) + "u003c")}</script>'
    )
    return "\n".join(lines)


def certificate_name(source: str) -> str:
    """What to call the certificate's file."""
    return f"{PurePath(source).stem or 'data'}.cert.json"


def _quoted(name: str) -> str:
    return f"'{name}'" if any(c in name for c in " '\"&;()$") else name


def run(study: Study, source: str) -> str:
    """The replay, and the theorem's curves around the run."""
    if study.replay is None or int(study.replay.k[-1]) == 0:
        return ""
    many = study.examples.rows.p > 2
    how = (
        "Each example stands at its distance from the hyperplane of the moment, which is the upright line: examples move "
        "to their sides as w turns."
        if many
        else "The line is the hyperplane of the moment, the dashed one the hyperplane before the last correction."
    )
    lead = f"<p>{how} Rings mark examples on the wrong side; the wide ring marks the one just corrected.</p>"
    theorem = pictures.convergence(study)
    words = (
        "<p>Every correction adds at least a fixed length to w along w*, but at most a fixed square to ‖w‖². A parabola "
        "below and a straight line above leave room only up to where they meet.</p>"
    )
    return lead + study.replay.fragment() + (words + theorem if theorem else "")


def distances(study: Study, source: str) -> str:
    """How far from the hyperplane the examples are, by class."""
    picture = pictures.distances(study)
    return f"<p>Measured in input space, to {escape(study.plane_name)}.</p>{picture}" if picture else ""


def comparison(study: Study, source: str) -> str:
    """The learners side by side."""
    headings = ("", "learner", "outcome", "errors", "margin", "angle °", "hinge", "squared", "logistic", "passes", "seconds")
    rows = [
        (
            whole(k + 1),
            Cell(one.learner, one.learner),
            Cell(str(one.outcome), str(one.outcome)),
            whole(one.errors),
            number(one.margin, ".3g"),
            number(one.angle, ".1f"),
            number(one.hinge_loss, ".3g"),
            number(one.squared_loss, ".3g"),
            number(one.logistic_loss, ".3g"),
            whole(one.passes),
            number(one.seconds, ".4f"),
        )
        for k, one in enumerate(study.comparison.rows)
    ]
    words = (
        "<p>The perceptron looks at sides only, the regressions at distances too. All were fitted with their defaults on "
        "these rows; errors are examples with y·s ≤ 0, angles are to the hyperplane of the largest margin among them, "
        "losses are means.</p>"
    )
    return words + pictures.comparison(study) + table("learners", "The learners", headings, rows)


def coefficients(study: Study, source: str) -> str:
    """Weights of the hyperplanes, and what becomes of each in a logistic regression."""
    p = study.examples.rows.p
    names = [*study.examples.features, "(1)"]
    columns = {"proof": study.plane.w.tolist() + [study.plane.b]} if study.plane is not None else {}
    for learner in ("perceptron", "least squares", "logistic regression"):
        w = study.comparison[learner].weights
        columns[learner] = [*w[:p], w[p] if w.size > p else 0.0]
    fates = {one.name: one for one in study.verdict.coefficients or []}
    order = np.argsort([-abs(v) for v in next(iter(columns.values()))], kind="stable")[:_SHOWN_COEFFICIENTS]
    headings = ["column", *(study.plane_name.removeprefix("the ") if c == "proof" else c for c in columns)]
    headings += ["logistic estimate", "because of rows"] if fates else []
    rows = [
        [Cell(names[j], names[j]), *(number(values[j]) for values in columns.values()), *_fate(study, fates.get(names[j]), bool(fates))]
        for j in order
    ]
    shown = "" if len(order) == p + 1 else f" (the {len(order)} largest of {p + 1:,})"
    missing = study.verdict.reason if study.verdict.kind != "unknown" and not fates else ""
    words = f"<p>Which of them a logistic regression could estimate was not worked out: {escape(missing)}.</p>" if missing else ""
    return words + table("coefficients-table", f"Weights of each column{shown}; (1) is the bias", headings, rows)


def _fate(study: Study, one: Any, wanted: bool) -> list[Cell]:
    if not wanted or one is None:
        return [Cell("—"), Cell("—")] if wanted else []
    numbers = study.row_numbers[np.asarray(one.rows, dtype=np.int64)]
    because = ", ".join(map(str, numbers[:6])) + (f" … {len(numbers)} in all" if len(numbers) > 6 else "")
    return [Cell(_FATES[one.kind], _FATE_ORDER[one.kind]), Cell(because, len(numbers))]


def rows(study: Study, source: str) -> str:
    """The rows that matter most, to look at."""
    n, signs = study.examples.rows.n, study.examples.signs
    agreement = np.zeros(n) if study.distances is None else signs * study.distances
    witness = set((study.verdict.rows or {}).get("witness", np.empty(0)).tolist())
    first = np.array(sorted(witness), dtype=np.int64)
    near = np.argsort(agreement, kind="stable")
    order = np.concatenate([first, near[~np.isin(near, first)]])[:_SHOWN_ROWS]
    order = order[np.argsort(agreement[order], kind="stable")]
    columns = _telling_columns(study)
    values = study.examples.rows.take(order)
    headings = ["row", "class", "distance", "side", "corrections", *(["in the proof"] if witness else [])]
    headings += [study.examples.features[j] for j in columns]
    body = [
        [
            whole(int(study.row_numbers[i])),
            _class_cell(study, int(signs[i])),
            number(float("nan") if study.distances is None else float(study.distances[i])),
            _side(study, int(i), float(agreement[i])),
            whole(int(study.corrections[i])),
            *([Cell("yes" if int(i) in witness else "", float(int(i) in witness))] if witness else []),
            *(number(float(values[place, j])) for j in columns),
        ]
        for place, i in enumerate(order)
    ]
    shown = f"All {n:,} rows" if len(order) == n else f"{len(order):,} of {n:,} rows, the nearest to the hyperplane first"
    words = "<p>Nearest to the hyperplane first, those on the wrong side before them. Press a heading to sort.</p>"
    return words + table("rows-table", shown, headings, body)


def _telling_columns(study: Study) -> list[int]:
    """The columns that move an example most: weight times spread."""
    p = study.examples.rows.p
    if p <= _SHOWN_FEATURES or study.plane is None:
        return list(range(min(p, _SHOWN_FEATURES)))
    reach = np.abs(study.plane.w) * study.examples.shifted().std(axis=0)
    return sorted(int(j) for j in np.argsort(-reach, kind="stable")[:_SHOWN_FEATURES])


def _class_cell(study: Study, sign: int) -> Cell:
    name = study.examples.classes[sign > 0][0]
    return Cell(name, name, "positive" if sign > 0 else "negative")


def _side(study: Study, row: int, agreement: float) -> Cell:
    if study.distances is None:
        return Cell("—")
    if study.verdict.hyperplane is not None and study.verdict.rows is not None:  # exactly known
        plane = row in set(study.verdict.rows["plane"].tolist())
        return Cell("on the plane", 1.0) if plane else Cell("right", 2.0)
    return Cell("right", 2.0) if agreement > 0 else Cell("wrong", 0.0, "wrong")


def computed(study: Study, source: str) -> str:
    """How, with what, from what."""
    model = study.model
    settings = {k: v for k, v in model.get_params().items() if v is not None and v is not False} if hasattr(model, "get_params") else {}
    shown = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    packages = ("numpy", "scipy", "scikit-learn", "numba", "highspy", "python-flint")
    times = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in study.seconds.items())
    facts = [
        ("The verdict", "A float candidate or HiGHS proposes; every claim is then proved in exact arithmetic, each value "
         "taken as the fraction it is, and checked by the certificate's own checker before it is shown."),
        ("The run", f"{type(model).__name__}({shown})"),
        ("The data", f"{study.examples.rows.n:,} rows × {study.examples.rows.p:,} columns; SHA-256 of X (little-endian float64, "
         f"row by row) and y (int8): {study.data_sha256}"),
        ("Time", times),
        ("Versions", ", ".join([f"rosenblatt {_own_version()}", f"Python {platform.python_version()}",
                                *(f"{name} {version(name)}" for name in packages)])),
    ]  # fmt: skip
    return '<dl class="facts">' + "".join(f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in facts) + "</dl>"


def _own_version() -> str:
    from rosenblatt import __version__

    return __version__


SECTIONS = (
    ("verdict", "Verdict", verdict),
    ("proof", "Proof", proof),
    ("run", "The run", run),
    ("distances", "Distances by class", distances),
    ("comparison", "Beside the regressions", comparison),
    ("coefficients", "Coefficients", coefficients),
    ("rows", "Rows", rows),
    ("computed", "How it was computed", computed),
)
