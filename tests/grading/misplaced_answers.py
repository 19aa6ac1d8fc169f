"""Answers outside their cell, texts that are not answers, and a lab rebuilt from a submission with them."""

import base64
import copy
import json
import textwrap
from functools import cache

import nbformat
from nbgrader.utils import compute_checksum

from autograder.grading.intake.notebook import parse_notebook
from autograder.grading.intake.reconstruction import rebuild
from tests.grading.course import ROOT
from tests.grading.notebooks import RELEASED, answered, code, find, markdown, position, text
from tests.grading.test_pictures import picture

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


@cache
def notebooks(lab):
    read = [
        json.loads((ROOT / folder / lab / f"lab_{lab}.ipynb").read_text("utf-8")) for folder in ("labs", "solutions")
    ]
    answers = {cell["id"]: cell["source"] for cell in read[1]["cells"] if cell["cell_type"] == "code"}
    return read[0], answers
