"""The pages that are computed: syllabi, the map of goals, the pictures of what needs what and of the whole course."""

import statistics
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from autograder import course_pages, exercise_headers
from autograder.student.contents import contents
from chip2cluster import _pages, draw
from chip2cluster.draw import typeface

from . import goals, labs, prerequisite_graph, sections, slide_times, syllabus_table, term_cost, terms

HERE = Path(__file__).parent
TEMPLATES = Environment(
    loader=FileSystemLoader(HERE / "templates"), undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False
)
HAND = "✎"
SLOW = 45  # minutes; reading times from this value on are listed


@cache
def files():
    """All that is written, by the name of its file; the same for the same pages."""
    drawn = prerequisite_graph.prerequisites()
    return {
        "TERMS.md": _terms(),
        "GOALS.md": _goals(drawn.description),
        "prerequisites.svg": typeface.alone(drawn.svg) + "\n",
        "prerequisites-narrow.svg": typeface.alone(drawn.narrow.svg) + "\n",
        "../images/map.svg": _map("light"),
        "../images/map-dark.svg": _map("dark"),
    }


def _map(scheme):
    """Return the map of the course for a light or a dark page that cannot tell an image which of them it is."""
    svg = typeface.alone(draw.course_map([replace(row, solved=0).door for row in contents().rows]).svg)
    return svg.replace("color-scheme:light dark", f"color-scheme:{scheme}") + "\n"


def write():
    """Write the files, and return those that changed."""
    changed = []
    for name, text in files().items():
        if outdated(HERE / name, text):
            (HERE / name).write_text(text, encoding="utf-8")
            changed.append(name)
    return changed


def outdated(file, text):
    """Whether a file is not there or says something else."""
    return not file.is_file() or file.read_text(encoding="utf-8") != text


def _terms():
    read = terms.read()
    rows = [_row(chapter) for chapter in sections.chapters().values()]
    hours = {
        key: f"{sum(row[key] or 0 for row in rows) / 60:.0f}"
        for key in ("reading", "all", "four", "five", "slides", "lab")
    }
    slow = {}
    for row in sorted(rows, key=lambda row: (-row["reading"], row["number"])):
        if row["reading"] >= SLOW:
            slow.setdefault(row["reading"], []).append(row["number"])
    asides = [
        f"{sections.chapter(part.topic).number}, *{sections.chapter(part.topic).section(name).title}*"
        for part in goals.parts().values()
        for name in part.aside
    ]
    *others, last = (term.name.removesuffix(" weeks") for term in read)
    return TEMPLATES.get_template("terms.md.j2").render(
        names=f"{', '.join(others)} and {last} weeks",
        rows=rows,
        hours=hours,
        slow=list(slow.items()),
        shortest=min(row["reading"] for row in rows),
        longest=max(row["reading"] for row in rows),
        cost=_cost(read),
        terms=[_term(term) for term in read],
        goals=sum(len(part.goals) for part in goals.parts().values()),
        asides=asides,
        drops=[_omitted_chapter(one) for one in tomllib.loads(terms.FILE.read_text(encoding="utf-8"))["drop"]],
    )


def _cost(read):
    """Return the numbers of the section on what a term costs; the ways to need less are those of the first term."""
    students = term_cost.CLASSES[1]
    return {
        "essay": f"{term_cost.ANSWER_MINUTES:g}",
        "pages": term_cost.EXAM_PAGES,
        "paper": f"{term_cost.PAPER_MINUTES:g}",
        "rows": term_cost.costs(read),
        "ways": term_cost.ways_down(read[0], students),
        "students": students,
        "term": read[0].name,
        "spread": f"{100 * term_cost.ANSWER_SPREAD:g} %",
    }


def _term(term):
    own = [week.own_minutes for week in term.weeks]
    return {
        "name": term.name,
        "about": term.about,
        "reached": len(term.reached),
        "left_out": [_chapter_title(topic) for topic in term.left_out],
        "most_own": f"{max(own):.0f}",
        "usual_own": f"{statistics.median(own):.0f}",
        "table": syllabus_table.table(term),
    }


def _row(chapter):
    aside = goals.parts()[chapter.topic].aside
    asked = [
        exercise_headers.all_headers()[name]
        for one in chapter.sections
        if one.name not in aside
        for name in one.exercises
    ]
    lab = labs.labs().get(chapter.topic)
    points = terms.Work(lab, lab.tasks).points if lab else None
    return {
        "number": chapter.number,
        "name": chapter.name,
        "file": chapter.file,
        "reading": chapter.minutes,
        "all": sum(header.minutes for header in asked),
        "four": sum(header.minutes for header in asked if header.importance >= 4),
        "five": sum(header.minutes for header in asked if header.short),
        "slides": round(
            sum(minutes for name, minutes in slide_times.columns(chapter.topic).items() if name not in aside)
        ),
        "lab": lab.minutes if lab else None,
        "points": f"{points[0]:g} + {points[1]:g}" if points else "",
    }


def _omitted_chapter(one):
    chapter = sections.chapter(one["chapter"])
    row = _row(chapter)
    return {"name": _chapter_title(chapter.topic), "minutes": row["reading"] + row["all"], "why": one["why"]}


def _chapter_title(topic):
    chapter = sections.chapter(topic)
    return f"{chapter.number} · {chapter.name}"


def _goals(description):
    return TEMPLATES.get_template("goals.md.j2").render(
        description=description, parts=[_part(part) for part in goals.parts().values()]
    )


def _part(part):
    chapter = sections.chapter(part.topic)
    said = [f"Needs {_chapters(part.needs)}." if part.needs else "Needs no other chapter."]
    said += [f"Easier after {_chapters(part.helps)}."] * bool(part.helps)
    said += [f"Its lab needs {_chapters(part.lab_needs)}."] * bool(part.lab_needs)
    return {
        "number": chapter.number,
        "name": f"[{chapter.name}](../{chapter.file})",
        "before": " ".join(said),
        "goals": [_goal(goal, chapter) for goal in part.goals],
    }


def _chapters(topics):
    return ", ".join(_chapter_title(topic) for topic in topics)


def _goal(goal, chapter):
    titles = _titles(chapter)
    lab = labs.labs().get(goal.topic)
    tasks = [lab.task(name) for name in goal.tasks]
    return {
        "words": goal.words.replace("|", "\\|"),
        "taught": "; ".join(titles[name] for name in goal.taught),
        "exercises": "; ".join(goals.title(name) for name in goal.exercises),
        "tasks": "; ".join(f"{task.number} · {task.title}{f' {HAND}' * task.by_hand}" for task in tasks),
    }


def _titles(chapter):
    """The first heading of each cell that has one."""
    found = {}
    for cell in course_pages.cells(_pages.chapters()[chapter.topic]):
        if cell["id"] in chapter.headings:
            heading = sections.SECTION.search("".join(cell["source"])) or sections.HEADING.search(
                "".join(cell["source"])
            )
            found[cell["id"]] = heading[0].lstrip("# ")
    return found
