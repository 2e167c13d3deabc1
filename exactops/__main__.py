"""``python -m exactops``: see :mod:`exactops.cli`."""

import sys

from exactops.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
