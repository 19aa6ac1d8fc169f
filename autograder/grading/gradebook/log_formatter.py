"""nbgrader's log without control characters: nbgrader writes names of students' folders to the terminal unescaped."""

import copy
import logging

from tornado.log import LogFormatter

from ..sanitize.terminal_text import printable, printable_lines


class PrintableFormatter(LogFormatter):
    """Formatter for ``Application.logging_config`` that replaces control characters in everything that is logged."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record with its message and traceback made printable."""
        plain = copy.copy(record)
        plain.msg, plain.args = "\n".join(printable(line, 4000) for line in record.getMessage().split("\n")), ()
        if record.exc_info:
            plain.exc_text = printable_lines(record.exc_text or self.formatException(record.exc_info))
        return super().format(plain)
