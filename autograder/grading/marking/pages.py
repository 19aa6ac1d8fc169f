"""Marking pages of one session: answers, changes of marks, likeness, re-scoring."""

import asyncio
from collections.abc import Callable

from tornado.web import HTTPError, RequestHandler

from ..gradebook.marks import format_points
from .answer_state import AnswerState
from .answer_view import answer_view, hide_names
from .likeness import MODEL
from .page_handler import PAGES, PageHandler

MAX_PASSAGE = 2_000  # characters of a passage that are shown


class StartPage(PageHandler):
    """Leads to the first answer that waits for marks."""

    def get(self) -> None:
        """Look for new submissions, and go to the first unmarked answer."""
        self.session.find_students()
        states = self.session.states()
        number = next_unmarked(states, 0)
        self.redirect(f"{self.place}answers/{number}" if number else f"{self.place}done")


class AnswerPage(PageHandler):
    """One answer with the rubric."""

    def get(self, position: str) -> None:
        """Show an answer; with ``names=yes`` also whose it is."""
        session, student, number = self.session, self.student_at(position), int(position)
        if session.pending().changed:
            self.redirect(f"{self.place}rescore")
            return
        states, sheet = session.states(), session.sheet()
        state, named = states[number - 1], self.get_query_argument("names", "") == "yes"
        names = self.names(student)
        self.show(
            "answer.html.j2",
            f"Answer {number} of {len(states)}",
            states,
            position=number,
            state=state,
            named=f"{names[1].strip()} ({names[0]})" if named else "",
            view=answer_view(session.result(student), session.lab, session.question, () if named else names),
            next=next_unmarked(states, number) or number,
            previous=number - 1 if number > 1 else len(states),
            snippets=list(dict.fromkeys([*session.rubric.comments, *sheet.snippets])),
            would=session.rubric.score(state.lines),
            worth=session.lab.by_hand[session.question],
        )


class LikenessPart(PageHandler):
    """Part of an answer's page, loaded after it: what the answer shares with other texts."""

    async def get(self, position: str) -> None:
        """Compare outside of the event loop, because the first comparison loads the answers of the class."""
        session, student = self.session, self.student_at(position)
        named = self.get_query_argument("names", "") == "yes"
        found, more = await asyncio.to_thread(session.likenesses, student)
        order, shown = session.sheet().order, []
        for one in found:
            hidden = [] if named else [*self.names(student), *(self.names(one.other) if one.other != MODEL else ())]
            passages = (hide_names(text[:MAX_PASSAGE], hidden) for text in (one.here, one.there))
            other = "the model answer"
            if one.other != MODEL:
                # Its number on this page, if it is there: another marker's answers have none.
                place = session.students.index(one.other) + 1 if one.other in session.students else 0
                number = (
                    f"answer {place}" if place else f"another marker's answer (number {order.index(one.other) + 1})"
                )
                other = one.other if named else number
            shown.append((other, round(100 * one.share), one.longest, *passages))
        self.finish(PAGES.get_template("likeness.html.j2").render(likenesses=shown, more=more))


class ChangePage(PageHandler):
    """Keeps a draft, or gives points."""

    def post(self, position: str, what: str) -> None:
        """Store lines and comment of an answer."""
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


class UndoPage(PageHandler):
    """Takes back the marker's last mark."""

    def post(self) -> None:
        """Take it back, and say which answer it was."""
        student = self.session.undo()
        known = student in self.session.students
        self.finish(
            {"position": self.session.students.index(student) + 1}
            if known and student
            else {"position": 0, "message": "There is nothing of yours to undo."}
        )


class SnippetPage(PageHandler):
    """Keeps a comment for other answers."""

    def post(self) -> None:
        """Keep it."""
        self.session.keep_snippet(str(self.body().get("text", "")))
        self.finish({})


class RescorePage(PageHandler):
    """Page of the answers that a changed rubric would re-score."""

    def get(self) -> None:
        """Show each answer with its points before and after."""
        plan = self.session.pending()
        if not plan.changed:
            self.redirect(self.place)
            return
        order = self.session.sheet().order
        rows = sorted(((row, order.index(row.student) + 1) for row in plan.rows), key=lambda row: row[1])
        self.show("rescore.html.j2", "The rubric has changed", self.session.states(), plan=plan, rows=rows)

    def post(self) -> None:
        """Re-score."""
        self.session.rescore()
        self.finish({})


class DonePage(PageHandler):
    """Page at the end of the list."""

    def get(self) -> None:
        """Show it."""
        states = self.session.states()
        heading = "Done" if all(state.done for state in states) else "Marking"
        self.show("done.html.j2", heading, states, last=len(states))


ROUTES: dict[str, type[PageHandler]] = {
    r"/": StartPage,
    r"/answers/(\d{1,6})": AnswerPage,
    r"/answers/(\d{1,6})/likeness": LikenessPart,
    r"/answers/(\d{1,6})/(draft|give)": ChangePage,
    r"/undo": UndoPage,
    r"/snippets": SnippetPage,
    r"/rescore": RescorePage,
    r"/done": DonePage,
}


def page_routes(prefix: str, login: type[PageHandler]) -> list[tuple[str, type[RequestHandler]]]:
    """Return the pages of a session below a prefix, a regular expression, each behind a login."""
    return [(prefix + path, type(page.__name__, (page, login), {})) for path, page in ROUTES.items()]


def next_unmarked(states: list[AnswerState], place: int) -> int:
    """Return the position, from 1, of the next answer after ``place`` that is not marked, around the end; 0 if none is."""
    after = [*range(place, len(states)), *range(min(place, len(states)))]
    return next((at + 1 for at in after if not states[at].done), 0)
