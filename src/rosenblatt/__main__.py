"""`python -m rosenblatt` is the program `rosenblatt`."""

import gc
import signal
import sys

__all__ = ["main"]


def main() -> int:
    """Load the program and run it. Ctrl-C while it is loaded ends it without a word: nothing has begun."""
    gc.set_threshold(100_000)  # what is loaded stays: looking through it again and again takes a tenth of the time
    hears = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if hears:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from rosenblatt.cli.app import main as run

    if hears:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = run()
    except KeyboardInterrupt:  # before the first command has begun, or after the last has ended
        code = 130
    if code == 130:
        from rosenblatt.cli.streams import ends_interrupted

        ends_interrupted()
    return code


if __name__ == "__main__":
    sys.exit(main())
