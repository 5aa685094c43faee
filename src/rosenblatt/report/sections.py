"""The parts of the page in their order, each one function from a study to HTML; "" where there is nothing to say."""

import platform
from html import escape
from importlib.metadata import version

from rosenblatt import __version__
from rosenblatt.comparison.measures import MEASURES
from rosenblatt.report import pictures
from rosenblatt.report.answer import proof, verdict
from rosenblatt.report.lists import coefficients, comparison, estimates, rows
from rosenblatt.report.study import Study

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
    theorem = pictures.convergence(study)
    words = (
        "<p>Every correction adds at least a fixed length to w along w*, but at most a fixed amount to ‖w‖². So ‖w‖² "
        "grows at least like k² and at most like k, and there is room for both only up to where the bounds cross.</p>"
    )
    return lead + study.replay.fragment() + (words + theorem if theorem else "")


def distances(study: Study, source: str) -> str:
    """How far from the hyperplane the examples are, by class."""
    picture = pictures.distances(study)
    return f"<p>Measured in input space, to {escape(study.plane_name)}.</p>{picture}" if picture else ""


def probabilities(study: Study, source: str) -> str:
    """How far the probabilities of a logistic regression can be believed, by rows that it did not learn from."""
    picture = pictures.calibration(study)
    if not picture or study.validated is None:
        return ""
    found = study.validated
    words = (
        f"Each row is judged by a logistic regression that did not learn from it ({found.folds} folds; a ridge of 1 on "
        f"columns of one size). Rows are grouped by the probability that was predicted; a line is the 95 % interval of "
        f"the part that was found. On the diagonal both are the same."
    )
    measures = "".join(
        f"<div><dt>{escape(MEASURES[name])}</dt><dd>{escape(str(one))}</dd></div>"
        for name, one in found.measures.items()
    )
    return f'<p>{words}</p>{picture}<dl class="facts">{measures}</dl>'


def computed(study: Study, source: str) -> str:
    """How, with what, from what."""
    n, p = study.examples.rows.n, study.examples.rows.p
    versions = {"rosenblatt": __version__, "Python": platform.python_version()}
    versions |= {name: version(name) for name in _PACKAGES}
    facts = {
        "The verdict": "A candidate in floating point, or a linear program, proposes. Every claim is then proved in "
        "exact arithmetic, each value taken as the fraction it is, and checked before it is shown.",
        "The run": _settings(study.model),
        "The data": f"{n:,} rows × {p:,} columns. SHA-256 of X (float64) and y (int8), as in the certificate: "
        f"{study.data_sha256}",
        "Time": ", ".join(f"{name} {seconds:.2f} s" for name, seconds in study.seconds.items()),
        "Versions": ", ".join(f"{name} {number}" for name, number in versions.items()),
    }
    pairs = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in facts.items())
    return f'<dl class="facts">{pairs}</dl>'


def _settings(model: object) -> str:
    """The learner and the parameters that are set."""
    parameters = model.get_params() if hasattr(model, "get_params") else {}
    shown = (f"{name}={value!r}" for name, value in parameters.items() if value is not None and value is not False)
    return f"{type(model).__name__}({', '.join(shown)})"


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
