"""Written answers outside their cell wait for a person; text of the course never does."""

import base64
import copy
import json
import re
import shutil
import subprocess
import sys
import textwrap
from functools import cache, partial

import nbformat
import pytest
from nbgrader.utils import compute_checksum

from autograder.grading.intake.archive import pack_submission, unpack_submission
from autograder.grading.intake.documents import document_names
from autograder.grading.intake.misplaced_answers import IN_FILE, IN_NOTEBOOK
from autograder.grading.intake.notebook import parse_notebook
from autograder.grading.intake.prose import KnownText, code_prose
from autograder.grading.intake.reconstruction import rebuild
from tests.grading.course import LAB, ROOT
from tests.grading.notebooks import RELEASED, answered, code, find, markdown, position, text
from tests.grading.test_pictures import picture
from tests.tables import every_row

ESSAY = (
    "I would buy the H200 for this job because its memory bandwidth decides how many tokens a second it decodes at "
    "batch eight, and the H100 comes second."
)
COMMENTS = "\n".join(f"# {line}" for line in textwrap.wrap(ESSAY, 50))
STUB = "*Your answer here.*"
IN_PDF = "the file `my answer.pdf` beside the notebook"
BELOW, COMMENTED = "a new cell below the question", "comments in a new code cell below the question"
HALVES = [" ".join(ESSAY.split()[:14]), " ".join(ESSAY.split()[14:])]
PICTURE = {"image/png": picture("PNG")}
FIELD = "a text field of a widget"
LABS = sorted(path.parent.name for path in (ROOT / "labs").glob("*/lab_*.ipynb"))


def shows(data):
    """A code cell whose only output has this data."""
    return {**code("show()"), "outputs": [{"output_type": "display_data", "data": data, "metadata": {}}]}


def attached(name, kind, content):
    """A cell without a text, and with an attachment."""
    return markdown("") | {"attachments": {name: {kind: content}}}


def state(**models):
    """The saved state of widgets, as JupyterLab writes it into a notebook's metadata."""
    saved = {
        f"{number:032x}": {"model_module": "@jupyter-widgets/controls", "model_name": name, "state": fields}
        for number, (name, fields) in enumerate(models.items())
    }
    return {"application/vnd.jupyter.widget-state+json": {"version_major": 2, "version_minor": 0, "state": saved}}


def insert(notebook, cell, after="recommendation"):
    notebook["cells"].insert(position(notebook, after) + 1, cell)


def append(notebook, cell_id, more):
    find(notebook, cell_id)["source"] = text(find(notebook, cell_id)) + more


def replace(notebook, cell_id, old, new):
    find(notebook, cell_id)["source"] = text(find(notebook, cell_id)).replace(old, new)


KINDS = {
    "cell below": (lambda made: insert(made, markdown(ESSAY)), BELOW),
    "cell at the end": (lambda made: made["cells"].append(markdown(ESSAY)), BELOW),
    "cell between": (lambda made: insert(made, markdown(ESSAY), "question"), BELOW),
    "cell at the top": (lambda made: made["cells"].insert(0, markdown(ESSAY)), "a new cell above the question"),
    "raw cell": (lambda made: insert(made, {**markdown(ESSAY), "cell_type": "raw"}), BELOW),
    "below the question": (lambda made: append(made, "question", f"\n\n{ESSAY}"), "the question's own cell"),
    "on the question's line": (lambda made: append(made, "question", f" {ESSAY}"), "the question's own cell"),
    "in the question": (
        lambda made: replace(made, "question", "*(6 points, read by a person)*", ESSAY),
        "the question's own cell",
    ),
    "in the lab's last text": (lambda made: append(made, "hand-in", f"\n\n{ESSAY}"), "the cell `hand-in`"),
    "in a locked text": (lambda made: append(made, "title", f"\n\n{ESSAY}"), "the locked cell `title`"),
    "comments": (lambda made: insert(made, code(f"{COMMENTS}\n\nbatch = 8")), COMMENTED),
    "comment of one line": (lambda made: insert(made, code(f"x = 1\n# {ESSAY}")), COMMENTED),
    "comment behind code": (lambda made: insert(made, code(f"pass  # {ESSAY}")), COMMENTED),
    "comments below a def": (lambda made: insert(made, code(f"def f(x):\n    return x\n{COMMENTS}")), COMMENTED),
    "comments in a check": (
        lambda made: append(made, "rank_chips-check", f"\n{COMMENTS}"),
        "comments in the locked cell `rank_chips-check`",
    ),
    "comments in the lab's code": (
        lambda made: append(made, "ranking", f"\n{COMMENTS}"),
        "comments in the cell `ranking`",
    ),
    "string": (lambda made: insert(made, code(f'"""\n{ESSAY}\n"""')), COMMENTED),
    "printed": (lambda made: insert(made, code(f'print("{ESSAY}")')), COMMENTED),
    "output": (
        lambda made: insert(made, {**code("show()"), "outputs": [{"output_type": "stream", "text": ESSAY}]}),
        f"the output of {BELOW.replace('new', 'new code')}",
    ),
    "HTML output": (
        lambda made: insert(made, shows({"text/html": [f"<style>p {{}}</style><p>{ESSAY[:60]}", f"{ESSAY[60:]}</p>"]})),
        f"the output of {BELOW.replace('new', 'new code')}",
    ),
    "text field of a widget": (
        lambda made: made["metadata"].update(widgets=state(TextareaModel={"value": ESSAY, "rows": None})),
        FIELD,
    ),
    "attached text": (
        lambda made: find(made, "recommendation").update(attachments={"essay.txt": {"text/plain": [ESSAY]}}),
        "the attachment `essay.txt` of the cell `recommendation`",
    ),
    "attached file in base64": (
        lambda made: insert(made, attached("essay.md", "text/markdown", base64.b64encode(ESSAY.encode()).decode())),
        f"the attachment `essay.md` of {BELOW}",
    ),
    "attached page": (
        lambda made: insert(made, attached("a.html", "text/html", f"<h1>Answer</h1><p>{ESSAY}</p>")),
        f"the attachment `a.html` of {BELOW}",
    ),
    "attached drawing": (
        lambda made: insert(made, attached("a.svg", "image/svg+xml", f"<svg><text>{ESSAY}</text></svg>")),
        f"the attachment `a.svg` of {BELOW}",
    ),
    "raw cell of a format": (
        lambda made: made["cells"].append(
            {**markdown(f"<p>{ESSAY}</p>"), "cell_type": "raw", "metadata": {"raw_mimetype": "text/html"}}
        ),
        BELOW,
    ),
    "text in a code cell": (lambda made: insert(made, code(ESSAY)), "a new code cell below the question"),
    "deleted cell, text at the end": (
        lambda made: (made["cells"].remove(find(made, "recommendation")), made["cells"].append(markdown(ESSAY))),
        BELOW,
    ),
    "two halves below": (lambda made: [insert(made, markdown(part)) for part in reversed(HALVES)], BELOW),
    "halves far apart": (
        lambda made: (insert(made, markdown(HALVES[0])), made["cells"].append(markdown(HALVES[1]))),
        BELOW,
    ),
    "a cell for each few words": (
        lambda made: made["cells"].extend(map(markdown, textwrap.wrap(ESSAY, 30))),
        BELOW,
    ),
    "halves with code between": (
        lambda made: made["cells"].extend([markdown(HALVES[0]), code("batch = 256"), markdown(HALVES[1])]),
        BELOW,
    ),
    "halves as comments": (
        lambda made: made["cells"].extend(
            code("\n".join(f"# {line}" for line in textwrap.wrap(half, 40))) for half in HALVES
        ),
        COMMENTED,
    ),
    "printed line by line": (
        lambda made: insert(made, code("\n".join(f'print("{line}")' for line in textwrap.wrap(ESSAY, 50)))),
        COMMENTED,
    ),
    "string in pieces": (
        lambda made: insert(
            made, code("answer = (\n" + "\n".join(f'    "{line} "' for line in textwrap.wrap(ESSAY, 60)) + "\n)")
        ),
        COMMENTED,
    ),
    "photograph of a page": (
        lambda made: insert(
            made, markdown("![page.png](attachment:page.png)") | {"attachments": {"page.png": PICTURE}}
        ),
        BELOW,
    ),
    "Chinese": (
        lambda made: insert(made, markdown("我会买H200，因为它的内存带宽决定了每秒能生成多少个词元，H100排在第二位。")),
        BELOW,
    ),
}
EXPLORER = f'<style>.c2c {{}}</style><div class="c2c c2c-still"><p>{ESSAY}</p></div>'
IN_DEF = f"def mine(x):\n    # note\n{textwrap.indent(COMMENTS, '    ')}\n    return x"
OLD_CODE = "\n".join(f"# rate_{n} = tokens_per_second(parameters, cache_bytes, {n}, peak, bandwidth)" for n in range(9))
NOT_ANSWERS = {
    "page of an explorer": lambda made: insert(made, shows({"text/html": EXPLORER, "text/plain": ESSAY})),
    "text of an explorer": lambda made: insert(
        made, {**shows({"text/plain": ESSAY}), "source": "from chip2cluster import explore\nexplore.roofline()"}
    ),
    "table of texts": lambda made: insert(made, shows({"text/html": f"<table><td>{ESSAY}</td></table>"})),
    "page of 19 words": lambda made: insert(made, shows({"text/html": f"<p>{' '.join(ESSAY.split()[:19])}</p>"})),
    "question in a text field": lambda made: made["metadata"].update(
        widgets=state(TextareaModel={"value": text(find(RELEASED, "question"))})
    ),
    "sentence that a widget shows": lambda made: made["metadata"].update(
        widgets=state(HTMLModel={"value": ESSAY}, LabelModel={"value": ESSAY})
    ),
    "odd widgets": lambda made: made["metadata"].update(
        widgets={
            "application/vnd.jupyter.widget-state+json": {"state": {"a": None, "b": {"state": []}, "c": {"state": 7}}}
        }
    ),
    "attached picture": lambda made: insert(made, attached("a.png", "image/png", PICTURE["image/png"])),
    "odd attachments": lambda made: find(made, "title").update(attachments={"a": 1, "b": {}, "c": {"text/plain": 7.5}}),
    "19 words in two cells": lambda made: made["cells"].extend(
        [markdown(" ".join(ESSAY.split()[:9])), markdown(" ".join(ESSAY.split()[9:19]))]
    ),
    "a short text twelve times": lambda made: made["cells"].extend(markdown("still to do") for _ in range(12)),
    "headings of the student": lambda made: [
        insert(made, markdown(f"## My work on task {n}, second try"), "question") for n in range(9)
    ],
    "comments above code": lambda made: made["cells"].extend(
        code(f"# what does chip {n} reach with this many users\nx = {n}") for n in range(9)
    ),
    "question copied in pieces": lambda made: made["cells"].extend(
        markdown(part) for part in text(find(RELEASED, "question")).split(". ")
    ),
    "untouched": lambda made: None,
    "19 words": lambda made: insert(made, markdown(" ".join(ESSAY.split()[:19]))),
    "comments in a def": lambda made: insert(made, code(IN_DEF)),
    "old lines in a def": lambda made: insert(made, code(f"def mine(x):\n{COMMENTS}\n    return x")),
    "code commented out": lambda made: insert(made, code(OLD_CODE)),
    "many short comments": lambda made: insert(
        made, code("\n".join(f"x = {n}  # try number {n} again" for n in range(20)))
    ),
    "labels of plots": lambda made: insert(
        made, code("\n".join(f'plt.title("tokens a second of chip {n}")' for n in range(9)))
    ),
    "question copied": lambda made: insert(made, markdown(text(find(RELEASED, "question")))),
    "task copied and cut": lambda made: insert(made, markdown(text(find(RELEASED, "task-rank-chips"))[40:400])),
    "answer of blanks": lambda made: find(made, "recommendation").update(source=f"\n  {STUB}  \n\n"),
    "answer emptied": lambda made: find(made, "recommendation").update(source="  \n"),
    "cell of the lab copied": lambda made: insert(made, copy.deepcopy(find(made, "setup-fails"))),
    "batch set": lambda made: replace(made, "ranking", "batch = 8  # then 256", "batch = 256"),
}


def submission(edit, minor=5, metadata=True):
    """Return the lab with all functions and an edit, as notebook format 4.``minor`` saves it."""
    made = answered(recommendation=STUB)
    edit(made)
    made["nbformat_minor"] = minor
    for cell in made["cells"]:
        if minor < 5:
            cell.pop("id", None)
        if not metadata:
            cell["metadata"] = {}
    if not metadata:
        made["metadata"].pop("chip2cluster_release")
    return made


def rebuilt(made, released=RELEASED, **more):
    return rebuild(parse_notebook(json.dumps(made).encode())[0], released, **more)


def waits(notebook):
    """Whether nbgrader leaves the essay to a person: its checksum is not the release's."""
    cell = nbformat.from_dict(find(notebook, "recommendation"))
    return compute_checksum(cell) != cell.metadata.nbgrader.checksum


@every_row("name", KINDS)
def test_text_outside_its_cell_waits_with_its_place(name):
    edit, place = KINDS[name]
    done = rebuilt(submission(edit))
    shown = text(find(done.notebook, "recommendation"))
    assert done.found == {"recommendation": [place]} and waits(done.notebook)
    assert f"was found in {place}." in shown and (
        name in ("Chinese", "photograph of a page", "a cell for each few words")
        or ESSAY.split()[:5] == re.findall(r"I would buy.*", shown)[0].split()[:5]
    )
    assert any(place in sentence for sentence in done.repairs)
    again = rebuilt(done.notebook)
    assert again.notebook == done.notebook and not again.repairs


@pytest.mark.parametrize("minor, metadata", [(0, True), (2, True), (4, True), (4, False), (5, False)])
def test_text_is_found_without_ids_and_metadata(minor, metadata):
    for name, (edit, _) in KINDS.items():
        done = rebuilt(submission(edit, minor, metadata))
        assert [*done.found] == ["recommendation"] and waits(done.notebook), name
        assert len(done.found["recommendation"]) == 1, name
    for name, edit in NOT_ANSWERS.items():
        done = rebuilt(submission(edit, minor, metadata))
        assert not done.found and not waits(done.notebook), name


@every_row("name", NOT_ANSWERS)
def test_short_text_code_and_course_text_do_not_wait(name):
    done = rebuilt(submission(NOT_ANSWERS[name]))
    assert not done.found and not waits(done.notebook)
    assert text(find(done.notebook, "recommendation")) == STUB


def test_an_answer_in_its_cell_is_not_searched_for():
    made = answered(recommendation="Short, but mine.")
    insert(made, markdown(ESSAY))
    done = rebuilt(made)
    assert not done.found and text(find(done.notebook, "recommendation")) == "Short, but mine."


def test_each_text_is_shown_once_with_its_place():
    made = answered(recommendation=STUB)
    insert(made, markdown(ESSAY))
    made["cells"].append(markdown(ESSAY))
    made["cells"].append(code("\n".join(f"# {line}" for line in textwrap.wrap(f"Second thought: {ESSAY}", 40))))
    done = rebuilt(made)
    assert done.found == {"recommendation": [BELOW, COMMENTED]}
    assert text(find(done.notebook, "recommendation")).count("I would buy") == 2
    assert sum(sentence.count("counts as the answer") for sentence in done.repairs) == 2


def test_text_goes_to_the_question_above_it():
    released = copy.deepcopy(RELEASED)
    second = copy.deepcopy([find(released, "question"), find(released, "recommendation")])
    for cell, name in zip(second, ("question-2", "second"), strict=True):
        cell["id"] = cell["metadata"]["nbgrader"]["grade_id"] = name
    released["cells"][-2:-2] = second
    for after, name in (("recommendation", "recommendation"), ("second", "second")):
        made = copy.deepcopy(released)
        insert(made, markdown(ESSAY), after)
        assert rebuilt(made, released).found == {name: [BELOW]}
    draft = copy.deepcopy(released)
    find(draft, "recommendation")["source"] = ESSAY
    insert(draft, markdown(ESSAY), "second")
    assert rebuilt(draft, released).found == {}, "the draft of one answer is none to the other question"


def test_earlier_text_of_the_course_is_not_an_answer():
    earlier = copy.deepcopy(RELEASED)
    find(earlier, "question")["source"] = f"**Which one?** {ESSAY}"
    made = submission(lambda made: insert(made, markdown(f"**Which one?** {ESSAY}")), 4, False)
    assert rebuilt(made).found and not rebuilt(made, earlier=[earlier]).found


@cache
def notebooks(lab):
    read = [
        json.loads((ROOT / folder / lab / f"lab_{lab}.ipynb").read_text("utf-8")) for folder in ("labs", "solutions")
    ]
    answers = {cell["id"]: cell["source"] for cell in read[1]["cells"] if cell["cell_type"] == "code"}
    return read[0], answers


@every_row("lab", LABS)
def test_no_text_of_a_lab_counts_as_an_answer(lab):
    released, answers = notebooks(lab)
    for filled in (False, True):
        for minor, metadata in ((5, True), (4, True), (4, False)):
            made = copy.deepcopy(released)
            made["nbformat_minor"] = minor
            for cell in made["cells"]:
                solution = cell["metadata"].get("nbgrader", {}).get("solution")
                cell["source"] = answers.get(cell["id"], cell["source"]) if filled and solution else cell["source"]
                if minor < 5:
                    del cell["id"]
                cell["metadata"] = cell["metadata"] if metadata else {}
            assert rebuilt(made, released).found == {}
    for other in LABS:
        assert other == lab or rebuilt(notebooks(other)[0], released).found == {}, other


@every_row(
    "source", ['"' * 90_000, "'''" * 30_000, '"""\\' * 20_000, "def f(\n" * 10_000, "'a\n" * 30_000, "#" * 90_000]
)
def test_odd_source_is_searched_without_an_error(source):
    assert KnownText([source]).own_words(source) >= 0
    assert sum(map(len, code_prose(source))) <= len(source)


def test_attached_document_waits():
    made = submission(lambda made: insert(made, attached("essay.pdf", "application/pdf", "JVBERi0=")))
    done = rebuilt(made)
    assert done.found == {"recommendation": ["the attachment `essay.pdf` of a cell"]} and waits(done.notebook)
    assert IN_NOTEBOOK in text(find(done.notebook, "recommendation"))


def test_document_beside_the_notebook_waits():
    done = rebuilt(submission(lambda made: None), documents=["my answer.pdf"])
    assert done.found == {"recommendation": [IN_PDF]} and waits(done.notebook)
    assert IN_FILE in text(find(done.notebook, "recommendation"))
    answer = rebuilt(answered(recommendation="Short, but mine."), documents=["my answer.pdf"])
    assert not answer.found and text(find(answer.notebook, "recommendation")) == "Short, but mine."
    # A file that the notebook reads or shows is not an answer.
    used = submission(lambda made: insert(made, code("rows = open('my answer.pdf').read()")))
    assert not rebuilt(used, documents=["my answer.pdf"]).found


@pytest.mark.parametrize(
    "name, is_document",
    [
        *((name, True) for name in ("essay.txt", "Answer.DOCX", "photo.jpeg", "onlinetext.html", "my answer.pdf", "a.md")),
        *((name, False) for name in ("README.md", "requirements.txt", "timestamp.txt", "submission_secret.txt")),
        *((name, False) for name in (f"lab_{LAB}.html", f"lab_{LAB} (1).pdf", "attempt.txt", "data.csv", ".x.txt")),
        *((name, False) for name in ("mine.py", "tick`.txt", "line\n.txt")),
        *((name, True) for name in ("folder.txt/essay.txt", "essay.ipynb")),
    ],
)  # fmt: skip
def test_documents_are_listed_by_name(name, is_document, tmp_path):
    folder = tmp_path / "submitted"
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_bytes(b"x" * 300_000)
    (folder / f"lab_{LAB}.ipynb").write_bytes(b"{}")
    expected = [name] if is_document else []
    assert document_names(folder, f"lab_{LAB}") == expected
    there = unpack_submission(pack_submission(folder, f"lab_{LAB}"), tmp_path / "elsewhere")
    assert document_names(there, f"lab_{LAB}") == expected
    (tmp_path / "link").symlink_to(folder)
    assert document_names(tmp_path / "link", f"lab_{LAB}") == []


STUDENTS = {
    "amy-below": ("cell below", 5, True),
    "bea-pasted": ("cell at the end", 4, False),
    "cid-question": ("below the question", 4, True),
    "dan-comments": ("comments", 2, True),
    "dee-document": ("untouched", 5, True),
    "dot-output": ("output", 5, True),
    "dov-script": ("untouched", 5, True),
    "eve-untouched": ("untouched", 5, True),
    "fay-blanks": ("answer of blanks", 0, True),
}
IN_SCRIPT = "the file `essay.py` beside the notebook"
PLACES = (
    BELOW,
    BELOW,
    "the question's own cell",
    COMMENTED,
    IN_PDF,
    f"the output of {BELOW.replace('new', 'new code')}",
    IN_SCRIPT,
)


def command(root, environment, *arguments, code=(0,)):
    done = subprocess.run(
        [sys.executable, "-m", "autograder", *map(str, arguments), "--root", root],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode in code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.sandbox
def test_commands_name_who_waits_and_who_left_it_untouched(course, download):
    files = {}
    for student, (kind, minor, metadata) in STUDENTS.items():
        edit = KINDS[kind][0] if kind in KINDS else NOT_ANSWERS[kind]
        made = submission(edit, minor, metadata)
        files[f"{student}/lab_{LAB}.ipynb"] = json.dumps(made).encode()
    files["dov-script/essay.py"] = COMMENTS.encode()
    files["dee-document/my answer.pdf"] = files["eve-untouched/readme.txt"] = b"%PDF-1.4"
    run = partial(command, course.root, course.environment)
    run("collect", LAB, download(files))
    run("grade", LAB, code=(0, 1))
    waiting, untouched = [*STUDENTS][:7], [*STUDENTS][7:]
    report = run("report", LAB)
    assert f"Not yet marked by hand (7): {', '.join(waiting)}" in report
    assert f"left the written question untouched (2): {', '.join(untouched)}" in report
    for student, place in zip(waiting, PLACES, strict=True):
        assert f"{student} ({place})" in report
    exported = run("export", LAB, "--to", course.root / "marks.csv", code=(1,))
    assert f"{LAB}: left the written question untouched (2): {', '.join(untouched)}" in exported
    assert f"not yet marked by hand, so the total lacks those points (7): {', '.join(waiting)}" in exported
    with course.gradebook() as book:
        for student in STUDENTS:
            grade = book.find_grade("recommendation", f"lab_{LAB}", LAB, student)
            assert (grade.needs_manual_grade, grade.auto_score) == ((True, None) if student in waiting else (False, 0))
    for student in waiting:
        page = json.loads(
            (course.root / f"autograder/work/autograded/{student}/{LAB}/lab_{LAB}.ipynb").read_text("utf-8")
        )
        assert (IN_FILE if student == "dee-document" else "I would buy the H200") in text(find(page, "recommendation"))
    # A person marks the seven: nobody is listed as waiting, and an unchanged answer stays marked after a new run.
    with course.gradebook() as book:
        for student in waiting:
            grade = book.find_grade("recommendation", f"lab_{LAB}", LAB, student)
            grade.manual_score, grade.needs_manual_grade = 4, False
        book.db.commit()
    run("grade", LAB, "--regrade", code=(0, 1))
    assert "Not yet marked" not in run("report", LAB)
    done = run("export", LAB, "--to", course.root / "final.csv")
    assert "left the written question untouched (2)" in done and "not yet marked" not in done
    shutil.rmtree(course.root / "autograder/work/feedback", ignore_errors=True)
    run("feedback", LAB)
    assert "I would buy the H200" in course.feedback("amy-below")
