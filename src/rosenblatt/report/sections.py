"""The parts of the page in their order. Each is a function from a study to HTML, or to "" where it is left out."""

import platform
from html import escape
from importlib.metadata import version

from rosenblatt import __version__
from rosenblatt.comparison.measures import MEASURES
from rosenblatt.plot import CalibrationDisplay, ConvergenceDisplay, MarginDisplay
from rosenblatt.report.answer import facts, proof, verdict
from rosenblatt.report.lists import coefficients, comparison, estimates, rows
from rosenblatt.report.study import Study
from rosenblatt.report.svg import svg_figures

__all__ = ["SECTIONS"]

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "highspy", "python-flint")


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
    picture = svg_figures(display.plot, [((7.6, 3.4), label)], "distances", "wide")
    return f"<p>Measured in input space, to {escape(study.plane_name)}.</p>{picture}"


def probabilities(study: Study, source: str) -> str:
    """How good the probabilities of a logistic regression are, judged on rows that it did not learn from."""
    found = study.validated
    if found is None or found.answers.probabilities is None:
        return ""
    positive = study.examples.classes[1][0]
    display = CalibrationDisplay.from_predictions(found.answers.classes, found.answers.probabilities[:, 1])
    label = f"Predicted probabilities of {positive} and the parts of rows found, group by group. {display.sentence}."
    picture = svg_figures(lambda ax: display.plot(ax, name=positive), [((7.6, 4.2), label)], "calibration", "wide")
    words = (
        f"Each row is judged by a logistic regression that did not learn from it ({found.folds} folds; a ridge of 1 on "
        f"columns of one size). Rows are grouped by the probability that was predicted; a line is the 95 % interval of "
        f"the part that was found. On the diagonal both are the same."
    )
    measures = [(MEASURES[name], escape(str(one))) for name, one in found.measures.items()]
    return f"<p>{words}</p>{picture}{facts(measures)}"


def computed(study: Study, source: str) -> str:
    """How the page was computed: by which steps, from which data, with which versions."""
    n, p = study.examples.rows.n, study.examples.rows.p
    versions = {"rosenblatt": __version__, "Python": platform.python_version()}
    versions |= {name: version(name) for name in _PACKAGES}
    parameters = study.model.get_params() if hasattr(study.model, "get_params") else {}
    shown = (f"{name}={value!r}" for name, value in parameters.items() if value is not None and value is not False)
    told = {
        "The verdict": "A candidate in floating point, or a linear program, proposes. Every claim is then proved in "
        "exact arithmetic, each value taken as the fraction it is, and checked before it is shown.",
        "The run": f"{type(study.model).__name__}({', '.join(shown)})",
        "The data": f"{n:,} rows × {p:,} columns. SHA-256 of the numbers and labels, as in the certificate: "
        f"{study.data_sha256}",
        "Time": ", ".join(f"{name} {seconds:.2f} s" for name, seconds in study.seconds.items()),
        "Versions": ", ".join(f"{name} {number}" for name, number in versions.items()),
    }
    return facts([(name, escape(text)) for name, text in told.items()])


SECTIONS = (
    ("verdict", "Verdict", verdict),
    ("proof", "Proof", proof),
    ("run", "The run", run),
    ("distances", "Distances by class", distances),
    ("comparison", "Beside the regressions", comparison),
    ("coefficients", "Coefficients", coefficients),
    ("estimates", "Estimates of a logistic regression", estimates),
    ("probabilities", "Predicted probabilities", probabilities),
    ("rows", "Rows", rows),
    ("computed", "How it was computed", computed),
)
