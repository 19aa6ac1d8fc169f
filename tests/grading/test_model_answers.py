"""Model answers run in a process of their own: a student's function gets their values, and never their code."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autograder.exercises import exercises
from autograder.grading.intake.notebook import clean_notebook
from autograder.grading.lab import load
from autograder.grading.model_answers import ModelAnswers, defining_cells
from autograder.grading.student_seeds import secrets_for
from autograder.grading.submission import grade_notebook
from autograder.grading.task_questions import TaskQuestions
from autograder.sandbox import CodeCell, Limits, Query, Sandbox
from autograder.sandbox.inside import message_protocol
from autograder.sandbox.inside.message_protocol import pack, unpack
from autograder.sandbox.inside.remote_functions import pack_argument
from autograder.sandbox.page_files import PACKAGE, model_files
from autograder.sandbox.session import Session
from chip2cluster._package import is_model
from chip2cluster.exercise.answers import agree, normalize
from tests.grading.attacks.model import LAB, ROOT, SOLVED, notebook

LABS = sorted(folder.name for folder in (ROOT / "solutions").iterdir() if folder.is_dir())
MARK = "a_name_that_stands_in_no_other_source"
MARKED = f"""
def shortest_time(flops, bytes_moved, peak_flops, memory_bandwidth):
    {MARK} = max(flops / peak_flops, bytes_moved / memory_bandwidth)
    return {MARK}
"""
# Looks for the name in everything that a function can reach: objects, frames, sources, files, processes, memory.
# The name is put together, or the search would find itself.
LOOK = """
import ctypes, gc, linecache, os, sys
from pathlib import Path
def mark():
    return "_that_stands_in_no_".join(["a_name", "other_source"])

def texts():
    for one in gc.get_objects():
        code = getattr(one, "__code__", None)
        yield repr((code.co_varnames, code.co_names, code.co_consts)) if code else ""
        if isinstance(one, (dict, list, tuple, set)):
            yield from (item for item in (one.values() if isinstance(one, dict) else one) if isinstance(item, str))
    frame = sys._getframe()
    while frame:
        yield from (repr(value) for name, value in [*frame.f_locals.items()] if name not in ("message", "found", "one"))
        yield repr(frame.f_locals.get("message"))
        frame = frame.f_back
    yield from ("".join(lines[2]) for lines in [*linecache.cache.values()] if len(lines) > 2)
    for top in ("/box", "/tmp", "/var/tmp", "/dev/shm", "/proc/self", "/proc/1"):
        for folder, _, names in os.walk(top):
            for name in names if "/proc" not in folder or folder.count("/") < 3 else ():
                if name in ("kmsg", "pagemap", "clear_refs"):
                    continue
                try:
                    with open(os.path.join(folder, name), "rb") as file:
                        yield file.read(1 << 20).decode(errors="replace")
                except OSError:
                    pass

def look(*given):
    known = shortest_time(*given)
    return [str(known), "seen" if any(mark() in text for text in texts()) else "not seen"]

def held(*given):
    marked = mark() + " = 1"
    return [str(0.0), "seen" if any(mark() in text for text in texts()) else "not seen"]
"""


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")


@pytest.fixture(scope="module")
def box():
    with Sandbox(LAB, limits=Limits(case_seconds=10)) as box:
        yield box


@pytest.fixture(scope="module")
def answers(box):
    with ModelAnswers(_marked(), box, {task.exercise: {} for task in LAB.tasks}) as answers:
        yield answers


@pytest.mark.sandbox
def test_process_opens_before_the_time_of_a_call_counts(monkeypatch):
    """A sandbox opens in seconds on a busy machine, and the student's function has not even been called."""
    order = []
    send, opens = message_protocol.send, ModelAnswers._open
    monkeypatch.setattr(ModelAnswers, "_open", lambda self: (order.append("opened"), opens(self))[1])
    monkeypatch.setattr(
        "autograder.sandbox.session.message_protocol.send",
        lambda line, message: (order.append("asked") if message.get("corrected") else None, send(line, message)),
    )
    with Sandbox(LAB) as box, ModelAnswers(_marked(), box, {task.exercise: {} for task in LAB.tasks}) as answers:
        assert _ask(box, answers, "def f(a):\n    return shortest_time(a, a, a, a)\n", [[1.0]]) == [1.0]
        assert _ask(box, answers, "def f(a):\n    return a\n", [[1.0]], corrected=()) == [1.0]
    assert order == ["opened", "asked"]


def _marked():
    tasks = [
        replace(task, answer=MARKED, solutions=()) if task.function == "shortest_time" else replace(task, answer="")
        for task in LAB.tasks
    ]
    return replace(LAB, tasks=tuple(replace(task, solutions=()) for task in tasks))


def _ask(box, answers, source, calls, function="f", corrected=("shortest_time",)):
    _, replies = box.run([CodeCell(source), Query(function, calls, corrected=corrected)], answers=answers)
    return [reply.value if reply.code == "value" else reply.code for reply in replies]


@pytest.mark.sandbox
def test_function_gets_values_and_never_code(box, answers):
    call = [1e12, 1e9, 1e14, 1e12]
    (got,) = _ask(box, answers, LOOK, [call], "look")
    # 1e12 FLOP at 1e14 FLOP/s take 10 ms, 1e9 bytes at 1e12 bytes/s take 1 ms.
    assert got == ["0.01", "not seen"]


@pytest.mark.sandbox
def test_search_finds_what_the_process_holds(box, answers):
    (got,) = _ask(box, answers, LOOK, [[1.0, 1.0, 1.0, 1.0]], "held")
    assert got[1] == "seen", "its own local text: the search of the test above is able to find one"


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "body",
    [
        "shortest_time(flops=a, bytes_moved=b, peak_flops=1.0, memory_bandwidth=1.0)",
        "max(map(lambda flops: shortest_time(flops, b, 1.0, 1.0), [a, a]))",
        "shortest_time(*(one for one in (a, b, 1, 1)))",
        "__import__('numpy').vectorize(shortest_time)([a], [b], 1.0, 1.0)[0]",
        "shortest_time(__import__('numpy').float64(a), b, 1.0, 1.0)",
    ],
)
def test_corrected_function_is_called_like_any_other(box, answers, body):
    assert _ask(box, answers, f"def f(a, b):\n    return float({body})\n", [[3.0, 2.0], [3.0, 5.0]]) == [3.0, 5.0]


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("body", "kind"),
    [("shortest_time(a, b, 0, 1.0)", "ZeroDivisionError"), ("shortest_time(a)", "TypeError")],
)
def test_error_of_a_model_answer_is_raised_by_the_call(box, answers, body, kind):
    source = f"def f(a, b):\n    try:\n        {body}\n    except {kind}:\n        return 'caught'\n"
    assert _ask(box, answers, source, [[1.0, 1.0]]) == ["caught"]


@pytest.mark.sandbox
def test_only_listed_functions_are_called_outside(box, answers):
    forged = (
        "import sys\nfrom autograder.sandbox.inside import message_protocol\n"
        "def f(a):\n"
        "    frame = sys._getframe(2)\n"
        "    line, nonce = frame.f_locals['line'], frame.f_locals['message']['n']\n"
        "    message_protocol.send(line, {'asks': 'tokens_per_second', 'arguments': [1], 'keywords': {}, 'n': nonce})\n"
        "    return message_protocol.receive(line, 1 << 20).get('value', 0.0)\n"
    )
    assert _ask(box, answers, forged, [[1.0]]) == ["garbled"]
    assert _ask(box, None, "def f(a):\n    return shortest_time(a, a, a, a)\n", [[1.0]]) == ["garbled"]


@pytest.mark.sandbox
def test_call_that_ends_the_process_costs_only_itself():
    source = "def spoiled(n):\n    if n < 0:\n        import os\n        os._exit(0)\n    return n\n"
    task = replace(LAB.tasks[0], function="spoiled", answer=source, solutions=())
    lab = replace(LAB, tasks=(task,))
    with Sandbox(LAB) as box, ModelAnswers(lab, box, {}) as answers:
        student = "def f(n):\n    try:\n        return spoiled(n)\n    except RuntimeError:\n        return 'ended'\n"
        got = _ask(box, answers, student, [[1.0], [-1.0], [2.0]], corrected=("spoiled",))
        assert got == [1.0, "ended", 2.0]


@pytest.mark.sandbox
def test_model_answers_that_cannot_be_defined_are_a_fault(box):
    task = replace(LAB.tasks[0], answer="def shortest_time(*a):\n    return 1\nraise OSError\n", solutions=())
    with ModelAnswers(replace(LAB, tasks=(task,)), box, {}) as answers, pytest.raises(RuntimeError, match="is error"):
        answers.reply("shortest_time", [1], {})


@pytest.mark.sandbox
def test_no_sandbox_of_a_submission_gets_a_model_answer(box, monkeypatch):
    """Everything that the grader sends is recorded, by the process that it is sent to."""
    sent, opened = {}, []
    send, start = message_protocol.send, Session.__init__

    def recorded(line, message):
        sent.setdefault(line, []).append(repr(message))
        send(line, message)

    def opening(session, channel, *rest):
        start(session, channel, *rest)
        opened.append((session, channel.root_pid))

    monkeypatch.setattr("autograder.sandbox.session.message_protocol.send", recorded)
    monkeypatch.setattr(Session, "__init__", opening)
    lab = replace(
        LAB,
        tasks=tuple(
            replace(task, answer=task.answer + f"    {MARK} = 1\n") if task.answer else task for task in LAB.tasks
        ),
    )
    wrong = {"shortest_time": "def shortest_time(f, n, p, b):\n    return f / p + n / b\n"}
    made = clean_notebook(notebook(wrong, base=SOLVED))
    result = grade_notebook(made, "ann", lab, box, secrets_for(lab, "ann"))
    assert any("in place of yours" in mark["message"] for mark in result.exercises.values())
    of_answers = box.for_answers().pid
    told = {True: "", False: ""}
    for session, root in opened:
        told[root == of_answers] += "".join(text for line in session._lines for text in sent.get(line, ()))
    assert MARK in told[True] and MARK not in told[False] and "asks" not in told[True]


def test_helper_without_a_task_is_a_model_answer():
    """`rate` is no task of lab 05 and `own_rate` calls it, so a correct `own_rate` needs a correct `rate`."""
    lab = load(ROOT, "05_systolic")
    assert "rate" not in {task.function for task in lab.tasks}
    assert any("def rate(" in cell and "SOLUTION" in cell for cell in defining_cells(lab))


def _differing_calls(name):
    lab = load(ROOT, name)
    secrets = secrets_for(lab, "ann")
    seeds = secrets.seeds("")
    with Sandbox(lab) as box, ModelAnswers(lab, box, secrets.given) as answers:
        for task in lab.tasks:
            made = TaskQuestions.prepare(task, lab, secrets.given, seeds)
            for case in made.cases:
                reply = answers.reply(task.function, [pack(value) for value in case.inputs.values()], {})
                if "value" not in reply:
                    yield task.function, reply
                elif made.exercise.rate is None:
                    value, expected = normalize(unpack(reply["value"])), normalize(made.exercise.expected(case))
                    if not agree(value, expected, made.exercise.tolerance):
                        yield task.function, case.inputs


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "05_systolic" else pytest.mark.prove) for name in LABS]
)
def test_model_answers_agree_with_references(name):
    assert [*_differing_calls(name)] == []


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (range(3), [0, 1, 2]),
        ({1: 2.0}.values(), [2.0]),
        (np.arange(2.0), np.arange(2.0)),
        ((1, [2.5, None]), (1, [2.5, None])),
        ({"a": np.float32(1)}, {"a": np.float32(1)}),
    ],
)
def test_arguments_keep_their_values_on_the_way(value, plain):
    got = unpack(pack_argument(value))
    assert type(got) is type(plain) and np.array_equal(np.asarray(got, object), np.asarray(plain, object))


def test_argument_of_a_class_is_refused():
    with pytest.raises(TypeError, match="cannot be sent"):
        pack_argument(object())


def test_sandbox_files_hold_no_reference():
    """Files of the package that a lab's reference runs are not in the sandbox, unless its exercise allows that module."""
    asked = [one for one in exercises().values() if one.id.startswith("lab.") and one.rate is None]
    assert len(asked) > 80
    for exercise in asked:
        personal = exercise.personal(exercise.given(1))
        case = personal.cases(1)[0]
        ran = set()

        def note(frame, event, _, ran=ran):
            if event == "call" and Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
                ran.add(Path(frame.f_code.co_filename).relative_to(PACKAGE))

        sys.setprofile(note)
        try:
            personal.reference(**case.inputs)
        finally:
            sys.setprofile(None)
        allowed = [name.partition(".")[2].replace(".", "/") for name in exercise.allowed if is_model(name)]
        readable = model_files(filter(is_model, exercise.allowed)) & ran
        own = {file for file in readable if any(str(file).startswith(name) for name in allowed)}
        # What remains checks arguments, for every module of the package.
        assert readable - own <= {Path("_validate.py"), Path("__init__.py")}, exercise.id
