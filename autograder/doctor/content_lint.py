"""Find unfinished content: a missing file, an id that no notebook uses, a skeleton that is not filled in.

A chapter has a notebook, predictions, an explorer that the book can show, exercises and goals; a lab has a chapter, notes
for instructors and a released version. Each problem is one line that names the file to write or change. Cells of an
exercise that stand in another exercise, an exercise that no goal lists, and a slide text that a
class cannot be shown, are problems as well.
"""

import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from chip2cluster import _pages

from .. import course_pages, slide_texts
from ..scaffold import MARK, misplaced_cells, unfilled

if TYPE_CHECKING:
    from chip2cluster.explore import Explorer

CHAPTERS, PICTURES = "course/chip2cluster/chapters", "course/chip2cluster/draw/pictures"


def content_problems() -> list[str]:
    """Return every problem of this course's content; none if the package is installed without a checkout."""
    root = Path(__file__).resolve().parents[2]
    if not (root / "course" / _pages.FIRST).is_file():
        return []
    from chip2cluster import explore, predict

    from ..exercises import exercises, own_exercise_ids

    questions = [question.id for question in predict.QUESTIONS]
    ours = [name for name in exercises() if name not in own_exercise_ids()]
    return CourseContent(root, ours, questions, explore.explorers()).problems()


def unfilled_own_labs(root: Path) -> list[str]:
    """Return a line for each file of an instructor's own exercises and assignments that is still a skeleton."""
    folders = sorted(root.glob("exercises/*_lab/"))
    files = [file for folder in folders for file in sorted(folder.glob("*.py"))]
    for folder in folders:
        topic = folder.name.removesuffix("_lab")
        files += [
            file for file in sorted(root.glob(f"solutions/*_{topic}/*")) if file.suffix in (".ipynb", ".md", ".toml")
        ]
    return [
        f"{file.relative_to(root).as_posix()} says {MARK} in {len(places)} places, first: {places[0]}"
        for file in files
        if (places := unfilled(file))
    ]


@dataclass(frozen=True)
class CourseContent:
    """A course folder, with the ids of its exercises and predictions, and its explorers by name."""

    root: Path
    exercises: Collection[str]
    questions: Collection[str]
    explorers: Mapping[str, "type[Explorer]"]

    def problems(self) -> list[str]:
        """Return one line for each problem."""
        parts = (
            self._chapters,
            self._exercises,
            self._misplaced,
            self._questions,
            self._explorers,
            self._labs,
            self._goals,
            self._slides,
            self._skeletons,
        )
        return [line for part in parts for line in part()]

    @property
    def chapters(self) -> list[Path]:
        """Notebooks of the chapters, in order."""
        return list(_pages.chapters(self.root / "course").values())

    @property
    def pages(self) -> list[Path]:
        """All notebooks of the course: chapters and others, which may have predictions and explorers as well."""
        return sorted((self.root / "course").glob("*.ipynb"))

    @property
    def labs(self) -> list[Path]:
        """Solution notebooks of the labs, whether they exist or not."""
        folders = sorted(folder for folder in self.root.glob("solutions/*_*") if folder.is_dir())
        notebooks = [course_pages.lab_notebook(folder) for folder in folders]
        # An instructor's own assignment checks no exercise and has no chapter.
        return [page for page in notebooks if not page.is_file() or course_pages.checked_exercises(page)]

    @property
    def _existing_notebooks(self):
        """Notebooks that exist."""
        return [page for page in [*self.chapters, *self.labs] if page.is_file()]

    def _chapters(self) -> Iterator[str]:
        numbers = Counter(map(course_pages.number, self.chapters))
        for page in self.chapters:
            topic, name = course_pages.topic(page), self._name(page)
            if numbers[course_pages.number(page)] > 1:
                yield f"{name} has the number of another chapter"
            if not course_pages.title(page):
                yield f"{name} must begin with the heading # {course_pages.number(page)} · NAME: QUESTION"
            if not course_pages.prediction_ids(page):
                yield f"{name} asks no question: {self._or_missing(_predictions(topic), 'is asked nowhere')}"
            if not course_pages.explorer_names(page):
                yield f"{name} shows no explorer: {self._or_missing(f'{CHAPTERS}/{topic}/explorers/{topic}.py', 'is shown nowhere')}"
            if not course_pages.checked_exercises(page):
                yield f"{name} checks no exercise: {self._or_missing(f'{CHAPTERS}/{topic}/exercises', 'is checked nowhere')}"
            for question in _unknown(course_pages.prediction_ids(page), self.questions):
                file = self._or_missing(_predictions(_topic_and_lab(question)[0]), "does not hold it")
                yield f"{name} asks {question}: {file}"
            for explorer in _unknown(course_pages.explorer_names(page), self.explorers):
                yield f"{name} shows explore.{explorer}: {self._or_missing(f'{CHAPTERS}/{topic}/explorers/{explorer}.py', 'is not it')}"

    def _exercises(self) -> Iterator[str]:
        checked = {exercise for page in self._existing_notebooks for exercise in course_pages.checked_exercises(page)}
        for page in self._existing_notebooks:
            for exercise in _unknown(course_pages.checked_exercises(page), self.exercises):
                file = self._or_missing(_exercise_folder(exercise), "does not hold it")
                yield f"{self._name(page)} checks {exercise}: {file}"
        for exercise in _unknown(self.exercises, checked):
            yield f"{_exercise_folder(exercise)} holds {exercise}: {self._page_of(exercise)}"

    def _misplaced(self) -> Iterator[str]:
        for page in self._existing_notebooks:
            for cell, home, other in misplaced_cells(course_pages.cells(page)):
                yield (
                    f"{self._name(page)}: the cell {cell!r} belongs to the exercise {home!r} and stands below {other!r}: "
                    f"move it up to the other cells of {home!r}"
                )

    def _questions(self) -> Iterator[str]:
        asked = {question for page in self.pages for question in course_pages.prediction_ids(page)}
        for question in _unknown(self.questions, asked):
            yield f"{_predictions(_topic_and_lab(question)[0])} holds {question}: {self._page_of(question)}"

    def _explorers(self) -> Iterator[str]:
        shown = {explorer for page in self.pages for explorer in course_pages.explorer_names(page)}
        for name, explorer in self.explorers.items():
            if name not in shown:
                yield f"{_explorer_file(explorer)} is an explorer that no page shows"
            if explorer.strip is None:
                yield f"{_explorer_file(explorer)} declares no strip, so the book cannot show explore.{name}"

    def _labs(self) -> Iterator[str]:
        known = {page.stem for page in self.chapters}
        for page in self.labs:
            stem = page.parent.name
            wanted = (page, page.parent / "INSTRUCTOR.md", self.root / "labs" / stem / page.name)
            for file in wanted:
                if not file.is_file():
                    released = ": run `autograder generate-labs`" if "labs" in file.relative_to(self.root).parts else ""
                    yield f"solutions/{stem} is a lab, and {self._name(file)} does not exist{released}"
            for name in course_pages.written_questions(page):
                if not (page.parent / f"{name}.rubric.toml").is_file():
                    yield f"solutions/{stem} has the written question {name!r}, and {name}.rubric.toml does not exist"
            if stem not in known:
                yield f"solutions/{stem} is a lab, and its chapter course/{stem}.ipynb does not exist"

    def _goals(self) -> Iterator[str]:
        for page in self.chapters:
            topic = course_pages.topic(page)
            name = f"{CHAPTERS}/{topic}/goals.toml"
            try:
                goals = tomllib.loads((self.root / name).read_text(encoding="utf-8"))["goals"]
                practised = {f"{topic}.{one}" for goal in goals for one in goal["exercises"]}
                tasks = {one for goal in goals for one in goal["lab"]}
            except FileNotFoundError:
                yield f"{name} does not exist: say in it what the chapter teaches"
                continue
            except (ValueError, KeyError, TypeError) as problem:
                yield f"{name} cannot be read, {problem!r}: write it like those of the other chapters"
                continue
            for exercise in _unknown(course_pages.checked_exercises(page), practised):
                yield f"{self._name(page)} checks {exercise}, which no goal lists: add it to `exercises` of a goal in {name}"
            lab = course_pages.lab_notebook(self.root / "solutions" / page.stem)
            for task in _unknown(course_pages.task_cells(lab).values(), tasks):
                yield f"{self._name(lab)} sets {task!r}, which no goal lists: add it to `lab` of a goal in {name}"

    def _slides(self) -> Iterator[str]:
        from chip2cluster import predict

        questions = {question.id: question.text for question in predict.QUESTIONS}
        for page in self.chapters:
            for name in slide_texts.missing(course_pages.cells(page)):
                yield f'{self._name(page)}: the cell {name} begins a section and has no "slide" text in its metadata'
            for line in slide_texts.problems(course_pages.cells(page), questions):
                yield f"{self._name(page)}: {line}"

    def _skeletons(self) -> Iterator[str]:
        written = [*self._existing_notebooks, *self.root.glob("solutions/*/INSTRUCTOR.md")]
        written += sorted(self.root.glob("solutions/*/*.rubric.toml"))
        written += sorted(file for file in (self.root / CHAPTERS).rglob("*") if file.suffix in (".py", ".toml"))
        written += sorted((self.root / PICTURES).glob("*.py"))
        for file in written:
            if places := unfilled(file):
                yield f"{self._name(file)} says {MARK} in {len(places)} places, first: {places[0]}"

    def _page_of(self, name):
        """Say what is wrong with the notebook that an exercise or a prediction belongs to."""
        topic, lab = _topic_and_lab(name)
        page = next((page for page in self.chapters if course_pages.topic(page) == topic), None)
        if page is None:
            return f"its chapter course/NN_{topic}.ipynb does not exist"
        if lab:
            page = course_pages.lab_notebook(self.root / "solutions" / page.stem)
        return f"{self._name(page)} {'does not use it' if page.is_file() else 'does not exist'}"

    def _or_missing(self, name, otherwise):
        """Say that a file or folder does not exist, or ``otherwise`` if it does."""
        return f"{name} {otherwise if (self.root / name).exists() else 'does not exist'}"

    def _name(self, file):
        return file.relative_to(self.root).as_posix()


def _exercise_folder(exercise):
    """Return the folder of an exercise, from its id."""
    topic, lab = _topic_and_lab(exercise)
    return f"{CHAPTERS}/{topic}/{'lab' if lab else 'exercises'}"


def _predictions(topic):
    """Return the file with the predictions of a chapter."""
    return f"{CHAPTERS}/{topic}/predictions.py"


def _explorer_file(explorer):
    """Return the file of an explorer, from the module of its class."""
    return f"course/{explorer.__module__.replace('.', '/')}.py"


def _topic_and_lab(name):
    """Return the topic of an exercise or a prediction, and whether it belongs to the lab."""
    first, _, rest = name.partition(".")
    return (rest.partition(".")[0], True) if first == "lab" else (first, False)


def _unknown(names, known):
    """Return the names that are not known, each once."""
    return [name for name in dict.fromkeys(names) if name not in known]
