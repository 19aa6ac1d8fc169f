"""Who sits an exam: a table with a column ``id``, or so many papers without a name."""

from pathlib import Path

from ..grading.spreadsheet import read_rows

COLUMNS = ("id", "student")  # nbgrader's own, and that of the other tables here
MOST = 2000
LONGEST = 80


def students(file: Path) -> list[str]:
    """The ids in a CSV, in its order.

    Raises
    ------
    ValueError
        For a table without such a column, without anybody in it, and for an id that stands there twice.
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


def numbered(copies: int) -> list[str]:
    """Names of papers that anybody may take: ``paper-01`` and so on."""
    if not 0 < copies <= MOST:
        raise ValueError(f"an exam has 1 to {MOST} papers, got {copies}")
    return [f"paper-{number:0{len(str(copies))}d}" for number in range(1, copies + 1)]
