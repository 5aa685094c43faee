"""Data with known answers. Each function returns a `Dataset`, which unpacks: `X, y = rb.datasets.xor()`."""

from rosenblatt.datasets.dataset import Dataset
from rosenblatt.datasets.points import margin_cloud, xor
from rosenblatt.datasets.shape_drawings import shapes
from rosenblatt.datasets.sonar_returns import sonar

__all__ = ["Dataset", "margin_cloud", "shapes", "sonar", "xor"]
