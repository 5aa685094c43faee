"""The report of a study, as one page: its parts in their order, each a function from a study to HTML, or to ""."""

import os
from collections.abc import Sequence
from html import escape
from typing import Any

from rosenblatt.arguments import checked
from rosenblatt.comparison import Comparison
from rosenblatt.comparison.measures import MEASURES
from rosenblatt.data.files import write_whole
from rosenblatt.data.wording import count
from rosenblatt.plot import CalibrationDisplay, ConvergenceDisplay, MarginDisplay
from rosenblatt.report.answer import facts, proof, verdict
from rosenblatt.report.lists import coefficients, comparison, estimates, rows
from rosenblatt.report.shell import HOW, html_page, svg_figures, versions
from rosenblatt.report.study import Study
from rosenblatt.verdicts import Verdict

__all__ = ["SECTIONS", "Report", "write_report"]


class Report:
    """A study as a page.

    Attributes
    ----------
    study : Study
        Everything that was computed.
    html : str
        The page.
    """

    def __init__(self, study: Study, title: str, source: str = "") -> None:
        self.study, self.title, self.source = study, title, source
        parts = [(name, heading, part(study, source)) for name, heading, part in SECTIONS]
        whole = f"{title} · {study.verdict.kind}"
        self.html = html_page(title, _about(study, source), parts, title=whole, replays=True)

    def __repr__(self) -> str:
        return f"<Report: {self.title}, {len(self.html.encode()):,} bytes>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to one file."""
        write_whole(path, self.html.encode())


@checked
def write_report(
    path: str | os.PathLike[str] | None,
    X: Any,
    y: Any,
    *,
    title: str = "Can a hyperplane tell these classes apart?",
    source: str = "",
    features: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    target: str = "",
    row_numbers: Any = None,
    row_names: Any = None,
    verdict: Verdict | None = None,
    model: Any = None,
    comparison: Comparison | None = None,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    groups: Any = None,
) -> Report:
    """Study two classes and write the results to one HTML file, which needs no other file and no network.

    Parameters
    ----------
    path : path or None
        Where to write; None to write nothing and only return the report.
    X, y : rows of numbers and their labels
        Two classes.
    title : str
        The page's heading.
    source : str
        The file the data came from, for the command that checks the certificate.
    features, class_names : names, optional
        Of the columns, and of the two classes in sorted order, where X and y do not carry them.
    target : str
        The column that has the classes, for sentences such as "died = yes"; by default the name of y.
    row_numbers, row_names : array, optional
        The numbers of the rows that the reader sees, counted from 0 if not given; and names to show instead.
    verdict, model, comparison : optional
        What is already computed: by `rb.separability` (coefficients are added where that is quick), by a fitted
        `Perceptron(trace=True)`, by `rb.compare`.
    fit_intercept : bool
        Whether hyperplanes may miss the origin.
    time_limit : float, optional
        Seconds for the verdict.
    groups : array of n names, optional
        Rows of one group (a patient, a document) are related: what is said of chance, the estimates' errors and the
        cross-validation count groups.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = rb.datasets.margin_cloud(40, 2, margin=0.3, random_state=4)
    >>> report = rb.report.write_report(None, X, y)
    >>> report.study.verdict.kind, len(report.html) < 1_000_000
    ('complete', True)
    """
    known = (verdict, model, comparison)
    study = Study(
        X, y, features, class_names, row_numbers, row_names, *known, fit_intercept, time_limit, target, groups
    )
    report = Report(study, title, source)
    if path is not None:
        report.save(path)
    return report


def _about(study: Study, source: str) -> str:
    rows = study.examples.rows
    classes = " and ".join(
        f'<span class="{kind}"><bdi>{escape(name)}</bdi></span> ({members:,})'
        for kind, (name, members) in zip(("negative", "positive"), study.examples.classes, strict=True)
    )
    parts = [escape(source)] if source else []
    return " · ".join([*parts, f"{rows.n:,} rows × {count(rows.p, 'column')}", f"classes {classes}"])


def run(study: Study, source: str) -> str:
    """The replay, and the theorem's curves around the run."""
    if study.replay is None or int(study.replay.k[-1]) == 0:
        return ""
    how = "The line is the hyperplane of the moment, the dashed one the hyperplane before the last correction."
    if study.examples.rows.p > 2:
        how = (
            "Each example stands at its distance from the hyperplane of the moment, which is the upright line: "
            "examples move to their sides as w turns."
        )
    lead = f"<p>{how} Rings mark examples that are not on their side; the wide ring marks the one just corrected.</p>"
    return lead + study.replay.fragment() + _theorem(study)


def _theorem(study: Study) -> str:
    """The theorem in words, and its three curves around the run."""
    if study.curve is None or len(study.curve.k) < 2:
        return ""
    words = (
        "<p>Every correction adds at least a fixed length to w along w*, but at most a fixed amount to ‖w‖². So ‖w‖² "
        "grows at least like k² and at most like k, and there is room for both only up to where the bounds cross.</p>"
    )
    labels = (
        "‖w‖² after each correction, between the bounds that cross after the mistake bound",
        "The cosine of the angle between w and w*, above its bound",
        "Corrections made, pass by pass, below the mistake bound",
    )
    display = ConvergenceDisplay(study.curve, study.model.trace_.pass_ends)
    return words + svg_figures(display.plot, [((3.9, 3.3), label) for label in labels], "convergence")


def distances(study: Study, source: str) -> str:
    """How far from the hyperplane the examples are, by class."""
    if study.distances is None:
        return ""
    display = MarginDisplay(study.distances, study.examples.signs, study.examples.classes)
    label = f"Histogram of signed distances of both classes to {study.plane_name}. {display.sentence}."
    picture = svg_figures(display.plot, [((5.4, 3.2), label)], "distances", "wide")
    return f"<p>Measured in input space, to {escape(study.plane_name)}.</p>{picture}"


def probabilities(study: Study, source: str) -> str:
    """How good the probabilities of a logistic regression are, judged on rows that it did not learn from."""
    found = study.validated
    if found is None or found.answers.probabilities is None:
        return ""
    positive = study.examples.classes[1][0]
    display = CalibrationDisplay.from_predictions(found.answers.classes, found.answers.probabilities[:, 1])
    label = f"Predicted probabilities of {positive} and the parts of rows found, group by group. {display.sentence}."
    picture = svg_figures(lambda ax: display.plot(ax, name=positive), [((5.4, 3.6), label)], "calibration", "wide")
    words = (
        f"Each row is judged by a logistic regression that did not learn from it ({found.folds} folds; a ridge of 1 on "
        f"columns of one size). Rows are put together by the probability that was predicted; a line is the 95 % "
        f"interval of the part that was found. On the diagonal both are the same."
    )
    measures = [(MEASURES[name], escape(str(one))) for name, one in found.measures.items()]
    also = [f"<p>{escape(said)}</p>" for said in (found.copies.sentence, found.remark) if said]
    return f"<p>{words}</p>{picture}{facts(measures)}{''.join(also)}"


def computed(study: Study, source: str) -> str:
    """How the page was computed: by which steps, from which data, with which versions."""
    n, p = study.examples.rows.n, study.examples.rows.p
    parameters = study.model.get_params() if hasattr(study.model, "get_params") else {}
    shown = (f"{name}={value!r}" for name, value in parameters.items() if value is not None and value is not False)
    told = {
        "The verdict": HOW,
        "The run": f"{type(study.model).__name__}({', '.join(shown)})",
        "The data": f"{n:,} rows × {p:,} columns. SHA-256 of the numbers and labels, as in the certificate: "
        f"{study.data_sha256}",
        "Time": ", ".join(f"{name} {seconds:.2f} s" for name, seconds in study.seconds.items()),
        "Versions": versions(),
    }
    return facts([(name, escape(text)) for name, text in told.items()])


SECTIONS = (
    ("verdict", "Verdict", verdict),
    ("estimates", "Estimates of a logistic regression", estimates),
    ("coefficients", "Coefficients", coefficients),
    ("proof", "Proof", proof),
    ("rows", "Rows", rows),
    ("probabilities", "Predicted probabilities", probabilities),
    ("distances", "Distances by class", distances),
    ("comparison", "Beside the regressions", comparison),
    ("computed", "How it was computed", computed),
    ("run", "Appendix: the run", run),
)
