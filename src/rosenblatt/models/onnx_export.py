"""Fitted classifiers, with the table's columns and the steps before them, as ONNX graphs: answers without Python."""

import json
from importlib.metadata import version
from itertools import groupby
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from rosenblatt.arguments import checked
from rosenblatt.arrays import Floats, Labels
from rosenblatt.data.tables import Column, Encoding
from rosenblatt.models.saving import learner_of, steps_before

if TYPE_CHECKING:
    import onnx

    from rosenblatt.models.saving import Model

__all__ = ["OUTPUTS", "Graph", "add_columns", "import_onnx", "to_onnx"]


def import_onnx() -> Any:
    """Import the onnx package; if it is not installed, say how to install it."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError("to_onnx needs the onnx package: pip install 'rosenblatt[onnx]'") from error
    return onnx


class Graph:
    """Nodes, constants and inputs, as they are added. A node's input is the name of a value, or a constant."""

    def __init__(self, onnx: ModuleType) -> None:
        self.helper, self.types = onnx.helper, onnx.TensorProto
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []

    def take(self, name: str, kind: int, *columns: int) -> str:
        """Add an input of N rows; returns its name."""
        self.inputs.append(self.helper.make_tensor_value_info(name, kind, ["N", *columns]))
        return name

    def add(self, operator: str, *inputs: str | npt.ArrayLike, output: str | None = None, **attributes: Any) -> str:
        """Add a node; returns the name of its output."""
        name = output or f"{operator}_{len(self.nodes)}"
        names = [given if isinstance(given, str) else self._constant(given) for given in inputs]
        self.nodes.append(self.helper.make_node(operator, names, [name], name=name, **attributes))
        return name

    def _constant(self, value: npt.ArrayLike) -> str:
        array = np.asarray(value)
        name = f"constant_{len(self.constants)}"
        if array.dtype.kind == "O":
            tensor = self.helper.make_tensor(name, self.types.STRING, array.shape, [s.encode() for s in array.tolist()])
        else:  # as bytes, which ONNX wants in little-endian C order
            kind = self.types.INT64 if array.dtype.kind == "i" else self.types.DOUBLE
            content = array.astype("<i8" if kind == self.types.INT64 else "<f8").tobytes()
            tensor = self.helper.make_tensor(name, kind, array.shape, content, raw=True)
        self.constants.append(tensor)
        return name


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


# ONNX 1.8 of 2020: the oldest set with every operator used here, so that old and small runtimes read the graph too
_OPSET, _IR_VERSION = 13, 7
_ML, _ML_OPSET = "ai.onnx.ml", 2

_SMALLEST_SCORE = -700.0  # for scores up to this one, σ is 0 in the kernels


@checked
def to_onnx(model: Any, table: bool = False, float32: bool = False) -> "onnx.ModelProto":
    """The graph of a fitted classifier, or of a pipeline that ends in one, in float64 throughout.

    Input "X": float64 of shape [N, p], dense; float32 on request, which is made float64 at once. With `table=True`, for
    a model that `rosenblatt fit` wrote, there is one input of shape [N] for each column of its table, with the column's
    name: text as strings, with "" where it is missing; numbers and booleans as float64, with NaN where they are
    missing; dates as the numbers that stood for them in the fit. Outputs, in the order that serving code expects:

    - "label" of shape [N]: strings where the classes are text, otherwise int64; ONNX has only these types of labels.
      False and True become 0 and 1, 1.0 becomes 1. "classes" in the metadata has the classes as JSON.
    - "probabilities": float64 of shape [N, K], where the model has `predict_proba`.
    - "scores": w·x + b, float64 of shape [N], or [N, K] with K > 2 classes.

    The label follows the model's own rule: the second class where the score is > 0 (≥ 0 with tie="positive"), with
    K > 2 the largest score, the first of equals. A runtime sums in its own order, so scores agree up to rounding, and a
    row nearer to the plane than that may change sides. Where sums are exact, as with short integers, nothing differs.
    The graph refuses nothing: where `predict` raises (NaN or inf in X, text that is no known level), its answers mean
    nothing.

    Parameters
    ----------
    model : a fitted linear classifier of this package, or a pipeline
        Any with `coef_`, `intercept_` and `classes_`; before it `StandardScaler` and `FourierFeatures`.
    table : bool, default False
        Whether the graph takes the columns of the table that the model was learned from.
    float32 : bool, default False
        Whether "X" is float32.

    Returns
    -------
    onnx.ModelProto
        For `onnx.save`, or `.SerializeToString()` for a runtime.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> model = rb.Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> graph = to_onnx(model).graph
    >>> [node.op_type for node in graph.node]
    ['MatMul', 'Add', 'Squeeze', 'Greater', 'Cast', 'Gather']
    >>> [output.name for output in graph.output]
    ['label', 'scores']
    """
    learner = learner_of(model)
    _refuse_strangers(learner)
    check_is_fitted(learner, "coef_")
    coef = np.asarray(learner.coef_.toarray() if hasattr(learner.coef_, "toarray") else learner.coef_)
    graph = Graph(import_onnx())
    classes = _label_values(learner.classes_)
    label_type = graph.types.STRING if classes.dtype.kind == "O" else graph.types.INT64
    columns = [] if len(coef) == 1 else [len(classes)]
    outputs = [("label", label_type, []), ("scores", graph.types.DOUBLE, columns)]

    before = steps_before(model)
    width = int([*before, learner][0].n_features_in_)
    if table:
        taken = add_columns(graph, _encoding(learner))
    else:
        taken = graph.take("X", graph.types.FLOAT if float32 else graph.types.DOUBLE, width)
    if float32 and not table:
        taken = graph.add("Cast", taken, to=graph.types.DOUBLE)
    for step in before:
        taken = _add_step(graph, taken, step)
    _add_scores(graph, taken, coef, learner.intercept_)
    _add_label(graph, classes, several=bool(columns), zero_is_positive=getattr(learner, "tie", None) == "positive")
    if hasattr(learner, "predict_proba"):
        if columns and getattr(learner, "_joint", False):  # classes that were learned at once
            graph.add("Softmax", "scores", axis=1, output="probabilities")
        else:
            _add_probabilities(graph, len(classes))
        outputs.insert(1, ("probabilities", graph.types.DOUBLE, [len(classes)]))
    return _whole_model(graph, model, outputs)


# ------------------------------------------------------------------------------------------------- the parts of a graph


def _add_step(graph: Graph, taken: str, step: StandardScaler) -> str:
    """Add a step of the pipeline: scaled columns, or random Fourier features."""
    if hasattr(step, "phases_"):
        # cos(v) = sin(v + π/2): older runtimes have no cosine in float64
        turned = graph.add("Add", graph.add("MatMul", taken, step.frequencies_.T), step.phases_ + np.pi / 2)
        # a vector, since onnxruntime makes a single factor part of the next product, in float32
        return graph.add("Mul", graph.add("Sin", turned), np.full(len(step.phases_), np.sqrt(2.0 / len(step.phases_))))
    if type(step) is not StandardScaler:
        raise TypeError(f"to_onnx knows no {type(step).__name__}: in a pipeline, StandardScaler and FourierFeatures.")
    centred = graph.add("Sub", taken, step.mean_) if step.with_mean else taken
    return centred if step.scale_ is None else graph.add("Div", centred, step.scale_)


def _add_scores(graph: Graph, taken: str, coef: Floats, intercept: Floats) -> None:
    """X·w + b, one column for each weight vector; a single column becomes a vector."""
    products = graph.add("MatMul", taken, coef.T)  # X times a vector fails in onnxruntime where X has no rows
    if len(coef) > 1:
        graph.add("Add", products, intercept, output="scores")
    else:
        graph.add("Squeeze", graph.add("Add", products, intercept), [1], output="scores")


def _add_label(graph: Graph, classes: Labels, several: bool, zero_is_positive: bool) -> None:
    """The class of each row."""
    if several:
        index = graph.add("ArgMax", "scores", axis=1, keepdims=0)
    else:
        positive = graph.add("GreaterOrEqual" if zero_is_positive else "Greater", "scores", 0.0)
        index = graph.add("Cast", positive, to=graph.types.INT64)
    graph.add("Gather", classes, index, output="label")


def _add_probabilities(graph: Graph, k: int) -> None:
    """σ of the scores; with K > 2 classes made to sum to one, 1/K each where all are zero."""
    # not onnxruntime's Sigmoid: for s < 0 it is 1 − σ(−s), which is 0 below −37, and ratios of small ones would be lost
    growth = graph.add("Add", graph.add("Exp", graph.add("Neg", "scores")), 1.0)
    p = graph.add("Where", graph.add("Greater", "scores", _SMALLEST_SCORE), graph.add("Div", 1.0, growth), 0.0)
    if k == 2:
        p = graph.add("Unsqueeze", p, [1])
        graph.add("Concat", graph.add("Sub", 1.0, p), p, axis=1, output="probabilities")
        return
    total = graph.add("ReduceSum", p, [1], keepdims=1)
    some = graph.add("Greater", total, 0.0)
    graph.add("Where", some, graph.add("Div", p, total), 1.0 / k, output="probabilities")


def _whole_model(graph: Graph, model: "Model", outputs: list[tuple[str, Any, list[int]]]) -> "onnx.ModelProto":
    """The whole model, with what a reader of the file may want to know."""
    helper, learner = graph.helper, learner_of(model)
    kind = type(learner).__name__
    body = helper.make_graph(
        graph.nodes,
        kind,
        graph.inputs,
        [helper.make_tensor_value_info(name, type_, ["N", *columns]) for name, type_, columns in outputs],
        graph.constants,
    )
    operators = {"": _OPSET}
    if any(node.domain == _ML for node in graph.nodes):  # there is text
        operators[_ML] = _ML_OPSET
    made: onnx.ModelProto = helper.make_model(
        body,
        opset_imports=[helper.make_opsetid(*one) for one in operators.items()],
        ir_version=_IR_VERSION,
        producer_name="rosenblatt",
        producer_version=version("rosenblatt"),
        doc_string=f"{kind}, {learner.outcome_}: {learner.outcome_.sentence}",
    )
    properties = {"classes": learner.classes_.tolist()}
    first = [*steps_before(model), learner][0]
    if hasattr(first, "feature_names_in_"):
        properties["features"] = first.feature_names_in_.tolist()
    helper.set_model_props(made, {name: json.dumps(value, ensure_ascii=False) for name, value in properties.items()})
    return made


# ------------------------------------------------------------------------------------------------------ what is refused


def _encoding(learner: object) -> Encoding:
    encoding: Encoding | None = getattr(learner, "encoding_", None)
    if encoding is None:
        raise ValueError("the model was not learned from a table, so nothing says what its columns are: table=False.")
    return encoding


def _refuse_strangers(model: object) -> None:
    """Refuse other classifiers: they may have `coef_` too, but other ties and probabilities, and wrong graphs."""
    kinds = [(kind.__module__, kind.__name__) for kind in type(model).__mro__]
    if ("rosenblatt.learners.shared.base", "LinearClassifier") not in kinds:
        raise TypeError(
            f"to_onnx takes a linear classifier of rosenblatt, not {type(model).__name__}, alone or at the end of a "
            f"pipeline; skl2onnx converts scikit-learn's own estimators."
        )


def _label_values(classes: Labels) -> Labels:
    """The classes as text or int64; what is neither is refused."""
    labels = classes.tolist()
    if all(isinstance(label, str) for label in labels):
        return np.array(labels, dtype=object)
    for label in labels:
        if not isinstance(label, int | float) or int(label) != label or not -(2**63) <= int(label) < 2**63:
            raise ValueError(f"the class {label!r} has no counterpart in ONNX, whose labels are int64 or text.")
    return np.array([int(label) for label in labels], dtype=np.int64)
