"""A written answer only in an output, a script or a text file waits for a person, with the place named."""

import copy
import json

import nbformat
import pytest

from autograder.grading.intake.archive import pack_submission, unpack_submission
from autograder.grading.intake.extra_files import read_extra_files
from autograder.grading.intake.notebook import parse_notebook
from autograder.grading.intake.reconstruction import rebuild
from autograder.grading.intake.text_files import prose_by_file
from tests.grading.course import LAB
from tests.grading.downloads import zip_bytes
from tests.grading.misplaced_answers import COMMENTS, ESSAY, LABS, notebooks, submission, waits
from tests.grading.notebooks import RELEASED, code, find, position, text
from tests.tables import every_row

OUTPUT = "the output of a new code cell below the question"


def output(kind, text):
    """An output of a code cell, as JupyterLab stores it."""
    lines = text.splitlines(keepends=True)
    if kind in ("stdout", "stderr"):
        return {"output_type": "stream", "name": kind, "text": lines}
    return {"output_type": "display_data", "data": {kind: lines, "text/plain": ["<Markdown object>"]}, "metadata": {}}


def with_output(source, *outputs, after="recommendation"):
    made = submission(lambda made: None)
    made["cells"].insert(position(made, after) + 1, {**code(source), "outputs": [*outputs], "execution_count": 7})
    return made


def regraded(made, **more):
    """What the grader makes of a notebook file."""
    return rebuild(parse_notebook(json.dumps(made).encode())[0], RELEASED, **more)


@pytest.mark.parametrize("kind", ["stdout", "text/markdown"])
def test_answer_only_in_an_output_waits(kind):
    done = regraded(with_output("show(answer)", output(kind, ESSAY)))
    assert done.found == {"recommendation": [OUTPUT]} and waits(done.notebook)
    assert ESSAY in text(find(done.notebook, "recommendation"))
    assert not any(cell.get("outputs") or "printed" in cell for cell in done.notebook["cells"])
    nbformat.validate(nbformat.from_dict(done.notebook))


@pytest.mark.parametrize(
    "source, shown",
    [
        ("check('roofline.ridge', ridge)", output("stdout", ESSAY)),
        ("help(ridge)", output("stdout", ESSAY)),
        ("ridge?", output("stdout", ESSAY)),
        ("!pip install matplotlib", output("stdout", ESSAY)),
        ("fit()", output("stderr", ESSAY)),
        ("fit()", output("stdout", "chip  flops  bandwidth\n" + "A100 312 1.55 ok\n" * 30)),
        ("fit()", output("stdout", "too short to be an answer")),
        ("fit()", {"output_type": "error", "ename": "E", "evalue": ESSAY, "traceback": [ESSAY]}),
    ],
)
def test_output_that_others_wrote_is_not_an_answer(source, shown):
    assert not regraded(with_output(source, shown)).found


def test_output_of_the_labs_own_cells_is_not_an_answer():
    made = copy.deepcopy(RELEASED)
    for cell in made["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [output("stdout", ESSAY)]
    assert not regraded(made).found
    find(made, "shortest_time")["source"] += "\nprint(open('essay.rtf').read())"
    assert regraded(made).found == {"recommendation": ["the output of the cell `shortest_time`"]}


@pytest.mark.parametrize(
    "shown", [{"text": 5}, {"text": [[]]}, {"data": []}, {"data": {"text/plain": None}}, {"text": "\ud800" * 99}]
)
def test_odd_outputs_are_dropped(shown):
    assert not regraded(with_output("x = 1", {"output_type": "stream", **shown})).found
    assert not regraded(with_output("x = 1", "a string", 5, None)).found


FILES = {
    "script": ("essay.py", COMMENTS.encode()),
    "docstring": ("essay.py", f'"""{ESSAY}"""\nx = 1\n'.encode()),
    "script of windows": ("Essay.PY", b"\xff\xfe" + COMMENTS.replace("\n", "\r\n").encode("utf-16-le")),
    "script in a folder": ("code/essay.py", COMMENTS.encode()),
    "script in a zip": ("work.zip", zip_bytes({"code/essay.py": COMMENTS.encode()})),
    "text": ("essay.txt", ESSAY.encode()),
    "markdown in a zip": ("work.zip", zip_bytes({"essay.md": ESSAY.encode()})),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """Write files beside a lab without the essay; returns the submitted folder."""

    def write(name, data, made=None):
        file = tmp_path / "submitted" / name
        file.parent.mkdir(parents=True)
        file.write_bytes(data)
        (tmp_path / "submitted" / f"lab_{LAB}.ipynb").write_text(json.dumps(made or RELEASED), encoding="utf-8")
        return tmp_path / "submitted"

    return write


@pytest.mark.parametrize("kind", FILES)
def test_answer_only_in_a_file_waits(kind, folder, tmp_path):
    place = folder(*FILES[kind])
    there = unpack_submission(pack_submission(place, f"lab_{LAB}"), tmp_path / "elsewhere")
    for submitted in (place, there):
        prose = prose_by_file(submitted, read_extra_files(submitted).files)
        assert [name.rpartition("/")[2].lower() for name in prose] == [
            {"text": "essay.txt", "markdown in a zip": "essay.md"}.get(kind, "essay.py")
        ]
        # Also if code names the file, since the notebook may print it and be saved without outputs.
        done = regraded(with_output(f"print(open({[*prose]!r}[0]).read())"), prose=prose)
        assert done.found == {"recommendation": [f"the file `{next(iter(prose))}` beside the notebook"]}
        assert ESSAY.split()[0] in text(find(done.notebook, "recommendation")) and waits(done.notebook)


@pytest.mark.parametrize(
    "name, data",
    [
        ("helper.py", b"def f(x):\n    # " + ESSAY.encode() + b"\n    return x\n"),
        ("helper.py", b"x = 1  # short\n"),
        ("requirements.txt", ESSAY.encode()),
        ("data.txt", b"1.0 2.0 3.0\n" * 100),
        ("bad.py", bytes(range(256)) * 40),
        ("bad.zip", b"PK\3\4" + bytes(99)),
    ],
)
def test_file_without_an_answer_is_not_one(name, data, folder):
    place = folder(name, data)
    assert not regraded(RELEASED, prose=prose_by_file(place, read_extra_files(place).files)).found


@every_row("lab", LABS)
def test_script_made_from_a_lab_is_not_an_answer(lab, tmp_path):
    """`jupyter nbconvert --to script` writes the course's text as comments."""
    released, _ = notebooks(lab)
    lines = []
    for cell in released["cells"]:
        source = "".join(cell["source"])
        lines.append(source if cell["cell_type"] == "code" else "\n".join(f"# {line}" for line in source.splitlines()))
    (tmp_path / lab).mkdir()
    (tmp_path / lab / f"lab_{lab}.py").write_text("\n\n".join(lines), encoding="utf-8")
    prose = prose_by_file(tmp_path / lab, read_extra_files(tmp_path / lab).files)
    assert prose and not rebuild(released, released, prose=prose).found


@pytest.mark.parametrize("start", range(0, 120, 7))
def test_damaged_zip_never_stops_the_search_for_answers(start, tmp_path):
    """Any damage of a zip that a student handed in."""
    data = bytearray(zip_bytes({"a/essay.py": COMMENTS.encode(), "b.txt": ESSAY.encode()}))
    for at in (start, -start - 1):
        damaged = data.copy()
        damaged[at] ^= 0xFF
        (tmp_path / "work.zip").write_bytes(damaged)
        assert all(name.startswith("work.zip/") for name in prose_by_file(tmp_path, {}))
