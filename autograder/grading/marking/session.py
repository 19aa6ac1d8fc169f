"""One marker's work on one question: what is to be marked, and every change of a mark."""

import threading
from collections.abc import Collection, Mapping
from pathlib import Path

from ..gradebook.backup import back_up
from ..gradebook.course import open_course
from ..gradebook.database import open_gradebook
from ..gradebook.marks import Marks, load_marks
from ..gradebook.notebook_renames import rename_notebook_entries
from ..lab import Lab, load
from ..result import UNREADABLE, Result
from ..result_store import ResultStore
from .answer_state import AnswerState, answer_state
from .answer_view import answer_text, autograded_result, released_answer
from .gradebook_entry import GradebookEntry, open_entries
from .likeness import AnswerTexts, ClassLikeness, Likeness
from .mark_sheet import Change, MarkSheet, RubricMark, load_sheet, now, open_sheet, sheet_file
from .questions import choose_question
from .rescore import Rescore, plan_rescore
from .rubric import Rubric, load_rubric, model_answer

MAX_COMMENT = 10_000  # characters


class MarkingSession:
    """One marker's work on one question.

    Parameters
    ----------
    root : path
        The course folder.
    lab : str
        Name of the lab.
    question : str, optional
        ``grade_id`` of the answer cell; the first question that waits for marks if omitted.
    marker : str
        Name of the marker; empty if there is only one.
    part, parts : int
        Share of the answers, counted from 1.
    sample : int
        Number of answers that every marker marks; 0 keeps an earlier number.

    Raises
    ------
    ValueError
        If there is no such lab, question, rubric or graded submission; the message says what to do.
    """

    def __init__(
        self,
        root: str | Path,
        lab: str,
        question: str = "",
        marker: str = "",
        part: int = 1,
        parts: int = 1,
        sample: int = 0,
    ) -> None:
        if not 1 <= part <= parts:
            raise ValueError(f"a share is K/N with K from 1 to N, such as 1/3, got {part}/{parts}")
        self.course = open_course(root)
        self.root = self.course.root
        self.lab: Lab = load(self.root, lab)
        self.store = ResultStore.of(self.root, lab)
        rename_notebook_entries(self.course.directory, lab, self.lab.notebook)
        marks = self.load_marks()
        self.question = choose_question(self.lab, question, marks)
        self.marker, self.part, self.parts = marker, part, parts
        self.file = sheet_file(self.root, lab, self.question)
        self.students: list[str] = []
        self._sample, self._compared = sample, threading.Lock()
        self._likeness: ClassLikeness | None = None
        self._stamps: list[int] = []
        self.reload_rubric()
        back_up(self.course.directory)
        self.find_students(marks)

    def reload_rubric(self) -> None:
        """Load the rubric, which may have changed since."""
        self.rubric: Rubric = load_rubric(self.root, self.lab, self.question)

    def find_students(self, marks: Mapping[str, Marks] | None = None) -> None:
        """Enter students whose answers a person has to mark, late ones last; ValueError if there are none."""
        counted = self.load_marks() if marks is None else marks
        students = [student for student, one in counted.items() if self._to_mark(student, one)]
        if not students:
            raise ValueError(
                f"nothing of {self.lab.name} waits for marks by hand: run `autograder grade {self.lab.name}` first"
            )
        with open_sheet(self.file, self.lab.name, self.question) as sheet:
            sheet.enter(students)
            sheet.sample = min(self._sample, len(sheet.order)) or sheet.sample
            if not sheet.marks:
                sheet.remember_rubric(self.rubric)
        present = set(students)
        self.students = [student for student in self.sheet().share(self.part, self.parts) if student in present]

    def likenesses(self, student: str) -> tuple[list[Likeness], int]:
        """Return what an answer shares with others and the model answer, and how many more are alike; safe in threads."""
        with self._compared:
            files = [self.store.file(one) for one in self.sheet().order]
            stamps = [file.stat().st_mtime_ns for file in files if file.is_file()]
            if self._likeness is None or stamps != self._stamps:
                texts = AnswerTexts(self.lab, self.question)
                for result in self.store:
                    texts.add(result)
                self._likeness = texts.likeness(model_answer(self.root, self.lab.name, self.question))
                self._stamps = stamps
            return self._likeness.likenesses(student)

    def load_marks(self) -> dict[str, Marks]:
        """Load the marks of the lab from the gradebook, by student."""
        with open_gradebook(self.course.directory) as book:
            return load_marks(book, self.lab.name)

    def sheet(self) -> MarkSheet:
        """Load the stored lines."""
        return load_sheet(self.file, self.lab.name, self.question)

    def result(self, student: str) -> Result:
        """Return a student's graded submission."""
        place = self.course.autograded(self.lab.name, student) / f"{self.lab.notebook}.ipynb"
        found = self.store.get(student) or autograded_result(place, self.lab, student)
        if found is None:
            raise ValueError(
                f"the graded notebook of an answer is missing: run `autograder grade {self.lab.name}` again"
            )
        return found

    def states(self) -> list[AnswerState]:
        """Return the state of each answer of this marker's share, in the order of the page."""
        sheet, marks = self.sheet(), self.load_marks()
        return [
            answer_state(student, sheet, marks.get(student, Marks()), self.rubric, self.marker)
            for student in self.students
        ]

    def save_draft(self, student: str, lines: Collection[str], comment: str) -> float:
        """Keep lines and comment without giving points; return the points that they would give."""
        chosen = self._valid(lines, comment)
        with open_sheet(self.file, self.lab.name, self.question) as sheet:
            sheet.drafts.setdefault(self.marker, {})[student] = {"lines": list(chosen), "comment": comment}
        return self.rubric.score(chosen)

    def give(self, student: str, lines: Collection[str], comment: str) -> float:
        """Give an answer its points: lines to the file, then points and comment to the gradebook; return the points."""
        chosen = self._valid(lines, comment)
        mark = RubricMark(chosen, comment.strip(), self.rubric.score(chosen), self.marker, now())
        with (
            open_entries(self.course, self.lab, self.question) as entries,
            open_sheet(self.file, self.lab.name, self.question) as sheet,
        ):
            if self.pending(sheet, {}).changed:
                raise ValueError("the rubric has changed: re-score the answers that were marked with it first")
            entry = entries.read(student)
            before = sheet.mark_of(student, self.marker)
            counts = sheet.put(mark, student, self.marker)
            sheet.remember_rubric(self.rubric)
            sheet.drafts.get(self.marker, {}).pop(student, None)
            kept = [entry.points, entry.comment, entry.waiting] if counts else None
            sheet.history.append(Change("give", student, self.marker, mark.at, before, mark, kept))
            if counts:
                entries.write(student, GradebookEntry(mark.points, mark.comment, False))
        return mark.points

    def undo(self) -> str | None:
        """Take back this marker's last given mark, in file and gradebook; return the student, or None if there is none.

        Raises
        ------
        ValueError
            If the gradebook has other points than were given, because somebody changed them since.
        """
        with (
            open_entries(self.course, self.lab, self.question) as entries,
            open_sheet(self.file, self.lab.name, self.question) as sheet,
        ):
            last = sheet.last_given(self.marker)
            if last is None or last.after is None:
                return None
            if last.entry is not None:
                entry = entries.read(last.student)
                if entry.points != last.after.points or entry.comment != last.after.comment:
                    raise ValueError(
                        "the gradebook was changed since you gave these points, so they stay: mark the answer anew"
                    )
            sheet.put(last.before, last.student, self.marker)
            # The lines stay as a draft, so that a slip of the finger costs nothing.
            draft = {"lines": list(last.after.lines), "comment": last.after.comment}
            sheet.drafts.setdefault(self.marker, {})[last.student] = draft
            sheet.history.append(Change("undo", last.student, self.marker, now(), last.after, last.before, None))
            if last.entry is not None:
                points, comment, waiting = last.entry
                entries.write(last.student, GradebookEntry(points, comment, waiting))
        return last.student

    def keep_snippet(self, text: str) -> None:
        """Keep a comment for other answers."""
        with open_sheet(self.file, self.lab.name, self.question) as sheet:
            if (text := text.strip()[:MAX_COMMENT]) and text not in sheet.snippets:
                sheet.snippets.append(text)

    def pending(self, sheet: MarkSheet | None = None, marks: Mapping[str, Marks] | None = None) -> Rescore:
        """Return what a changed rubric would re-score."""
        counted = self.load_marks() if marks is None else marks
        return plan_rescore(sheet or self.sheet(), self.rubric, counted)

    def rescore(self) -> Rescore:
        """Re-score the answers that were marked with changed lines; return what was done."""
        with (
            open_entries(self.course, self.lab, self.question) as entries,
            open_sheet(self.file, self.lab.name, self.question) as sheet,
        ):
            plan = self.pending(sheet)
            for row in plan.rows:
                before, entry = sheet.marks[row.student], entries.read(row.student)
                after = RubricMark(row.lines, before.comment, row.after, before.marker, now())
                sheet.marks[row.student] = after
                kept = [entry.points, entry.comment, entry.waiting]
                sheet.history.append(Change("re-score", row.student, before.marker, after.at, before, after, kept))
            for student, marker, mark in plan.second:
                sheet.second[student][marker] = mark
            sheet.remember_rubric(self.rubric)
            for row in plan.rows:
                if not row.differs:
                    entry = entries.read(row.student)
                    entries.write(row.student, GradebookEntry(row.after, entry.comment, entry.waiting))
        return plan

    def _valid(self, lines: Collection[str], comment: str) -> tuple[str, ...]:
        if unknown := sorted(line for line in lines if not self.rubric.line(line)):
            raise ValueError(f"the rubric has no line {unknown[0]!r}: load the page again")
        if len(comment) > MAX_COMMENT:
            raise ValueError(f"a comment has at most {MAX_COMMENT} characters")
        return tuple(line.id for line in self.rubric.lines if line.id in lines)

    def _to_mark(self, student: str, marks: Marks) -> bool:
        """Whether a person has to mark a student's answer, or has done so; not if it was left as released."""
        entry = marks.cells.get(self.question)
        if entry is None or ((result := self.store.get(student)) is not None and result.status == UNREADABLE):
            return False
        if entry.manual is not None or entry.waiting:
            return True
        return result is not None and answer_text(result, self.question) != released_answer(self.lab, self.question)
