"""Wait, for a limited time and not silently, while another program writes to the gradebook."""

import sqlite3
import sys
import time
from contextlib import closing
from typing import Any

from ...interrupt import raise_if_interrupted
from .backup import explain_database_errors, gradebook_file

WAIT_SECONDS = 60.0  # that another program may keep the gradebook locked
RETRY_SECONDS = 0.1


class GradebookLocked(ValueError):
    """Another program keeps the gradebook locked; the message says what to do."""


def wait_for_lock(directory: Any) -> None:
    """Wait until the gradebook of nbgrader's ``CourseDirectory`` can be written, and say so on stderr.

    Raises
    ------
    GradebookLocked
        If it is still locked after `WAIT_SECONDS`.
    """
    file = gradebook_file(directory)
    if file is None or not file.is_file():
        return
    began, told = time.monotonic(), False
    with explain_database_errors(directory), closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as book:
        while True:
            try:
                book.execute("BEGIN IMMEDIATE")
                book.execute("ROLLBACK")
                return
            except sqlite3.OperationalError as problem:
                # The low byte is the kind of error.
                if problem.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                    raise
            if time.monotonic() - began > WAIT_SECONDS:
                raise GradebookLocked(
                    f"the gradebook {file} was locked by another program for {WAIT_SECONDS:g} s: close what has it open, such as "
                    "a database browser with an unsaved edit, and run the command again; it continues from here"
                )
            if not told:
                print(
                    f"autograder: another program is writing to {file}; waiting for at most {WAIT_SECONDS:g} s",
                    file=sys.stderr,
                    flush=True,
                )
                told = True
            time.sleep(RETRY_SECONDS)
            raise_if_interrupted()
