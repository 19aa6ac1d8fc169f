"""A syllabus in words: a paragraph a week, the text of a platform's module, and the announcement of a lab."""

import html
import re
from datetime import datetime, time, timedelta

from autograder import exercise_headers

from . import sections
from .syllabus_table import chapter_link, exercise_number, reading_text

DUE = time(23, 59)
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
LINK = re.compile(r"\[([^]]+)\]\(([^)]+)\)")


def week_begins(week, start):
    """Return the first day of a week; ``start`` is the first day of week 1."""
    return start + timedelta(weeks=week.number - 1)


def due_time(week, start, zone):
    """Return when the labs of a week are due: on its last day, at 23:59 in ``zone``."""
    return datetime.combine(week_begins(week, start) + timedelta(days=6), DUE, zone)


def format_due(due):
    """Return a time as `autograder due` reads it, such as ``"2027-02-07 23:59 Europe/Berlin"``."""
    return f"{due:%Y-%m-%d %H:%M} {due.tzinfo.key}"


def format_day(day):
    """Return a day as a person reads it, whatever the locale: ``"1 February 2027"``."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def week_heading(week, start):
    """Return the number, first day and title of a week."""
    return f"Week {week.number}, from {format_day(week_begins(week, start))}: {week.title}"


def week_sentences(week, start, zone, book):
    """Return what a week holds, one entry a sentence in Markdown; ``book`` is the address of the published pages."""
    headers = exercise_headers.all_headers()
    said = [f"Read {'; '.join(reading_text(one, book) for one in week.read)}."]
    if week.alone:
        said.append(f"At home: exercises {', '.join(map(exercise_number, week.alone))}.")
    if week.graduates:
        besides = [headers[name] for name in week.graduates]
        minutes = sum(one.minutes for one in besides)
        said.append(f"Graduate students also do {', '.join(map(_numbered_title, besides))} ({minutes:.0f} min).")
    for work in week.work:
        due = due_time(week, start, zone)
        said.append(f"{lab_name(work)}: {lab_weight(work)}, due on {format_day(due)} at {due:%H:%M} ({zone.key}).")
    numbers = [str(one.chapter.number) for one in week.show]
    together = [headers[name] for name in week.together]
    said.append(
        f"In class: slides of chapter{'s' * (len(numbers) > 1)} {', '.join(numbers)}"
        + (f"; together, {', '.join(map(_numbered_title, together))}." if together else ".")
    )
    said.append(f"About {week.own_minutes:.0f} min alone and {week.class_minutes:.0f} min in class.")
    return said


def plain(text):
    """Return Markdown without links and emphasis."""
    return LINK.sub(r"\1", text).replace("*", "")


def syllabus(term, start, zone, book):
    """Return the syllabus as Markdown, one paragraph a week."""
    weeks = [
        f"**{week_heading(week, start)}.** {' '.join(week_sentences(week, start, zone, book))}" for week in term.weeks
    ]
    note = "Exercises are numbered chapter.number; ★ marks the short path. Minutes are estimates."
    return "\n\n".join([f"# Syllabus, {term.name}", *weeks, note]) + "\n"


def module_text(week, start, zone, book):
    """Return the text of a week as HTML without styles, to be pasted into a page of a learning platform."""
    items = "\n".join(f"<li>{_inline_html(one)}</li>" for one in week_sentences(week, start, zone, book))
    return f"<h3>{html.escape(week_heading(week, start))}</h3>\n<ul>\n{items}\n</ul>\n"


def announcement(work, week, start, zone, book):
    """Return the text that announces a lab, in Markdown, with how to ask for more time or a regrade."""
    lab, due = work.lab, due_time(week, start, zone)
    tasks = "\n".join(
        f"* Task {task.number}, {task.title}: {task.points:g} points{', marked by a person' if task.by_hand else ''}"
        for task in work.tasks
    )
    return f"""\
# {lab_name(work)} is open

It belongs to chapter {chapter_link(sections.chapter(lab.topic), book)} and is due on {format_day(due)} at {due:%H:%M} ({zone.key}). It takes about {work.minutes:.0f} minutes. Start before {format_day(week_begins(week, start) + timedelta(days=3))}, so that there is time to ask.

{tasks}

* `check(...)` in the notebook tells you at once what is wrong with a function, as often as you like. The marks are computed with other inputs.
* Hand in the notebook `lab_{lab.folder}.ipynb` with all its cells and under its own name.
* Write the answer to the written question in its own cell, in your own words and with your own numbers.
* To ask for more time or for a second look at a mark, fill in the request form before the due time, or within a week of the feedback.
"""


def lab_name(work):
    """Return the name of a lab and, if not all of it is set, its tasks."""
    tasks = "" if work.whole else f", tasks {', '.join(str(task.number) for task in work.tasks)}"
    return f"Lab {work.lab.number}{tasks}"


def lab_weight(work):
    """Return the minutes and points of a lab."""
    machine, hand = work.points
    by_hand = f" and {hand:g} by a person" if hand else ""
    return f"{work.minutes:.0f} min, {machine:g} points by machine{by_hand}"


def _numbered_title(header):
    return f"{exercise_number(header)} *{header.title}*"


def _inline_html(text):
    """Turn the Markdown of a sentence, links and emphasis, into HTML."""
    linked = LINK.sub(r'<a href="\2">\1</a>', html.escape(text, quote=False))
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", linked)
