"""Rubrics as files: what they accept, what they refuse, and that those of the course say what INSTRUCTOR.md prints."""

import json
import re
import shutil

import pytest

from autograder.grading.lab import load
from autograder.grading.marking.answer_view import answer_view
from autograder.grading.marking.rubric import RubricLine, load_rubric, parse_rubric, rubric_problems
from autograder.questions import class_question
from autograder.questions.cells import with_question
from tests.grading.course import LAB, ROOT
from tests.grading.samples import ESSAY, graded, lab
from tests.tables import every_row

LABS = [folder.name for folder in sorted((ROOT / "solutions").iterdir()) if folder.is_dir()]
LINE = '[[lines]]\nid = "a"\npoints = 2\ntext = "names a chip"\n'


@every_row("name", LABS)
def test_rubric_of_each_lab_states_its_printed_lines(name):
    lab = load(ROOT, name)
    (question,) = lab.by_hand
    rubric = load_rubric(ROOT, lab, question)
    printed = re.findall(
        r"^\| (\d+) \| (.*) \|$", (ROOT / "solutions" / name / "INSTRUCTOR.md").read_text("utf-8"), re.M
    )
    for line in rubric.lines:
        assert line.at_most is not None or (f"{line.points:g}", line.text) in printed
    assert rubric.points == lab.by_hand[question] and rubric_problems(ROOT, lab) == []
    assert any(line.at_most for line in rubric.lines), "each lab names an answer that cannot earn everything"


@every_row(
    "text, says",
    [
        ("", "a block [[lines]]"),
        ("lines = 3", "a block [[lines]]"),
        ("x = 1\n" + LINE, "unknown entry 'x'"),
        (LINE.replace("text", "txt"), "unknown entry 'txt'"),
        (LINE.replace("points = 2\n", ""), "either points or at_most"),
        (LINE + "at_most = 1\n", "either points or at_most"),
        (LINE.replace("2", "-2"), "numbers from 0 to 1000"),
        (LINE.replace("2", "true"), "numbers from 0 to 1000"),
        (LINE.replace("2", "nan"), "numbers from 0 to 1000"),
        (LINE.replace('"a"', '"A b"'), "lower-case letters"),
        (LINE + LINE, "two lines have the id 'a'"),
        (LINE + "version = 0\n", "version must be"),
        ("[[lines]", "not valid TOML"),
    ],
)
def test_parse_rubric_refuses_and_says_what_is_wrong(text, says):
    with pytest.raises(ValueError, match=re.escape(says)) as refused:
        parse_rubric(text, "q", "q.rubric.toml")
    assert "q.rubric.toml" in str(refused.value)


def test_load_rubric_reads_a_printed_table(tmp_path):
    shutil.copytree(ROOT / "solutions" / LAB, tmp_path / "solutions" / LAB)
    (tmp_path / "solutions" / LAB / "recommendation.rubric.toml").unlink()
    rubric = load_rubric(tmp_path, load(ROOT, LAB), "recommendation")
    assert rubric.lines[1] == RubricLine("line-2", "says that memory bandwidth decides at batch 8", 1.0)
    (tmp_path / "solutions" / LAB / "INSTRUCTOR.md").unlink()
    with pytest.raises(ValueError, match=r"write .*recommendation\.rubric\.toml"):
        load_rubric(tmp_path, load(ROOT, LAB), "recommendation")


def test_rubric_problems_name_a_release_with_the_rubric(tmp_path):
    for name in ("solutions", "labs"):
        shutil.copytree(ROOT / name / LAB, tmp_path / name / LAB)
    file = tmp_path / "solutions" / LAB / "recommendation.rubric.toml"
    shutil.copy(file, tmp_path / "labs" / LAB)
    file.write_text(file.read_text("utf-8").replace("names two chips", "names three chips"), encoding="utf-8")
    printed, released = rubric_problems(tmp_path, load(tmp_path, LAB))
    assert "other lines" in printed and "the release contains" in released
    file.write_text(file.read_text("utf-8").replace("points = 1", "points = 2", 1), encoding="utf-8")
    assert "sum to 7 points" in rubric_problems(tmp_path, load(tmp_path, LAB))[0]


def test_load_rubric_reads_the_second_question(tmp_path, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")
    question = class_question("roofline")
    for name in ("solutions", "labs"):
        file = shutil.copytree(ROOT / name / LAB, tmp_path / name / LAB) / f"lab_{LAB}.ipynb"
        notebook = with_question(json.loads(file.read_text("utf-8")), question, 8)
        file.write_text(json.dumps(notebook), encoding="utf-8")
    rubric = load_rubric(tmp_path, load(tmp_path, LAB), "second_answer")
    assert [line.points for line in rubric.lines] == [2, 2, 2, 2]
    assert [line.text for line in rubric.lines] == [text for _, text in question.rubric]
    assert rubric_problems(tmp_path, load(tmp_path, LAB)) == []


def test_release_leaves_the_rubric_out(registered):
    assert [file.name for file in (registered / "solutions" / LAB).glob("*.toml")] == [f"{ESSAY}.rubric.toml"]
    assert not [*(registered / "labs").rglob("*.toml")]


def test_release_with_an_earlier_configuration_leaves_it_out(course):
    with open(course.root / "nbgrader_config.py", "a", encoding="utf-8") as file:
        file.write('\nc.CourseDirectory.ignore = ["INSTRUCTOR.md"]\n')
    (course.root / "solutions" / LAB / "values.toml").write_text("x = 1\n", encoding="utf-8")
    course.nbgrader_here("generate_assignment", LAB)
    assert [file.name for file in (course.root / "labs" / LAB).glob("*.toml")] == ["values.toml"]


def test_answer_view_shows_the_numbers_of_the_question():
    def printed(text):
        return [{"output_type": "stream", "name": "stdout", "text": text}]

    outputs = {
        "ranking": printed("H200 1892 tokens/s of Ann Lee\n"),
        "own-chip": printed("989 TFLOP/s\n"),
        "own-rate-check": printed("a hidden verdict"),
    }
    result = graded("ann", {ESSAY: "By ANN: *the H200*, annual"}, outputs=outputs)
    result.found = {ESSAY: ["cell 12"]}
    view = answer_view(result, lab(), ESSAY, ["ann", "Ann Lee", "", "Le"])
    assert [kind for kind, _ in view.basis] == ["html"] and "H200 1892 tokens/s of [name]" in view.basis[0][1]
    assert [text for _, text in view.others] == ['<pre class="printed" tabindex="0">989 TFLOP/s</pre>']
    assert view.answer == "<p>By [name]: <em>the H200</em>, annual</p>\n" and view.found == ["cell 12"]
    assert "Which of these chips would you buy" in view.question and "8 billion parameters" in view.question
