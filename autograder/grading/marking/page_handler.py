"""What all marking pages share, behind whatever login: how they are rendered, and what they may load."""

import json
import secrets
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, FileSystemLoader
from tornado.web import HTTPError, RequestHandler

from ..gradebook.database import open_gradebook
from ..reports.feedback_page import TEMPLATES, lab_title
from .answer_state import AnswerState, names_of
from .session import MarkingSession

PAGES = TEMPLATES.overlay(
    loader=ChoiceLoader(
        [FileSystemLoader(Path(__file__).parent / "templates"), TEMPLATES.loader or FileSystemLoader("")]
    )
)


class PageHandler(RequestHandler):
    """Base of all pages.

    Attributes
    ----------
    session : MarkingSession
        Work that the page shows; a base with a login sets it before the request is answered.
    place : str
        Path of the session's pages on the server, with a slash at both ends.
    refusal : str
        Sentence for somebody who may not see the page.
    """

    session: MarkingSession
    place = "/"
    refusal = ""

    def set_default_headers(self) -> None:
        """Let the page load nothing but its own script and style."""
        super().set_default_headers()
        self.nonce = secrets.token_urlsafe(16)
        self.set_header(
            "Content-Security-Policy",
            f"default-src 'none'; script-src 'nonce-{self.nonce}'; style-src 'unsafe-inline'; img-src data:; "
            "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        )
        for name, value in {
            "Cache-Control": "no-store",
            "Referrer-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        }.items():
            self.set_header(name, value)
        self.clear_header("Server")

    @property
    def xsrf(self) -> str:
        """Token that requests of the page must carry; empty if the login needs none."""
        return ""

    def show(self, template: str, heading: str, states: list[AnswerState], **more: Any) -> None:
        """Render a page."""
        session = self.session
        done = sum(state.done for state in states)
        self.finish(
            PAGES.get_template(template).render(
                heading=heading,
                lab=lab_title(session.lab),
                question=session.question,
                marker=session.marker,
                done=done,
                count=len(states),
                left=len(states) - done,
                nonce=self.nonce,
                place=self.place,
                xsrf=self.xsrf,
                rubric=session.rubric,
                **more,
            )
        )

    def write_error(self, status_code: int, **more: Any) -> None:
        """Answer an error with its sentence, and nothing of the program."""
        problem = more.get("exc_info", (None, None, None))[1]
        said = str(problem) if isinstance(problem, (ValueError, OSError)) else ""
        if status_code == 403:
            said = self.refusal
        self.set_header("Content-Type", "application/json" if self.request.method == "POST" else "text/plain")
        text = said or self._reason
        self.finish(json.dumps({"error": text}) if self.request.method == "POST" else text)

    def log_exception(self, kind: Any, problem: Any, trace: Any) -> None:
        """Log an error, unless it is a sentence for the marker."""
        if not isinstance(problem, ValueError):
            super().log_exception(kind, problem, trace)

    def body(self) -> dict[str, Any]:
        """Return the JSON object of a request."""
        try:
            data = json.loads(self.request.body)
        except ValueError:
            raise HTTPError(400) from None
        if not isinstance(data, dict):
            raise HTTPError(400)
        return data

    def student_at(self, position: str) -> str:
        """Return the student at a position of the page, counted from 1."""
        number = int(position)
        if not 1 <= number <= len(self.session.students):
            raise HTTPError(404)
        return self.session.students[number - 1]

    def names(self, student: str) -> list[str]:
        """Return what would say who a student is: the id first, then first and last name."""
        with open_gradebook(self.session.course.directory) as book:
            return names_of(book.find_student(student)) if book else [student, ""]
