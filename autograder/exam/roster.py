"""Students of an exam: a table with a column ``id``, or a number of papers without names."""

from pathlib import Path

from ..grading.spreadsheet import read_rows

COLUMNS = ("id", "student")  # names in nbgrader's and in this course's tables
MOST = 2000
LONGEST = 80


def read_students(file: Path) -> list[str]:
    """Return the ids of a CSV file, in its order.

    Raises
    ------
    ValueError
        If the table has no such column, is empty, or has an id twice.
    """
    (_, header), *rows = [*read_rows(file)] or [(0, [])]
    place = next((number for number, name in enumerate(header) if name.strip().lower() in COLUMNS), None)
    if place is None:
        raise ValueError(f"{file} needs a first line that names a column {' or '.join(COLUMNS)}")
    lines: dict[str, int] = {}
    for line, row in rows:
        who = row[place].strip() if place < len(row) else ""
        if not who:
            continue
        if who in lines:
            raise ValueError(f"{file} has {who!r} in line {lines[who]} and again in line {line}: keep one of them")
        if len(who) > LONGEST or not who.isprintable():
            raise ValueError(f"{file}, line {line}: an id is one line of at most {LONGEST} characters")
        lines[who] = line
    if not 0 < len(lines) <= MOST:
        raise ValueError(f"{file} names {len(lines)} students; an exam has papers for 1 to {MOST}")
    return list(lines)


def numbered_papers(copies: int) -> list[str]:
    """Return names of papers for any student: ``paper-01`` and so on."""
    if not 0 < copies <= MOST:
        raise ValueError(f"an exam has 1 to {MOST} papers, got {copies}")
    return [f"paper-{number:0{len(str(copies))}d}" for number in range(1, copies + 1)]
