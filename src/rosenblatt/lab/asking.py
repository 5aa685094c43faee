"""What the page may ask of the server or the notebook, and who answers."""

from collections.abc import Callable

import numpy as np

from rosenblatt.lab.page import of_state
from rosenblatt.lab.settings import MAPS, expand
from rosenblatt.lab.simulation import answer, read_message

__all__ = ["QUESTIONS", "report"]


def report(message: bytes) -> bytes:
    """One HTML file about the points of a message, as `rosenblatt report` would write it."""
    header, points, settings = read_message(message)
    if len(np.unique(points.y)) < 2:
        raise ValueError("a report is about two classes: add points of the other one first.")
    names, classes = _names_of(header.get("names"), points.X.shape[1]), _names_of(header.get("classes"), 2)
    from rosenblatt.report import write_report  # with matplotlib: slow to load

    written = write_report(
        None,
        expand(points.X, settings.phi),
        points.y,
        features=[*names, *MAPS[settings.phi]],
        class_names=classes,
        row_numbers=np.arange(1, len(points.y) + 1),
    )
    return str(written.html).encode()


def _names_of(given: object, wanted: int) -> list[str]:
    if not isinstance(given, list) or len(given) != wanted or not all(isinstance(one, str) for one in given):
        raise ValueError("the message must name every feature and both classes.")
    return given


# bytes in, bytes out; a ValueError is a sentence for the visitor
QUESTIONS: dict[str, Callable[[bytes], bytes]] = {
    "trace": answer,
    "report": report,
    "file": of_state,
}
