"""An exam for a class: drawn, set, typed in, marked; and as a notebook that the grader marks."""

import csv
import json
import re

import nbformat
import numpy as np
import pytest

from autograder.__main__ import main
from autograder.exam import assignment
from autograder.exam.drawing import ExamRequest, choose_exercises
from autograder.exam.eligibility import paper_candidates
from autograder.exam.exam import add_students, draw_exam
from autograder.exam.exam_file import FILE, exam_folder, load_exam, save_exam
from autograder.exam.marking import mark_answer, mark_answers, parse_answer
from autograder.exam.paper import answer_text, render_pages
from autograder.exam.question import PaperQuestion, draw_question
from autograder.exam.totals import marks_table
from autograder.exam.typed_number import parse_number
from autograder.exercises import exercise
from autograder.grading.lab_doctor import examine_lab
from autograder.grading.student_seeds import secrets_for
from autograder.grading.submission import grade_notebook
from autograder.sandbox import Sandbox, SandboxType
from autograder.secret import exam_seed, values_key
from chip2cluster.exercise.answers import agree, normalize
from tests.grading.assignments import course_with, handed_in
from tests.grading.course import STRONG_SECRET

CLASS = [f"s{number:02}" for number in range(29)] + ["<img src=x onerror=alert(1)>"]
WISH = ExamRequest(("roofline", "links", "accelerators", "serving"), 1, 4, 60)


@pytest.fixture(autouse=True)
def term(monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "this term")
    monkeypatch.delenv("CHIP2CLUSTER_VALUES_KEY", raising=False)


@pytest.fixture(scope="module")
def exam():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHIP2CLUSTER_SECRET", "this term")
        return draw_exam("final", WISH, CLASS)


def typed(answer):
    """Return an answer as a person types it: a count in full, another number with three digits."""
    if isinstance(answer, float):
        return f"{answer:.0f}" if answer.is_integer() and abs(answer) < 1e6 else f"{answer:.3g}"
    return "; ".join(map(typed, map(float, answer))) if isinstance(answer, np.ndarray) else answer_text(answer)


def fill(file, exam, answer):
    """A table of answers: ``answer(question, task)`` for each."""
    with open(file, "w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["student", *range(1, len(exam.tasks) + 1)])
        for who, questions in exam.papers.items():
            rows.writerow([who, *(answer(one, task) for one, task in zip(questions, exam.tasks, strict=True))])
    return file


def test_exam_keeps_to_topics_difficulty_and_minutes(exam):
    assert exam.minutes <= 60 and exam.minutes > 45
    assert {task.exercise.removeprefix("lab.").split(".")[0] for task in exam.tasks} == set(WISH.topics)
    assert all(1 <= task.difficulty <= 4 for task in exam.tasks)
    assert [len(questions) for questions in exam.papers.values()] == [len(exam.tasks)] * 30


def test_marking_gives_right_answers_and_mistakes_their_points(exam, tmp_path):
    right = mark_answers(exam, fill(tmp_path / "right.csv", exam, lambda one, _: typed(one.answer)))
    assert not right.sentences and all(sum(m.points for m in row) == exam.points for row in right.marks.values())
    wrong = mark_answers(exam, fill(tmp_path / "wrong.csv", exam, lambda one, _: typed(one.slips[0].answer)))
    for who, row in wrong.marks.items():
        for one, task, got in zip(exam.papers[who], exam.tasks, row, strict=True):
            slip = one.slips[0]
            assert (got.says, got.points) == (slip.name, task.points * slip.keeps)
    nothing = mark_answers(exam, fill(tmp_path / "empty.csv", exam, lambda *_: "-"))
    assert {m.points for row in nothing.marks.values() for m in row} == {0.0}

    def with_unit(one, task):
        return f"{typed(one.answer)} {task.unit}" if isinstance(one.answer, float) else typed(one.answer)

    units = mark_answers(exam, fill(tmp_path / "units.csv", exam, with_unit))
    assert units.marks == right.marks


def test_paper_answers_agree_with_the_exercise():
    """The key is worked out again from the numbers that stand on the paper, by the model answer that pages show."""
    tried = 0
    for name in ("roofline.ridge", "roofline.gemm_intensity", "links.effective", "lab.roofline.own_chip"):
        known = exercise(name)
        for seed in range(5):
            made = draw_question(known, seed, 0.5)
            # Every digit of what the answer rests on is printed.
            inputs = {key: float(text) for key, text in {**made.inputs, **made.own}.items()}
            assert agree(normalize(known.reference(**inputs)), made.answer, 1e-9)
            for slip in made.slips:
                assert not agree(slip.answer, made.answer, 2 * made.tolerance)
            tried += len(made.slips)
    assert tried > 60


def test_exam_numbers_differ_by_secret_and_do_not_reveal_it(exam, monkeypatch):
    def numbers(drawn):
        return {
            (task.exercise, json.dumps([dict(one.inputs), dict(one.own)]))
            for questions in drawn.papers.values()
            for one, task in zip(questions, drawn.tasks, strict=True)
        }

    ids = [task.exercise for task in exam.tasks]
    seeds = {exam_seed("final", "numbers", name, who) for name in ids for who in CLASS}
    key = values_key()
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "next term")
    assert not seeds & {exam_seed("final", "numbers", name, who) for name in ids for who in CLASS}
    next_term = draw_exam("final", WISH, CLASS)
    assert [t.exercise for t in next_term.tasks] != ids and next_term.mark != exam.mark
    # Tasks with one or two numbers have few possible ones, so two terms share some of them by chance.
    shared = {exercise for exercise, _ in numbers(exam) & numbers(next_term)}
    assert shared <= {"links.pcie", "links.half_size", "accelerators.dense_16_bit"}
    with pytest.raises(ValueError, match="drawn with another secret"):
        add_students(exam, ["late"])
    # The key of personal values is in students' hands before the exam: with it alone nobody comes to the numbers.
    monkeypatch.setenv("CHIP2CLUSTER_VALUES_KEY", key)
    assert not seeds & {exam_seed("final", "numbers", name, who) for name in ids for who in CLASS}
    assert "this term" not in json.dumps(render_pages(exam))


def test_redrawn_exam_is_the_same_with_a_late_student(exam, tmp_path):
    save_exam(exam, tmp_path / FILE)
    again = load_exam(tmp_path / FILE)
    save_exam(again, tmp_path / "twice.json")
    assert (tmp_path / FILE).read_text() == (tmp_path / "twice.json").read_text()
    more = add_students(again, ["s00", "late"])
    assert render_pages(more)["key-a4.html"].count("<h2>") == len(exam.tasks) + 31
    save_exam(more, tmp_path / "more.json")
    before, after = (json.loads((tmp_path / name).read_text())["papers"] for name in (FILE, "more.json"))
    assert after.pop("late") and after == before
    other = draw_exam("resit", WISH, CLASS[:2])
    assert [task.exercise for task in other.tasks] != [task.exercise for task in exam.tasks]


def test_papers_hide_answers_and_escape_names(exam):
    made = render_pages(exam)
    assert sorted(made) == ["key-a4.html", "key-letter.html", "papers-a4.html", "papers-letter.html"]
    for name, page in made.items():
        assert "<img" not in page and "&lt;img" in page and "<script" not in page
        assert not re.search(r"""<[^>]*\b(src|href)\s*=|url\(|@import|https?://(?!www\.w3\.org/1998/Math)""", page)
        assert ("size: A4" if "a4" in name else "size: letter") in page.replace("Letter", "letter")
        if name.startswith("papers"):
            assert all(slip.message not in page for one in exam.papers["s00"] for slip in one.slips)
            assert "$" not in re.sub(r"<[^>]+>", "", page) and "hint(" not in page and "the check" not in page


def test_paper_candidates_give_reasons_for_refusals():
    asked, refused = paper_candidates()
    assert len(asked) >= 50 and len(asked) + len(refused) > 230
    assert refused["lab.roofline.rank_chips"] == "no text for paper is written for it"
    assert all("equation" not in one.text and "`hint" not in one.text for one in asked)


@pytest.mark.prove
def test_paper_candidates_have_numbers_or_a_reason():
    from autograder.exam.question import UnsuitableExercise

    without = {}
    for one in paper_candidates()[0]:
        for seed in range(10):
            try:
                made = draw_question(one.exercise, seed, 0.5)
                assert mark_answer(made, typed(made.answer), one.exercise.unit, 1.0).points == 1.0, one.exercise.id
            except UnsuitableExercise as reason:
                without[one.exercise.id] = str(reason)
    assert len(without) < 30 and all(without.values())


@pytest.mark.parametrize(
    "text, like, answer",
    [
        ("3.2e14", 1.0, 3.2e14),
        ("3.2 · 10^14", 1.0, 3.2e14),
        ("3.2×10**-3 s", 1.0, 3.2e-3),
        ("−5", 1.0, -5.0),
        ("1,200", 1.0, None),
        ("12 apples", 1.0, None),
        ("1; 2", 1.0, None),
        ("1", np.zeros(2), None),
        (" memory ", "x", "memory"),
        ("none", ["x"], []),
        ("a; b", ["x"], ["a", "b"]),
        ("nan", 1.0, None),
        ("1e999", 1.0, None),
        ("2.7 ms", 1.0, 2.7e-3),
        ("0,75 min", 1.0, 45.0),
        ("3·10⁻³ s", 1.0, 3e-3),
        ("≈ 1 200", 1.0, 1200.0),
        ("2 ms; 3 s", np.zeros(2), [2e-3, 3.0]),
    ],
)
def test_parse_answer_accepts_handwritten_formats(text, like, answer):
    assert answer == pytest.approx(parse_answer(text, like, "s")) if answer else parse_answer(text, like, "s") == answer


@pytest.mark.parametrize(
    "text, unit, number",
    [
        # What people write: a prefix, percent, a decimal comma, digits in groups.
        ("2.7 ms", "s", 0.0027),
        ("74.7%", "", 0.747),
        ("28.9 %", "", 0.289),
        ("8.45 µs", "s", 8.45e-6),
        ("8.45 μs", "s", 8.45e-6),
        ("8.45us", "s", 8.45e-6),
        ("56.25 kB", "bytes", 56250.0),
        ("56,25 kB", "bytes", 56250.0),
        ("0,75", "", 0.75),
        ("1,200,000", "bytes", 1.2e6),
        ("1.234,5", "s", 1234.5),
        ("80 GiB", "bytes", 80 * 2**30),
        ("400 Gb/s", "bytes/s", 50e9),
        ("400 Gbit/s", "B/s", 50e9),
        ("0.05 TB/s", "GB/s", 50.0),
        ("312 TFLOPS", "FLOP/s", 312e12),
        ("153 FLOPs/byte", "FLOP/byte", 153.0),
        ("1.7 GHz", "MHz", 1700.0),
        ("36 h", "days", 1.5),
        ("3.5k tokens/s", "tokens/s", 3500.0),
        ("40 token/s", "tokens/s", 40.0),
        ("7e9 parameters", "billion parameters", 7.0),
        ("$5", "dollars", 5.0),
        # What a person has to look at.
        ("1,200", "s", None),
        ("12 GB", "s", None),
        ("5 m", "bytes", None),
        ("5 gb", "bytes", None),
        ("1.2.3", "s", None),
        ("2.7 ms/token", "s", None),
        ("7 B", "chips", None),
    ],
)
def test_parse_number_converts_units_of_the_same_kind(text, unit, number):
    found = parse_number(text, unit)
    assert found is None if number is None else found == pytest.approx(number, rel=1e-12)


@pytest.mark.parametrize("separator, comma", [(",", "."), (";", ",")])
def test_exam_command_marks_answers_with_units(exam, tmp_path, capsys, separator, comma):
    """Every numeric answer of a class, typed with a prefix or in percent, earns what its plain number earns."""
    place = exam_folder(tmp_path, "final")
    place.mkdir(parents=True)
    save_exam(exam, place / FILE)

    def typed_with_unit(one, task):
        text = typed(one.answer)
        if isinstance(one.answer, float) and not one.answer.is_integer():
            if task.unit == "ms":
                text = f"{1e3 * one.answer:.3g} µs"
            elif task.unit == "GB/s":
                text = f"{one.answer / 1e3:.3g} TB/s"
            elif task.unit == "TFLOP/s":
                text = f"{one.answer / 1e3:.3g} PFLOP/s"
            elif task.unit == "%":
                text = f"{one.answer:.3g} %"
        return text.replace(".", comma) if isinstance(one.answer, float) else text

    answers = tmp_path / "answers.csv"
    with open(answers, "w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, delimiter=separator)
        rows.writerow(["student", *range(1, len(exam.tasks) + 1)])
        for who, questions in exam.papers.items():
            rows.writerow([who, *map(typed_with_unit, questions, exam.tasks)])
    text = answers.read_text(encoding="utf-8")
    assert any(unit in text for unit in (" µs", " TB/s", " PFLOP/s", " %"))
    assert main(["exam", "final", "--marks", str(answers), "--root", str(tmp_path)]) == 0, capsys.readouterr().err
    marks = list(csv.DictReader((place / "marks.csv").read_text(encoding="utf-8").splitlines()))
    assert len(marks) == 30 and {row["total"] for row in marks} == {f"{exam.points:g}"}


def test_percent_of_an_answer_in_percent_waits_for_a_person():
    question = PaperQuestion("roofline.ridge", {}, {}, 28.9, 0.01, ())
    assert mark_answer(question, "28.9", "", 4).points == 4
    assert mark_answer(question, "28.9 %", "", 4).points is None
    assert mark_answer(question, "12 %", "", 4).points == 0


def test_unreadable_answer_waits_for_a_person(exam, tmp_path):
    numeric = next(n for n, one in enumerate(exam.papers["s00"]) if isinstance(one.answer, float))
    rows = mark_answers(exam, fill(tmp_path / "odd.csv", exam, lambda one, _: "see the back, please"))
    assert rows.marks["s00"][numeric].points is None and "cannot be read as a number" in " ".join(rows.sentences)
    first = next(csv.DictReader(marks_table(exam, rows).splitlines()))
    assert first["total"] == "" and first[f"task {numeric + 1}"] == ""


def test_exam_command_draws_prints_marks_and_refuses(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", STRONG_SECRET)
    roster = tmp_path / "class.csv"
    roster.write_text("id,first_name\nann,Ann\n=1+1,Bob\n", encoding="utf-8")
    to = ["--root", str(tmp_path)]

    def said_by(*arguments, code=2):
        assert main(["exam", *arguments, *to]) == code
        done = capsys.readouterr()
        return done.out + done.err

    drawn = said_by("final", "--students", str(roster), "--topics", "roofline,links", "--minutes", "20", code=0)
    assert "2 papers" in drawn
    place = exam_folder(tmp_path, "final")
    before = (place / FILE).read_text()
    assert "another --minutes" in said_by("final", "--students", str(roster), "--minutes", "30")
    assert "0 papers are new" in said_by("final", "--students", str(roster), code=0)
    assert (place / FILE).read_text() == before
    exam = load_exam(place / FILE)
    answers = fill(tmp_path / "answers.csv", exam, lambda one, _: typed(one.answer))
    said_by("final", "--marks", str(answers), code=0)
    marks = list(csv.DictReader((place / "marks.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["student"] for row in marks] == ["ann", "'=1+1"]
    assert all(row["total"] == row["of"] == f"{exam.points:g}" for row in marks)
    assert "--force replaces it" in said_by("final", "--marks", str(answers))
    lines = answers.read_text(encoding="utf-8").splitlines()
    answers.write_text("\n".join([*lines[:2], lines[1]]), encoding="utf-8")
    assert "a second time" in said_by("final", "--marks", str(answers), "--force")
    answers.write_text("\n".join([lines[0], lines[1].replace("ann", "eve")]), encoding="utf-8")
    assert "'eve' has no paper" in said_by("final", "--marks", str(answers), "--force")
    answers.write_text("\n".join(lines[:2]), encoding="utf-8")
    assert "no answers of =1+1" in said_by("final", "--marks", str(answers), "--force", code=1)
    answers.write_text("name,1\nann,3\n", encoding="utf-8")
    assert "no column student" in said_by("final", "--marks", str(answers), "--force")
    assert "no exam is called 'other'; there are final" in said_by("other", "--marks", str(answers))
    roster.write_text("id\nann\nann\n", encoding="utf-8")
    assert "line 2 and again in line 3" in said_by("twins", "--students", str(roster))
    roster.write_text("who\nann\n", encoding="utf-8")
    assert "a column id or student" in said_by("who", "--students", str(roster))
    assert "small letters" in said_by("../up", "--copies", "3")
    assert "no chapter is on 'rooflin'" in said_by("x", "--copies", "3", "--topics", "rooflin")
    assert "the shortest of" in said_by("x", "--copies", "3", "--topics", "roofline", "--minutes", "1")
    assert "1 to 5 dots" in said_by("x", "--copies", "3", "--difficulty", "4-2")
    assert "who sits the exam" in said_by("x")
    assert not (tmp_path / "autograder/work/exams/x").exists()


@pytest.mark.sandbox
def test_exam_notebook_is_marked_by_the_grader(tmp_path):
    """Untouched 0, the model answers full marks, each known wrong solution its share: what the doctor asks of a lab."""
    pool, refused = assignment.notebook_candidates(("roofline", "accelerators"))
    wish = ExamRequest(minutes=25)
    taken = choose_exercises(pool, wish, exam_seed("nb", "exercises"), lambda _: True)
    personal = [one for one in pool if one.exercise.constants and one not in taken]
    made = assignment.exam_notebook("nb", [*taken, *personal])
    assert personal and "shortest_time" in refused["lab.roofline.tokens_per_second"]
    lab = course_with(tmp_path, "exam_nb", nbformat.reads(json.dumps(made), as_version=4))
    released = json.dumps(lab.released)
    private = ("SOLUTION", "award")
    assert all(words in json.dumps(made) for words in private) and not any(words in released for words in private)
    assert "check(" not in released
    with Sandbox(lab, sandbox=SandboxType.UNSANDBOXED) as box:
        assert examine_lab(tmp_path, lab, box) == []
    file = assignment.write_notebook(tmp_path / "other", "nb", made)
    assert assignment.write_notebook(tmp_path / "other", "nb", made) == file
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match="exists and is different"):
        assignment.write_notebook(tmp_path / "other", "nb", made)


@pytest.mark.prove
def test_notebook_candidates_are_marked_right(tmp_path):
    pool, _ = assignment.notebook_candidates()
    for start in range(0, len(pool), 20):
        name = f"exam_{start}"
        made = assignment.exam_notebook(name, pool[start : start + 20])
        lab = course_with(tmp_path / name, name, nbformat.reads(json.dumps(made), as_version=4))
        answers = {cell["id"]: "".join(cell["source"]) for cell in made["cells"] if cell["id"].startswith("answer-")}
        with Sandbox(lab, sandbox=SandboxType.UNSANDBOXED) as box:
            graded = grade_notebook(handed_in(lab, **answers), "ann", lab, box, secrets_for(lab, "ann"))
        assert {one: got["message"] for one, got in graded.exercises.items() if got["score"] < got["max_score"]} == {}
