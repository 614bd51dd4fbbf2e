"""The log: to standard error, one line an event, in the logfmt that Prometheus writes."""

import logging
import sys
import time

_LEVELS = {"warning": "warn"}


class _Logfmt(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """Return ``time=... level=... msg="..."``."""
        when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        level = record.levelname.lower()
        message = record.getMessage().replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
        line = (
            f"time={when}.{int(record.msecs):03d}Z level={_LEVELS.get(level, level)}"
            f' logger={record.name.removeprefix("exporters.")} msg="{message}"'
        )
        if record.exc_info:
            line += f"\n{self.formatException(record.exc_info)}"
        return line


def set_up_log(level: str) -> None:
    """Send records of a level and above to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Logfmt())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    logging.raiseExceptions = False
