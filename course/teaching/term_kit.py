"""A folder of texts for one term: syllabus, calendar, module pages, announcements, due dates, request form."""

import shlex
from pathlib import Path

from autograder.grading.student_requests import COLUMNS, FORM

from . import term_calendar, week_texts


def kit(term, start, zone, book):
    """Return the bytes of each file of the kit by its name."""
    texts = {"syllabus.md": week_texts.syllabus(term, start, zone, book)}
    dues = []
    for week in term.weeks:
        texts[f"modules/week_{week.number:02}.html"] = week_texts.module_text(week, start, zone, book)
        for work in week.work:
            name = f"announcements/week_{week.number:02}_lab_{work.lab.folder}.md"
            texts[name] = week_texts.announcement(work, week, start, zone, book)
            due = week_texts.format_due(week_texts.due_time(week, start, zone))
            dues.append(f"autograder due {work.lab.folder} {shlex.quote(due)}")
    texts["set_due_dates.sh"] = "\n".join(["# Run in the course folder, after `autograder roster`.", *dues]) + "\n"
    texts["request_form.md"] = FORM
    texts["requests.csv"] = ",".join(COLUMNS) + "\n"
    made = {name: text.encode() for name, text in texts.items()}
    return made | {"dates.ics": term_calendar.calendar(term, start, zone, book)}


def write(folder, files):
    """Write the files of a kit into a new or empty folder.

    Raises
    ------
    ValueError
        If something is in the folder already: texts that you have edited are never overwritten.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} is not an empty folder; name a new one, because edited texts are not overwritten")
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
