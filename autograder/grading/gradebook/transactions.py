"""nbgrader's gradebook with one transaction a submission in place of a dozen."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.preprocessors import SaveAutoGrades
from sqlalchemy import Select, bindparam, select
from sqlalchemy.orm import scoped_session, sessionmaker

WAIT = 60_000  # milliseconds that SQLite waits for somebody else's write, such as formgrader's


class OneTransaction(Gradebook):
    """A gradebook whose commits take effect together, at the end of `transaction`."""

    db: Any

    @contextmanager
    def transaction(self) -> Iterator[Callable[[], None]]:
        """Do all that follows or nothing of it; yields a function that commits what is done so far."""
        with self.engine.connect() as connection:
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql(f"PRAGMA busy_timeout = {WAIT}")
                connection.rollback()
            before = self.db
            outer = [connection.begin()]

            def commit() -> None:
                self.db.flush()
                outer[0].commit()
                outer[0] = connection.begin()
                self.db = session()

            def session() -> Any:
                # "rollback_only": the session's own commits wait for the connection's.
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

    def scores(self, lab: str) -> dict[str, dict[str, float | None]]:
        """The machine's points of every submission: ``{student: {grade_id: points}}``."""
        query = (
            self.db.query(SubmittedAssignment.student_id, BaseCell.name, Grade.auto_score)
            .select_from(Grade)
            .join(BaseCell, BaseCell.id == Grade.cell_id)
            .join(SubmittedNotebook, SubmittedNotebook.id == Grade.notebook_id)
            .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
            .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
            .filter(Assignment.name == lab)
        )
        scores: dict[str, dict[str, float | None]] = {}
        for student, cell, score in query:
            scores.setdefault(student, {})[cell] = score
        return scores


class SaveTogether(SaveAutoGrades):
    """nbgrader's step, in the gradebook that is open already; its rows are read together and written together."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        names = resources["nbgrader"]
        self.notebook_id, self.assignment_id, self.student_id = names["notebook"], names["assignment"], names["student"]
        self.gradebook = _Rows(names["gradebook"], self.notebook_id, self.assignment_id, self.student_id)
        for index, cell in enumerate(nb.cells):
            self.preprocess_cell(cell, resources, index)
        names["gradebook"].db.commit()
        return nb, resources


def _named(kind: Any) -> Select[Any]:
    """The grades or comments of a submitted notebook, each with the name of its cell."""
    found = select(BaseCell.name, kind).join(BaseCell, BaseCell.id == kind.cell_id)
    return found.where(kind.notebook_id == bindparam("notebook"))


# To build a query takes as long as to run it.
GRADES, COMMENTS = _named(Grade), _named(Comment)


class _Rows:
    """What `SaveAutoGrades` asks a gradebook for, of one submitted notebook: the step finds and commits cell by cell."""

    def __init__(self, book: OneTransaction, notebook: str, assignment: str, student: str) -> None:
        self._book, self.db = book, self
        entry = {"notebook": book.find_submission_notebook(notebook, assignment, student).id}
        self._grades, self._comments = (dict(map(tuple, book.db.execute(rows, entry))) for rows in (GRADES, COMMENTS))

    def find_grade(self, cell: str, *names: str) -> Any:
        return self._grades.get(cell) or self._book.find_grade(cell, *names)

    def find_comment(self, cell: str, *names: str) -> Any:
        return self._comments.get(cell) or self._book.find_comment(cell, *names)

    def commit(self) -> None:
        """Wait for the others."""


TOGETHER = {SaveAutoGrades: SaveTogether}
