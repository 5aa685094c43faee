"""`rosenblatt filter`: adaptive filters that identify, cancel, predict or equalize; from files, or line by line."""

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import rosenblatt as rb
from rosenblatt.cli.options import argument, flag, option
from rosenblatt.cli.output import DONE, INTERRUPTED, Page, count, counting, note, outputs, print_json

if TYPE_CHECKING:
    from rosenblatt.filters import AdaptiveFilter

__all__ = ["command"]

_SCHEMA = "rosenblatt-filter/1"
_SHOWN = 32  # weights that are printed for a person

Task = StrEnum("Task", "identify cancel predict equalize")  # what the filter is for
# how it learns
Algorithm = StrEnum("Algorithm", "lms nlms leaky sign projection rls block pbfdaf kalman least-squares")


def command(
    signal: Annotated[
        str | None, argument("[SIGNAL]", "CSV, TSV, Parquet, NPY or WAV; - reads lines from standard input.")
    ] = None,
    task: Annotated[Task, option("What to do.")] = Task.cancel,
    input: Annotated[  # noqa: A002 (the option's name)
        str | None, option("The input u: columns by name or number, commas between.", "COL,…")
    ] = None,
    desired: Annotated[
        str | None, option("The desired signal d: a column; with --reference a file.", "COL|FILE")
    ] = None,
    reference: Annotated[
        str | None,
        option("In place of SIGNAL: the recording that is the input. FILE:1 or FILE:right is a channel of it.", "FILE"),
    ] = None,
    algorithm: Annotated[
        Algorithm,
        option(f"How it learns: {', '.join(Algorithm)}. Rooms: pbfdaf, kalman.", "NAME", name="--algorithm --filter"),
    ] = Algorithm.nlms,
    taps: Annotated[int, option("Weights for each input.", min=1)] = 32,
    eta: Annotated[float | None, option("The step.")] = None,
    eps: Annotated[float | None, option("nlms, projection: ε as a share of the input's power.")] = None,
    eps_absolute: Annotated[float | None, option("nlms, projection: ε in the input's squared unit.")] = None,
    leak: Annotated[float | None, option("leaky: how fast idle weights fall back.")] = None,
    variant: Annotated[str | None, option("sign: error, data or sign-sign.")] = None,
    order: Annotated[int | None, option("projection: samples that a step looks at.")] = None,
    forgetting: Annotated[float | None, option("rls: λ, at most 1.")] = None,
    delta: Annotated[
        float | None, option("rls: how firmly the weights start at 0, as a share of the input's power.")
    ] = None,
    delta_absolute: Annotated[float | None, option("rls: the same in the input's squared unit.")] = None,
    regularizer: Annotated[float | None, option("least-squares: δ.")] = None,
    block: Annotated[int | None, option("block, pbfdaf, kalman: samples between corrections.", min=1)] = None,
    constraint: Annotated[str | None, option("pbfdaf: full, alternating or none.")] = None,
    drift: Annotated[float | None, option("kalman: how fast the room changes.")] = None,
    freeze: Annotated[
        str | None, option("Hold still in double talk: geigel; block filters: coherence, two-path; kalman: covariance.")
    ] = None,
    freeze_at: Annotated[float | None, option("Threshold of --freeze.")] = None,
    shift: Annotated[int, option("predict: samples ahead; equalize: samples of delay.", min=0)] = 0,
    output: Annotated[Path | None, option("Write the result: tables get y and e.", "FILE", name="--output -o")] = None,
    model: Annotated[Path | None, option("Go on with the filter saved here; save it here.", "FILE")] = None,
    response: Annotated[
        Path | None, option("With --reference: write the final weights, the impulse response.", "FILE")
    ] = None,
    picture: Annotated[Path | None, option("Draw signals, error and weights.", "FILE")] = None,
    as_json: Annotated[bool, flag("--json", "Print the summary as JSON.")] = False,
) -> int:
    """Filter a signal and learn from every sample.

    identify: the input goes into a system, the desired signal comes out; the weights become its impulse response.

    cancel: the inputs are references of a disturbance, the desired signal is disturbed; the error is the clean signal.

    predict: the input is the signal; the output is its prediction from the samples before.

    equalize: the input was received, the desired signal was sent; the output estimates what was sent.

    With --reference two recordings are filtered piece by piece, however long they are; the result is a WAV file of
    32-bit floats.

    Without --input and --desired the first signal is the input and the second the desired one. With - as SIGNAL each
    line of comma-separated numbers is answered by a line y,e before the next one is read.

    For example:
      rosenblatt filter --reference far.wav --desired mic.wav --filter pbfdaf
      rosenblatt filter speech.wav --input 1 --desired 0 -o clean.wav
      rosenblatt filter ecg.csv --input chest --desired belly --algorithm rls
      rosenblatt filter room.parquet --task identify --input in --desired out
      sensor | rosenblatt filter - --task predict --algorithm rls --taps 4
    """
    from rosenblatt.filters import AdaptiveFilter
    from rosenblatt.filters.uses import make_filter, split_channels
    from rosenblatt.plot.canvas import refuse_other_kinds

    recordings = _which(signal, reference, desired, task, input, response)
    read = [split_channels(one)[0] for one in recordings] if recordings else [str(signal)]
    outputs.make_ready(output, picture, model, response, inputs=read)
    refuse_other_kinds(picture)

    columns = [name.strip() for name in input.split(",")] if input else None
    settings = {"eta": eta, "eps": eps, "leak": leak, "variant": variant, "order": order, "forgetting": forgetting}
    settings |= {"delta": delta, "regularizer": regularizer}
    settings |= {"eps_absolute": eps_absolute, "delta_absolute": delta_absolute, "block": block, "drift": drift}
    settings |= {"constraint": constraint, "freeze": freeze, "freeze_at": freeze_at}
    if model is not None and model.exists():
        learner = rb.load(model)
        if not isinstance(learner, AdaptiveFilter):
            raise ValueError(f"{model} holds a {type(learner).__name__}, which is not a filter.")
    else:
        inputs = len(columns or [""]) if reference is None else len(split_channels(reference)[1]) or 1
        learner = make_filter(algorithm.value, taps * inputs, **settings)
    work = _Work(task.value, learner, columns, desired, shift, output, response, picture, as_json)

    def run() -> None:
        if recordings:
            work.on_recordings(*recordings)
        elif signal == "-":
            work.on_lines()
        else:
            work.on_file(str(signal))

    return _run_and_save(run, learner, model)


def _run_and_save(work: Callable[[], None], learner: "AdaptiveFilter", model: Path | None) -> int:
    """Filter to the end, or until Ctrl-C, which is how streams end; then save the filter. Warnings become notes."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = lambda message, *_, **__: note(str(message))
        try:
            work()
        except OverflowError as error:
            raise ValueError(str(error)) from None
        except KeyboardInterrupt:
            if model is None or not learner.n_samples_:
                raise
            rb.save(learner, model)
            note(f"interrupted after {learner.n_samples_:,} samples; see {model}.")
            return INTERRUPTED
    if model is not None:
        rb.save(learner, model)
    return DONE


def _which(
    signal: str | None,
    reference: str | None,
    desired: str | None,
    task: Task,
    columns: str | None,
    response: Path | None,
) -> tuple[str, str] | None:
    """The two recordings, --reference and --desired; None where one SIGNAL file has both."""
    if reference is None:
        if signal is None:
            raise ValueError("name a SIGNAL, or two recordings: --reference FILE --desired FILE.")
        if response is not None:
            raise ValueError("--response goes with --reference; --json prints the weights of a SIGNAL.")
        return None
    if signal is not None or columns is not None:
        raise ValueError("--reference takes the place of SIGNAL and --input: channels are named as in FILE:0,1.")
    if desired is None:
        raise ValueError("--reference needs --desired FILE, the recording with the echo or the noise in it.")
    if task not in (Task.cancel, Task.identify):
        raise ValueError(f"--reference is for cancel and identify, not for {task.value}.")
    return reference, desired


@dataclass(frozen=True)
class _Work:
    """What is filtered, and where the results go: files, and a summary for a program or for a person."""

    task: str
    learner: "AdaptiveFilter"
    columns: list[str] | None
    desired: str | None
    shift: int
    output: Path | None
    response: Path | None
    picture: Path | None
    as_json: bool

    def on_recordings(self, reference: str, desired: str) -> None:
        """Filter two recordings, piece by piece."""
        from rosenblatt.filters.uses import filter_recordings
        from rosenblatt.plot import EchoDisplay

        written = {"output": self.output, "response": self.response}
        with counting("samples filtered") as progress:
            run = filter_recordings(
                reference, desired, self.learner, self.task, **written, progress=lambda _, done, of: progress(done, of)
            )
        for remark in run.notes:
            note(remark)
        self._draw(lambda: EchoDisplay.from_run(run).figure_)
        self._tell(f"{Path(desired).name} by {Path(reference).name}", run.summary, run.rate)

    def on_lines(self) -> None:
        """Answer each line of standard input at once; a summary goes to standard error."""
        from rosenblatt.filters.uses import LineFilter

        lines = LineFilter(self.task, self.learner, self.columns, self.desired, self.shift)
        for line in lines.run(sys.stdin):
            print(line, flush=True)
        if self.as_json:
            print_json(_SCHEMA, lines.summary, sys.stderr)

    def on_file(self, path: str) -> None:
        """Filter the signals of one file."""
        from rosenblatt.filters.uses import filter_file
        from rosenblatt.plot import FilterDisplay

        told: dict[str, Any] = {"shift": self.shift, "output": self.output, "history": self.picture is not None}
        with counting("samples filtered") as progress:
            result, file = filter_file(
                path,
                self.task,
                self.learner,
                self.columns,
                self.desired,
                **told,
                progress=lambda _, done, of: progress(done, of),
            )
        self._draw(lambda: FilterDisplay.from_run(result, rate=file.rate).figure_)
        u = ", ".join(self.columns or file.signals[:1])
        d = "" if self.task == "predict" else f"{self.desired or file.signals[1]} by "
        self._tell(f"{Path(path).name}: {d}{u}", result.summary, file.rate)

    def _draw(self, figure: Callable[[], Any]) -> None:
        from rosenblatt.plot.canvas import save_figure

        if self.picture is not None:
            save_figure(figure, self.picture)

    def _tell(self, name: str, summary: dict[str, Any], rate: float | None) -> None:
        """Print the summary, for a program or for a person."""
        if self.as_json:
            print_json(_SCHEMA, summary)
            return
        page = Page()
        shape = f"{summary['channels']} × {summary['taps']}" if summary["channels"] > 1 else str(summary["taps"])
        done = f"{summary['task']} by {summary['algorithm']}, {shape} taps"
        page.headline(f"{name} · {summary['samples']:,} samples · {done}")
        page.gap()
        final = f"{summary['final_mse']:.4g}, mean square over the last {count(summary['final_samples'], 'sample')}"
        facts = [("final error", f"{final}; {_in_decibels(summary)}")]
        if summary["frozen"]:
            held = sum(last - first for first, last in summary["frozen"])
            long = f"{held / rate:.1f} seconds" if rate else f"{held:,} samples"
            two = summary["freeze"] == "two-path"
            why = "what was learned there did worse" if two else f"{summary['freeze']} heard somebody else"
            facts.append(("held still", f"{long} in all, {count(len(summary['frozen']), 'time')}: {why}"))
        if summary["task"] == "identify":
            facts += _weights_in_words(summary["weights"], summary["channels"])
        facts += [("written", str(path)) for path in (self.output, self.response, self.picture) if path is not None]
        page.facts(facts)


def _in_decibels(summary: dict[str, Any]) -> str:
    """How large the final error is, compared with the desired signal."""
    decibels = summary["erle_db"]
    if not summary["final_mse"]:
        return "no error is left there"
    if not isfinite(summary["final_mse"]):
        return "the filter diverged: take a smaller step"
    if decibels is None:
        return "the desired signal is zero there"
    return f"{abs(decibels):.1f} dB {'below' if decibels >= 0 else 'above'} the desired signal"


def _weights_in_words(weights: Any, channels: int) -> list[tuple[str, str]]:
    """The first weights of each channel."""
    parts = [weights] if channels == 1 or isinstance(weights, dict) else weights
    facts = []
    for k, one in enumerate(parts):
        values = [complex(a, b) for a, b in zip(one["re"], one["im"], strict=True)] if isinstance(one, dict) else one
        more = f", and {len(values) - _SHOWN:,} more (--json prints all)" if len(values) > _SHOWN else ""
        shown = ", ".join(f"{value:.4g}" for value in values[:_SHOWN])
        facts.append(("weights" if len(parts) == 1 else f"channel {k}", shown + more))
    return facts
