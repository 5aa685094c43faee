"""Fitted linear classifiers as ONNX graphs: the same answers where there is no rosenblatt, and no Python."""

import json
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    import onnx

__all__ = ["to_onnx"]

# ONNX 1.8 of 2020: the oldest set with every operator used here, so that old and small runtimes read the graph too
_OPSET, _IR_VERSION = 13, 7

_SMALLEST_SCORE = -700.0  # up to here the kernels' σ is 0


def to_onnx(model: Any) -> "onnx.ModelProto":
    """The graph of a fitted classifier, in float64 throughout.

    Input "X": float64 of shape [N, p], dense. Outputs:

    - "label" of shape [N]: strings where the classes are text, else int64, the two types that ONNX has for labels.
      False and True become 0 and 1, 1.0 becomes 1; "classes" in the metadata has them as JSON.
    - "scores": w·x + b, float64 of shape [N], or [N, K] with K > 2 classes.
    - "probabilities": float64 of shape [N, K], where the model has `predict_proba`.

    The label follows the model's own rule: the second class where the score is > 0 (≥ 0 with tie="positive"), with
    K > 2 the largest score, the first of equals. A runtime sums in its own order: scores agree to rounding, and a row
    closer to the plane than that may change sides; where sums are exact, as with short integers, nothing differs. The
    graph refuses nothing: NaN or inf in X give meaningless answers where `predict` raises.

    Parameters
    ----------
    model : a fitted linear classifier of this package
        Any with `coef_`, `intercept_` and `classes_`.

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
    _refuse_strangers(model)
    check_is_fitted(model, "coef_")
    graph = _Graph(_import_onnx())
    classes = _label_values(model.classes_)
    label_type = graph.types.STRING if classes.dtype.kind == "O" else graph.types.INT64
    columns = [] if len(model.coef_) == 1 else [len(classes)]
    outputs = [("label", label_type, []), ("scores", graph.types.DOUBLE, columns)]

    _add_scores(graph, model.coef_, model.intercept_)
    _add_label(graph, classes, several=bool(columns), zero_is_positive=getattr(model, "tie", None) == "positive")
    if hasattr(model, "predict_proba"):
        if columns and getattr(model, "_joint", False):  # classes that were learned at once
            graph.add("Softmax", "scores", axis=1, output="probabilities")
        else:
            _add_probabilities(graph, len(classes))
        outputs.append(("probabilities", graph.types.DOUBLE, [len(classes)]))
    return _finished(graph, model, outputs)


# ------------------------------------------------------------------------------------------------- the parts of a graph


def _add_scores(graph: "_Graph", coef: Any, intercept: Any) -> None:
    """X·w + b, one column for each weight vector; a single column becomes a vector."""
    products = graph.add("MatMul", "X", coef.T)  # X times a vector fails in onnxruntime where X has no rows
    if len(coef) > 1:
        graph.add("Add", products, intercept, output="scores")
    else:
        graph.add("Squeeze", graph.add("Add", products, intercept), [1], output="scores")


def _add_label(graph: "_Graph", classes: Any, several: bool, zero_is_positive: bool) -> None:
    """The class of each row."""
    if several:
        index = graph.add("ArgMax", "scores", axis=1, keepdims=0)
    else:
        positive = graph.add("GreaterOrEqual" if zero_is_positive else "Greater", "scores", 0.0)
        index = graph.add("Cast", positive, to=graph.types.INT64)
    graph.add("Gather", classes, index, output="label")


def _add_probabilities(graph: "_Graph", k: int) -> None:
    """σ of the scores; with K > 2 classes made to sum to one, 1/K each where all are zero."""
    # onnxruntime's Sigmoid is 1 − σ(−s) for s < 0, which is zero from −37 on: small ones would lose their ratios
    growth = graph.add("Add", graph.add("Exp", graph.add("Neg", "scores")), 1.0)
    p = graph.add("Where", graph.add("Greater", "scores", _SMALLEST_SCORE), graph.add("Div", 1.0, growth), 0.0)
    if k == 2:
        p = graph.add("Unsqueeze", p, [1])
        graph.add("Concat", graph.add("Sub", 1.0, p), p, axis=1, output="probabilities")
        return
    total = graph.add("ReduceSum", p, [1], keepdims=1)
    some = graph.add("Greater", total, 0.0)
    graph.add("Where", some, graph.add("Div", p, total), 1.0 / k, output="probabilities")


class _Graph:
    """Nodes and constants as they are added; an input is the name of a value, or a constant itself."""

    def __init__(self, onnx: Any) -> None:
        self.helper, self.types = onnx.helper, onnx.TensorProto
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, operator: str, *inputs: Any, output: str | None = None, **attributes: Any) -> str:
        """Add a node; returns the name of its output."""
        name = output or f"{operator}_{len(self.nodes)}"
        names = [given if isinstance(given, str) else self._constant(given) for given in inputs]
        self.nodes.append(self.helper.make_node(operator, names, [name], name=name, **attributes))
        return name

    def _constant(self, value: Any) -> str:
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


def _finished(graph: _Graph, model: Any, outputs: list[tuple[str, Any, list[int]]]) -> "onnx.ModelProto":
    """The whole model, with what a reader of the file may want to know."""
    helper = graph.helper
    kind = type(model).__name__
    body = helper.make_graph(
        graph.nodes,
        kind,
        [helper.make_tensor_value_info("X", graph.types.DOUBLE, ["N", model.n_features_in_])],
        [helper.make_tensor_value_info(name, type_, ["N", *columns]) for name, type_, columns in outputs],
        graph.constants,
    )
    made: onnx.ModelProto = helper.make_model(
        body,
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
        producer_name="rosenblatt",
        producer_version=version("rosenblatt"),
        doc_string=f"{kind}, {model.outcome_}: {model.outcome_.sentence}",
    )
    properties = {"classes": model.classes_.tolist()}
    if hasattr(model, "feature_names_in_"):
        properties["features"] = model.feature_names_in_.tolist()
    helper.set_model_props(made, {name: json.dumps(value, ensure_ascii=False) for name, value in properties.items()})
    return made


# ------------------------------------------------------------------------------------------------------ what is refused


def _import_onnx() -> Any:
    try:
        import onnx
    except ImportError as error:
        raise ImportError("to_onnx needs the onnx package: pip install 'rosenblatt[onnx]'") from error
    return onnx


def _refuse_strangers(model: Any) -> None:
    """Others have `coef_` too, but not our ties and probabilities: their graphs would be wrong in silence."""
    if any(base.__module__.startswith("rosenblatt.learners.") for base in type(model).__mro__):
        return
    raise TypeError(
        f"to_onnx takes a linear classifier of rosenblatt, not {type(model).__name__}; of a pipeline, pass the last "
        f"step. skl2onnx converts scikit-learn's own estimators."
    )


def _label_values(classes: Any) -> Any:
    """The classes as text or int64; what is neither is refused."""
    labels = classes.tolist()
    if all(isinstance(label, str) for label in labels):
        return np.array(labels, dtype=object)
    for label in labels:
        if not isinstance(label, int | float) or int(label) != label or not -(2**63) <= int(label) < 2**63:
            raise ValueError(f"the class {label!r} has no counterpart in ONNX, whose labels are int64 or text.")
    return np.array([int(label) for label in labels], dtype=np.int64)
