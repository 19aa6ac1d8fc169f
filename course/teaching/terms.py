"""Syllabi with their minutes, read from ``terms.toml`` or an instructor's file."""

import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from autograder import course_pages, exercise_headers
from chip2cluster import _pages

from . import goals, labs, sections, slide_times

FILE = Path(__file__).with_name("terms.toml")
TERM = {"name", "weeks", "class_minutes", "own_minutes", "about", "week"}
WEEK = {"title", "read", "together", "lab", "show", "graduates"}
READ = {"chapter", "sections", "dots"}
SHOW = {"chapter", "columns", "without"}
LAB = {"chapter", "tasks"}


@dataclass(frozen=True)
class Reading:
    """Sections of a chapter to read, and exercises to set: those in them with at least ``dots`` of importance."""

    chapter: sections.Chapter
    names: tuple[str, ...]
    dots: int

    @property
    def whole(self):
        """Whether these are all sections that the page's minutes include."""
        return set(self.names) >= {one.name for one in self.chapter.sections} - set(_second_reading(self.chapter.topic))

    @property
    def minutes(self):
        """Minutes to read."""
        return self.chapter.reading(self.names, _second_reading(self.chapter.topic))

    @property
    def exercises(self):
        """Headers of the exercises to set."""
        inside = {name for one in self.chapter.sections if one.name in self.names for name in one.exercises}
        return [
            header
            for name, header in exercise_headers.all_headers().items()
            if name in inside and header.importance >= self.dots
        ]


@dataclass(frozen=True)
class SlideColumns:
    """Slides to show: columns of the deck of a chapter."""

    chapter: sections.Chapter
    names: tuple[str, ...]

    @property
    def minutes(self):
        """Minutes to show them."""
        return sum(slide_times.columns(self.chapter.topic)[name] for name in self.names)

    @property
    def whole(self):
        """Whether these are all columns of the deck."""
        return len(self.names) == len(slide_times.columns(self.chapter.topic))


@dataclass(frozen=True)
class Work:
    """Tasks of a lab to do in a week."""

    lab: labs.Lab
    tasks: tuple[labs.Task, ...]

    @property
    def whole(self):
        """Whether these are all tasks of the lab."""
        return self.tasks == self.lab.tasks

    @property
    def minutes(self):
        """Minutes to do them."""
        return sum(task.minutes for task in self.tasks)

    @property
    def points(self):
        """Points marked by machine, and by hand."""
        by_hand = sum(task.points for task in self.tasks if task.by_hand)
        return sum(task.points for task in self.tasks) - by_hand, by_hand


@dataclass(frozen=True)
class Week:
    """One week: reading, exercises done with the class, slides, lab tasks, and exercises for graduate students."""

    number: int
    title: str
    read: tuple[Reading, ...]
    together: tuple[str, ...]
    show: tuple[SlideColumns, ...]
    work: tuple[Work, ...]
    graduates: tuple[str, ...] = ()

    @cached_property
    def alone(self):
        """Headers of the exercises that students do alone."""
        return [header for one in self.read for header in one.exercises if header.exercise not in self.together]

    @property
    def class_minutes(self):
        """Minutes with the class: slides and exercises done together."""
        done = sum(exercise_headers.all_headers()[name].minutes for name in self.together)
        return sum(one.minutes for one in self.show) + done

    @property
    def own_minutes(self):
        """Minutes alone: reading, exercises, lab."""
        asked = sum(header.minutes for header in self.alone)
        return sum(one.minutes for one in (*self.read, *self.work)) + asked


@dataclass(frozen=True)
class Term:
    """A syllabus; its two bounds are in minutes per week."""

    name: str
    about: str
    class_bound: int
    own_bound: int
    weeks: tuple[Week, ...]

    @property
    def chapters(self):
        """Topics in the order in which they are first read."""
        return list(dict.fromkeys(one.chapter.topic for week in self.weeks for one in week.read))

    @property
    def left_out(self):
        """Chapters that this term leaves out."""
        return [topic for topic in sections.chapters() if topic not in self.chapters]

    @property
    def reached(self):
        """Goals that this term teaches and practises."""
        read = {(one.chapter.topic, name) for week in self.weeks for one in week.read for name in _heading_cells(one)}
        exercises = {header.exercise for week in self.weeks for header in week.alone}
        exercises |= {name for week in self.weeks for name in week.together}
        tasks = {(work.lab.topic, task.name) for week in self.weeks for work in week.work for task in work.tasks}
        return [
            goal
            for part in goals.parts().values()
            for goal in part.goals
            if any((goal.topic, name) in read for name in goal.taught)
            and (exercises & set(goal.exercises) or any((goal.topic, name) in tasks for name in goal.tasks))
        ]


def read(file=FILE):
    """Read the syllabi of a file; a ValueError names the entry that is invalid."""
    try:
        data = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file} is not valid TOML: {error}") from None
    if not {"term"} <= set(data) <= {"term", "drop"}:
        raise ValueError(f"{file} must hold [[term]], and may hold [[drop]], got {sorted(data)}")
    return [_term(one, f"{file}, term {place}") for place, one in enumerate(data["term"], 1)]


def _term(data, where):
    _check_keys(data, TERM, where)
    weeks = tuple(_week(one, number, f"{where}, week {number}") for number, one in enumerate(data["week"], 1))
    if data["weeks"] != len(weeks):
        raise ValueError(f"{where} says {data['weeks']} weeks and has {len(weeks)}")
    return Term(data["name"], data["about"], data["class_minutes"], data["own_minutes"], weeks)


def _week(data, number, where):
    _check_keys(data, WEEK, where, optional={"together", "lab", "show", "graduates"})
    try:
        reading = tuple(_reading(one, where) for one in data["read"])
        show = tuple(
            _slide_columns(one, where) for one in data.get("show", [{"chapter": r.chapter.topic} for r in reading])
        )
        work = tuple(_work(one, where) for one in data.get("lab", ()))
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    together, graduates = tuple(data.get("together", ())), tuple(data.get("graduates", ()))
    for name in (*together, *graduates):
        if name not in exercise_headers.all_headers():
            raise ValueError(f"{where}: no page has the exercise {name!r}")
    return Week(number, data["title"], reading, together, show, work, graduates)


def _reading(data, where):
    _check_keys(data, READ, where, optional={"sections"})
    chapter = sections.chapter(data["chapter"])
    all_but = [one.name for one in chapter.sections if one.name not in _second_reading(chapter.topic)]
    names = tuple(data.get("sections", all_but))
    for name in names:
        chapter.section(name)
    return Reading(chapter, names, data["dots"])


def _slide_columns(data, where):
    _check_keys(data, SHOW, where, optional={"columns", "without"})
    chapter = sections.chapter(data["chapter"])
    there = slide_times.columns(chapter.topic)
    without = (*data.get("without", ()), *_second_reading(chapter.topic))
    names = tuple(data.get("columns", (name for name in there if name not in without)))
    for name in (*names, *data.get("without", ())):
        if name not in there:
            raise ValueError(f"the slides of {chapter.topic} have no column {name!r}; they have {', '.join(there)}")
    return SlideColumns(chapter, names)


def _work(data, where):
    _check_keys(data, LAB, where, optional={"tasks"})
    lab = labs.lab(data["chapter"])
    return Work(lab, tuple(map(lab.task, data["tasks"])) if "tasks" in data else lab.tasks)


def _check_keys(data, keys, where, optional=()):
    if missing := keys - set(data) - set(optional):
        raise ValueError(f"{where} lacks {', '.join(sorted(missing))}")
    if unknown := set(data) - keys:
        raise ValueError(f"{where}: unknown keys {', '.join(sorted(unknown))}; known are {', '.join(sorted(keys))}")


def _second_reading(topic):
    return goals.parts()[topic].aside


def _heading_cells(reading):
    """Return the ids of cells with a heading in the sections read, headings inside a section included."""
    inside, names = False, []
    sections_ = {one.name for one in reading.chapter.sections}
    for cell in course_pages.cells(_pages.chapters()[reading.chapter.topic]):
        if cell["id"] in sections_:
            inside = cell["id"] in reading.names
        if inside and cell["id"] in reading.chapter.headings:
            names.append(cell["id"])
    return names
