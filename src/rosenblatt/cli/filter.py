"""`rosenblatt filter`: identify, cancel, predict or equalize; files in and out, or lines through a pipe."""

import json
import sys
import warnings
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["command"]

_SCHEMA = "rosenblatt-filter/1"
_INTERRUPTED = 130


class Task(StrEnum):
    """What the filter is for."""

    identify = "identify"
    cancel = "cancel"
    predict = "predict"
    equalize = "equalize"


class Algorithm(StrEnum):
    """How it learns."""

    lms = "lms"
    nlms = "nlms"
    leaky = "leaky"
    sign = "sign"
    projection = "projection"
    rls = "rls"
    block = "block"
    pbfdaf = "pbfdaf"
    kalman = "kalman"
    least_squares = "least-squares"


def _option(name: str, text: str, metavar: str | None = None, **more: Any) -> Any:
    return typer.Option(name, help=text, metavar=metavar, **more)


def command(
    signal: Annotated[
        str, typer.Argument(metavar="SIGNAL", help="CSV, TSV, Parquet, NPY or WAV; - reads lines from standard input.")
    ],
    task: Annotated[Task, _option("--task", "What to do.")] = Task.cancel,
    input: Annotated[  # noqa: A002 (the option's name)
        str | None, _option("--input", "The input u: columns by name or number, commas between.", "COL,…")
    ] = None,
    desired: Annotated[str | None, _option("--desired", "The desired signal d: a column.", "COL")] = None,
    algorithm: Annotated[Algorithm, _option("--algorithm", "How it learns.")] = Algorithm.nlms,
    taps: Annotated[int, _option("--taps", "Weights for each input.", min=1)] = 32,
    eta: Annotated[float | None, _option("--eta", "The step.")] = None,
    eps: Annotated[float | None, _option("--eps", "nlms, projection: ε as a share of the input's power.")] = None,
    eps_absolute: Annotated[
        float | None, _option("--eps-absolute", "nlms, projection: ε in the input's squared unit.")
    ] = None,
    leak: Annotated[float | None, _option("--leak", "leaky: how fast idle weights fall back.")] = None,
    variant: Annotated[str | None, _option("--variant", "sign: error, data or sign-sign.")] = None,
    order: Annotated[int | None, _option("--order", "projection: samples that a step looks at.")] = None,
    forgetting: Annotated[float | None, _option("--forgetting", "rls: λ, at most 1.")] = None,
    delta: Annotated[
        float | None, _option("--delta", "rls: what the first weights are worth, as a share of the input's power.")
    ] = None,
    delta_absolute: Annotated[
        float | None, _option("--delta-absolute", "rls: the same in the input's squared unit.")
    ] = None,
    regularizer: Annotated[float | None, _option("--regularizer", "least-squares: δ.")] = None,
    shift: Annotated[int, _option("--shift", "predict: samples ahead; equalize: samples of delay.", min=0)] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the result: tables get y and e.", metavar="FILE")
    ] = None,
    model: Annotated[Path | None, _option("--model", "Go on with the filter saved here; save it here.", "FILE")] = None,
    picture: Annotated[Path | None, _option("--picture", "Draw signals, error and weights.", "FILE")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> int:
    """Filter a signal and learn from every sample.

    identify: the input goes into a system, the desired signal comes out; the weights become its impulse response.

    cancel: the inputs are references of a disturbance, the desired signal is disturbed; the error is the clean signal.

    predict: the input is the signal; the output is what was to be expected of it.

    equalize: the input was received, the desired signal was sent; the output is the channel undone.

    Without --input and --desired the first signal is the input and the second the desired one. With - as SIGNAL each
    line of comma-separated numbers is answered by a line y,e before the next one is read.

    For example:
      rosenblatt filter speech.wav --input 1 --desired 0 -o clean.wav
      rosenblatt filter ecg.csv --input chest --desired belly --algorithm rls
      rosenblatt filter room.parquet --task identify --input in --desired out
      sensor | rosenblatt filter - --task predict --algorithm rls --taps 4
    """
    import rosenblatt as rb
    from rosenblatt.cli.pictures import refuse_other_kinds
    from rosenblatt.data.files import make_ready
    from rosenblatt.filters.work import make_filter

    make_ready(output, picture, model, inputs=[signal])
    refuse_other_kinds(picture)

    columns = [name.strip() for name in input.split(",")] if input else None
    settings = {"eta": eta, "eps": eps, "leak": leak, "variant": variant, "order": order, "forgetting": forgetting}
    settings |= {"delta": delta, "regularizer": regularizer}
    settings |= {"eps_absolute": eps_absolute, "delta_absolute": delta_absolute}
    known = model is not None and model.exists()
    learner = rb.load(model) if known else make_filter(algorithm.value, taps * len(columns or [""]), **settings)  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = lambda message, *_, **__: print(f"rosenblatt: {message}", file=sys.stderr)
        try:
            if signal == "-":
                _lines(task.value, learner, columns, desired, shift, as_json)
            else:
                _file(signal, task.value, learner, columns, desired, shift, output, picture, as_json)
        except OverflowError as error:
            raise ValueError(str(error)) from None
        except KeyboardInterrupt:  # the usual end of a stream
            if model is None or not learner.n_samples_:
                raise
            rb.save(learner, model)
            print(f"rosenblatt: interrupted after {learner.n_samples_:,} samples; see {model}.", file=sys.stderr)
            return _INTERRUPTED
    if model is not None:
        rb.save(learner, model)
    return 0


def _lines(task: str, learner: Any, columns: list[str] | None, desired: str | None, shift: int, as_json: bool) -> None:
    """Standard input to standard output, each answer at once; the summary goes beside it."""
    from rosenblatt.filters.streaming import LineFilter

    lines = LineFilter(task, learner, columns, desired, shift)
    for line in lines.run(sys.stdin):
        print(line, flush=True)
    if as_json:
        print(json.dumps({"schema": _SCHEMA, **lines.summary}), file=sys.stderr)


def _file(
    path: str,
    task: str,
    learner: Any,
    columns: list[str] | None,
    desired: str | None,
    shift: int,
    output: Path | None,
    picture: Path | None,
    as_json: bool,
) -> None:
    from rosenblatt.cli.waiting import Meter
    from rosenblatt.filters.work import filter_file

    with Meter("samples filtered", None) as meter:
        result, file = filter_file(
            path,
            task,
            learner,
            columns,
            desired,
            shift=shift,
            output=output,
            history=picture is not None,
            progress=meter.show,
        )
    if picture is not None:
        import matplotlib

        matplotlib.use("agg")
        from rosenblatt.cli.pictures import save_figure
        from rosenblatt.plot import FilterDisplay

        save_figure(FilterDisplay.from_run(result, rate=file.rate).figure_, picture)
    if as_json:
        print(json.dumps({"schema": _SCHEMA, **result.summary}, indent=1, allow_nan=False))
    else:
        _show(Path(path).name, result.summary, [one for one in (output, picture) if one is not None])


def _show(name: str, summary: dict[str, Any], written: list[Path]) -> None:
    """The summary for a person."""
    shape = f"{summary['channels']} × {summary['taps']}" if summary["channels"] > 1 else str(summary["taps"])
    print(f"{name} · {summary['samples']:,} samples · {summary['task']} by {summary['algorithm']}, {shape} taps\n")
    print(f"  final error   {summary['final_mse']:.4g}, mean square over the last {summary['final_samples']:,} samples")
    decibels = summary["erle_db"]
    if not summary["final_mse"]:
        print("                nothing is left of the desired signal")
    elif decibels is None:
        print("                the desired signal is zero there")
    else:
        print(f"                {abs(decibels):.1f} dB {'below' if decibels >= 0 else 'above'} the desired signal")
    for path in written:
        print(f"  written       {path}")
