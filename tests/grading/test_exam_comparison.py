"""Exam questions *what is wrong with this answer?*: three answers, one right, its place drawn for each student."""

import json
import re
from dataclasses import replace
from html import escape
from itertools import product

import pytest

from autograder.__main__ import main
from autograder.exam.comparison import CONFUSED, draw_comparison, statement
from autograder.exam.drawing import ExamRequest
from autograder.exam.eligibility import paper_candidates
from autograder.exam.exam import add_students, draw_exam
from autograder.exam.exam_file import FILE, exam_folder, load_exam, save_exam
from autograder.exam.marking import mark_answer, mark_answers
from autograder.exam.paper import render_pages
from autograder.exam.question import UnsuitableExercise, answer_text, draw_question
from autograder.exam.retake import draw_retake
from autograder.exercises import exercise
from tests.grading.course import STRONG_SECRET

CLASS = [f"s{number:02}" for number in range(30)]
WISH = ExamRequest(("roofline", "links", "serving"), 1, 4, 60, comparisons=2)
TOPICS = ("roofline", "links", "serving", "storage")


@pytest.fixture(autouse=True)
def term(monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "this term")


@pytest.fixture(scope="module")
def exam():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHIP2CLUSTER_SECRET", "this term")
        return draw_exam("final", WISH, CLASS)


@pytest.fixture(scope="module")
def drawn():
    """A question of this kind for each exercise of some topics that can ask it."""
    found = {}
    for one in paper_candidates(TOPICS)[0]:
        try:
            found[one.exercise.id] = draw_comparison(one.exercise, 7, 0.5)
        except UnsuitableExercise:
            continue
    return found


def test_more_than_six_exercises_ask_what_is_wrong(drawn):
    assert len(drawn) >= 6 and {name.removeprefix("lab.").split(".")[0] for name in drawn} == {*TOPICS}


def test_exactly_one_answer_is_right_and_mistakes_are_named(drawn):
    for name, question in drawn.items():
        same = draw_question(exercise(name), 7, 0.5)  # the numbers of this draw, to be calculated
        messages = {mistake.name: mistake.message for mistake in exercise(name).mistakes}
        wrong = {slip.name: answer_text(slip.answer) for slip in same.slips}
        compared = question.comparison
        assert question.inputs == same.inputs and question.answer.count("0") == 1
        assert len(set(compared.answers)) == 3 and len(set(compared.statements)) == len(compared.statements) >= 3
        for digit, value, mistake in zip(question.answer, compared.answers, compared.names, strict=True):
            if digit == "0":
                assert value == answer_text(same.answer) and mistake == ""
            else:
                assert value == wrong[mistake] != answer_text(same.answer)
                assert compared.statements[int(digit) - 1] == statement(messages[mistake])


def test_a_draw_can_be_repeated_and_differs_between_seeds(drawn):
    name = "roofline.ridge" if "roofline.ridge" in drawn else next(iter(drawn))
    assert draw_comparison(exercise(name), 7, 0.5) == drawn[name]
    places = [draw_comparison(exercise(name), seed, 0.5).answer.index("0") for seed in range(40)]
    assert {places.count(place) > 5 for place in range(3)} == {True}


def test_an_exercise_with_two_mistakes_cannot_ask_it(drawn):
    one = exercise(next(iter(drawn)))
    with pytest.raises(UnsuitableExercise, match="fewer than three"):
        draw_comparison(replace(one, mistakes=one.mistakes[:2], together=()), 7, 0.5)


def test_only_all_three_numbers_earn_all_points(drawn):
    for question in drawn.values():
        marks = {
            digits: mark_answer(question, "; ".join(digits), "s", 4)
            for digits in product("01234"[: 1 + len(question.comparison.statements)], repeat=3)
        }
        right = question.answer.index("0")
        assert [digits for digits, mark in marks.items() if mark.points == 4] == [tuple(question.answer)]
        half = [digits for digits, mark in marks.items() if mark.says == CONFUSED]
        assert all(marks[digits].points == 2 and digits.count("0") == 1 and digits[right] == "0" for digits in half)
        assert {mark.points for digits, mark in marks.items() if digits[right] != "0" or digits.count("0") != 1} == {0}
        taken = (right + 1) % 3
        digits = tuple("0" if place == taken else "1" for place in range(3))
        assert marks[digits].says == question.comparison.names[taken]


@pytest.mark.parametrize("typed", ["{};{};{}", "{} {} {}", "{}{}{}", "A {}, B {}, C {}", "a={} b={} c={}"])
def test_numbers_are_read_as_they_are_typed(drawn, typed):
    question = next(iter(drawn.values()))
    assert mark_answer(question, typed.format(*question.answer), "s", 3).points == 3


@pytest.mark.parametrize("typed", ["B", "0; 1", "0; 1; 2; 1", "0; 1; 9", "12.5 ms", "A is right"])
def test_what_cannot_be_read_is_left_to_a_person(drawn, typed):
    mark = mark_answer(next(iter(drawn.values())), typed, "s", 3)
    assert mark.points is None and "A, B and C" in mark.says


def test_an_exam_holds_as_many_as_requested_and_is_repeatable(exam, tmp_path):
    assert [task.compares for task in exam.tasks].count(True) == 2 < len(exam.tasks)
    assert render_pages(draw_exam("final", WISH, CLASS)) == render_pages(exam)
    save_exam(exam, tmp_path / FILE)
    assert json.loads((tmp_path / FILE).read_text())["wish"]["comparisons"] == 2
    again = load_exam(tmp_path / FILE)
    assert [again.papers[who][0].comparison for who in CLASS] == [exam.papers[who][0].comparison for who in CLASS]
    late = add_students(again, ["late"]).papers["late"]
    assert [question.comparison is not None for question in late] == [task.compares for task in exam.tasks]
    for place, task in enumerate(exam.tasks):
        if task.compares:
            assert len({exam.papers[who][place].answer.index("0") for who in CLASS}) == 3


def test_the_other_tasks_stay_as_they_are_without_comparisons(exam):
    plain = draw_exam("final", replace(WISH, comparisons=0), CLASS)
    for place, task in enumerate(exam.tasks):
        assert task.exercise == plain.tasks[place].exercise
        if not task.compares:
            assert exam.papers["s03"][place].inputs == plain.papers["s03"][place].inputs


def test_paper_and_key_show_the_three_answers(exam):
    pages = render_pages(exam)
    papers, key = pages["papers-a4.html"], pages["key-a4.html"]
    assert papers.count("What is wrong with this answer?") == papers.count("One is right;") == 2 * len(CLASS)
    paper = papers.partition('<section class="paper"')[2].partition("</section>")[0]
    for task, question in zip(exam.tasks, exam.papers[CLASS[0]], strict=True):
        if task.compares:
            assert all(re.search(rf'<th scope="row">{letter}</th><td>', paper) for letter in "ABC")
            assert answer_text(question.answer) in key and CONFUSED in key
            named = [pair for pair in zip("ABC", question.comparison.names, strict=True) if pair[1]]
            assert " · ".join(f"<b>{letter}</b> {escape(name)}" for letter, name in named) in key


def test_an_exam_of_an_earlier_version_can_be_read(exam, tmp_path):
    save_exam(draw_exam("final", replace(WISH, comparisons=0), CLASS[:2]), tmp_path / FILE)
    data = json.loads((tmp_path / FILE).read_text())
    del data["wish"]["comparisons"]
    for task in data["tasks"]:
        del task["compares"]
    for question in (one for paper in data["papers"].values() for one in paper):
        del question["comparison"]
    (tmp_path / FILE).write_text(json.dumps(data))
    assert not any(task.compares for task in load_exam(tmp_path / FILE).tasks)


def test_the_command_draws_and_refuses(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", STRONG_SECRET)
    draw = ["exam", "quiz", "--root", str(tmp_path), "--copies", "3", "--topics", "roofline,links"]
    assert main([*draw, "--wrong-answers", "1"]) == 0
    assert capsys.readouterr().out.count("what is wrong with this answer") == 1
    assert sum(task.compares for task in load_exam(exam_folder(tmp_path, "quiz") / FILE).tasks) == 1
    for options, words in (
        (["--wrong-answers", "2"], "another --wrong-answers"),
        (["--wrong-answers", "-1"], "0 or more"),
    ):
        assert main([*draw, *options]) != 0
        assert words in capsys.readouterr().err
    assert (
        main(
            ["exam", "other", "--root", str(tmp_path), "--copies", "3", "--topics", "roofline", "--wrong-answers", "40"]
        )
        != 0
    )
    assert "can ask what is wrong with an answer" in capsys.readouterr().err
    assert main(["exam", "other", "--root", str(tmp_path), "--notebook", "--wrong-answers", "1"]) != 0
    assert "on paper" in capsys.readouterr().err


def test_a_table_of_digits_is_marked(exam, tmp_path):
    def table(papers):
        lines = ["student," + ",".join(str(number) for number in range(1, len(exam.tasks) + 1))]
        for who, paper in papers.items():
            cells = ["; ".join(one.answer) if one.comparison else "-" for one in exam.papers[paper]]
            lines.append(",".join([who, *cells]))
        (tmp_path / "answers.csv").write_text("\n".join(lines) + "\n")
        return mark_answers(exam, tmp_path / "answers.csv")

    right = table({who: who for who in CLASS})
    assert not any("exchanged" in sentence for sentence in right.sentences)
    points = sum(task.points for task in exam.tasks if task.compares)
    assert {sum(mark.points for mark in marks) for marks in right.marks.values()} == {points}


def test_comparisons_leave_judging_tasks_texts_and_steps(exam):
    assert any(task.judges for task in exam.tasks)
    questions = exam.papers[CLASS[0]]
    for task, question in zip(exam.tasks, questions, strict=True):
        assert not (task.compares and (task.judges or task.steps))
        assert bool(question.text) == bool(question.steps) == (not task.compares)
    paper = render_pages(exam)["papers-a4.html"].partition('<section class="paper"')[2].partition("</section>")[0]
    shown = dict(zip(re.findall(r"<h2>(\d+) ", paper), paper.split('<div class="task">')[1:], strict=True))
    for number, (task, question) in enumerate(zip(exam.tasks, questions, strict=True), 1):
        own_table = [f"<code>{name}</code>" in shown[str(number)] for name in question.inputs]
        assert all(own_table) if task.compares else not any(own_table)
        assert "{" not in shown[str(number)]


def test_the_working_of_a_comparison_is_points_alone(exam, tmp_path):
    place = next(place for place, task in enumerate(exam.tasks) if task.compares)
    columns = [name for n in range(1, len(exam.tasks) + 1) for name in (f"{n}", f"{n} working")]

    def mark(working):
        cells = dict.fromkeys(columns, "-") | {f"{place + 1}": "0; 0; 0", f"{place + 1} working": working}
        (tmp_path / "answers.csv").write_text(f"student,{','.join(columns)}\ns03,{','.join(cells.values())}\n")
        return mark_answers(exam, tmp_path / "answers.csv").marks["s03"][place]

    assert mark("1").points == 1 and mark("").points == 0
    assert mark("a").points is None and "type points from 0" in mark("a").says


def test_a_retake_compares_in_the_same_tasks_with_other_numbers(exam):
    again = draw_retake("again", exam, CLASS[:3])
    assert again.tasks == exam.tasks
    for who, questions in again.papers.items():
        for task, new, old in zip(exam.tasks, questions, exam.papers[who], strict=True):
            assert (new.inputs, new.own) != (old.inputs, old.own) and (new.comparison is not None) == task.compares
    assert render_pages(again)["papers-a4.html"].count("One is right;") == 2 * 3


def test_a_retake_refuses_another_number_of_comparisons(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", STRONG_SECRET)
    draw = ["exam", "again", "--root", str(tmp_path), "--copies", "3", "--retake-of", "final", "--wrong-answers", "1"]
    assert main(draw) == 2
    assert "leave --wrong-answers out" in capsys.readouterr().err
