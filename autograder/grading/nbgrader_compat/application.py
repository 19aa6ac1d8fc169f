"""nbgrader's application and exchange: settings and folders of a course."""

import logging
import sys
from pathlib import Path
from typing import Any, NamedTuple

from nbgrader.apps.baseapp import NbGrader
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeError
from nbgrader.exchange.default import ExchangeCollect
from nbgrader.exchange.default.exchange import Exchange

from .tools import temporary_traits

__all__ = ["CourseApplication", "ExchangeError", "Inbox", "exchange_folders", "exchange_submissions"]


class CourseApplication(NbGrader):
    """nbgrader application that reads the configuration of a given course folder.

    Replaces ``NbGrader.load_cwd_config`` and ``NbGrader.init_syspath``, which take ``nbgrader_config.py`` and modules
    from the current folder: that may be a submission.
    """

    load_cwd_config = False

    def init_syspath(self) -> None:
        """Put the course folder, not the current one, on the import path."""
        sys.path.insert(0, self.config.CourseDirectory.root)

    @classmethod
    def of(cls, root: Path) -> "CourseApplication":
        """Read ``nbgrader_config.py`` of a course folder; its errors are raised, and only errors are logged."""
        app = cls(raise_config_file_errors=True, log_level=logging.ERROR)
        app.config.CourseDirectory.root = str(root)
        app.initialize([], root=str(root))
        app.log.setLevel(logging.ERROR)
        return app


def exchange_folders(app: Any) -> tuple[str, str]:
    """Root and cache of the exchange, which no submission may see.

    Relies on ``Exchange.root`` and ``Exchange.cache`` of the default exchange: the factory that nbgrader documents
    has classes for actions alone.
    """
    exchange = Exchange(parent=app, coursedir=app.coursedir)
    return exchange.root, exchange.cache


class Inbox(NamedTuple):
    """Submissions in the exchange: their folder, nbgrader's record of each, and whether it checks who owns them."""

    folder: Path
    records: list[dict[str, Any]]
    check_owner: bool


def exchange_submissions(app: Any, directory: CourseDirectory, assignment: str) -> Inbox:
    """List what ``nbgrader collect`` would copy, the last submission of each student.

    Relies on ``ExchangeCollect.init_src`` and the attributes that it sets: nbgrader's documented ``start`` copies the
    folders, with links and all.

    Raises
    ------
    ExchangeError
        If there is no exchange, or it cannot be read.
    """
    with temporary_traits(directory, assignment_id=assignment, student_id="*"):
        exchange = ExchangeCollect(coursedir=directory, parent=app)
        exchange.init_src()
    return Inbox(Path(exchange.inbound_path), exchange.src_records, exchange.check_owner)
