"""nbgrader's log with the names in it as text: it writes a student's folder to the terminal as it is."""

import copy
import logging

from tornado.log import LogFormatter

from ..sanitize.terminal_text import shown, shown_lines


class PlainLines(LogFormatter):
    """A formatter for ``Application.logging_config``: what is logged has no character that a terminal obeys."""

    def format(self, record: logging.LogRecord) -> str:
        plain = copy.copy(record)
        plain.msg, plain.args = "\n".join(shown(line, 4000) for line in record.getMessage().split("\n")), ()
        if record.exc_info:
            plain.exc_text = shown_lines(record.exc_text or self.formatException(record.exc_info))
        return super().format(plain)
