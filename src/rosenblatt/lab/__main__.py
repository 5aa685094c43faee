"""`python -m rosenblatt.lab`: open the lab in the browser."""

import sys

from rosenblatt.lab.command import main

if __name__ == "__main__":
    sys.exit(main())
