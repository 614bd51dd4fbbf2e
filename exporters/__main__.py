"""``python -m exporters`` is the command ``tailsight``."""

import sys

from exporters.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
