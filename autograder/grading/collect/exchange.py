"""What lies in nbgrader's exchange."""

import os
import sys
from pathlib import Path

from nbgrader.exchange import ExchangeError
from nbgrader.exchange.default import ExchangeCollect
from nbgrader.utils import temp_attrs

from ..gradebook.course import Course
from ..sanitize.terminal_text import shown
from .filenames import Arrival
from .sources import Source, in_folder


def inbound(course: Course, lab: str) -> list[Arrival]:
    """Find the submissions of a lab that nbgrader itself would collect, the last of each student.

    Raises
    ------
    ValueError
        When there is no exchange.
    """
    with temp_attrs(course.directory, assignment_id=lab, student_id="*"):
        exchange = ExchangeCollect(coursedir=course.directory, parent=course.app)
        try:
            exchange.init_src()
        except ExchangeError as problem:
            raise ValueError(
                f"the exchange cannot be read: {problem}; name a download, or set c.Exchange.root"
            ) from None
    found = []
    for record in sorted(exchange.src_records, key=lambda record: record["username"]):
        folder, source = Path(exchange.inbound_path, record["filename"]), Source()
        one = Arrival(
            record["username"], record["username"], files=[*in_folder(folder, source)], notes=source.passed_over
        )
        one.received = record["timestamp"]
        if exchange.check_owner and (owner := _owner(folder)) not in ("", one.key):
            one.notes.append(
                f"The folder in the exchange belongs to the account {shown(owner)}, not to {shown(one.key)}."
            )
        found.append(one)
    return found


def _owner(folder: Path) -> str:
    if sys.platform == "win32":
        return ""
    import pwd

    try:
        return pwd.getpwuid(os.stat(folder).st_uid).pw_name
    except (KeyError, OSError):
        return "unknown"
