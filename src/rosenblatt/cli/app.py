"""The program `rosenblatt`: it runs the commands, and turns whatever goes wrong into one sentence and an exit code.

A command is a file here with a function `command` that returns its exit code, and its name in COMMANDS. Command files
import what is slow (NumPy, Numba, scikit-learn, matplotlib) inside functions, so that `--help` is there at once.
"""

import inspect
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, wraps
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from rosenblatt import __version__
from rosenblatt.cli import warmup
from rosenblatt.cli.output import BAD_INPUT, DONE, INTERRUPTED, LIMIT, complain, note, outputs
from rosenblatt.cli.streams import give_up_output, made_fit, was_interrupted

__all__ = ["COMMANDS", "main"]

# Who comes, the commands for them, and the first thing to try.
DOORS = (
    ("See how a perceptron learns", ("lab", "gate", "count"), "rosenblatt lab"),
    ("Learn a classifier", ("fit", "predict", "compare"), "rosenblatt fit data.csv --target y -o y.model"),
    (
        "Understand a regression that does not converge",
        ("check", "estimate", "screen", "report", "verify"),
        "rosenblatt check data.csv --target y",
    ),
    ("Filter a signal", ("filter",), "rosenblatt filter --reference far.wav --desired mic.wav --taps 1024"),
    ("Probe a representation", ("probe",), "rosenblatt probe layers.safetensors labels.csv"),
    ("For every first run", ("warmup",), ""),
)
_LARGE = 1 << 17  # bytes of a file: smaller tables seldom need compiled loops
_NO_MEMORY = ("start new thread", "failed to map segment", "annot allocate memory")  # in what other errors say
COMMANDS = tuple(name for _, names, _ in DOORS for name in names)


class _AsTyped:
    """Takes what needs no conversion as it is. Typer would load Pydantic, and build a type for each option, first."""

    def __init__(self, parameter: Any) -> None:
        self.annotation = parameter.type_descriptor.annotation

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """What the parameter is, from what was typed or is its default."""
        several, kind = param.multiple or param.nargs == -1, self.annotation
        if value is None:
            return () if several else None
        if several and kind == list[str] and isinstance(value, (list, tuple)):
            return list(value)
        if not several and isinstance(kind, type) and isinstance(value, kind):
            return value
        param._runtime_param = None
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


class _Quick:
    """A command whose options are taken as they were typed, where they may be."""

    def get_params(self, ctx: Any) -> list[Any]:
        """All parameters."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for one in found:
            own = getattr(one, "type_descriptor", None)
            if own is not None and one._runtime_param is None and own.parameter_info.parser is None:
                one._runtime_param = _AsTyped(one)
        return found


class _Command(_Quick, TyperCommand):
    """One command."""


class _ByDoor(_Quick, TyperGroup):
    """The program's help, which lists commands by who needs them."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """A section for each door."""
        width = max(map(len, COMMANDS))
        for words, names, _ in DOORS:
            found = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(words):
                formatter.write_dl(
                    [(f"{name:<{width}}", one.short_help or "") for name, one in found if one is not None]
                )


def _help(command: Callable[..., Any]) -> str:
    """The docstring of a command, marked so that its examples and exit codes keep their lines."""
    return re.sub(r"^(?=For example:|Exit codes:)", "\b\n", inspect.getdoc(command) or "", flags=re.MULTILINE)


def _interruptible(command: Callable[..., int]) -> Callable[..., int]:
    """The command, with a sentence where Ctrl-C ends it: what it has written is looked up, not remembered."""

    @wraps(command)
    def run(*arguments: object, **options: object) -> int:
        outputs.clear()
        try:
            return command(*arguments, **options)
        except KeyboardInterrupt:
            complain(f"interrupted; {outputs.in_words()}.")
            return INTERRUPTED

    return run


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rosenblatt {__version__}")
        raise typer.Exit(DONE)


def _before_any_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options of the program itself."""


@cache
def _built_program(only: str | None = None) -> Callable[..., Any]:
    """The program that Typer builds from all commands, or from the one that was asked for: building takes time."""
    app = typer.Typer(
        name="rosenblatt",
        help="Perceptrons that prove what they say: can a hyperplane tell two classes apart?",
        epilog="Nothing to try it on? rosenblatt lab and rosenblatt compare --demo need nothing.",
        cls=_ByDoor,
        context_settings={"help_option_names": ["-h", "--help"]},
        rich_markup_mode=None,  # plain text: no boxes, and the examples as they are typed
        pretty_exceptions_enable=False,
    )
    app.callback()(_before_any_command)
    for name in COMMANDS if only is None else (only,):
        command = import_module(f"rosenblatt.cli.{name}").command
        first_line = (command.__doc__ or "").partition("\n")[0]  # Click would cut it where a terminal is narrow
        app.command(name, cls=_Command, help=_help(command), short_help=first_line)(_interruptible(command))
    return typer.main.get_command(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; returns its exit code."""
    typed, arguments = arguments is None, sys.argv[1:] if arguments is None else arguments
    with made_fit(to_the_end=typed):
        if typed and list(arguments[:1]) == ["check"] and _has_large_file(arguments):
            warmup.begin_ahead()
        try:
            return _run(arguments)
        except (BrokenPipeError, SystemExit) as end:
            if isinstance(end, SystemExit) and not isinstance(end.__context__, OSError):
                return int(end.code or DONE)  # shell completion ends so
            give_up_output()
            return DONE  # the reader has seen enough and closed the pipe: `rosenblatt … | head`
        except KeyboardInterrupt:  # outside of every command
            complain("interrupted; nothing was written.")
            return INTERRUPTED
        except Exception as error:
            if was_interrupted():
                complain(f"interrupted; {outputs.in_words()}.")
                return INTERRUPTED
            return _explain(error)
        finally:
            warmup.end_ahead()


def _has_large_file(arguments: Sequence[str]) -> bool:
    """Whether a file is named for which compiled loops will be needed."""
    with suppress(OSError, ValueError):
        return any(os.path.isfile(one) and os.path.getsize(one) > _LARGE for one in arguments)
    return False


def _run(arguments: Sequence[str]) -> int:
    if not arguments and "_ROSENBLATT_COMPLETE" not in os.environ:
        return _welcome()
    only = arguments[0] if arguments and arguments[0] in COMMANDS else None
    code = _built_program(only)(list(arguments), prog_name="rosenblatt", standalone_mode=False)
    sys.stdout.flush()
    if sys.stderr.isatty() and (said := warmup.sentence()) and arguments[0] != "warmup":
        note(said)
    return DONE if code is None else int(code)


def _welcome() -> int:
    """What `rosenblatt` alone says: five doors, each with a command to type."""
    print("rosenblatt: perceptrons that prove what they say.\n\nWhat would you like to do?")
    for words, _, first in DOORS:
        if first:
            print(f"\n  {words}:\n    {first}")
    print("\nNothing to try it on? rosenblatt compare --demo brings its own points.")
    print("\nrosenblatt --help          lists all commands\nrosenblatt COMMAND --help  explains one, with examples")
    return DONE


def _explain(error: Exception) -> int:
    """Print one sentence about the error; returns the exit code."""
    from rosenblatt.context import Unfinished
    from rosenblatt.data.refusal import Refused

    if os.environ.get("ROSENBLATT_TRACEBACK"):
        raise error
    if hasattr(error, "format_message"):  # from Typer: an unknown command, or a wrong option
        context = getattr(error, "ctx", None)
        program = "rosenblatt" if context is None else context.command_path
        complain(f"{_lowered(error.format_message())} See {program} --help.")
    elif isinstance(error, MemoryError) or any(words in str(error) for words in _NO_MEMORY):
        complain(
            "out of memory. A column of text becomes many columns of numbers: --drop or --hash such columns, or take "
            "fewer rows."
        )
    elif isinstance(error, OSError) and error.strerror:
        if error.filename is None:
            give_up_output()  # it may be what is full
        where = f"{os.fspath(error.filename)}: " if isinstance(error.filename, (str, os.PathLike)) else ""
        complain(f"{where}{_lowered(error.strerror)}")
    elif isinstance(error, Unfinished):
        complain(f"{error}.")
        return LIMIT
    elif isinstance(error, Refused):
        complain(error.in_shell())
    elif isinstance(error, (ValueError, OSError, ImportError)):
        complain(str(error))
    elif os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        complain("NUMBA_DISABLE_JIT is set, and loops that are not compiled cannot do this: unset it.")
    else:
        complain(
            f"this should not have happened: {type(error).__name__} {error}. Run it again with ROSENBLATT_TRACEBACK=1 "
            f"in the environment and report what it prints."
        )
    return BAD_INPUT


def _lowered(message: str) -> str:
    """A message of another library as the rest of our sentence: a small letter first, a full stop last."""
    message = message.replace("Value error, ", "")
    return message[:1].lower() + message[1:] + ("" if message.endswith((".", "?")) else ".")
