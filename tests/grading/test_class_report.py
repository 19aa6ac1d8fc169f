"""The class report, compared with other tools, with simulated classes, and with hostile journals."""

import io
import json
import math
import shutil
import zipfile
from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder import check, progress
from autograder.__main__ import main
from autograder.demo.journals import make_journals
from autograder.demo.wrong_answers import wrong_answers
from autograder.exercises import exercises
from autograder.grading.class_report import guesses, items, journals, mistakes
from autograder.grading.class_report.class_report import build_class_report
from autograder.grading.class_report.items import Discrimination
from autograder.grading.result_store import ResultStore
from chip2cluster import journal, predict
from chip2cluster.exercise.verdict_codes import MISCONCEPTION, RAISES
from tests.grading.course import LAB, ROOT
from tests.grading.samples import correct, graded, lab

QUESTION = predict.questions.find("roofline.ops_per_byte")


pytestmark = pytest.mark.usefixtures("own_record")


def scores_of(students, discriminations, seed=1):
    """Simulate the answers of a class by the two-parameter logistic model."""
    drawn = np.random.default_rng(seed)
    ability = drawn.normal(size=(students, 1))
    right = drawn.random((students, len(discriminations))) < 1 / (1 + np.exp(-ability * np.array(discriminations)))
    return pd.DataFrame(right.astype(float), columns=[f"t{place}" for place in range(len(discriminations))])


def analysed(scores):
    return items.analyze_items("lab", scores, {name: name for name in scores.columns})


@pytest.mark.parametrize("seed", range(3))
def test_correlation_and_interval_are_scipys(seed):
    from scipy import stats  # imported here, because it takes a second

    scores = scores_of(57, [1.0, 2.0, 0.5, 3.0], seed)
    for item in analysed(scores):
        theirs = stats.pearsonr(scores[item.title], scores.drop(columns=item.title).sum(axis=1))
        interval = theirs.confidence_interval(0.95)
        assert (item.correlation, item.low, item.high) == pytest.approx((theirs.statistic, interval.low, interval.high))
        assert item.reached == scores[item.title].mean()


def test_item_analysis_finds_the_random_task_in_a_simulation():
    *good, coin = analysed(scores_of(800, [2.5, 2.5, 2.5, 2.5, 0.0]))
    assert {item.separation for item in good} == {Discrimination.YES} and coin.separation is Discrimination.NO


def test_item_analysis_needs_enough_students_and_varying_points():
    assert {item.separation for item in analysed(scores_of(12, [2.5, 2.5, 2.5]))} == {Discrimination.FEW}
    scores = scores_of(60, [2.5, 2.5, 2.5]).assign(t0=1.0)
    first, *_ = analysed(scores)
    assert first.separation is Discrimination.ALIKE and math.isnan(first.correlation)


def test_a_usual_class_and_a_middling_task_end_in_a_doubt():
    assert analysed(scores_of(30, [1.0, 1.0, 1.0], seed=4))[0].separation is Discrimination.UNSURE


def a_journal(number, guess=None, mistakes=(), exercise="roofline.ridge", **changed):
    return {
        "kind": journals.KIND,
        "format": 1,
        "id": f"{number:016x}",
        "predictions": {} if guess is None else {QUESTION.id: {"guess": guess, "day": "2027-02-03"}},
        "exercises": {
            exercise: {
                "attempts": 3, "solved": True, "hints": 0, "revealed": False, "mistakes": dict.fromkeys(mistakes, "2027-02-03"),
            }
        },
    } | changed  # fmt: skip


def handed_in(tmp_path, contents):
    file = tmp_path / "download.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for number, content in enumerate(contents):
            text = content if isinstance(content, str) else json.dumps(content)
            archive.writestr(f"student{number}_journal.json", text)
    return [file]


def test_question_guesses_need_five_learners(tmp_path):
    truth = QUESTION.truth()
    given_ = [truth * factor for factor in (0.1, 0.5, 1.0, 1.9, 10, 100)]
    read, said = journals.read_journals(
        handed_in(tmp_path, [a_journal(number, guess) for number, guess in enumerate(given_)])
    )
    (one,) = guesses.question_guesses(read, [QUESTION])
    assert not said and one.learners == 6 and one.too_high == 0.5 and one.within_two == 0.5
    assert one.factor == pytest.approx(math.sqrt(2 * 10))  # geometric mean of the third and the fourth
    assert guesses.question_guesses(read[:4], [QUESTION]) == []


@pytest.mark.parametrize("wild", [5e-324, 1e308])
def test_wild_guesses_break_neither_the_numbers_nor_the_data(tmp_path, wild):
    download = handed_in(tmp_path, [a_journal(number, wild) for number in range(5)])
    data = json.dumps(build_class_report(tmp_path, download).to_json(), default=str, allow_nan=False)
    assert "ratios" not in data and json.loads(data)["guesses"][0]["within_two"] == 0


def test_comments_for_the_next_lecture_name_the_notebook(tmp_path):
    found = build_class_report(tmp_path, handed_in(tmp_path, [a_journal(number, 1e6, [NAMED]) for number in range(5)]))
    met, far = found.tomorrow
    assert RIDGE.mistakes[0].message in met and all("(notebook 03_roofline.ipynb)" in one for one in (met, far))


# No guess is so close to a factor that rounding decides.
@given(st.lists(st.integers(-6_000_000, 6_000_000).map(lambda millionths: millionths / 1e6), min_size=1, max_size=40))
def test_the_curve_rises_from_none_to_all(orders):
    ratios = tuple(10**one for one in orders)
    one = guesses.QuestionGuesses("roofline.x", "roofline", "", "", len(ratios), 1.0, 1.0, 0.5, 0.5, ratios)
    (curve,) = guesses.curves([one], ["roofline"]).values()
    assert curve == sorted(curve) and curve[0] >= 0 and curve[-1] <= 1
    for factor, share in zip(guesses.FACTORS, curve, strict=True):
        assert share == pytest.approx(np.mean([abs(order) <= math.log10(factor) + 1e-9 for order in orders]))


RIDGE = exercises()["roofline.ridge"]
NAMED = RIDGE.mistakes[0].name


def test_mistakes_count_students_once_and_need_five(tmp_path):
    five = [a_journal(number, mistakes=[NAMED]) for number in range(5)]
    read, _ = journals.read_journals(
        handed_in(tmp_path, [*five, a_journal(9), a_journal(10, mistakes=["<b>of nobody</b>"])])
    )
    (met,) = mistakes.mistakes_in_journals(read, exercises())
    assert (met.students, met.of, met.week, met.mistake) == (5, 7, date(2027, 2, 1), NAMED)
    assert mistakes.mistakes_in_journals(read[1:5], exercises()) == []


HOSTILE = (
    "", "[" * 100_000, '{"kind": 1}', "1" * 10_000, '"text"',
    a_journal(1, guess=-1.0), json.dumps(a_journal(1, guess=float("nan"))), json.dumps(a_journal(1, guess=1e400)),
    a_journal(1, id="../../etc/passwd"), a_journal(1, format=2), a_journal(1, predictions=[]), a_journal(1, exercises={"a": 1}),
    a_journal(1, guess="9" * 5000), a_journal(1, exercises={"roofline.ridge": {"attempts": 1, "mistakes": {"a": "tomorrow"}}}),
    json.dumps(a_journal(1)).replace('"attempts": 3', f'"attempts": {"7" * 9000}').replace('"id"', '"i"'),
)  # fmt: skip


@pytest.mark.parametrize("hostile", range(len(HOSTILE)))
def test_damaged_or_hostile_journal_gives_one_sentence(tmp_path, hostile):
    read, said = journals.read_journals(handed_in(tmp_path, [a_journal(5, 3.0), HOSTILE[hostile]]))
    assert len(read) == 1 and len(said) == 1 and "student1_journal.json: " in said[0] and len(said[0]) < 300


def test_longer_of_two_journals_of_one_learner_counts(tmp_path):
    read, said = journals.read_journals(handed_in(tmp_path, [a_journal(5), a_journal(5, 3.0)]))
    assert len(read) == 1 and read[0].guesses and "the longer one counts" in said[0]


BALLOTS = {
    "canvas": ("{who}_{number}_{upload}_journal-{nth}.json", "{who}_{number}_{upload}_journal.json"),
    "canvas late": ("{who}_LATE_{number}_{upload}_anything.json", "{who}_{number}_{upload}_journal.json"),
    "moodle": ("{who}_{number}_assignsubmission_file_/j{nth}.json", "{who}_{number}_assignsubmission_file_/j.json"),
    "moodle flat": ("{who}_{number}_assignsubmission_file_j{nth}.json", "{who}_{number}_assignsubmission_file_j.json"),
    "folders": ("{who}/{nth}.json", "{who}/journal.json"),
    "folders in a folder": ("class/{who}/{nth}/journal.json", "class/{who}/journal.json"),
    "prefix": ("{who}_{nth}.json", "{who}_journal.json"),
    "prefix in a folder": ("journals/{who}_{nth}_{upload}.json", "journals/{who}_journal.json"),
    "browser's copies": ("{who} ({nth}).json", "{who}.json"),
    "attempts": ("Lab 3_{who}_attempt_2027-02-03-10-00-{nth:02}_j.json", "Lab 3_{who}_attempt_2027-02-03-09-00-00_j.json"),
}  # fmt: skip


def _ballots(names, file, many=100, honest=25):
    """Write a download in which the first of the class handed in many journals, each with a guess of its own."""
    with zipfile.ZipFile(file, "w") as archive:
        for nth in range(many):
            name = names[0].format(who="moe", number=666, upload=9000 + nth, nth=nth)
            archive.writestr(name, json.dumps(a_journal(1000 + nth, guess=1.0 + nth, mistakes=[NAMED])))
        for student in range(honest):
            name = names[1].format(who=f"ann{chr(97 + student)}", number=100 + student, upload=100 + student)
            archive.writestr(name, json.dumps(a_journal(student, guess=3.0)))
    return file


@pytest.mark.parametrize("names", BALLOTS.values(), ids=BALLOTS)
def test_class_report_counts_each_uploader_once(tmp_path, names, capsys):
    """A student of 26 hands in 100 journals: the class has 26 journals, and her newest is one of them."""
    download, data = _ballots(names, tmp_path / "journal-ballots.zip"), tmp_path / "class.json"
    assert main(["class-report", "--root", str(tmp_path), "--journals", str(download), "--to", str(data)]) == 1
    said = capsys.readouterr().out
    found = json.loads(data.read_text(encoding="utf-8"))
    assert found["learners"] == 26 and "26 journals" in said and found["mistakes"] == []
    assert "99 further journals of people who handed in several" in said and "moe" not in said
    read, _ = journals.read_journals([download])
    assert sorted(one.guesses[QUESTION.id] for one in read) == [3.0] * 25 + [100.0]


@pytest.mark.parametrize(
    "name", ["{}.json", "journal_{}.json", "all/{}.json", "all/journal_{}.json", "{}/journal.json"]
)
def test_class_report_counts_every_learner(tmp_path, name):
    download = tmp_path / "download.zip"
    with zipfile.ZipFile(download, "w") as archive:
        for student in range(12):
            archive.writestr(name.format(student), json.dumps(a_journal(student)))
    read, said = journals.read_journals([download])
    assert len(read) == 12 and not said
    download.rename(tmp_path / "unpacked.zip")
    with zipfile.ZipFile(tmp_path / "unpacked.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    assert len(journals.read_journals([tmp_path / "unpacked"])[0]) == 12
    assert len(journals.read_journals((tmp_path / "unpacked").rglob("*.json"))[0]) == 12


def test_newest_journal_of_an_uploader_counts_across_downloads(tmp_path):
    def download(week, day, guess):
        file = tmp_path / f"week {week}.zip"
        with zipfile.ZipFile(file, "w") as archive:
            for student in range(3):
                entry = {QUESTION.id: {"guess": guess, "day": day}}
                archive.writestr(
                    f"s{student}_{week}.json", json.dumps(a_journal(10 * week + student, predictions=entry))
                )
        return file

    late, early = download(1, "2027-02-10", 2.0), download(2, "2027-02-03", 1.0)
    for downloads in ([early, late], [late, early]):
        read, _ = journals.read_journals(downloads)
        assert [one.guesses[QUESTION.id] for one in read] == [2.0] * 3


def test_shared_journal_contains_no_notes_names_or_times(tmp_path, capsys):
    journal.predict(QUESTION.id, 3.0)
    journal.note("roofline.explore", "what I really think of this course")
    name, source = next(iter(wrong_answers(RIDGE)))
    space = {}
    exec(source, space)
    check("roofline.ridge", space[RIDGE.function_name])
    assert list(journal.read()["exercises"]["roofline.ridge"]["mistakes"]) == [name]
    file = tmp_path / "journal.json"
    assert "No name, no notes, no code" in repr(progress("roofline", share_to=file))
    written = file.read_text(encoding="utf-8")
    assert "really think" not in written and "T" not in json.loads(written)["predictions"][QUESTION.id]["day"]
    progress("roofline", share_to=file)  # replaces the first file
    assert file.read_text(encoding="utf-8") == written
    (read,), said = journals.read_journals([file])
    assert not said and read.guesses == {QUESTION.id: 3.0} and [*read.mistakes] == [("roofline.ridge", name)]
    other = tmp_path / "essay.json"
    other.write_text("{}")
    with pytest.raises(FileExistsError, match="choose another name"):
        progress("roofline", share_to=other)
    assert other.read_text() == "{}"


@pytest.fixture
def course(tmp_path):
    """Create a graded lab of thirty students, of whom every third made a named mistake."""
    for folder in ("solutions", "labs"):
        shutil.copytree(ROOT / folder / LAB, tmp_path / folder / LAB)
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    store = ResultStore.of(tmp_path, LAB)
    first = lab().tasks[0].exercise
    for number in range(30):
        slip = {first: (0.0, MISCONCEPTION, "", lab().tasks[0].definition.mistakes[0].name)} if number % 3 == 0 else {}
        store.put(graded(f"name-of-{number}", verdicts=correct() | slip))
    return tmp_path


def test_class_report_shows_results_without_names(course, capsys):
    download, page, data = course / "journals.zip", course / "class.html", course / "class.json"
    download.write_bytes(make_journals(40, 1))
    assert main(["class-report", "--root", str(course), "--journals", str(download), "--to", str(page)]) == 1
    said = capsys.readouterr().out
    assert "28 journals" in said and f"{LAB}: 30" in said and "essay.txt: it is not a journal" in said
    assert (
        f"10 of 30 made the mistake “{lab().tasks[0].definition.mistakes[0].name}”" not in said
    )  # it has no date, and later weeks come first
    main(["class-report", "--root", str(course), "--journals", str(download), "--to", str(data)])
    html = page.read_text(encoding="utf-8")
    assert "name-of-" not in said
    for text in (html, data.read_text(encoding="utf-8")):
        assert "name-of-" not in text and "essay" not in text and "journal.json" not in text
    assert "<svg" in html and "<script" not in html and "Item analysis" in html
    assert json.loads(data.read_text(encoding="utf-8"))["submissions"] == {LAB: 30}


def test_graded_mistakes_are_counted_by_student(course):
    found = build_class_report(course)
    (met,) = found.mistakes
    assert (met.students, met.of, met.graded, met.week) == (10, 30, True, None) and len(found.tomorrow) == 1
    solved = [item for item in found.items if item.reached == 1]
    assert len(solved) == len(lab().tasks) - 1 and {item.separation for item in solved} == {Discrimination.ALIKE}
    assert {one["correlation"] for one in found.to_json()["items"] if one["reached"] == 1} == {None}
    json.dumps(found.to_json(), default=str, allow_nan=False)


def with_faults(result, *tasks):
    """Return a result in which the grader itself failed on tasks."""
    for task in tasks:
        result.exercises[task.exercise] |= {"score": 0.0, "verdict": RAISES, "mistake": "", "fault": True}
    return result


def test_class_report_leaves_out_failures_of_the_grader(course, capsys):
    """The grader fails on the first task of 12 of 30 students, 4 of whom met the mistake, and on all tasks of one."""
    first, *others = lab().tasks
    before = {item.title: item for item in build_class_report(course).items}
    store = ResultStore.of(course, LAB)
    for number in range(12):
        store.put(with_faults(graded(f"name-of-{number}", verdicts=correct()), first))
    store.put(with_faults(graded("name-of-12", verdicts=correct()), *lab().tasks))
    page, data = course / "class.html", course / "class.json"
    for file in (page, data):
        assert main(["class-report", "--root", str(course), "--to", str(file)]) == 0
    report = build_class_report(course)
    items = {item.title: item for item in report.items}
    # 17 students are left: those with the numbers 13 to 29, of whom 15, 18, 21, 24 and 27 made the mistake.
    assert (items[first.title].students, items[first.title].reached) == (17, pytest.approx(12 / 17))
    assert all(items[task.title].students == 29 and items[task.title].reached == 1 for task in others)
    assert before[first.title].students == 30 and [(one.students, one.of) for one in report.mistakes] == [(5, 17)]
    assert json.loads(data.read_text(encoding="utf-8"))["left_out"] == {LAB: 13}
    for said in (capsys.readouterr().out, page.read_text(encoding="utf-8").replace("&#39;", "'")):
        assert "the grader itself failed on tasks of 13 submissions" in said and "name-of" not in said


def test_item_analysis_ranks_nobody_low_for_a_missing_mark():
    scores = scores_of(400, [2.5, 2.5, 2.5, 2.5])
    complete = {item.title: item for item in analysed(scores)}
    damaged = scores.copy()
    damaged.loc[:39, "t0"] = math.nan
    for item in analysed(damaged):
        assert item.students == (360 if item.title == "t0" else 400)
        assert item.correlation == pytest.approx(complete[item.title].correlation, abs=0.06)
    damaged.loc[4:, "t0"] = math.nan
    assert "t0" not in {item.title for item in analysed(damaged)}, "fewer than five students"


def test_class_report_skips_a_removed_lab(course):
    ResultStore.of(course, "99_retired").put(graded("name-of-1", verdicts=correct()))
    found = build_class_report(course)
    assert found.submissions == {LAB: 30} and [one.partition(":")[0] for one in found.problems] == [
        "99_retired was left out"
    ]


def test_class_report_without_data_gives_an_error(tmp_path, capsys):
    assert main(["class-report", "--root", str(tmp_path)]) == 2
    assert "grade a lab of at least five students" in capsys.readouterr().err
    assert main(["class-report", "--root", str(tmp_path), "--journals", str(tmp_path / "none.zip")]) == 2
    assert "does not exist" in capsys.readouterr().err


def test_demo_journals_depend_only_on_the_seed():
    assert make_journals(20, 1) == make_journals(20, 1) != make_journals(20, 2)
    assert len(zipfile.ZipFile(io.BytesIO(make_journals(20, 1))).namelist()) == 16
