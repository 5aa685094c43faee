"""One page about three or more classes: all of them at once, each against the rest, and every two of them."""

import os
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from itertools import combinations
from pathlib import PurePath
from shlex import quote
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.files import write_whole
from rosenblatt.data.numbers import Rows, float_rows, rows_of
from rosenblatt.data.tables import Encoding
from rosenblatt.data.wording import count
from rosenblatt.learners import Perceptron
from rosenblatt.plot import BoundaryDisplay
from rosenblatt.plot.canvas import embedded_json
from rosenblatt.report.answer import facts
from rosenblatt.report.shell import HOW, Cell, html_page, style, svg_figures, table, versions, whole
from rosenblatt.verdicts import Certificate, Verdict, separability
from rosenblatt.verdicts.existence import existence

__all__ = ["ClassesStudy", "write_classes_page"]

_MOST = 40  # classes; with more, the table of every two would be too large
_MOST_VALUES, _PASSES = 2_000_000, 200  # of a picture: values of a table, and passes of its perceptron
_LARGEST = 800_000  # characters of all certificates on the page
_CELL = 96  # width of the picture's cells
_WORDS = {"complete": "separable", "quasi": "touching", "overlap": "overlapping", "unknown": "not decided"}


class ClassesStudy:
    """The verdicts: on all classes together, on each against the rest, and on every two, by their places in `names`."""

    def __init__(
        self, X: Any, codes: Any, names: Sequence[str], *, fit_intercept: bool = True, time_limit: float | None = None
    ) -> None:
        """Decide all; `codes` are the places of the rows' classes in `names`, `time_limit` is for all verdicts."""
        rows, codes = rows_of(X), np.asarray(codes)
        if not 3 <= len(names) <= _MOST:
            raise ValueError(f"this page is for 3 to {_MOST} classes; there are {len(names)}.")
        end = None if time_limit is None else time.monotonic() + time_limit

        def decide(rows_of_both: Rows, signs: npt.NDArray[Any]) -> Verdict:
            return separability(rows_of_both, signs, fit_intercept, margin=False, time_limit=_left(end))

        self.names, self.shape, self.rows, self.codes = tuple(map(str, names)), (rows.n, rows.p), rows, codes
        self.counts: list[int] = np.bincount(codes, minlength=len(names)).tolist()
        self.together = existence(
            rows, np.array(self.names)[codes], "multinomial", fit_intercept=fit_intercept, time_limit=_left(end)
        )
        self.against_rest = [decide(rows, np.where(codes == k, 1, -1)) for k in range(len(names))]
        self.pairs: dict[tuple[int, int], Verdict] = {}
        for i, j in combinations(range(len(names)), 2):
            both = (codes == i) | (codes == j)
            self.pairs[i, j] = decide(rows.subset(both), np.where(codes[both] == j, 1, -1))

    def describe(self, table: Encoding) -> None:
        """Say in the certificate of all classes how its file is read."""
        if self.together.certificate is not None:
            described = {"table": table.to_json(), "features": table.features}
            certificate = Certificate(self.together.certificate.content | described)
            self.together = replace(self.together, certificate=certificate)

    @property
    def undecided(self) -> bool:
        """Whether a limit was hit somewhere."""
        return any(one.kind == "unknown" for one in (self.together, *self.against_rest, *self.pairs.values()))


def _left(end: float | None) -> float | None:
    return None if end is None else max(0.0, end - time.monotonic())


def write_classes_page(study: ClassesStudy, path: str | os.PathLike[str], title: str, source: str = "") -> None:
    """Write the page, whole or not at all."""
    write_whole(path, classes_page(study, title, source).encode())


def classes_page(study: ClassesStudy, title: str, source: str = "") -> str:
    """The page as text.

    >>> import numpy as np
    >>> study = ClassesStudy(np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 2, 2], ["a", "b", "c"])
    >>> [one.kind for one in study.against_rest], [one.kind for one in study.pairs.values()]
    (['complete', 'overlap', 'complete'], ['complete', 'complete', 'complete'])
    >>> "every two of the 3 classes are separable" in classes_page(study, "three")
    True
    """
    n, p = study.shape
    parts = [
        ("together", "All classes together", _all_at_once(study)),
        ("pairs", "Every two classes", style("classes.css") + _pairs_in_words(study) + _picture(study)),
        ("rest", "Each class against the rest", _against_rest(study)),
        ("scatter", "The rows", _scatter(study)),
        ("proof", "Proof", _certificates(study, source)),
        ("computed", "How it was computed", _how_computed(study)),
    ]
    sizes = ", ".join(
        f"<bdi>{escape(name)}</bdi> ({number:,})" for name, number in zip(study.names, study.counts, strict=True)
    )
    about = f"{f'{escape(source)} · ' if source else ''}{n:,} rows × {count(p, 'column')} · classes {sizes}"
    return html_page(title, about, parts, title=f"{title} · {len(study.names)} classes")


def _all_at_once(study: ClassesStudy) -> str:
    found = study.together
    proved = f' <span class="proved">{found.proved}</span>' if found.proof else ""
    model = "<p>The model is a multinomial logistic regression.</p>"
    return f'{model}<p class="verdict {found.kind}">{escape(found.sentence)}{proved}</p>'


def _pairs_in_words(study: ClassesStudy) -> str:
    kinds = [one.kind for one in study.pairs.values()]
    number = f"every two of the {len(study.names)} classes are separable"
    if set(kinds) != {"complete"}:
        told = [f"{kinds.count(kind)} {word}" for kind, word in _WORDS.items() if kind in kinds]
        number = f"{len(kinds)} pairs of classes, {', '.join(told)}"
    proved = "" if "unknown" in kinds else " Each verdict is proved in exact arithmetic."
    return f"<p>Two classes alone, all other rows left out: {number}.{proved}</p>"


def _picture(study: ClassesStudy) -> str:
    """The matrix of verdicts, one cell for every two classes."""
    k = len(study.names)
    cells = []
    for j in range(1, k):
        cells.append(_text(_CELL - 8, j * 32 + 14, study.names[j], "end"))
        cells += [_pair_cell(study, i, j) for i in range(j)]
    cells += [_text(_CELL * (i + 1) + _CELL // 2, 18, study.names[i], "middle") for i in range(k - 1)]
    label = f"Verdicts of every two of {k} classes; the table below says the same of each against the rest"
    return (
        f'<svg class="pairs" role="img" aria-label="{label}" width="{_CELL * k}" height="{32 * k}" '
        f'viewBox="0 0 {_CELL * k} {32 * k}">{"".join(cells)}</svg>'
    )


def _pair_cell(study: ClassesStudy, i: int, j: int) -> str:
    kind = study.pairs[i, j].kind
    x, y = _CELL * (i + 1), 32 * j - 6
    words = f"{study.names[i]} and {study.names[j]}: {study.pairs[i, j].sentence}"
    shape = f'<rect class="{kind}" x="{x}" y="{y}" width="{_CELL}" height="32"/>'
    return f"<g><title>{escape(words)}</title>{shape}{_text(x + _CELL // 2, y + 20, _WORDS[kind], 'middle', kind)}</g>"


def _text(x: int, y: int, words: str, anchor: str, kind: str = "") -> str:
    style = f' class="in {kind}"' if kind else ""
    short = words if len(words) <= 12 else f"{words[:11]}…"
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{style}>{escape(short)}</text>'


def _against_rest(study: ClassesStudy) -> str:
    rows = [
        [Cell(name, name), whole(number), Cell(_WORDS[one.kind], one.kind), Cell(one.sentence)]
        for name, number, one in zip(study.names, study.counts, study.against_rest, strict=True)
    ]
    return table("against-rest", "Each class against all other rows", ["class", "rows", "verdict", "in words"], rows)


def _scatter(study: ClassesStudy) -> str:
    """The rows with the regions that a perceptron of all classes gives them."""
    if study.rows.sparse or study.rows.n * study.rows.p > _MOST_VALUES:
        return ""
    X = float_rows(study.rows, "a picture")[1].take(slice(0, study.rows.n))
    names = np.array(study.names)[study.codes]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that some rows are on the wrong side is what the picture shows
        model = Perceptron(multiclass="kesler", max_passes=_PASSES).fit(X, names)
        picture = svg_figures(
            lambda ax: BoundaryDisplay.from_estimator(model, X, names, ax=ax),
            [((5.4, 4.2), f"Rows of {len(study.names)} classes, and the regions of a perceptron")],
            "scatter",
            "wide",
        )
    return f"<p>Regions are those of one perceptron of all classes, after {model.n_passes_:,} passes.</p>{picture}"


def _certificates(study: ClassesStudy, source: str) -> str:
    """The certificates, each with a button that saves it."""
    named = [("all classes together", "together", study.together)]
    named += [(f"{name} against the rest", f"rest{k}", study.against_rest[k]) for k, name in enumerate(study.names)]
    parts, room = list[str](), _LARGEST
    for words, name, found in named:
        content = embedded_json(found.certificate.content) if found.certificate is not None else ""
        if not content or len(content) > room:
            continue
        room -= len(content)
        file = f"{PurePath(source).stem or 'data'}.{name}.cert.json"
        parts.append(
            f'<p><button type="button" class="save" data-save="certificate-{name}" data-name="{escape(file)}">'
            f"Save {escape(file)}</button> <bdi>{escape(words)}</bdi></p>"
            f'<script type="application/json" id="certificate-{name}">{content}</script>'
        )
    first = f"{PurePath(source).stem or 'data'}.together.cert.json"
    command = f"rosenblatt verify {quote(first)} {quote(source or 'DATA')}"
    told = (
        "Whole numbers that anybody can check, with the file of the data or with rosenblatt/verdicts/checker.py, one "
    )
    told += "file that needs only Python's standard library; those of one class against the rest by rb.verify, with 1 "
    told += f"for that class and −1 for the rest:</p><pre><code>{escape(command)}</code></pre><p>"
    return f"<p>{told}</p>{''.join(parts)}" if parts else ""


def _how_computed(study: ClassesStudy) -> str:
    seconds = sum(one.seconds for one in (study.together, *study.against_rest, *study.pairs.values()))
    told = {"The verdicts": HOW, "Time": f"{seconds:.2f} s", "Versions": versions()}
    return facts([(name, escape(text)) for name, text in told.items()])
