"""Four tasks of adaptive filters: identify a system, cancel a disturbance, predict a signal, equalize a channel.

They differ in what the input u and the desired signal d are, and in what the result is: weights, output or error.

    task      input u                        desired d                   result
    identify  what goes into the system      what comes out of it        w, its impulse response
    cancel    references of the disturbance  the disturbed signal        e, the signal without it
    predict   the signal's past              the signal                  y, the prediction
    equalize  what was received              what was sent               y, the channel undone
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arrays import Flags
from rosenblatt.context import Progress
from rosenblatt.filters.machinery.base import AdaptiveFilter, joined
from rosenblatt.filters.machinery.blocks import Channels
from rosenblatt.filters.machinery.inputs import as_numbers, delay_line, refuse_nonfinite, taps_fit
from rosenblatt.filters.machinery.stepping import OnlineFilter, SteppingFilter
from rosenblatt.filters.nlms import NLMS

__all__ = [
    "Filtered",
    "as_json",
    "cancel",
    "decision_directed",
    "equalize",
    "identify",
    "predict",
    "refuse_other_roles",
    "within",
]

_CHUNK = 1 << 14  # samples between two reports of progress


@dataclass(repr=False)
class Filtered:
    """The result of a task.

    task, filter   what was done, and the filter that did it, with all it has learned
    d, y, e        desired signal, output, error d − y
    w              final weights: `taps` of them, or channels × taps
    history        weights before every k-th sample, if asked for
    frozen         where the weights were held still, in samples of these signals (see `FilterRun`)
    """

    task: str
    filter: AdaptiveFilter
    d: npt.NDArray[Any]
    y: npt.NDArray[Any]
    e: npt.NDArray[Any]
    w: npt.NDArray[Any]
    history: npt.NDArray[Any] | None = None
    frozen: tuple[tuple[int, int], ...] = ()

    @property
    def output(self) -> npt.NDArray[Any]:
        """The result: e where something was cancelled, y elsewhere."""
        return self.e if self.task == "cancel" else self.y

    @property
    def summary(self) -> dict[str, Any]:
        """Numbers for a report: those called final are over the last quarter of the samples."""
        last = slice(len(self.e) - max(1, len(self.e) // 4), None)
        alone = ~within(self.frozen, len(self.e))[last]
        desired, error = (np.abs(signal[last].astype(np.complex128)) for signal in (self.d, self.e))
        return {
            **describe(self.task, self.filter, len(self.e), 1 if self.w.ndim == 1 else len(self.w)),
            **final_errors(desired, error, alone),
            "frozen": [list(stretch) for stretch in self.frozen],
            "weights": as_json(self.w),
        }

    def __repr__(self) -> str:
        numbers = self.summary
        level = "" if numbers["erle_db"] is None else f", {-numbers['erle_db']:.1f} dB"
        return (
            f"<{self.task} by {numbers['algorithm']}, {numbers['samples']:,} samples: final error "
            f"{numbers['final_mse']:.3g}{level}>"
        )


def identify(
    u: npt.ArrayLike,
    d: npt.ArrayLike,
    filter: AdaptiveFilter | None = None,  # noqa: A002
    *,
    history: int | None = None,
    progress: Progress | None = None,
) -> Filtered:
    """System identification: learn the impulse response that turns u into d.

    Parameters
    ----------
    u : array of n samples, or n × c
        What goes into the system; several inputs side by side share the filter's taps evenly.
    d : array of n samples
        What comes out.
    filter : a filter, default NLMS(taps=32)
        Learns, and goes on from what it has learned so far.
    history : int, optional
        Keep the weights before every `history`-th sample.
    progress : callable, optional
        Called now and then with what is done, and the number of samples done and of all.

    Examples
    --------
    >>> import numpy as np, rosenblatt as rb
    >>> u = np.random.default_rng(0).normal(size=4000)
    >>> d = np.convolve(u, [0.0, 0.8, -0.3])[:4000]
    >>> found = rb.filters.identify(u, d, rb.filters.NLMS(taps=4))
    >>> abs(found.w - [0.0, 0.8, -0.3, 0.0]).max() < 1e-9
    np.True_
    """
    return _filtered("identify", u, d, filter, history, progress)


def cancel(
    primary: npt.ArrayLike,
    reference: npt.ArrayLike,
    filter: AdaptiveFilter | None = None,  # noqa: A002
    *,
    history: int | None = None,
    progress: Progress | None = None,
) -> Filtered:
    """Noise, echo or hum cancelling: take out of `primary` whatever can be made of `reference`.

    Parameters
    ----------
    primary : array of n samples
        The signal with the disturbance.
    reference : array of n samples, or n × c
        Picked up where the disturbance comes from, with little of the signal in it. Several references side by side
        share the filter's taps evenly.
    filter, history, progress
        As in `identify`.

    Returns
    -------
    Filtered
        `.e` (and `.output`) is the signal without the disturbance.

    Examples
    --------
    >>> import numpy as np, rosenblatt as rb
    >>> t = np.arange(20_000) / 1000
    >>> heart, hum = np.sin(2 * np.pi * 1.2 * t) ** 63, np.sin(2 * np.pi * 50 * t)
    >>> clean = rb.filters.cancel(heart + 0.5 * np.roll(hum, 3), hum, rb.filters.LMS(taps=8, eta=0.001))
    >>> bool(np.std(clean.e[-5000:] - heart[-5000:]) < 0.01)      # the hum had 0.35
    True
    """
    return _filtered("cancel", reference, primary, filter, history, progress)


def predict(
    u: npt.ArrayLike,
    filter: AdaptiveFilter | None = None,  # noqa: A002
    *,
    ahead: int = 1,
    history: int | None = None,
    progress: Progress | None = None,
) -> Filtered:
    """Prediction: u(n) from u(n − ahead) and what came before it.

    Parameters
    ----------
    u : array of n samples
        The signal.
    filter, history, progress
        As in `identify`.
    ahead : int, default 1
        How far into the future. The weights that make y(n) have learned from all samples before n.

    Returns
    -------
    Filtered
        `.y` (and `.output`) is the prediction, `.e` is what it missed.

    Examples
    --------
    >>> import numpy as np, rosenblatt as rb
    >>> u = np.sin(0.3 * np.arange(500))                     # a sine obeys u(n) = 2 cos(0.3)·u(n−1) − u(n−2)
    >>> rb.filters.predict(u, rb.filters.RLS(taps=2, delta=1e-6)).w.round(4)
    array([ 1.9107, -1.    ])
    """
    u = as_numbers(u, "u")
    if u.ndim != 1:
        raise ValueError(f"u must be one signal (1-D); it has {u.ndim} dimensions.")
    return _filtered("predict", delayed(u, ahead, "ahead", 1), u, filter, history, progress)


def equalize(
    received: npt.ArrayLike,
    sent: npt.ArrayLike,
    filter: AdaptiveFilter | None = None,  # noqa: A002
    *,
    delay: int = 0,
    history: int | None = None,
    progress: Progress | None = None,
) -> Filtered:
    """Equalization: undo what a channel did to a known training signal.

    Parameters
    ----------
    received : array of n samples, or n × c
        What came through the channel (or c of them).
    sent : array of n samples
        What went in.
    filter, history, progress
        As in `identify`.
    delay : int, default 0
        The output may come that many samples late, which the inverse of most channels needs: d(n) = sent(n − delay).

    Returns
    -------
    Filtered
        `.y` (and `.output`) is the channel undone.

    Examples
    --------
    >>> import numpy as np, rosenblatt as rb
    >>> sent = np.random.default_rng(0).choice([-1.0, 1.0], size=5000)
    >>> received = np.convolve(sent, [0.3, 1.0, 0.2])[:5000]
    >>> undone = rb.filters.equalize(received, sent, rb.filters.RLS(taps=16), delay=8)
    >>> bool((np.sign(undone.y[1000:]) == undone.d[1000:]).all())
    True
    """
    sent = as_numbers(sent, "sent")
    if sent.ndim != 1:
        raise ValueError(f"sent must be one signal (1-D); it has {sent.ndim} dimensions.")
    return _filtered("equalize", received, delayed(sent, delay, "delay", 0), filter, history, progress)


def _filtered(
    task: str, u: Any, d: Any, learner: AdaptiveFilter | None, history: int | None, progress: Progress | None
) -> Filtered:
    u, d = as_numbers(u, "the input"), as_numbers(d, "the desired signal")
    learner = NLMS(taps=32) if learner is None else learner
    u = u[:, None] if u.ndim == 1 else u
    if d.ndim != 1:
        raise ValueError(f"the desired signal must be one signal (1-D), not {d.ndim}-D; a filter's run takes several.")
    if len(u) != len(d):
        raise ValueError(
            f"the input has {len(u)} samples and the desired signal {len(d)}: they must have the same length."
        )
    channels = Channels(learner, u.shape[1])
    taps_fit(channels.taps, len(u), "the signal")
    online = isinstance(learner, SteppingFilter)
    keep = {"history": history} if online else {}
    chunk = _CHUNK if online else len(d)
    runs = []
    for start in range(0, len(d), chunk):
        part = slice(start, min(len(d), start + chunk))
        runs.append(channels.run(u[part], d[part], **keep))
        if progress:
            progress("filtering", part.stop, len(d))
    y, e = np.concatenate([run.y for run in runs]), np.concatenate([run.e for run in runs])
    w = channels.responses(runs[-1].w)
    kept = np.concatenate([run.history for run in runs]) if online and history else None
    first = learner.n_samples_ - len(d)  # the filter's count where these signals begin; a block may begin before that
    frozen = joined([(max(0, a - first), b - first) for run in runs for a, b in run.frozen])
    return Filtered(task, learner, d, y, e, w, kept, frozen)


def delayed(u: npt.NDArray[Any], by: int, name: str, least: int) -> npt.NDArray[Any]:
    """u(n − by), zeros before it begins."""
    if not (isinstance(by, (int, np.integer)) and least <= by):
        raise ValueError(f"{name}={by!r} must be a whole number of samples, at least {least}.")
    by = min(int(by), len(u))
    return np.concatenate([np.zeros(by, dtype=u.dtype), u[: len(u) - by]])


def describe(task: str, learner: AdaptiveFilter, samples: int, channels: int) -> dict[str, Any]:
    """The beginning of every summary."""
    parameters = {name: value for name, value in learner.get_params().items() if name not in ("start", "taps")}
    taps = learner.taps // channels
    name = type(learner).__name__
    return {"task": task, "algorithm": name, **parameters, "taps": taps, "channels": channels, "samples": samples}


def refuse_other_roles(task: str, inputs: list[str] | None, desired: str | None, shift: int) -> None:
    """Refuse what a task has no use for: to leave it out in silence would answer another question."""
    if task == "predict" and (desired is not None or len(inputs or []) > 1):
        raise ValueError("predict takes one signal, its input: name no desired signal and no second input.")
    if task in ("identify", "cancel") and shift:
        raise ValueError(f"shift={shift} is for predict (samples ahead) and equalize (samples of delay), not {task}.")


def within(stretches: tuple[tuple[int, int], ...], n: int, hop: int = 1) -> Flags:
    """Which of n samples, or of n hops of so many samples, lie in these stretches, if only in part."""
    inside = np.zeros(n, dtype=np.bool_)
    for first, after in stretches:
        inside[first // hop : -(-after // hop)] = True
    return inside


def final_errors(desired: npt.NDArray[Any], error: npt.NDArray[Any], alone: Flags) -> dict[str, Any]:
    """Mean squared error, and ERLE (echo return loss enhancement): how many dB the error is below the desired signal.

    Both are given as absolute values. ERLE is of the samples where the echo is `alone`: what somebody else says is no
    error. It is None where there are none, where one of them is zero throughout, or too large for its square.
    """
    with np.errstate(over="ignore"):
        squares = desired**2, error**2
        before, after = (float(np.mean(one[alone])) if alone.any() else 0.0 for one in squares)
        erle = 10 * float(np.log10(before / after)) if before > 0 and 0 < after < np.inf else None
        return {"final_samples": len(error), "final_mse": float(np.mean(squares[1])), "erle_db": erle}


def as_json(w: npt.NDArray[Any]) -> Any:
    """Weights as JSON has numbers."""
    return {"re": w.real.tolist(), "im": w.imag.tolist()} if w.dtype.kind == "c" else w.tolist()


def decision_directed(
    received: npt.ArrayLike,
    training: npt.ArrayLike,
    symbols: npt.ArrayLike,
    filter: OnlineFilter | None = None,  # noqa: A002
    *,
    delay: int = 0,
) -> Filtered:
    """Equalize with a training signal first, then with decisions: the symbol nearest to the output is the desired one.

    As long as most decisions are right, the filter follows a channel that changes, and nobody tells it what was sent.

    Parameters
    ----------
    received : array of n samples
        What came through the channel.
    training : array of m samples, m < n
        What went in at the beginning.
    symbols : array
        The values that a sent sample can have.
    filter : LMS, NLMS, RLS, …, default NLMS(taps=32)
        Learns, and goes on from what it has learned so far.
    delay : int, default 0
        The output may come that many samples late: d(n) = training(n − delay), as in `equalize`.

    Returns
    -------
    Filtered
        `.y` is the channel undone, `.d` the training and then the decisions.

    Examples
    --------
    >>> import numpy as np, rosenblatt as rb
    >>> rng = np.random.default_rng(0)
    >>> steps = [-3.0, -1.0, 1.0, 3.0]
    >>> sent = rng.choice(steps, size=6000)
    >>> received = sent + np.linspace(0.0, 0.6, 6000) * np.append(0.0, sent[:-1])      # an echo that grows
    >>> trained = rb.filters.equalize(received[:500], sent[:500], rb.filters.NLMS(taps=8)).filter
    >>> alone = trained.predict(rb.filters.delay_line(received, 8))                    # what the training is worth
    >>> wrong = lambda y: int(sum(min(steps, key=lambda s: abs(s - v)) != t for v, t in zip(y[500:], sent[500:])))
    >>> found = rb.filters.decision_directed(received, sent[:500], steps, rb.filters.NLMS(taps=8))
    >>> wrong(alone) > 500, wrong(found.y)
    (True, 0)
    """
    received, training = as_numbers(received, "received"), as_numbers(training, "training")
    values = as_numbers(symbols, "symbols")
    learner = NLMS(taps=32) if filter is None else filter
    if not isinstance(learner, OnlineFilter):
        raise TypeError(f"decisions are made sample by sample; {type(learner).__name__} does not learn that way.")
    if received.ndim != 1 or training.ndim != 1 or values.ndim != 1 or not values.size:
        raise ValueError("received, training and symbols must be 1-D, and there must be symbols.")
    for one, name in ((received, "received"), (training, "training"), (values, "symbols")):
        refuse_nonfinite(one, name)
    taps_fit(learner.taps, len(received), "received")
    wanted = np.zeros(len(received), dtype=np.result_type(received, training, values, np.float64))
    m = min(len(training), len(wanted))
    wanted[:m] = training[:m]
    wanted = delayed(wanted, delay, "delay", 0)
    known = min(m + delay, len(wanted))
    X, y = delay_line(received.astype(wanted.dtype), learner.taps), np.zeros_like(wanted)
    y[:known] = learner.run(X[:known], wanted[:known]).y
    for n in range(known, len(wanted)):
        x = np.ascontiguousarray(X[n])
        y[n] = learner.predict(x)
        wanted[n] = values[np.argmin(np.abs(values - y[n]))]
        learner.adapt(x, wanted[n])
    return Filtered("equalize", learner, wanted, y, wanted - y, learner.w_.copy())
