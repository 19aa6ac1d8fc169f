"""No marks gained, no submission lost, nothing carried out, nobody else disturbed."""

import json
import subprocess
import sys
import time
from importlib import import_module
from importlib.util import find_spec

import pytest

from autograder.exercises import exercise
from autograder.grading.student_seeds import code_digest, secrets_for
from autograder.grading.submission import grade
from autograder.sandbox import Limits, Sandbox
from autograder.sandbox.process_usage import descendants
from autograder.secret import seed_for
from chip2cluster.exercise.answers import format_value
from tests.grading.attacks import ATTACKS, CLASSES, cheats, failures, leaks
from tests.grading.attacks.leaks import MARK
from tests.grading.attacks.model import FULL, LAB, NAME, ROOT, SOLVED, notebook, write
from tests.sampling import sampled
from tests.waiting import wait_until

LIMITS = Limits(memory_bytes=1 << 30, cell_seconds=1, notebook_seconds=10, case_seconds=0.5)
SECRET = "a phrase that no submission may ever see"
FEW_BYTES = 400_000
# After these an honest submission in the same sandbox is graded too.
SELFISH = {attack.name for attack in (*failures.ATTACKS, *leaks.ATTACKS)} | {
    "signals",
    "escape",
    "forged-messages",
    "patched-grader",
}
# Some of each class; many have limits that must run out.
TRIED = [attack for kind in CLASSES for attack in sampled(kind.ATTACKS, -(-len(kind.ATTACKS) // 4))]


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(LAB, limits=LIMITS) as sandbox:
        assert sandbox.name == "bubblewrap"
        yield sandbox


@pytest.fixture(autouse=True)
def secret(monkeypatch, tmp_path):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", SECRET)
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "record"))


@pytest.mark.sandbox
@pytest.mark.parametrize("attack", TRIED, ids=lambda attack: attack.name)
def test_attack(attack, sandbox, tmp_path):
    folder = tmp_path / "student" / NAME
    folder.mkdir(parents=True)
    attack.build(folder)
    result = grade(folder, "mallory", LAB, sandbox)

    told = {name: (one["verdict"], one["message"]) for name, one in result.exercises.items()}
    assert attack.least <= result.score <= attack.most, (told, result.repairs)
    assert set(result.exercises) == {task.exercise for task in LAB.tasks}
    assert result.status == attack.status if attack.status else result.status in ("graded", "graded_with_errors")
    assert result.status != "unreadable" or result.repairs
    text = json.dumps(result.to_json())
    assert len(text) < FEW_BYTES
    assert MARK not in _outputs(result) and SECRET not in text
    for hidden in _hidden_inputs(result.notebook):
        assert hidden not in _outputs(result) and hidden not in json.dumps(told), hidden
    if attack.name in SELFISH:
        assert _honest(sandbox, tmp_path / "honest") == FULL


def _outputs(result):
    return json.dumps([cell.get("outputs", []) for cell in result.notebook["cells"]])


def _hidden_inputs(rebuilt):
    """Numbers of the hidden cases that nobody can guess, as they could be printed."""
    secrets = secrets_for(LAB, "mallory")
    for name, seed in secrets.seeds(code_digest(rebuilt)).items():
        for case in exercise(name).personal(secrets.given.get(name)).cases(seed):
            for value in case.inputs.values():
                # Also those of NumPy, whose own repr is longer.
                if isinstance(value, float) and len((text := repr(float(value))).replace("0", "")) > 12:
                    yield from (text, *([format_value(value)] if "e" in format_value(value) else []))


def _honest(sandbox, folder):
    """What an honest submission earns in the same sandbox right afterwards."""
    folder.mkdir()
    write(folder, notebook(base=SOLVED))
    return grade(folder, "ann", LAB, sandbox).score


# --- outside the sandbox the attacks find what they look for ---------------------------
def test_search_for_private_files_finds_them(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("CHIP2CLUSTER_SECRET")
    seed_for("any")  # makes the course secret
    (tmp_path / "gradebook.db").touch()
    for top in (ROOT, tmp_path):
        exec(leaks.SOLUTIONS.replace('"/"', repr(str(top))), {})
    said = capsys.readouterr().out.splitlines()
    assert said and all(line.startswith(MARK) for line in said)
    seen = [line.split(" ", 1)[1].replace(" ", "/") for line in said]
    for name in leaks.BEGIN:
        assert any(f"/{name}" in path for path in seen), name
    for name in leaks.END:
        assert any(path.endswith(name) for path in seen), name


def test_search_for_references_finds_them():
    task = LAB.tasks[0]
    case = task.definition.visible_cases[0]
    call = f"print({task.function}(*{[*case.inputs.values()]!r}))"
    program = f"{cheats.by_reference()[task.function]}\n{call}"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert float(done.stdout) == pytest.approx(task.definition.expected(case))


def test_names_that_attacks_patch_exist():
    assert all(find_spec(name) for name in cheats.GRADER)
    modules = [
        import_module(name)
        for name in (
            "autograder.checking.judge",
            "autograder.checking.diagnosis",
            "autograder.sandbox.inside.query_runner",
        )
    ]
    assert [name for name in cheats.PATCHED if not any(hasattr(module, name) for module in modules)] == []


def test_attack_names_are_unique():
    names = [attack.name for attack in ATTACKS]
    assert len(names) == len(set(names)) >= 40 and all(attack.claim for attack in ATTACKS)


@pytest.mark.sandbox
def test_submission_leaves_no_process(sandbox, tmp_path):
    _honest(sandbox, tmp_path / "first")
    resting = {process.pid for process in descendants(sandbox.pid)}
    # The process that reported the end of the first submission may have been among them; it ends during the next one.
    _honest(sandbox, tmp_path / "second")
    before = len(resting & {process.pid for process in descendants(sandbox.pid)})
    for name in ("fork-bomb", *2 * ("daemon", "zombies", "threads")):
        folder = tmp_path / f"{name}-{time.monotonic_ns()}"
        folder.mkdir()
        next(attack for attack in ATTACKS if attack.name == name).build(folder)
        grade(folder, "mallory", LAB, sandbox)
        # At once, or the next submission meets them and shares its limits with them. The one that
        # told of the end may be on its own way out.
        assert len(descendants(sandbox.pid)) <= before + 1, name
    assert _honest(sandbox, tmp_path / "last") == FULL
    wait_until(
        lambda: len(descendants(sandbox.pid)) <= before,
        seconds=60,
        what=lambda: f"{before} processes are left, not {descendants(sandbox.pid)}",
    )
