"""A syllabus as a table, and the words for what a week holds."""

from datetime import timedelta

from autograder import exercise_headers

from . import goals, sections, slide_times

SHORT = "★"


def table(term, start=None):
    """Return the weeks of a syllabus as a Markdown table; ``start`` is the day on which the first begins."""
    lines = [
        "| week | read | exercises at home | lab | with the class | alone (min) | class (min) |",
        "|--:|---|---|---|---|--:|--:|",
    ]
    for week in term.weeks:
        when = f"<br>{start + timedelta(weeks=week.number - 1)}" if start else ""
        cells = (
            f"{week.number}{when}",
            f"*{week.title}.* {'; '.join(map(reading_text, week.read))}",
            ", ".join(map(exercise_number, week.alone)) or "none",
            "; ".join(map(lab_text, week.work)) or "none",
            class_text(week),
            f"{week.own_minutes:.0f}",
            f"{week.class_minutes:.0f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def chapter_link(chapter, book="../"):
    """Return a link to a chapter; the published book at an address has HTML pages, a folder has notebooks."""
    page = chapter.file.replace(".ipynb", ".html") if book.startswith("http") else chapter.file
    return f"[{chapter.number} · {chapter.name}]({book}{page})"


def reading_text(one, book="../"):
    """Return what to read of a chapter, with its minutes; ``book`` is the address or folder of the pages."""
    link = chapter_link(one.chapter, book)
    if one.whole:
        return f"{link}, {one.minutes:.0f} min"
    named = ", ".join(f"*{one.chapter.section(name).title}*" for name in one.names)
    return f"{link}, only {named}, {one.minutes:.0f} min"


def exercise_number(header):
    """Return chapter.number of an exercise, with a star if it is on the short path."""
    chapter = sections.chapter(exercise_headers.topic(header.exercise)).number
    return f"{chapter}.{header.number}{SHORT * header.short}"


def lab_text(work):
    """Return a lab's number, the tasks if not all are set, its minutes and points (by machine + by hand)."""
    machine, hand = work.points
    points = f"{machine:g} + {hand:g}" if hand else f"{machine:g}"
    tasks = "" if work.whole else f", tasks {', '.join(str(task.number) for task in work.tasks)}"
    return f"lab {work.lab.number}{tasks}, {work.minutes:.0f} min, {points} points"


def class_text(week):
    """Return the slides to show and the exercises to do together."""
    said = []
    for one in week.show:
        titles = {part.name: part.title for part in one.chapter.sections}
        if one.whole:
            said.append(f"slides {one.chapter.number}")
        elif set(slide_times.columns(one.chapter.topic)) - set(one.names) <= set(
            goals.parts()[one.chapter.topic].aside
        ):
            said.append(f"slides {one.chapter.number} without the second reading")
        else:
            named = ", ".join(f"*{titles.get(name, name)}*" for name in one.names if name != "title")
            said.append(f"slides {one.chapter.number}: {named}")
    all_headers = exercise_headers.all_headers()
    together = [f"{exercise_number(all_headers[name])} *{all_headers[name].title}*" for name in week.together]
    return "; ".join(said) + (f"; together: {', '.join(together)}" if together else "")
