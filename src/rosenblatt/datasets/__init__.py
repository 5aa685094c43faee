"""Data with known answers. Each function returns a `Dataset`, which unpacks: `X, y = rb.datasets.xor()`."""

from rosenblatt.datasets.points import Dataset, margin_cloud, shapes, sonar, xor

__all__ = ["Dataset", "margin_cloud", "shapes", "sonar", "xor"]
