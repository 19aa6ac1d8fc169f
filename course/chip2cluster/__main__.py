"""Entry point of ``python -m chip2cluster``, same as the command ``chip2cluster``."""

import sys

from .shell import main

if __name__ == "__main__":
    sys.exit(main())
