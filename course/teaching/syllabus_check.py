"""Checks of a syllabus: prerequisites come first, nothing is set twice, no week is too long."""

from autograder import exercise_headers

from . import goals


def problems(term):
    """Return the problems of a syllabus, one sentence each."""
    read, asked, found = [], set(), []
    for week in term.weeks:
        before, read = read, [*read, *(one.chapter.topic for one in week.read)]
        said = [
            *_order(week, before),
            *_exercises(week, asked),
            *_graduates(week, read, asked),
            *_slides(week, read),
            *_labs(week, read),
            *_minutes(week, term),
        ]
        found += [f"{term.name}, week {week.number}: {one}" for one in said]
        asked |= _exercises_of(week) | set(week.graduates)
    return found


def needed(term):
    """Return the chapters that a term leaves out, each with the chapters of the term that need it."""
    return {topic: [name for name in term.chapters if topic in goals.parts()[name].needs] for topic in term.left_out}


def _order(week, before):
    """Check prerequisites; within a week chapters are read in the listed order."""
    known = list(before)
    for one in week.read:
        topic = one.chapter.topic
        for name in goals.parts()[topic].needs:
            if name not in known:
                yield f"{topic} needs {name}, which was not read yet"
        known.append(topic)


def _exercises_of(week):
    return {header.exercise for header in week.alone} | set(week.together)


def _exercises(week, asked):
    inside = {name for one in week.read for part in one.chapter.sections for name in part.exercises}
    for name in week.together:
        if name not in inside:
            yield f"{name} is done together, and its chapter is not read in this week"
    yield from (f"{name} was set before" for name in sorted(_exercises_of(week) & asked))
    if doubled := {name for name in week.together if week.together.count(name) > 1}:
        yield f"{', '.join(sorted(doubled))} is done together twice"


def _graduates(week, read, asked):
    for name in week.graduates:
        if exercise_headers.topic(name) not in read:
            yield f"{name} is for graduate students, and its chapter was not read yet"
        if name in asked | _exercises_of(week) or week.graduates.count(name) > 1:
            yield f"{name} is for graduate students, and was set before"


def _slides(week, read):
    for one in week.show:
        if one.chapter.topic not in read:
            yield f"slides of {one.chapter.topic} are shown before it is read"


def _labs(week, read):
    for work in week.work:
        for name in (work.lab.topic, *goals.parts()[work.lab.topic].lab_needs):
            if name not in read:
                yield f"lab {work.lab.folder} needs {name}, which was not read yet"


def _minutes(week, term):
    for kind, minutes, bound in (
        ("with the class", week.class_minutes, term.class_bound),
        ("of a student's own", week.own_minutes, term.own_bound),
    ):
        if minutes > bound:
            yield f"{minutes:.0f} minutes {kind}, {minutes - bound:.0f} more than the {bound} there are"
