"""Small server of the marking page: this machine only, behind a random token, one question for everybody."""

import asyncio
import secrets
from collections.abc import Callable

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError

from ..gradebook.database import open_gradebook
from ..gradebook.marks import format_points
from .answer_state import AnswerState, names_of
from .answer_view import answer_view
from .page_handler import HOST, PageHandler
from .session import MarkingSession

MAX_BODY = 200_000  # bytes of a request


class _Start(PageHandler):
    def get(self) -> None:
        states = self.session.states()
        self.redirect(f"/answers/{place}" if (place := next_unmarked(states, 0)) else "/done")


class _Answer(PageHandler):
    def get(self, position: str) -> None:
        session, student, place = self.session, self.student_at(position), int(position)
        if session.pending().changed:
            self.redirect("/rescore")
            return
        states, sheet = session.states(), session.sheet()
        state = states[place - 1]
        with open_gradebook(session.course.directory) as book:
            names = names_of(book.find_student(student)) if book else [student]
        self.show(
            "answer.html.j2",
            f"Answer {place} of {len(states)}",
            states,
            position=place,
            state=state,
            view=answer_view(session.result(student), session.lab, session.question, names),
            next=next_unmarked(states, place) or place,
            previous=place - 1 if place > 1 else len(states),
            snippets=list(dict.fromkeys([*session.rubric.comments, *sheet.snippets])),
            would=session.rubric.score(state.lines),
            worth=session.lab.by_hand[session.question],
        )


class _Change(PageHandler):
    def post(self, position: str, what: str) -> None:
        data, student = self.body(), self.student_at(position)
        lines, comment = data.get("lines"), data.get("comment")
        if (
            not isinstance(lines, list)
            or not all(isinstance(line, str) for line in lines)
            or not isinstance(comment, str)
        ):
            raise HTTPError(400)
        act: Callable[..., float] = self.session.give if what == "give" else self.session.save_draft
        points = act(student, lines, comment)
        following = next_unmarked(self.session.states(), int(position)) if what == "give" else 0
        self.finish({"points": format_points(points), "next": following})


class _Undo(PageHandler):
    def post(self) -> None:
        student = self.session.undo()
        known = student in self.session.students
        self.finish(
            {"position": self.session.students.index(student) + 1}
            if known and student
            else {"position": 0, "message": "There is nothing of yours to undo."}
        )


class _Snippets(PageHandler):
    def post(self) -> None:
        self.session.keep_snippet(str(self.body().get("text", "")))
        self.finish({})


class _Rescore(PageHandler):
    def get(self) -> None:
        plan = self.session.pending()
        if not plan.changed:
            self.redirect("/")
            return
        order = self.session.sheet().order
        rows = sorted(((row, order.index(row.student) + 1) for row in plan.rows), key=lambda row: row[1])
        self.show("rescore.html.j2", "The rubric has changed", self.session.states(), plan=plan, rows=rows)

    def post(self) -> None:
        self.session.rescore()
        self.finish({})


class _Done(PageHandler):
    def get(self) -> None:
        states = self.session.states()
        self.show(
            "done.html.j2", "Done" if all(state.done for state in states) else "Marking", states, last=len(states)
        )


def next_unmarked(states: list[AnswerState], place: int) -> int:
    """Return the position, from 1, of the next answer after ``place`` that is not marked, around the end; 0 if none is."""
    after = [*range(place, len(states)), *range(min(place, len(states)))]
    return next((at + 1 for at in after if not states[at].done), 0)


def marking_application(session: MarkingSession, token: str) -> Application:
    """Return the pages of a session behind a token."""
    routes = [
        (r"/", _Start),
        (r"/answers/(\d{1,6})", _Answer),
        (r"/answers/(\d{1,6})/(draft|give)", _Change),
        (r"/undo", _Undo),
        (r"/snippets", _Snippets),
        (r"/rescore", _Rescore),
        (r"/done", _Done),
    ]
    given = {"session": session, "token": token}
    return Application([(*route, given) for route in routes], log_function=lambda handler: None)


def serve_marking(session: MarkingSession, port: int, started: Callable[[str], None]) -> None:
    """Serve a session until the process is interrupted.

    Parameters
    ----------
    session : MarkingSession
    port : int
        Port on this machine; 0 takes a free one.
    started : callable
        Gets the address with its token when the server answers.

    Raises
    ------
    ValueError
        If the port is in use.
    """
    token = secrets.token_urlsafe(32)

    async def run() -> None:
        try:
            sockets = bind_sockets(port, HOST)
        except OSError as problem:
            raise ValueError(f"port {port} cannot be used ({problem.strerror}): give another --port, or none") from None
        server = HTTPServer(marking_application(session, token), max_body_size=MAX_BODY, max_buffer_size=MAX_BODY)
        server.add_sockets(sockets)
        started(f"http://{HOST}:{sockets[0].getsockname()[1]}/?token={token}")
        await asyncio.Event().wait()

    asyncio.run(run())
