"""`python -m rosenblatt` is the program `rosenblatt`."""

import sys

from rosenblatt.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
