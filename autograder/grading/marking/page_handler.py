"""What all pages of the marking server share: who may see them, and what they may load."""

import json
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import ChoiceLoader, FileSystemLoader
from tornado.web import HTTPError, RequestHandler

from ..reports.feedback_page import TEMPLATES, lab_title
from .answer_state import AnswerState
from .session import MarkingSession

HOST = "127.0.0.1"
PAGES = TEMPLATES.overlay(
    loader=ChoiceLoader(
        [FileSystemLoader(Path(__file__).parent / "templates"), TEMPLATES.loader or FileSystemLoader("")]
    )
)


class PageHandler(RequestHandler):
    """What all pages share: who may see them, and what they may load."""

    def initialize(self, session: MarkingSession, token: str) -> None:
        """Take the session that the pages show, and the token that they need."""
        self.session, self.token = session, token

    def set_default_headers(self) -> None:
        """Let the page load nothing but its own script and style."""
        self.nonce = secrets.token_urlsafe(16)
        self.set_header(
            "Content-Security-Policy",
            f"default-src 'none'; script-src 'nonce-{self.nonce}'; style-src 'unsafe-inline'; img-src data:; "
            "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        )
        for name, value in {
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        }.items():
            self.set_header(name, value)
        self.clear_header("Server")

    def prepare(self) -> None:
        """Refuse everybody without the token, other names of this host, and requests from other pages."""
        # Another site's name that leads to this machine would make its pages ours.
        host = urlsplit(f"//{self.request.host}").hostname
        if host not in (HOST, "localhost"):
            raise HTTPError(403)
        given = self.get_query_argument("token", "")
        cookie = self.get_cookie(self.cookie) or ""
        if given and secrets.compare_digest(given.encode(), self.token.encode()):
            self.set_cookie(self.cookie, self.token, httponly=True, samesite="Strict", path="/")
            self.redirect("/")
            return
        if not secrets.compare_digest(cookie.encode(), self.token.encode()):
            raise HTTPError(403)
        if self.request.method == "POST":
            origin = self.request.headers.get("Origin", "")
            kind = self.request.headers.get("Content-Type", "").partition(";")[0]
            if origin != f"http://{self.request.host}" or kind != "application/json":
                raise HTTPError(403)

    @property
    def cookie(self) -> str:
        """Name of the cookie; browsers share cookies among the ports of a host."""
        return f"marking-{self.request.host.rpartition(':')[2]}"

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
                rubric=session.rubric,
                **more,
            )
        )

    def write_error(self, status_code: int, **more: Any) -> None:
        """Answer an error with its sentence, and nothing of the program."""
        problem = more.get("exc_info", (None, None, None))[1]
        said = str(problem) if isinstance(problem, (ValueError, OSError)) else ""
        if status_code == 403:
            said = "Open the address that `autograder mark` printed: it holds a token."
        self.set_header("Content-Type", "application/json" if self.request.method == "POST" else "text/plain")
        text = said or self._reason
        self.finish(json.dumps({"error": text}) if self.request.method == "POST" else text)

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
        place = int(position)
        if not 1 <= place <= len(self.session.students):
            raise HTTPError(404)
        return self.session.students[place - 1]
