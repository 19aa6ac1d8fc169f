"""Hidden inputs differ between students, are the same on every regrade, and no key reaches the sandbox."""

import json
import pickle
import shutil
from types import SimpleNamespace

import pytest

from autograder.doctor import memorization
from autograder.grading import submission
from autograder.grading.intake.archive import pack_submission
from autograder.grading.lab import load
from autograder.grading.runs import cluster, fingerprint, worker_process
from autograder.grading.student_seeds import code_digest, secrets_for
from autograder.grading.submission import grade
from autograder.grading.task_questions import TaskQuestions
from autograder.sandbox import CallReply, CellResult, CellStatus, CodeCell, Limits, Query, SandboxType
from autograder.sandbox.inside.reply_codes import ReplyCode
from chip2cluster.exercise.answers import normalize
from tests.grading.attacks.model import LAB, NAME, ROOT
from tests.grading.notebooks import RELEASED, answered, code, find, text

LABS = sorted(folder.name for folder in (ROOT / "solutions").iterdir() if folder.is_dir())


class Listener:
    """Fake sandbox that records its steps and replies with a function of the exercise's position and the call."""

    name, limits = SandboxType.BUBBLEWRAP, Limits()

    def __init__(self, answer=lambda *_: 0.0):
        self._answer = answer
        self.came_in = None

    def __enter__(self):
        return self

    def allowing(self, models):
        return self

    def __exit__(self, *_):
        pass

    def run(self, todo, given, files=None, **more):
        # A repeated query has the same inputs; functions that may call other models come in another run.
        before = self.came_in[0] if self.came_in else []
        known = {step.function for step in before if isinstance(step, Query)}
        new = [step for step in todo if not before or (isinstance(step, Query) and step.function not in known)]
        self.came_in = ([*before, *new], self.came_in[1] if self.came_in else given)
        return [
            CellResult(CellStatus.OK)
            if isinstance(step, CodeCell)
            else [
                CallReply(ReplyCode.VALUE, self._answer(step.function, place, call))
                for place, call in enumerate(step.calls)
            ]
            for step in todo
        ]

    @property
    def asked(self):
        """Return the calls by function, as text, because arrays do not compare."""
        return {step.function: str(step.calls) for step in self.came_in[0] if isinstance(step, Query)}


@pytest.fixture(autouse=True)
def secret(monkeypatch, tmp_path):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "record"))


@pytest.fixture
def asked(tmp_path):
    """Return the hidden inputs for a student's notebook, by function."""

    def asked(notebook, student="ann", lab=LAB):
        folder = _handed_in(tmp_path / student, notebook, lab)
        box = Listener()
        grade(folder, student, lab, box)
        return box.asked

    return asked


def _handed_in(folder, notebook, lab=LAB):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / f"{lab.notebook}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    return folder


def _no_call_in_common(some, others):
    """Return whether no function has the same cases; some edge cases are the same for all students."""
    return some.keys() == others.keys() and all(some[function] != others[function] for function in some)


def test_hidden_inputs_differ_by_student_not_by_regrade(asked, monkeypatch):
    first = asked(answered())
    assert asked(answered()) == first
    assert _no_call_in_common(first, asked(answered(), "bob"))
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "another")
    assert _no_call_in_common(first, asked(answered()))


def test_hidden_inputs_are_the_same_here_and_on_a_cluster(asked, tmp_path, monkeypatch):
    wanted = asked(answered())
    folder = _handed_in(tmp_path / "submitted", answered())
    here, there = Listener(), Listener()
    worker_process.default_grade(folder, "ann", LAB, here)
    # Tasks of a cluster are pickled; they must not contain the secret.
    sent = pickle.dumps(
        (
            pack_submission(folder, f"lab_{NAME}"),
            "ann",
            secrets_for(LAB, "ann"),
            LAB,
            {},
            fingerprint.source_digest(LAB),
            False,
            "auto",
        )
    )
    with monkeypatch.context() as elsewhere:
        elsewhere.delenv("CHIP2CLUSTER_SECRET")
        cluster.grade_on_worker(*pickle.loads(sent), lambda lab, *, sandbox: there, worker_process.default_grade)
    assert here.asked == there.asked == wanted


@pytest.mark.parametrize("cell", [cell["id"] for cell in RELEASED["cells"] if cell["cell_type"] == "code"][::3])
def test_hidden_inputs_differ_for_changed_code(asked, cell):
    changed = answered()
    find(changed, cell)["source"] = text(find(changed, cell)) + "\n# another thought"
    assert _no_call_in_common(asked(answered()), asked(changed))


def test_hidden_inputs_depend_on_own_cells(asked):
    changed = answered()
    changed["cells"].insert(3, code("helper = 1"))
    assert _no_call_in_common(asked(answered()), asked(changed))


def test_hidden_inputs_ignore_edited_text_and_outputs(asked):
    changed = answered(recommendation="I would buy the H200, on second thoughts.")
    for number, cell in enumerate(changed["cells"]):
        cell["metadata"]["tags"] = ["seen"]
        if cell["cell_type"] == "code":
            cell["execution_count"] = number
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": f"run {number}"}]
    changed["cells"].append({"cell_type": "markdown", "id": "mine", "metadata": {}, "source": "A note."})
    changed["cells"].append(code("  \n"))
    changed["metadata"]["authors"] = [{"name": "Ann"}]
    assert asked(changed) == asked(answered())


def test_hidden_inputs_depend_on_submitted_modules():
    notebook = {"cells": [code("import helper")]}
    beside = [{"helper.py": b"a = 1"}, {"helper.py": b"a = 2"}, {"other.py": b"a = 1"}, {}]
    assert len({code_digest(notebook, modules) for modules in beside}) == 4
    assert code_digest(notebook) == code_digest(notebook, {})
    # The source of one cell cannot imitate two cells.
    one, two = ({"cells": [code(source) for source in sources]} for sources in (['a", "b'], ["a", "b"]))
    assert code_digest(one) != code_digest(two)


def test_sandbox_receives_no_seed_of_hidden_inputs(tmp_path):
    folder = _handed_in(tmp_path / "ann", answered())
    box, secrets = Listener(), secrets_for(LAB, "ann")
    result = grade(folder, "ann", LAB, box)
    digest = code_digest(result.notebook)
    inside = repr(box.came_in).encode() + pickle.dumps(box.came_in) + json.dumps(result.to_json()).encode()
    for name, seed in secrets.seeds(digest).items():
        key = secrets.keys[name]
        for told in (key, key.hex().encode(), str(seed).encode(), seed.to_bytes(8, "big"), seed.to_bytes(8, "little")):
            assert told not in inside
    assert digest.encode() not in inside and b"for the tests" not in inside


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", LABS)
def test_another_students_cases_earn_nothing(name, tmp_path, monkeypatch):
    """Tables with one student's correct answers earn nothing in another's submission, however they are looked up."""
    lab = load(ROOT, name)
    drawn = {}

    def of(task, lab, given, seeds):
        # The same submission has the same inputs, so they are drawn once.
        key = task.cell, str(given), str(seeds)
        drawn[key] = drawn.get(key) or TaskQuestions.prepare(task, lab, given, seeds)
        return drawn[key]

    monkeypatch.setattr(submission, "TaskQuestions", SimpleNamespace(prepare=of))
    # Tests of an instructor have no drawn inputs.
    tasks = {task.function: task.definition for task in lab.tasks if task.definition}
    victim = Listener()
    grade(_handed_in(tmp_path / "ann", lab.released, lab), "ann", lab, victim)
    given = victim.came_in[1]
    known = {}
    for step in victim.came_in[0]:
        if isinstance(step, Query) and step.function:
            known[step.function] = _table(tasks[step.function], step.calls, given)
    ways = {function: memorization.lookup_strategies(seen) for function, seen in known.items()}
    for way in ("an exact table", "a table that ignores order", "the order of the calls", "the nearest case"):

        def from_the_table(function, place, call, way=way):
            if not function:
                return None
            return ways[function][way](dict(zip(known[function][0].inputs, call, strict=True)), place)

        # Even in an identical file.
        result = grade(tmp_path / "ann", "bob", lab, Listener(from_the_table))
        scores = {task: one["score"] for task, one in result.exercises.items()}
        # A rated answer earns what it is worth in his own scenario, which may be a little.
        rated = {task.exercise: task.points for task in lab.tasks if task.definition and task.definition.rate}
        assert not any(points for task, points in scores.items() if task not in rated), (way, scores)
        assert sum(scores[task] for task in rated) <= 0.2 * sum(rated.values()), (way, scores)
    # The table is correct: it earns full points for its owner.
    result = grade(
        tmp_path / "ann",
        "ann",
        lab,
        Listener(lambda function, place, _: known[function][place].answer if function else None),
    )
    assert result.score == sum(task.points for task in lab.tasks if task.definition)


def _table(task, calls, given):
    mine = task.personal(given.get(task.id))
    names = list(mine.cases(0)[0].inputs)
    seen = []
    for call in calls:
        inputs = dict(zip(names, call, strict=True))
        seen.append(
            memorization.VisibleCase(inputs, memorization.features(inputs), normalize(mine.reference(**inputs)))
        )
    return seen
