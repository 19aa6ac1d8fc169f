"""nbgrader's gradebook of a course: open it, read-only or to write, and say what is wrong with a damaged one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nbgrader.api import Gradebook, MissingEntry, Student
from sqlalchemy.exc import SQLAlchemyError

from .backup import explain_database_errors, gradebook_file

__all__ = ["Gradebook", "MissingEntry", "create_gradebook", "open_gradebook"]


@contextmanager
def open_gradebook(directory: Any) -> Iterator[Any]:
    """Open the gradebook of nbgrader's ``CourseDirectory``; yield None, and create no file, if there is none yet.

    Raises
    ------
    ValueError
        If it cannot be read; the message says how to recover.
    """
    file = gradebook_file(directory)
    if file is not None and not file.is_file():
        yield None
        return
    with explain_database_errors(directory), create_gradebook(directory) as opened:
        yield opened


def create_gradebook(directory: Any) -> Gradebook:
    """Open the gradebook of nbgrader's ``CourseDirectory``, a context manager; create the file if there is none.

    Raises
    ------
    ValueError
        If it cannot be read, or has the columns of another version of nbgrader; the message says how to recover.
    """
    with explain_database_errors(directory):
        book = Gradebook(directory.db_url, directory.course_id)
        try:
            # The columns that an earlier nbgrader did not have would be missed only in the middle of grading.
            for table in Student.metadata.sorted_tables:
                book.db.execute(table.select().limit(0))
        except SQLAlchemyError:
            book.close()
            raise
    return book
