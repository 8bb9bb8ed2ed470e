"""What the library has to say goes to standard error, one line each."""

from __future__ import annotations

import logging
import sys

from protorel.io.terminal import printable


class _ToStandardError(logging.Handler):
    """Writes to whatever standard error is at the moment: a progress bar may have taken its place."""

    def emit(self, record: logging.LogRecord) -> None:
        sys.stderr.write(f"protorel: {printable(record.getMessage(), longest=1000)}\n")


def show_messages() -> None:
    """Show what the logger `protorel` says, from level INFO on, unless whoever runs the command has set it up."""
    logger = logging.getLogger("protorel")
    if not logger.handlers:
        logger.addHandler(_ToStandardError())
        logger.setLevel(logging.INFO)
