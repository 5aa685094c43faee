"""An ONNX graph while it is built: nodes, constants and inputs."""

from typing import Any

import numpy as np

__all__ = ["Graph", "import_onnx"]


def import_onnx() -> Any:
    """Import the onnx package; if it is not installed, say how to install it."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError("to_onnx needs the onnx package: pip install 'rosenblatt[onnx]'") from error
    return onnx


class Graph:
    """Nodes, constants and inputs, as they are added. A node's input is the name of a value, or a constant."""

    def __init__(self, onnx: Any) -> None:
        self.helper, self.types = onnx.helper, onnx.TensorProto
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []

    def take(self, name: str, kind: Any, *columns: int) -> str:
        """Add an input of N rows; returns its name."""
        self.inputs.append(self.helper.make_tensor_value_info(name, kind, ["N", *columns]))
        return name

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
