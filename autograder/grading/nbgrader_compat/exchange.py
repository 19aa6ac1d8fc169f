"""nbgrader's exchange: collect only what a student's own account handed in, release each page of feedback that can go."""

import glob
import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeError
from nbgrader.exchange.default import ExchangeCollect, ExchangeReleaseFeedback
from nbgrader.exchange.default.exchange import Exchange

from ..collect.inbound_folders import Inbound, InboundFolder, read_inbound
from ..sanitize.terminal_text import printable
from .tools import temporary_traits

__all__ = [
    "COMPANIONS",
    "CourseCollect",
    "CourseReleaseFeedback",
    "ExchangeError",
    "Inbox",
    "exchange_folders",
    "exchange_submissions",
]

# nbgrader's exchange finds a student's page of feedback by these files of the submission.
COMPANIONS = ("timestamp.txt", "submission_secret.txt")


def exchange_folders(app: Any) -> tuple[str, str]:
    """Root and cache of the exchange, which no submission may see.

    Relies on ``Exchange.root`` and ``Exchange.cache`` of the default exchange: the factory that nbgrader documents
    has classes for actions alone.
    """
    exchange = Exchange(parent=app, coursedir=app.coursedir)
    return exchange.root, exchange.cache


class CourseCollect(ExchangeCollect):
    """``nbgrader collect`` that takes a folder, and each file in it, only from the account that its name states.

    ``c.ExchangeFactory.collect`` names the class. It replaces ``init_src``, which trusts the names of the folders and
    ends at one that it cannot read, and calls ``copy_files`` for one student at a time, because that ends at the first
    folder that cannot be copied.
    """

    inbound: Inbound

    def init_src(self) -> None:
        """Find the folders to copy, as records of nbgrader."""
        with temporary_traits(self.coursedir, student_id="\0"):
            # No folder has this name, so nbgrader only checks the exchange and reads the due date.
            super().init_src()
        self.inbound = read_inbound(
            Path(self.inbound_path),
            self.coursedir.assignment_id,
            self.coursedir.student_id or "*",
            check_owner=self.check_owner,
            best_before=self.duedate if self.before_duedate else None,
        )
        self.src_records = [
            {"username": one.account, "filename": one.path.name, "timestamp": one.time} for one in self.inbound.chosen
        ]

    def copy_files(self) -> None:
        """Copy each student's folder; name what was left out, and what could not be copied."""
        failed = []
        records, chosen = self.src_records, {one.path.name: one for one in self.inbound.chosen}
        for record in records:
            self.src_records, self._folder = [record], chosen[str(record["filename"])]
            try:
                super().copy_files()
            except (OSError, RuntimeError, ValueError, OverflowError) as problem:
                self.log.error("%s was not collected: %s", printable(record["username"]), printable(problem, 400))
                failed.append(record["username"])
        self.src_records = records
        if not records:
            super().copy_files()
        for doubt in self.inbound.doubts:
            self.log.error("%s: %s", doubt.key, doubt.reason)
        if failed or self.inbound.doubts:
            self.fail(
                f"{len(records) - len(failed)} submissions are collected or were before, and "
                f"{len(failed) + len(self.inbound.doubts)} folders of the exchange need you, see above"
            )

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy a folder without files of other accounts and without links, which nbgrader would follow."""
        if self.get_size(src) > 1000 * self.coursedir.max_dir_size:
            raise RuntimeError(f"the folder has more than {self.coursedir.max_dir_size} kB")

        def left_out(parent: str, names: list[str]) -> list[str]:
            paths = {name: Path(parent, name) for name in names}
            return [
                name
                for name, path in paths.items()
                if str(path.relative_to(src)) in self._folder.foreign or not _is_copied(path)
            ]

        with tempfile.TemporaryDirectory() as place:
            shutil.copytree(src, Path(place, "own"), ignore=left_out)
            super().do_copy(str(Path(place, "own")), dest, log)

    _folder: InboundFolder


def _is_copied(path: Path) -> bool:
    """Whether a path is a regular file or a folder, and not a link."""
    mode = os.lstat(path).st_mode
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


class CourseReleaseFeedback(ExchangeReleaseFeedback):
    """``nbgrader release_feedback`` that skips a page that cannot go by the exchange, and releases the others.

    ``c.ExchangeFactory.release_feedback`` names the class. It calls ``copy_files`` for one student at a time, because
    that ends at the first page without the files by which the exchange finds its student.
    """

    src_path: str

    def copy_files(self) -> None:
        """Release the pages, and name the students whose page was skipped."""
        everybody, skipped = self.src_path, []
        for folder in sorted(glob.glob(everybody)):
            student = printable(Path(folder).parent.name)
            missing = [name for name in COMPANIONS if not os.path.isfile(os.path.join(folder, name))]
            if missing:
                skipped.append(student)
                continue
            self.src_path = glob.escape(folder)
            try:
                super().copy_files()
            except (OSError, ValueError) as problem:
                self.log.error("%s: the page was not released: %s", student, printable(problem, 400))
                skipped.append(student)
        self.src_path = everybody
        if skipped:
            self.log.warning(
                "skipped, because the work did not come by the exchange (no %s): %s. Give them the page in the folder of "
                "feedback otherwise, such as by mail or `autograder feedback %s --zip PLATFORM`",
                " or ".join(COMPANIONS),
                ", ".join(skipped),
                self.coursedir.assignment_id,
            )


class Inbox(NamedTuple):
    """Submissions in the exchange, and whether their owners were checked."""

    inbound: Inbound
    check_owner: bool


def exchange_submissions(app: Any, directory: CourseDirectory, assignment: str) -> Inbox:
    """List the newest submission of each student, and what needs the instructor.

    Relies on ``ExchangeCollect.init_src`` and the attributes that it sets: nbgrader's documented ``start`` copies the
    folders, with links and all.

    Raises
    ------
    ExchangeError
        If there is no exchange, or it cannot be read.
    """
    with temporary_traits(directory, assignment_id=assignment, student_id="*"):
        exchange = CourseCollect(coursedir=directory, parent=app)
        exchange.init_src()
    return Inbox(exchange.inbound, exchange.check_owner)
