"""Marking pages on a Jupyter server, behind the login of formgrader: ``marking/`` below the server's address."""

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from jupyter_server.base.handlers import JupyterHandler
from tornado.web import HTTPError, RequestHandler, authenticated

from ..gradebook.course import open_course
from ..nbgrader_compat.formgrader import course_folder
from .page_handler import PAGES, PageHandler
from .pages import page_routes
from .questions import written_questions
from .session import MarkingSession

SETTING = "chip2cluster_marking_sessions"
ADDRESS = "/marking"
_SESSION = r"/([^/]+)/([^/]+)/(\d{1,3})of(\d{1,3})"


class LoginPage(PageHandler, JupyterHandler):
    """Base of pages that people see who are logged in to the server; the marker is who is logged in to the hub."""

    refusal = "Log in first, or load the page again: its token has expired."

    def initialize(self, arguments: list[str]) -> None:
        """Take the parts of the path: lab, question and share, then what the page's methods get."""
        self.arguments = arguments

    async def prepare(self) -> None:  # type: ignore[override]
        """Refuse everybody who is not logged in, and requests from other pages."""
        await super().prepare()
        # For GET it leads to the login, for POST it refuses.
        self.path_args = []
        authenticated(_pass)(self)
        if self._finished:
            return
        self.root = self._course_folder()
        self._open_session()

    def _open_session(self) -> None:
        lab, question, part, parts = self.arguments[:4]
        self.path_args = self.arguments[4:]
        self.session = open_session(self.settings, self.root, lab, question, self.marker, int(part), int(parts))
        self.place = f"{self.home}{quote(lab)}/{quote(question)}/{int(part)}of{int(parts)}/"
        self.session.reload_rubric()

    @property
    def home(self) -> str:
        """Path of the list of questions."""
        return f"{self.base_url.rstrip('/')}{ADDRESS}/"

    @property
    def marker(self) -> str:
        """Name on the hub; empty on a server of one person, whose name Jupyter makes up."""
        user = self.current_user
        return str(user.username) if "JUPYTERHUB_SERVICE_PREFIX" in os.environ and user else ""

    @property
    def xsrf(self) -> str:
        """Token that requests of the page must carry."""
        return self.xsrf_token.decode()

    def _course_folder(self) -> Path:
        folder = course_folder(self.settings) or Path(self.settings.get("server_root_dir", "."))
        folder = folder.expanduser()
        if not (folder / "nbgrader_config.py").is_file():
            raise ValueError(
                f"{folder} is no course folder: start Jupyter in the folder that holds nbgrader_config.py, or open the course "
                "in formgrader first"
            )
        return folder


class QuestionsPage(LoginPage):
    """List of the written questions, and a form that opens one."""

    def _open_session(self) -> None:
        pass

    def get(self) -> None:
        """Show the list."""
        self.finish(
            PAGES.get_template("questions.html.j2").render(
                heading="Marking",
                questions=[*written_questions(open_course(self.root))],
                marker=self.marker,
                nonce=self.nonce,
                place=self.home,
                xsrf=self.xsrf,
                formgrader=f"{self.base_url.rstrip('/')}/formgrader",
            )
        )

    def post(self) -> None:
        """Open a question with a share, and go there."""
        lab, _, question = self.get_body_argument("question").partition("/")
        share = re.fullmatch(r"\s*(\d{1,3})\s*(?:/|of)\s*(\d{1,3})\s*", self.get_body_argument("share", "1/1"))
        sample = self.get_body_argument("sample", "").strip() or "0"
        if not share or not re.fullmatch(r"\d{1,5}", sample):
            raise HTTPError(400, reason="A share is K/N such as 1/3, and a sample is a number of answers")
        part, parts = int(share[1]), int(share[2])
        open_session(self.settings, self.root, lab, question, self.marker, part, parts, int(sample))
        self.redirect(f"{self.home}{quote(lab)}/{quote(question)}/{part}of{parts}/", status=303)


def open_session(
    settings: dict[str, Any], root: Path, lab: str, question: str, marker: str, part: int, parts: int, sample: int = 0
) -> MarkingSession:
    """Return the session of a marker, made when it is first asked for, and anew for another sample.

    Raises
    ------
    ValueError
        If there is nothing to mark; the message says what to do.
    """
    sessions: dict[tuple[object, ...], MarkingSession] = settings.setdefault(SETTING, {})
    key = root, lab, question, marker, part, parts
    if sample or key not in sessions:
        if lab not in {folder.name for folder in Path(root, "labs").glob("*/")}:
            raise ValueError(f"there is no lab {lab!r} in {root}")
        sessions[key] = MarkingSession(root, lab, question, marker, part, parts, sample=sample)
    return sessions[key]


def _pass(page: RequestHandler) -> None:
    """Do nothing for somebody who is logged in."""


class MissingPage(LoginPage):
    """Answer to an address without a page."""

    def _open_session(self) -> None:
        raise HTTPError(404)


def find_page(base_url: str, path: str) -> tuple[type[RequestHandler], list[str]]:
    """Return the page at a path of the server, and the parts of the path that it needs."""
    prefix = re.escape(base_url) + ADDRESS
    for pattern, page in [(f"{prefix}/?", QuestionsPage), *page_routes(prefix + _SESSION, LoginPage)]:
        if found := re.fullmatch(pattern, path):
            return page, [unquote(part) for part in found.groups()]
    return MissingPage, []
