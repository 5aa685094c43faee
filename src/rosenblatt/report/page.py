"""The report of a study, as one page."""

import os
from collections.abc import Sequence
from html import escape
from typing import Any

from rosenblatt.comparison import Comparison
from rosenblatt.data.files import write_whole
from rosenblatt.data.wording import count
from rosenblatt.report.sections import SECTIONS
from rosenblatt.report.shell import html_page
from rosenblatt.report.study import Study
from rosenblatt.verdicts import Verdict

__all__ = ["Report", "write_report"]


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


def write_report(
    path: str | os.PathLike[str] | None,
    X: Any,
    y: Any,
    *,
    title: str = "Can a hyperplane tell these classes apart?",
    source: str = "",
    features: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    row_numbers: Any = None,
    row_names: Any = None,
    verdict: Verdict | None = None,
    model: Any = None,
    comparison: Comparison | None = None,
    fit_intercept: bool = True,
    time_limit: float | None = None,
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
    row_numbers, row_names : array, optional
        The numbers of the rows that the reader sees, counted from 0 if not given; and names to show instead.
    verdict, model, comparison : optional
        What is already computed: by `rb.separability` (coefficients are added where that is quick), by a fitted
        `Perceptron(trace=True)`, by `rb.compare`.
    fit_intercept : bool
        Whether hyperplanes may miss the origin.
    time_limit : float, optional
        Seconds for the verdict.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = rb.datasets.margin_cloud(40, 2, margin=0.3, random_state=4)
    >>> report = rb.report.write_report(None, X, y)
    >>> report.study.verdict.kind, len(report.html) < 1_000_000
    ('complete', True)
    """
    known = (verdict, model, comparison)
    study = Study(X, y, features, class_names, row_numbers, row_names, *known, fit_intercept, time_limit)
    report = Report(study, title, source)
    if path is not None:
        report.save(path)
    return report


def _about(study: Study, source: str) -> str:
    rows = study.examples.rows
    classes = " and ".join(
        f'<span class="{kind}">{escape(name)}</span> ({members:,})'
        for kind, (name, members) in zip(("negative", "positive"), study.examples.classes, strict=True)
    )
    parts = [escape(source)] if source else []
    return " · ".join([*parts, f"{rows.n:,} rows × {count(rows.p, 'column')}", f"classes {classes}"])
