"""One student's page of feedback: their answers, the verdicts, what a person wrote.

A page holds nothing that runs, loads or tells of a hidden case: what students wrote is
escaped, check cells are shown as their verdict alone, and there is no script at all.
"""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ...exercises import exercise
from ...verdict import NOT_WRITTEN, Verdict, marked
from ..gradebook.marks import Marks, points
from ..result import UNREADABLE, WITH_ERRORS
from . import safe
from .answers_in import answer_cells, grade_id

ANSWERS, OTHERS, PICTURES = 120_000, 100_000, 1_000_000  # bytes of a page
OUTPUT = 4_000  # characters of one cell's output
REPAIRS = 20
STAMP = "chip2cluster feedback " + "0" * 64  # `feedback.write` puts a checksum here

PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
PAGES.filters["points"] = points


def page(result, lab, marks=None):
    """Make one student's page.

    Parameters
    ----------
    result : Result
    lab : Lab
    marks : Marks, optional
        What the gradebook has; without it only machine marks are shown.

    Returns
    -------
    str
        HTML that stands alone, at most about 300 kB and 1 MB of pictures.
    """
    marks = marks or Marks()
    verdicts = {task.cell: _verdict(task, result, marks) for task in lab.tasks}
    by_hand = {cell: _by_hand(cell, worth, marks) for cell, worth in lab.by_hand.items()}
    scored = [*verdicts.values(), *by_hand.values()]
    earned = round(sum(one["score"] or 0 for one in scored), 6)
    return PAGES.get_template("feedback.html.j2").render(
        stamp=STAMP,
        title=title_of(lab),
        student=safe.clean(result.student),
        unreadable=result.status == UNREADABLE,
        with_errors=result.status == WITH_ERRORS,
        repairs=[safe.cut(safe.clean(repair), 400) for repair in result.repairs[:REPAIRS]],
        more_repairs=max(0, len(result.repairs) - REPAIRS),
        rows=scored,
        earned=earned,
        total=max(0.0, earned - marks.late_penalty),
        worth=sum(one["worth"] for one in scored),
        late_penalty=marks.late_penalty,
        catalogue=result.catalogue,
        waiting=[one for one in scored if one["score"] is None],
        parts=_parts(result, lab, verdicts, by_hand, marks.comments),
    )


def _verdict(task, result, marks):
    """What the card of one exercise shows."""
    one, known = result.exercises.get(task.exercise, {}), exercise(task.exercise)
    verdict = Verdict(
        task.exercise,
        known.title,
        one.get("verdict", NOT_WRITTEN),
        safe.cut(safe.clean(one.get("message", "")), 2000),
        score=float(one.get("score", 0)),
        max_score=task.points,
        mistake=one.get("mistake", ""),
    )
    mark = marks.cells.get(task.cell)
    by_hand = mark is not None and mark.manual is not None
    return {
        "anchor": task.cell,
        "title": known.title,
        "heading": verdict.heading,
        "look": "right" if verdict.correct else "open" if verdict.verdict == NOT_WRITTEN else "wrong",
        "message": Markup(marked(verdict.message)),
        "score": mark.score if mark else verdict.score,
        "worth": verdict.max_score,
        "machine": verdict.score if by_hand and mark.score != verdict.score else None,
        "hints": () if verdict.correct else known.hints,
    }


def _by_hand(cell, worth, marks):
    """The mark that a person gave or has yet to give."""
    mark = marks.cells.get(cell)
    waiting = mark is None or mark.waiting or (mark.manual is None and mark.machine is None)
    # nbgrader gives 0 by itself to an answer that was never begun.
    heading = "waits for a person" if waiting else "left as it was" if mark.manual is None else "read by a person"
    return {
        "anchor": cell,
        "title": "Your written answer",
        "heading": heading,
        "look": "open" if waiting else "hand",
        "score": None if waiting else mark.score,
        "worth": worth,
        "machine": None,
    }


def _parts(result, lab, verdicts, by_hand, comments):
    """The page from top to bottom: what was asked, answered, found, and said about it."""
    released = {grade_id(cell) or cell.get("id"): cell for cell in lab.released["cells"]}
    answers = set(answer_cells(lab).values())
    share = ANSWERS // max(1, len(answers) + len(by_hand))
    others, pictures = safe.Room(OTHERS), safe.Room(PICTURES)
    for cell in (result.notebook or lab.released).get("cells", ()):
        name = grade_id(cell)
        original = released.get(name or cell.get("id"), {})
        locked = original.get("metadata", {}).get("nbgrader", {}).get("locked")
        comment = comments.get(name)
        if name in verdicts:
            yield {"kind": "verdict", **verdicts[name]}
        elif name in answers or name in by_hand:
            room = safe.Room(share)
            yield {
                "kind": "answer",
                "html": Markup(_source(cell, room)),
                "outputs": _outputs(cell, others, pictures),
                "mark": by_hand.get(name),
            }
        elif locked and cell["cell_type"] == "markdown":
            yield {"kind": "asked", "html": Markup(safe.markdown(safe.text_of(original["source"]), below=1))}
        else:
            same = safe.text_of(cell.get("source")) == safe.text_of(original.get("source"))
            outputs = _outputs(cell, others, pictures)
            if not same or outputs:
                yield {"kind": "given" if same else "added", "html": Markup(_source(cell, others)), "outputs": outputs}
        if comment:
            yield {"kind": "comment", "html": Markup(safe.markdown(safe.cut(safe.clean(comment))))}


def _source(cell, room):
    render = {"code": safe.code, "markdown": safe.markdown}.get(cell.get("cell_type"), safe.plain)
    return room.fit(safe.text_of(cell.get("source")), render)


def _outputs(cell, room, pictures):
    """A cell's outputs as (kind, value): text joined and short, PNG pictures; nothing else is shown."""
    found, text, left_out = [], "", False
    for output in cell.get("outputs") or ():
        data = output.get("data") if isinstance(output.get("data"), dict) else {}
        if "image/png" in data:
            # Not even decoded when there is no room: a flood of pictures would take long.
            address = safe.picture(data["image/png"], pictures.left)
            if address and pictures.take(len(address)):
                found.append(("picture", address))
                continue
            left_out = True
        if len(text) <= OUTPUT:
            text += _text(output, data).strip("\n") + "\n"
    if text.strip() and room.left > 0:
        found.insert(0, ("html", Markup(room.fit(safe.cut(text.strip("\n"), OUTPUT), safe.plain))))
    if left_out:
        found.append(("text", "A picture is left out here: it is too large, or no PNG."))
    return found


def _text(output, data):
    """The text of one output, at most a little more than is shown."""
    if output.get("output_type") == "error":
        return ": ".join(safe.text_of(output.get(part), OUTPUT + 1) for part in ("ename", "evalue"))
    return safe.text_of(output.get("text") or data.get("text/plain"), OUTPUT + 1)


def title_of(lab):
    """The first heading of the released page, or the lab's name."""
    for cell in lab.released["cells"]:
        for line in safe.text_of(cell["source"]).splitlines() if cell["cell_type"] == "markdown" else ():
            if line.startswith("# "):
                return line[2:].strip()
    return lab.name
