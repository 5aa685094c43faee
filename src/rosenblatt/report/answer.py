"""The answer in words: the verdict with its facts, the proof, and what the proof is worth."""

import json
import os
import re
from collections import Counter
from html import escape
from pathlib import PurePath
from shlex import quote

from rosenblatt.data.wording import count
from rosenblatt.plot.canvas import embedded_json
from rosenblatt.report.study import Study

__all__ = ["certificate_name", "cover_in_words", "facts", "proof", "verdict"]

_LARGEST_CERTIFICATE = 400_000  # characters
_SHOWN_CERTIFICATE = 4_000
_TEXT = (".csv", ".tsv", ".txt")

_PROOFS = {
    "complete": "whole numbers w, the bias last, with y·(w·x + b) > 0 on each of the {n} rows",
    "quasi": "whole numbers w that have no row on the wrong side, and positive whole numbers λ on {witness} rows "
    "with Σ λ·y·(x, 1) = 0, which pin {plane} rows to every such hyperplane",
    "overlap": "positive whole numbers λ on {witness} rows with Σ λ·y·(x, 1) = 0: a mixture of rows of one class "
    "equals a mixture of rows of the other, so no hyperplane can pass between them",
}
_LOGISTIC = {
    "complete": "There is no maximum-likelihood estimate: the likelihood grows for ever along the separating "
    "hyperplane. Penalise it (ridge, Firth), or use the hyperplane itself.",
    "quasi": "There is no maximum-likelihood estimate. Some coefficients may have finite estimates all the same.",
    "overlap": "There is a maximum-likelihood estimate: the only one, unless a column can be computed from others.",
}
_FATES = {  # of one coefficient, of several
    "finite": ("has a finite estimate", "have finite estimates"),
    "+inf": ("runs to +∞", "run to +∞"),
    "-inf": ("runs to −∞", "run to −∞"),
    "undetermined": ("depends on the optimiser", "depend on the optimiser"),
    "not identified": ("is not identified", "are not identified"),
    "open": ("is not settled", "are not settled"),
}


def verdict(study: Study, source: str) -> str:
    """The answer in one sentence, and the facts that go with it."""
    found = study.verdict
    proved = f'<span class="proved">{found.proved}</span>' if found.proof else ""
    told = [
        *(("Because", escape(one)) for one in reasons(study)[:1]),
        *_margin(study),
        ("The witness", _witness_in_words(study)),
        ("This run", _run_in_words(study)),
        ("What it is worth", cover_in_words(study)),
        ("Logistic regression", _logistic_in_words(study)),
        *((name.capitalize(), escape(words)) for name, words in found.remarks_in_words(study.examples.features)),
    ]
    return f'<p class="verdict {found.kind}">{escape(found.sentence)} {proved}</p>\n{facts(told)}'


def reasons(study: Study) -> list[str]:
    """Why the classes are separable, by the names that the table has for its columns and classes."""
    named = "class " if study.target == "class" else f"{study.target} = "
    classes = [f"{named}{name}" for name, _ in study.examples.classes]
    return study.verdict.reasons_in_words(study.examples.features, classes)


def facts(told: list[tuple[str, str]]) -> str:
    """A list of facts: names, which are text, and words, which are HTML. A fact without words is left out."""
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{words}</dd></div>" for name, words in told if words)
    return f'<dl class="facts">{rows}</dl>'


def proof(study: Study, source: str) -> str:
    """The certificate, and how anybody can check it."""
    found = study.verdict
    if found.certificate is None:
        return f"<p>There is no proof, because there is no answer: {escape(found.reason)}.</p>"
    try:
        content = found.certificate.content  # written now, where floats have proved the verdict
    except ValueError as why:
        return f"<p>Floats prove it, with every rounding bounded. {escape(str(why)[:1].upper() + str(why)[1:])}</p>"
    counts = {"n": study.examples.rows.n, "witness": study.witness.size, "plane": len((found.rows or {})["plane"])}
    what = escape(_PROOFS[found.kind].format(**{name: f"{count:,}" for name, count in counts.items()}))
    words = (
        f"<p>The certificate holds {what}. Nothing in it was rounded, and no tolerance was used. You need not trust "
        f"the program that found it: rosenblatt/verdicts/checker.py, one file that needs only Python's standard "
        f"library, checks it.</p>"
    )
    text = json.dumps(content, indent=1)
    name = certificate_name(source)
    if len(text) > _LARGEST_CERTIFICATE:
        how = escape(f"verdict.certificate.save({name!r})")
        return f"{words}\n<p>It is too long for this page ({len(text):,} characters); <code>{how}</code> writes it.</p>"
    commands = [f"rosenblatt verify {quote(name)} {quote(_file(source) or 'DATA')}"]
    alone = ""
    if not source or PurePath(source).suffix.lower() in _TEXT:  # what the checker reads by itself
        alone = " or with that one file alone"
        commands.append(f"python checker.py {quote(name)} {quote(source or 'DATA')}")
    typed = escape("\n".join(commands))
    shown = escape(text[:_SHOWN_CERTIFICATE]) + ("…" if len(text) > _SHOWN_CERTIFICATE else "")
    return f"""{words}
<p>Anybody can check it, with rosenblatt{alone}:</p>
<p><button type="button" class="save" data-save="certificate"
data-name="{escape(name)}">Save {escape(name)}</button></p>
<pre tabindex="0"><code>{typed}</code></pre>
<details><summary>The certificate ({len(text):,} characters)</summary>
<pre class="long" tabindex="0">{shown}</pre></details>
<script type="application/json" id="certificate">{embedded_json(content)}</script>"""


def certificate_name(source: str) -> str:
    """What to call the certificate's file."""
    return f"{PurePath(_file(source)).stem or 'data'}.cert.json"


def _file(source: str) -> str:
    """The source if it is the name of a file or a folder; "" for a query or standard input."""
    return source if PurePath(source).suffix or os.path.isdir(source) else ""


def cover_in_words(study: Study) -> str:
    """Cover's theorem, for these points."""
    worth = study.verdict.cover
    return "" if worth is None else f"{_powers(escape(worth.sentence(study.verdict.kind)))} [Cover 1965]"


def _margin(study: Study) -> list[tuple[str, str]]:
    found = study.verdict
    told = [(f"{name[0].upper()}{name[1:]}", f"{words}.") for name, words in found.margins_in_words()]
    if found.margin is None or found.radius is None or found.mistake_bound is None:
        return told
    with_bias = found.certificate is None or found.certificate.head["fit_intercept"]
    longest = "(x, 1)" if with_bias else "x"
    return [
        *told,
        ("Radius R", f"{found.radius:.6g}, the length of the longest {longest}."),
        (
            "Mistake bound",
            f"No perceptron that starts at 0 makes more than (R/γ)² = {found.mistake_bound:,} corrections, γ being the "
            f"theorem's margin.",
        ),
    ]


def _run_in_words(study: Study) -> str:
    """How many corrections, what part of the bound, and how it ended."""
    model, bound = study.model, study.verdict.mistake_bound
    if not hasattr(model, "outcome_"):
        return ""
    made, passes = int(model.n_updates_), int(model.n_passes_)
    part = "" if not bound or not made else f" ({made / bound:.2g} of the bound)"
    ended = model.outcome_.sentence[:1].upper() + model.outcome_.sentence[1:]
    return f"{count(made, 'correction')}{part} in {count(passes, 'pass', 'passes')}. {escape(ended)}"


def _witness_in_words(study: Study) -> str:
    """The rows of both classes whose mixtures coincide."""
    rows = study.witness
    if not rows.size or study.verdict.certificate is None:
        return ""
    sides = []
    for sign, (name, _) in zip((-1, 1), study.examples.classes, strict=True):
        own = study.row_names[rows[study.examples.signs[rows] == sign]]
        if not own.size:
            continue
        listed = ", ".join(escape(str(one)) for one in own[:6]) + (f" … {own.size:,} in all" if own.size > 6 else "")
        sides.append(f"row{'' if own.size == 1 else 's'} {listed} ({escape(name)})")
    if not study.verdict.certificate.head["fit_intercept"]:  # rows of one class alone may cancel
        multiples = f"Positive multiples of y·x of {' and '.join(sides)} add up to zero"
        return f"{multiples}: no hyperplane through the origin has them all on their side."
    return f"A mixture of {sides[0]} is also a mixture of {sides[1]}: no hyperplane passes strictly between them."


def _logistic_in_words(study: Study) -> str:
    found = study.verdict
    words = _LOGISTIC.get(found.kind, "")
    if found.coefficients:
        kinds = Counter(one.kind for one in found.coefficients)
        each = ", ".join(f"{number:,} {_FATES[kind][number > 1]}" for kind, number in kinds.items())
        words += f" Of its {count(len(found.coefficients), 'coefficient')} {each}."
    return escape(words)


def _powers(text: str) -> str:
    """10^12 with its exponent raised."""
    return re.sub(r"10\^([0-9,]+)", r"10<sup>\1</sup>", text)
