"""ONNX nodes that turn a table's columns into the rows of numbers that a model takes; see `data/encoding`."""

from itertools import groupby

import numpy as np

from rosenblatt.data.tables import Column, Encoding
from rosenblatt.models.onnx_graph import Graph

__all__ = ["OUTPUTS", "add_columns"]

OUTPUTS = ("label", "scores", "probabilities")


def add_columns(graph: Graph, encoding: Encoding) -> str:
    """One input for each column of the table; returns the name of X."""
    for column in encoding.columns:
        if column.name in OUTPUTS:
            raise ValueError(f"column {column.name!r} has the name of an output: use table=False, or rename it.")
    na = ("", *encoding.na)
    parts = [part for column in encoding.columns for part in _add_column(graph, column, na)]
    X = graph.add("Concat", *parts, axis=1)
    blocks = [X]
    for _, terms in groupby(encoding.terms(), key=len):
        factors = np.array(list(terms), dtype=np.int64).T
        product = graph.add("Gather", X, factors[0], axis=1)
        for factor in factors[1:]:  # from left to right, as in training
            product = graph.add("Mul", product, graph.add("Gather", X, factor, axis=1))
        blocks.append(product)
    return X if len(blocks) == 1 else graph.add("Concat", *blocks, axis=1)


def _add_column(graph: Graph, column: Column, na: tuple[str, ...]) -> list[str]:
    if column.kind == "category":
        return [_add_levels(graph, column, na)]
    if column.kind not in ("number", "boolean"):
        words = {"hash": "is hashed", "sparse": "stands for all columns of sparse text"}[column.kind]
        raise ValueError(f"column {column.name!r} {words}, for which ONNX has no operator: use table=False.")
    given = graph.add("Unsqueeze", graph.take(column.name, graph.types.DOUBLE), [1])
    if column.mean is None and not column.missing:
        return [given]
    lost = graph.add("IsNaN", given)
    filled = graph.add("Where", lost, 0.0 if column.mean is None else column.mean, given)
    return [filled, graph.add("Cast", lost, to=graph.types.DOUBLE)] if column.missing else [filled]


def _add_levels(graph: Graph, column: Column, na: tuple[str, ...]) -> str:
    """A column of 0 and 1 for each level but the reference, and one for missing values where there is one."""
    levels = list(column.levels)
    texts = {text: len(levels) for text in na if text not in levels} | {level: k for k, level in enumerate(levels)}
    code = graph.add(
        "LabelEncoder",
        graph.take(column.name, graph.types.STRING),
        domain="ai.onnx.ml",
        keys_strings=list(texts),
        values_int64s=list(texts.values()),
        default_int64=-1,
    )
    shown = np.arange(int(column.reference), len(levels) + int(column.missing), dtype=np.int64)
    equal = graph.add("Equal", graph.add("Unsqueeze", code, [1]), shown[None, :])
    return graph.add("Cast", equal, to=graph.types.DOUBLE)
