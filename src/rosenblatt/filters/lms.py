"""LMS: the linear neuron learns from every error."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.filters.machinery.base import COUNT, POSITIVE, START
from rosenblatt.filters.machinery.memory import FilterMemory
from rosenblatt.filters.machinery.stepping import OnlineFilter
from rosenblatt.filters.theory.stability import energy, even_step, fourth_moment_factor, step_in_mean_square

__all__ = ["LMS"]

_FOLLOWED = 50_000_000  # weights times samples of which growth is followed, some forty times


@dataclass(eq=False, repr=False)
class LMS(OnlineFilter):
    """Least mean squares: the filter of Widrow and Hoff.

    *Algorithm.* y = w·x, e = d − y, w += η·e·x* (x* is the conjugate, for complex signals). One step down the slope of
    e²/2. It is the rule of `Adaline`, with a signal in place of the labels: on the same rows both make the same
    corrections, bit for bit. Replace e by d − sgn(y) and it is the perceptron.

    *Stability.* In the mean square for 0 < η < `max_step(u, taps)`, which lies between 2/(3 · taps · input power) and
    2/((taps + 2) · input power), if regressors are independent and Gaussian. A larger η warns. On coloured, sparse or
    heavy-tailed signals much smaller steps diverge: `safe_step` measures on the signal itself, and so does the warning
    where errors grow. The step has a unit, one
    over the input's power: the same signals in other units need another η (with `NLMS` they do not). 1/η is the memory:
    the weights look back about 1/(η·eigenvalue) samples (`time_constant`), and the price of a short memory is the
    misadjustment, about η · taps · power / 2 (`predicted_mse`).

    Parameters
    ----------
    taps : int, default 8
        Number of weights.
    eta : float, default 0.01
        The step.
    start : "zeros" or array of taps numbers, default "zeros"
        w(0).

    Attributes
    ----------
    w_ : array of taps numbers
        The weights now.
    n_samples_ : int
        Samples seen.

    References
    ----------
    Widrow & Hoff (1960), Adaptive switching circuits. Haykin, Adaptive Filter Theory, ch. 6.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.filters import LMS
    >>> u = np.random.default_rng(0).normal(size=2000)
    >>> d = np.convolve(u, [1.0, -0.5, 0.25])[:2000]     # an unknown system
    >>> LMS(taps=3, eta=0.05).run(u, d).w.round(6)
    array([ 1.  , -0.5 ,  0.25])
    """

    taps: int = field(default=8, metadata=COUNT)
    eta: float = field(default=0.01, metadata=POSITIVE)
    start: Any = field(default="zeros", metadata=START)

    def _rule(self) -> Any:
        from rosenblatt.kernels.filter_rules import PlainLMS

        return PlainLMS(float(self.eta))

    def _largest_step(self, memory: FilterMemory, u: npt.NDArray[Any]) -> tuple[float, str]:
        """`max_step` of these samples, rescaled to the mean power of all samples so far."""
        name = f"the largest step that theory calls stable for {type(self).__name__} on this input (max_step)"
        moment_factor = fourth_moment_factor(u)
        with np.errstate(over="ignore"):
            memory.energy += energy(u)
        power = memory.energy / (memory.n + len(u)) * (self.taps if u.ndim == 1 else 1)  # the sum of the eigenvalues
        if not power < np.inf:
            return 0.0, name
        if self.eta <= even_step(power, 1, moment_factor, self._leak):  # stable whatever the colour: no need for it
            return np.inf, name
        if len(u) < self.taps:  # too few samples to know their colour: the bound of white input, the largest
            return even_step(power / self.taps, self.taps, moment_factor, self._leak), name
        return step_in_mean_square(u, self.taps, power if memory.n else None, self._leak), name

    def _steps_that_are_safe(self, u: npt.NDArray[Any]) -> list[str]:
        from rosenblatt.filters.theory.measured import growth, safe_step

        part = u[-max(self.taps, _FOLLOWED // self.taps) :]
        if self._leak or len(part) < self.taps or growth(part, self.taps, eta=self.eta).safe:
            return []
        if not (safe := safe_step(part, self.taps)) > 0:  # of so loud a signal that it is no number
            return []
        where = "this signal" if len(part) == len(u) else f"the last {len(part):,} samples of this signal"
        return [f"On {where} steps below {safe:.3g} do not grow (safe_step)."]

    @property
    def _leak(self) -> float:
        return 0.0
