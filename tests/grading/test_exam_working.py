"""What the working shows, totals, retakes, and numbers as people write them."""

import csv

import pytest

from autograder.__main__ import main
from autograder.exam.exam_file import FILE, exam_folder, load_exam
from autograder.exam.marking import AnswerMark, mark_answer, mark_working
from autograder.exam.question import MistakeAnswer, PaperQuestion, StepAnswer
from autograder.exam.typed_number import parse_number
from tests.grading.course import STRONG_SECRET
from tests.grading.test_exam import typed

STEPS = (StepAnswer("bytes", "2 GB", 0.25), StepAnswer("time", "4 ms", 0.25), StepAnswer("answer", "3 ms", 0.5))
QUESTION = PaperQuestion("x.y", {}, {}, 3.0, 0.01, (MistakeAnswer("bits", "bits", 24.0, 0.5),), "text", STEPS)


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        # Powers of ten and signs.
        ("3.35e12", "bytes/s", 3.35e12),
        ("3.35E12", "bytes/s", 3.35e12),
        ("3.35 x 10^12", "bytes/s", 3.35e12),
        ("3.35 × 10¹²", "bytes/s", 3.35e12),
        ("3.35·10^12", "bytes/s", 3.35e12),
        ("3.35 * 10**12", "bytes/s", 3.35e12),
        ("10^6", "bytes", 1e6),
        ("2.5·10⁻³", "s", 2.5e-3),
        ("≈ 12.5", "ms", 12.5),
        ("= 0.75", "", 0.75),
        (".5", "", 0.5),
        ("-3", "", -3.0),
        ("−3", "", -3.0),
        # A decimal comma, and digits in groups.
        ("2,7", "ms", 2.7),
        ("0,75", "", 0.75),
        ("1 200", "tokens", 1200.0),
        ("1'200", "tokens", 1200.0),
        ("12,345,678", "bytes", 12345678.0),
        ("1.234.567", "bytes", 1234567.0),
        ("1.234,5", "s", 1234.5),
        ("1,234.5", "s", 1234.5),
        # Percent.
        ("74.7 %", "%", 74.7),
        ("74.7%", "%", 74.7),
        ("74,7 %", "%", 74.7),
        ("74.7 percent", "%", 74.7),
        ("74.7 per cent", "%", 74.7),
        ("74.7 %", "", 0.747),
        # The unit of the task, or another of its kind.
        ("2.7 ms", "ms", 2.7),
        ("2.7ms", "s", 0.0027),
        ("2700 µs", "ms", 2.7),
        ("2700us", "ms", 2.7),
        ("0.0027 s", "ms", 2.7),
        ("56.25 kB", "kB", 56.25),
        ("56250 bytes", "kB", 56.25),
        ("400 Gbit/s", "GB/s", 50.0),
        ("3.35 TB/s", "GB/s", 3350.0),
        ("0.99 PFLOP/s", "TFLOP/s", 990.0),
        ("989 TFLOPS", "TFLOP/s", 989.0),
        ("1.75 GHz", "MHz", 1750.0),
        ("36 h", "days", 1.5),
        ("2.5 million dollars", "million dollars", 2.5),
        ("$2500000", "dollars", 2.5e6),
        ("120 thousand hours", "thousand hours", 120.0),
        ("120000 h", "thousand hours", 120.0),
        ("12.9 billion", "billion parameters", 12.9),
        ("295 FLOP/B", "FLOP/byte", 295.0),
        ("4.9 cores", "cores", 4.9),
        ("180 g/kWh", "g/kWh", 180.0),
        ("1.6x", "times", 1.6),
        # Left to a person.
        ("1,200", "tokens", None),
        ("12 GB", "ms", None),
        ("3-4", "s", None),
        ("5 %", "ms", None),
        ("0.0027 ms per token", "ms", None),
    ],
)
def test_parse_number_reads_what_people_write(text, unit, number):
    found = parse_number(text, unit)
    assert found is None if number is None else found == pytest.approx(number, rel=1e-9), found


@pytest.mark.parametrize(
    ("answer", "working", "points"),
    [
        ("3", "", 4.0),
        ("3", "a", 4.0),  # right, so all steps are worth no more
        ("7", "", 0.0),
        ("7", "a", 1.0),
        ("7", "ab", 2.0),
        ("7", "B, A", 2.0),
        ("7", "a b", 2.0),
        ("7", "aa", 1.0),
        ("24", "a", 2.0),  # a known mistake keeps half
        ("24", "ab c", 4.0),
        ("7", "2.5", 2.5),
        ("3", "3,5", 3.5),  # the judgement is missing
        ("3", "0", 0.0),
        ("see the back", "ab", 2.0),
        ("see the back", "", None),
        ("7", "-", 0.0),
        ("7", "abz", None),
        ("7", "5", None),
        ("7", "-1", None),
        ("7", "50 %", None),
    ],
)
def test_working_earns_its_steps_or_the_points_of_a_person(answer, working, points):
    mark = mark_working(mark_answer(QUESTION, answer, "ms", 4.0), working, QUESTION, 4.0)
    assert mark.points == points
    assert points is not None or mark.says


def test_share_without_percent_waits_for_a_person():
    share = PaperQuestion("x.y", {}, {}, 74.7, 0.01, ())
    assert mark_answer(share, "74.7", "%", 3.0) == AnswerMark(3.0)
    assert mark_answer(share, "0.747", "%", 3.0).points is None
    assert mark_answer(share, "0.5", "%", 3.0).points == 0.0


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run ``autograder exam`` in an empty course; returns the exit code and what it says."""
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", STRONG_SECRET)
    monkeypatch.delenv("CHIP2CLUSTER_VALUES_KEY", raising=False)

    def run(*words):
        code = main(["exam", *map(str, words), "--root", str(tmp_path)])
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


def test_answer_table_is_filled_and_marked_with_totals(command, tmp_path):
    options = ("--topics", "mfu,storage", "--minutes", "30")
    assert command("mid", "--copies", 4, *options)[0] == 0
    place = exam_folder(tmp_path, "mid")
    exam = load_exam(place / FILE)
    table = place / "answers.csv"
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    numbers = range(1, len(exam.tasks) + 1)
    assert [*rows[0]] == ["student", *(name for n in numbers for name in (f"{n}", f"{n} working"))]
    assert [row["student"] for row in rows] == [*exam.papers]
    for row in rows:
        row |= {f"{n}": typed(one.answer) for n, one in enumerate(exam.papers[row["student"]], 1)}
    rows[0] |= {"1": "-", "1 working": "a"}
    with open(table, "w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    before = table.read_bytes()
    code, said = command("mid", "--marks", table)
    assert code == 0, said
    share = exam.tasks[0].steps[0][1]
    first = exam.points - exam.tasks[0].points * (1 - share)
    mean = (first + 3 * exam.points) / 4
    assert f"total: {mean:.2f} of {exam.points:g}, from {first:g} to {exam.points:g}; 4 of 4 papers" in said
    assert "task 2:" in said and "4 of 4 in full" in said
    marks = list(csv.DictReader((place / "marks.csv").read_text(encoding="utf-8").splitlines()))
    assert float(marks[0]["total"]) == pytest.approx(first) and marks[0]["1 working"] == "a"
    assert [row["total"] for row in marks[1:]] == [f"{exam.points:g}"] * 3
    # More papers leave the typed answers as they are.
    code, said = command("mid", "--copies", 5)
    assert table.read_bytes() == before and "add a row for paper-5" in said


def test_retake_has_the_tasks_with_other_numbers(command, tmp_path):
    command("final", "--copies", 12, "--topics", "machine,links", "--minutes", "40")
    assert command("retake", "--copies", 12, "--retake-of", "final")[0] == 0
    final, retake = (load_exam(exam_folder(tmp_path, name) / FILE) for name in ("final", "retake"))
    assert retake.tasks == final.tasks and retake.retake_of == "final" and retake.name == "retake"
    for who, questions in retake.papers.items():
        assert all(new.inputs != old.inputs for new, old in zip(questions, final.papers[who], strict=True))
    text = (exam_folder(tmp_path, "retake") / "papers-a4.html").read_text(encoding="utf-8")
    assert "<h1>retake</h1>" in text and "final" not in text
    code, said = command("third", "--copies", 2, "--retake-of", "final", "--minutes", "20")
    assert code == 2 and "leave --minutes out" in said
    assert "no exam is called 'none'" in command("third", "--copies", 2, "--retake-of", "none")[1]


def test_each_paper_has_a_task_that_judges(command, tmp_path):
    for topic in ("accelerators", "occupancy", "design"):
        assert command(topic, "--copies", 1, "--topics", topic, "--minutes", "20")[0] == 0
        assert any(task.judges for task in load_exam(exam_folder(tmp_path, topic) / FILE).tasks)
