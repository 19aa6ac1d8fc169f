"""Every task for paper: whole in its words, with a unit at each number, plausible, and right by its own steps."""

from types import SimpleNamespace

import numpy as np
import pytest

from autograder.doctor.paper_lint import paper_problems, text_problems
from autograder.exam.eligibility import paper_tasks
from autograder.exam.paper_question import draw_paper_question
from autograder.exercises import exercise, exercises
from chip2cluster import chapters, specs
from chip2cluster.exercise import machine_ranges
from chip2cluster.exercise.answers import agree, normalize
from chip2cluster.exercise.paper_task import Choice, Number, PaperTask, Step

TASKS = paper_tasks()


def _drawn(task, count):
    """Inputs of plausible draws, with what the paper prints."""
    generator = np.random.default_rng(3)
    found = []
    for _ in range(400 * count):
        printed = task.draw(generator)
        inputs = task.arguments(printed)
        if not task.plausible or task.plausible(SimpleNamespace(**inputs)):
            found.append((printed, inputs))
        if len(found) == count:
            return found
    raise AssertionError(f"{task.exercise}: hardly any draw is plausible")


def test_each_topic_has_tasks_and_most_have_one_that_judges():
    topics = {name.removeprefix("lab.").split(".")[0] for name in TASKS}
    assert topics == {topic for topic in chapters.topics() if chapters.files(topic, "exercises")}
    judging = {name.removeprefix("lab.").split(".")[0] for name, task in TASKS.items() if task.judges}
    assert len(judging) == len(topics)


def test_texts_for_paper_are_whole():
    assert paper_problems([*exercises()]) == []


@pytest.mark.parametrize("name", TASKS)
def test_steps_lead_to_the_answer_of_the_exercise(name):
    """The steps are worked out by hand from the printed numbers, and the reference is the course's model."""
    task = TASKS[name]
    for _, inputs in _drawn(task, 25):
        answer = normalize(exercise(name).reference(**inputs))
        if isinstance(answer, np.ndarray):
            answer = answer / np.asarray(task.per)
        elif isinstance(answer, float):
            answer = answer / task.per
        assert agree(normalize(task.steps[-1].value(SimpleNamespace(**inputs))), answer, 1e-6), inputs


@pytest.mark.parametrize("name", TASKS)
def test_paper_text_prints_every_number_with_its_unit(name):
    task = TASKS[name]
    for printed, _ in _drawn(task, 3):
        text = task.wording(printed)
        assert "{" not in text and "nan" not in text and "e+" not in text
        for key, one in task.given.items():
            if f"{{{key}}}" in task.text and isinstance(one, Number) and not task.prints:
                low, high = one.ends
                assert low <= printed[key] <= high and one.show(printed[key]) in text


@pytest.mark.parametrize("name", ["lab.storage.find_slip", "measure.late_rank", "mfu.audit", "roofline.surely_bound"])
def test_judging_tasks_have_no_answer_for_the_whole_class(name):
    task = TASKS[name]
    made = [draw_paper_question(task, exercise(name), seed, 0.5) for seed in range(16)]
    answers = {str(one.answer if isinstance(one.answer, str) else float(one.answer[0])) for one in made}
    assert len(answers) >= 2 and len({one.text for one in made}) >= 15


def test_ranges_hold_real_accelerators():
    """Peak, memory and bandwidth of the catalogue's data center GPUs lie in the ranges; the ends are no farther than a factor 1.3."""
    gpus = [chip for chip in specs.accelerators() if chip.kind == "gpu" and chip.year <= 2025]
    gpus = [chip for chip in gpus if chip.memory_bandwidth > 0.88e12]
    rates = [chip.memory_bandwidth / 1e12 for chip in gpus]
    low, high = machine_ranges.MEMORY_BANDWIDTH.ends
    assert min(rates) / 1.3 < low < 1.3 * min(rates) and max(rates) / 1.3 < high < 1.3 * max(rates)
    sizes = {round(chip.memory_bytes / 1e9) for chip in gpus}
    assert {80, 141, 192} <= sizes & {*map(int, machine_ranges.MEMORY.values)}
    h100 = specs.accelerator("H100 SXM")
    low, high = machine_ranges.PEAK.ends
    assert low < h100.peak_flops_dense("bf16") / 1e12 < high


def _task(text, unit="GB/s", **more):
    return PaperTask(
        exercise="x.y",
        title="A rate",
        text=text,
        given={"rate": Number(unit, 1, 10)},
        steps=(Step("all", 1.0, lambda x: x.rate),),
        **more,
    )


@pytest.mark.parametrize(
    ("text", "unit", "complaint"),
    [
        ("A link carries {rate}. How much is that?", "GB/s", ""),
        ("The table gives {rate}. How much is that?", "GB/s", "'The table'"),
        ("Now a link carries {rate}. How much is that?", "GB/s", "'Now'"),
        ("Return what {rate} is. How much?", "GB/s", "'Return'"),
        ("A `link` carries {rate}. How much is that?", "GB/s", "'`'"),
        ("With memory_bandwidth {rate}, how much is that?", "GB/s", "'memory_bandwidth'"),
        ("As shown above, a link carries {rate}. How much is that?", "GB/s", "above"),
        ("A link carries {rate}.", "GB/s", "asks nothing"),
        ("A link carries {rate}. How much is that?", "", "without a unit"),
        ("A node has {rate} of them. How much is that?", "", "without a unit"),
        ("A node has {rate} links. How much is that?", "", ""),
        ("A power usage effectiveness (PUE) of {rate}. How much is that?", "", ""),
    ],
)
def test_doctor_names_what_a_text_for_paper_lacks(text, unit, complaint):
    found = list(text_problems(_task(text, unit)))
    assert not found if not complaint else complaint in " ".join(found)


def test_paper_task_refuses_contradictory_data():
    with pytest.raises(ValueError, match="add up to 1"):
        PaperTask(exercise="x.y", title="", text="{a}", given={"a": Number("s", 1, 2)}, steps=())
    with pytest.raises(ValueError, match="states"):
        _task("A link. How much?")
    with pytest.raises(ValueError, match="range from more than 0"):
        Number("s", 2, 1)
    assert Choice({True: "with", False: "without"}).show(True) == "with"


def test_number_prints_and_converts_its_unit():
    rate = Number("TB/s", 0.9, 8, per=1e12)
    assert rate.show(3.35) == "3.35\N{NO-BREAK SPACE}TB/s" and rate.argument(3.35) == 3.35e12
    assert Number("GPUs", values=(16384,), whole=True).show(16384.0) == "16,384\N{NO-BREAK SPACE}GPUs"
