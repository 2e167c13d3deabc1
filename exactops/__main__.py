"""``python -m exactops``: see :mod:`exactops.command`."""

import sys

from exactops.command import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
