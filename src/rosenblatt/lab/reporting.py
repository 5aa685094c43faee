"""The report about the points on the stage: `rosenblatt.report` writes it, the page saves it."""

import numpy as np

from rosenblatt.lab.features import MAPS, expand
from rosenblatt.lab.packing import unpack
from rosenblatt.lab.settings import LabSettings
from rosenblatt.lab.simulation import LabPoints

__all__ = ["report"]


def report(message: bytes) -> bytes:
    """One HTML file about the points of a message, as `rosenblatt report` would write it."""
    header, columns = unpack(message)
    points, settings = LabPoints.read(header, columns), LabSettings.read(header.get("settings") or {})
    if len(np.unique(points.y)) < 2:
        raise ValueError("a report is about two classes: add points of the other one first.")
    names, classes = _texts(header.get("names"), points.X.shape[1]), _texts(header.get("classes"), 2)
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


def _texts(given: object, wanted: int) -> list[str]:
    if not isinstance(given, list) or len(given) != wanted or not all(isinstance(one, str) for one in given):
        raise ValueError("the message must name every feature and both classes.")
    return given
