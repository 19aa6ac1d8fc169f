"""Formgrader: its list of submissions and its pages, for names and files that students choose."""

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from markupsafe import escape
from nbgrader.apps import NbGraderAPI
from nbgrader.server_extensions.formgrader import handlers
from nbgrader.server_extensions.formgrader.base import BaseHandler
from tornado.web import StaticFileHandler

UNESCAPED = "render_unescaped"
_LAST_LINK = "Manage Students</a></li>"


def replace_submission_times(submission_time: Callable[[Any, str, str], datetime | None]) -> None:
    """Have formgrader's lists ask ``submission_time(course directory, lab, student)`` when work was submitted.

    Replaces ``NbGraderAPI.get_submitted_timestamp``: it opens every ``timestamp.txt``, so a pipe or an invalid date in
    one submission stops the list of the whole class.
    """

    def get_submitted_timestamp(self: NbGraderAPI, assignment_id: str, student_id: str) -> datetime | None:
        return submission_time(self.coursedir, assignment_id, student_id)

    NbGraderAPI.get_submitted_timestamp = get_submitted_timestamp


def escape_page_values() -> None:
    """Escape all values that formgrader's pages are given, and add a link to the marking pages.

    Replaces ``BaseHandler.render``: nbgrader's templates write a student's id into HTML and scripts unescaped, and
    the id is the name of a folder, which a learning platform makes from a name that the student typed.
    """
    if not hasattr(BaseHandler, UNESCAPED):
        setattr(BaseHandler, UNESCAPED, BaseHandler.render)

        def render(self: BaseHandler, name: str, **values: Any) -> str:
            page: str = getattr(self, UNESCAPED)(name, **escape_values(values))
            link = f'<li role="presentation"><a href="{escape(self.base_url)}/marking/">Marking page</a></li>'
            return page.replace(_LAST_LINK, f"{_LAST_LINK}{link}", 1)

        BaseHandler.render = render


def escape_values(value: Any) -> Any:
    """Escape text, and text in dictionaries, for HTML and for quotation marks in a script."""
    if isinstance(value, dict):
        return {key: escape_values(item) for key, item in value.items()}
    return escape(value) if isinstance(value, str) else value


# nbconvert's default, which is a request to another company's server.
_MATHJAX = re.compile(r'<script src="https://[^"]*/mathjax/[^"]*"')
_ROUTE = r"/formgrader/mathjax/(.*)"


def extend_submission_pages(style: str, mathjax: Path | None) -> None:
    """Add a style sheet to formgrader's pages of submissions, and have them load MathJax from a folder of this machine.

    Extends ``handlers.default_handlers`` and ``SubmissionHandler.write``. The style sheet comes last in the page's head:
    one that a preprocessor adds to ``resources["inlining"]`` is lost, because the template's own preprocessor, which runs
    after all others, replaces that entry. The template calls nbconvert's macro for MathJax without an address; without a
    folder that address stays.
    """
    routes = handlers.default_handlers
    routes[:] = [route for route in routes if route[0] != _ROUTE]
    if mathjax is not None:
        routes.insert(0, (_ROUTE, StaticFileHandler, {"path": str(mathjax)}))

    def write(self: BaseHandler, chunk: Any) -> None:
        if isinstance(chunk, str):
            if mathjax is not None:
                address = f"{self.base_url}/formgrader/mathjax/MathJax.js?config=TeX-AMS_CHTML-full,Safe"
                chunk = _MATHJAX.sub(f'<script src="{address}"', chunk, count=1)
            chunk = chunk.replace("</head>", f"<style>{style}</style></head>", 1)
        BaseHandler.write(self, chunk)

    handlers.SubmissionHandler.write = write


def course_folder(settings: dict[str, Any]) -> Path | None:
    """Return the course folder that formgrader shows on a Jupyter server, from the server's settings; None without formgrader.

    Relies on the setting ``nbgrader_formgrader``, which follows the folder that somebody opens in formgrader.
    """
    formgrader = settings.get("nbgrader_formgrader")
    return None if formgrader is None else Path(formgrader.coursedir.root)
