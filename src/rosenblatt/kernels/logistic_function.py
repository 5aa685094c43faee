"""The logistic function, with the same bits on every platform."""

from rosenblatt.kernels.compile import kernel, kernel_inlined
from rosenblatt.kernels.exponential import exponential

__all__ = ["logistic", "logistic_all"]


@kernel_inlined
def logistic(v):
    """σ(v) = 1/(1 + e^−v); the error is about one unit in the last place."""
    if v >= 40.0:
        return 1.0
    if v <= -700.0:
        return 0.0
    return 1.0 / (1.0 + exponential(-v))


@kernel
def logistic_all(scores, out):
    """out[i] = σ(scores[i])."""
    for i in range(scores.size):
        out[i] = logistic(scores[i])
