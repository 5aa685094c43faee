"""What the program's exit codes mean."""

__all__ = ["BAD_INPUT", "DONE", "INTERRUPTED", "LIMIT", "NO"]

DONE = 0  # also a fit that ended in BUDGET
NO = 1  # the certificate does not hold; or the answer is "no" and --exit-code was given
BAD_INPUT = 2  # bad usage or input
LIMIT = 3  # a limit was hit before the answer was known
INTERRUPTED = 130  # by Ctrl-C or SIGTERM, with the checkpoint saved where there is one
