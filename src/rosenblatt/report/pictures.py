"""The pictures of a study."""

from rosenblatt.plot import CalibrationDisplay, ComparisonDisplay, ConvergenceDisplay, EstimatesDisplay, MarginDisplay
from rosenblatt.report.study import Study
from rosenblatt.report.svg import svg_figures

__all__ = ["calibration", "comparison", "convergence", "distances", "estimates"]


def distances(study: Study) -> str:
    """How far the examples of either class are from the hyperplane."""
    if study.distances is None:
        return ""
    display = MarginDisplay(study.distances, study.examples.signs, study.examples.classes)
    label = f"Histogram of signed distances of both classes to {study.plane_name}. {display.sentence}."
    return svg_figures(lambda ax: display.plot(ax), [((7.6, 3.4), label)], "distances", "wide")


def estimates(study: Study) -> str:
    """The forest plot."""
    found = study.estimates
    if found is None:
        return ""
    label = "Maximum-likelihood and Firth's estimates of each coefficient, with their intervals"
    sizes = [((7.6, 1.3 + 0.5 * len(found.coefficients)), label)]
    return svg_figures(
        lambda ax: EstimatesDisplay.from_estimates(found, intercept=True, ax=ax), sizes, "estimates", "wide"
    )


def calibration(study: Study) -> str:
    """What was found beside what was predicted."""
    found = study.validated
    if found is None or found.answers.probabilities is None:
        return ""
    (_, _), (positive, _) = study.examples.classes
    display = CalibrationDisplay.from_predictions(found.answers.classes, found.answers.probabilities[:, 1])
    label = f"Predicted probabilities of {positive} and the parts of rows found, group by group. {display.sentence}."
    return svg_figures(lambda ax: display.plot(ax, name=str(positive)), [((7.6, 4.2), label)], "calibration", "wide")


def convergence(study: Study) -> str:
    """The theorem's three panels."""
    if study.curve is None or len(study.curve.k) < 2:
        return ""
    display = ConvergenceDisplay(study.curve, study.model.trace_.pass_ends)
    labels = (
        "‖w‖² after each correction, between the bounds that cross after the mistake bound",
        "The cosine of the angle between w and w*, above its bound",
        "Corrections made, pass by pass, below the mistake bound",
    )
    return svg_figures(lambda axes: display.plot(axes), [((3.9, 3.3), label) for label in labels], "convergence")


def comparison(study: Study) -> str:
    """Every learner's line; the table beside it is HTML."""
    sizes = [((7.6, 4.4), "Every learner's hyperplane in one plane, numbered as in the table")]
    return svg_figures(
        lambda axes: ComparisonDisplay.from_comparison(study.comparison, study.examples, None, ax=axes, max_points=400),
        sizes,
        "comparison",
        "wide",
        hidden=1,
    )
