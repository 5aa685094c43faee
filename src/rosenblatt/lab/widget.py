"""`rb.Lab`: the lab in a notebook."""

import os
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.data.files import write_whole
from rosenblatt.data.numbers import column_names, refuse_lazy, refuse_text, two_class_signs
from rosenblatt.lab.asking import QUESTIONS
from rosenblatt.lab.packing import pack
from rosenblatt.lab.page import module, standalone
from rosenblatt.lab.presets import presets
from rosenblatt.lab.settings import LabSettings, expand
from rosenblatt.lab.simulation import read_message

try:
    import anywidget
    import traitlets
except ImportError:
    raise ImportError("rb.Lab is a notebook widget: pip install 'rosenblatt[notebook]' brings anywidget.") from None

__all__ = ["Lab"]


class Lab(anywidget.AnyWidget):
    """The perceptron lab as a widget (Jupyter, marimo, VS Code), or as one HTML file.

    Drag points, step through every correction, and see the verdict, the margin or the witness, the theorem's curves.

    Parameters
    ----------
    X : array or table of shape (n, p)
        Points. With two features they can be moved; more are shown two at a time or in a projection.
    y : array of n labels
        Two classes.
    **settings
        What to begin with: learner ("perceptron", "passive-aggressive", "adaline", "logistic"), recipe, eta, order,
        start, tie, normalize, phi ("x", "product", "squares", "quadratic"), limit, seed, rivals.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> X, y = rb.datasets.xor()
    >>> lab = rb.Lab(X, y, phi="product")
    >>> page = lab.to_html()             # or lab.to_html("xor.html")
    >>> page.startswith("<!doctype html>"), "default-src" in page
    (True, True)
    """

    _esm = module()

    message = traitlets.CBytes(b"").tag(sync=True)  # Jupyter hands back a memoryview, which Bytes would refuse
    facts = traitlets.Dict().tag(sync=True)

    def __init__(self, X: Any, y: npt.ArrayLike, **settings: object) -> None:
        super().__init__()
        unknown = [name for name in settings if name not in LabSettings.__dataclass_fields__]
        if unknown:
            raise TypeError(f"Lab has no setting {unknown[0]!r}; it has {', '.join(LabSettings.__dataclass_fields__)}.")
        refuse_lazy(X)
        refuse_text(X)
        names = column_names(X)
        try:
            points = np.ascontiguousarray(X.toarray() if sp.issparse(X) else np.asarray(X), dtype=np.float64)
        except TypeError:  # pandas' NA
            raise ValueError("X must hold numbers only; drop rows with a missing value first.") from None
        if points.ndim != 2:
            raise ValueError(f"X must have two dimensions, rows and columns; it has {points.ndim}.")
        names = names or [f"x{j + 1}" for j in range(points.shape[1])]
        classes = [str(label) for label in np.unique(np.asarray(y)).tolist()]
        self.facts = {"presets": presets(), "names": names, "classes": classes, "report": True}
        header = {"n": len(points), "p": points.shape[1], "settings": settings}
        self.message = pack(header, {"X": points.ravel(), "y": two_class_signs(y, len(points))})
        _, given, checked = read_message(self.message)  # what the page would refuse is refused here
        expand(given.X, checked.phi)
        self.on_msg(self._reply)

    def to_html(self, path: str | os.PathLike[str] | None = None, title: str = "Perceptron lab") -> str:
        """The lab in one HTML file that works without a network; written to `path` if given, and returned."""
        facts = {name: self.facts[name] for name in ("names", "classes")}
        page = standalone(title, message=self.message, **facts)
        if path is not None:
            write_whole(path, page.encode())
        return page

    def _reply(self, widget: "Lab", content: dict[str, object], buffers: list[Any]) -> None:
        """Answer one request of the page; a refusal is a sentence."""
        compute = QUESTIONS.get(str(content.get("to")))
        if compute is None or len(buffers) != 1:
            return
        try:
            self.send({"id": content.get("id")}, buffers=[compute(bytes(buffers[0]))])
        except ValueError as why:
            self.send({"id": content.get("id"), "refusal": str(why)})
