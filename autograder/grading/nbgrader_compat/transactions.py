"""nbgrader's gradebook with one transaction for each submission in place of a dozen."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.preprocessors import SaveAutoGrades
from sqlalchemy.orm import scoped_session, sessionmaker

from .queries import entries_of

WAIT_MILLISECONDS = 60_000  # that SQLite waits while another program, such as formgrader, writes


class TransactionGradebook(Gradebook):
    """A gradebook whose commits take effect together, at the end of `transaction`.

    Relies on the attributes ``engine`` and ``db`` of `Gradebook`, whose methods commit after each entry: half of a
    submission could be entered, and a class took minutes.
    """

    db: Any

    @contextmanager
    def transaction(self) -> Iterator[Callable[[], None]]:
        """Commit everything in the block or nothing; yields a function that commits what is done so far."""
        with self.engine.connect() as connection:
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql(f"PRAGMA busy_timeout = {WAIT_MILLISECONDS}")
                connection.rollback()
            before = self.db
            outer = [connection.begin()]

            def commit() -> None:
                self.db.flush()
                outer[0].commit()
                outer[0] = connection.begin()
                self.db = session()

            def session() -> Any:
                # "rollback_only": commits of the session wait for the connection's.
                maker = sessionmaker(connection, join_transaction_mode="rollback_only", expire_on_commit=False)
                return scoped_session(maker)

            self.db = session()
            try:
                yield commit
                self.db.flush()
                outer[0].commit()
            finally:
                self.db.remove()
                self.db = before


class BatchedSaveAutoGrades(SaveAutoGrades):
    """nbgrader's preprocessor on a gradebook that is already open; reads all entries at once and writes them at once.

    Replaces ``preprocess``, which opens the gradebook anew, and gives ``preprocess_cell`` an object that has of
    `Gradebook` what it calls: ``find_grade``, ``find_comment``, ``db.commit``.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Enter points and comments of all cells."""
        names = resources["nbgrader"]
        self.notebook_id, self.assignment_id, self.student_id = names["notebook"], names["assignment"], names["student"]
        self.gradebook = _NotebookEntries(names["gradebook"], self.notebook_id, self.assignment_id, self.student_id)
        for index, cell in enumerate(nb.cells):
            self.preprocess_cell(cell, resources, index)
        names["gradebook"].db.commit()
        return nb, resources


class _NotebookEntries:
    """Entries of one submitted notebook, in place of a `Gradebook`."""

    def __init__(self, book: TransactionGradebook, notebook: str, assignment: str, student: str) -> None:
        self._book, self.db = book, self
        submitted = book.find_submission_notebook(notebook, assignment, student)
        self._grades, self._comments = entries_of(book, submitted.id)

    def find_grade(self, cell: str, *names: str) -> Any:
        return self._grades.get(cell) or self._book.find_grade(cell, *names)

    def find_comment(self, cell: str, *names: str) -> Any:
        return self._comments.get(cell) or self._book.find_comment(cell, *names)

    def commit(self) -> None:
        """Leave it to the caller, who commits once for all cells."""
