"""Real sandbox: calls that the kernel refuses, honest work that still runs, and memory that no process holds."""

import ctypes
import errno
import os
import platform
import sys

import pytest

from autograder.sandbox import (
    CellStatus,
    CodeCell,
    Limits,
    Query,
    Sandbox,
    SandboxUnavailable,
    kernel_memory,
    time_budget,
)
from autograder.sandbox.backends import FALLBACKS, Backend
from autograder.sandbox.inside import filters, process_isolation
from autograder.sandbox.kernel_memory import KernelMemory
from tests.grading.attacks.model import BARE
from tests.grading.test_filter import ALLOW, MACHINES, NUMBERS, verdict

MACHINE = platform.machine()
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or MACHINE not in MACHINES, reason=f"no filter for {sys.platform} on {MACHINE}"
)


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(BARE, limits=Limits(memory_bytes=1 << 30)) as sandbox:
        yield sandbox


def printed(sandbox, source):
    (ran,) = sandbox.run([CodeCell(source)])
    assert ran.status is CellStatus.OK, ran.outputs
    return ran.outputs[0]["text"].strip()


# --- refused calls -----------------------------------------------------------------

CALL = """
import ctypes
libc, found = ctypes.CDLL(None, use_errno=True), {}
for name, number, arguments in CALLS:
    result = libc.syscall(number, *(ctypes.c_ulong(one) for one in arguments))
    found[name] = ctypes.get_errno() if result == -1 else 0
print(found)
"""


@pytest.mark.sandbox
def test_kernel_agrees_with_the_interpreted_filter(sandbox):
    code = filters.build_program(MACHINE)
    # Invalid arguments: a call that passes the filter fails as well, but with another error.
    nowhere = (2**64 - 4096,) * 6
    expected = {
        name: verdict(code, MACHINES[MACHINE], number, nowhere)
        for name, number in {**NUMBERS[MACHINE], "newer": 460, "newest": 5000}.items()
    }
    expected = {name: error for name, error in expected.items() if error != ALLOW}
    numbers = {**NUMBERS[MACHINE], "newer": 460, "newest": 5000}
    calls = [(name, numbers[name], nowhere) for name in expected]
    found = eval(printed(sandbox, CALL.replace("CALLS", repr(calls))))
    assert len(expected) > 90 and found == expected


@pytest.mark.sandbox
@pytest.mark.parametrize("kind", [Backend.COLD, Backend.UNSANDBOXED])
def test_filter_is_loaded_by_every_backend(kind, monkeypatch):
    monkeypatch.setitem(FALLBACKS, "auto", (kind,))
    calls = [(name, NUMBERS[MACHINE][name], (0, 0, 0, 0, 0, 0)) for name in ("keyctl", "memfd_create", "unshare")]
    with Sandbox(BARE) as sandbox:
        found = eval(printed(sandbox, CALL.replace("CALLS", repr(calls))))
    assert set(found.values()) == {errno.EPERM}


FAMILIES = """
import socket
open_ = []
for family in range(1, 50):
    for kind in (1, 2, 3, 5):
        try:
            open_.append((family, kind, socket.socket(family, kind).close()))
        except OSError:
            pass
print(open_)
"""


@pytest.mark.sandbox
def test_kernel_allows_only_unix_stream_sockets(sandbox):
    assert printed(sandbox, FAMILIES) == "[(1, 1, None)]"


@pytest.mark.sandbox
@pytest.mark.skipif(MACHINE != "x86_64", reason="only x86-64 has calls of another size")
def test_32_bit_calls_kill_the_process(sandbox):
    source = f"import ctypes\nctypes.CDLL(None).syscall({2**30 + NUMBERS['x86_64']['getpid']})\nprint('alive')"
    (ran,) = sandbox.run([CodeCell(source)])
    assert ran.status is CellStatus.KILLED and "alive" not in str(ran.outputs)


# --- honest work -----------------------------------------------------------

# Contains sleeps, because student code may sleep.
HONEST = {
    "threads": "from concurrent.futures import ThreadPoolExecutor as Pool\n"
    "with Pool(4) as pool: print(sum(pool.map(abs, range(5))))",
    "pool": "from multiprocessing import get_context\nwith get_context('fork').Pool(2) as pool: print(sum(pool.map(abs, range(5))))",
    "futures": "import multiprocessing as m\nfrom concurrent.futures import ProcessPoolExecutor as Pool\n"
    "with Pool(2, m.get_context('fork')) as pool: print(sum(pool.map(abs, range(5))))",
    "manager": "from multiprocessing import get_context\nwith get_context('fork').Manager() as m: print(sum(m.list([4, 6])))",
    "queue": "from multiprocessing import get_context\nc = get_context('fork'); q = c.Queue()\n"
    "p = c.Process(target=q.put, args=(10,)); p.start(); print(q.get()); p.join()",
    "shared": "from multiprocessing.shared_memory import SharedMemory\n"
    "s = SharedMemory(create=True, size=4096); s.buf[0] = 10; print(s.buf[0]); s.close(); s.unlink()",
    "subprocess": "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'print(10)'], capture_output=True, text=True).stdout)",
    "shell": "import os\nprint(10 if os.system('echo hello | cat > file && test -s file') == 0 else 0)",
    "popen": "import subprocess\nwith subprocess.Popen('sort', stdin=-1, stdout=-1, text=True) as p: print(p.communicate('10\\n')[0])",
    "pairs": "import socket\na, b = socket.socketpair(); a.sendall(b'10'); print(b.recv(9).decode())",
    "files": "import os, shutil, tempfile\n"
    "with tempfile.TemporaryDirectory() as d:\n"
    "    open(d + '/a', 'w').write('10'); shutil.copy2(d + '/a', d + '/b'); shutil.copytree(d, d + 'c'); os.chmod(d + '/b', 0o600)\n"
    "    print(open(d + 'c/b').read())",
    "mmap": "import mmap\nm = mmap.mmap(-1, 1 << 20); m[0] = 10; print(m[0])\nopen('m', 'wb').write(bytes(4096))\n"
    "f = open('m', 'r+b'); mmap.mmap(f.fileno(), 0)",
    "sqlite": "import sqlite3\nd = sqlite3.connect('x.db'); d.execute('pragma journal_mode=wal'); d.execute('create table t (x)')\n"
    "d.execute('insert into t values (10)'); d.commit(); print(d.execute('select x from t').fetchone()[0])",
    "callback": "import ctypes\nf = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: x + 1); print(f(9))",
    "machine": "import os, platform, socket, time, resource\nos.cpu_count(); platform.uname(); socket.gethostname(); time.sleep(0.01)\n"
    "os.sched_getaffinity(0); resource.getrusage(0); os.getloadavg; os.nice(0); os.urandom(8); print(10)",
    "signals": "import signal\nsignal.signal(signal.SIGALRM, lambda *_: print(10)); signal.setitimer(signal.ITIMER_REAL, 0.01); signal.pause()",
    "locks": "import fcntl\nf = open('lock', 'w'); fcntl.flock(f, fcntl.LOCK_EX); fcntl.lockf(f, fcntl.LOCK_EX); print(10)",
    "numpy": "import numpy as np\nx = np.eye(300) * 2; np.save('x.npy', x); print(round(np.linalg.det(np.linalg.inv(x) * 2) * 10))\n"
    "np.load('x.npy', mmap_mode='r')",
    "pandas": "import pandas as pd\np = pd.DataFrame({'x': [4, 6]}); p.to_csv('x.csv'); print(pd.read_csv('x.csv').x.sum())",
    "picture": "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.savefig('x.png'); plt.savefig('x.svg'); plt.close()\n"
    "print(10 if open('x.png', 'rb').read(4) == b'\\x89PNG' else 0)",
    "zip": "import gzip, pickle, zipfile\nopen('p', 'wb').write(gzip.compress(pickle.dumps(10))); print(pickle.loads(gzip.decompress(open('p', 'rb').read())))",
}


@pytest.mark.sandbox
@pytest.mark.parametrize("name", HONEST)
def test_filter_does_not_disturb_honest_work(name, sandbox):
    assert "10" in printed(sandbox, HONEST[name])


@pytest.mark.sandbox
def test_filter_does_not_disturb_unusual_notebooks(sandbox):
    ran = sandbox.run(
        [
            CodeCell(
                "import asyncio\np = await asyncio.create_subprocess_exec('echo', '10', stdout=-1)\nprint(await p.communicate())"
            ),
            CodeCell("print(await asyncio.gather(asyncio.sleep(0.01, 10), asyncio.to_thread(abs, -10)))"),
            CodeCell("!echo 10"),
            CodeCell("%%bash\necho 10"),
            CodeCell("%timeit -n1 -r1 10\nprint(10)"),
        ]
    )
    assert all(one.status is CellStatus.OK and "10" in str(one.outputs) for one in ran), ran


# --- key rings -----------------------------------------------------------------------

ADD, KEYCTL = (NUMBERS.get(MACHINE, {}).get(name, 0) for name in ("add_key", "keyctl"))
SESSION_RING, SEARCH, JOIN = -3, 10, 1


def searched(libc, name):
    return libc.syscall(KEYCTL, SEARCH, SESSION_RING, b"user", name, 0)


def test_keys_of_the_grader_stay_outside():
    """Without the filter: in a child process, which may use key rings."""
    pid = os.fork()
    if pid == 0:
        status = 3
        try:
            libc = ctypes.CDLL(None, use_errno=True)
            libc.syscall(KEYCTL, JOIN, None)
            if libc.syscall(ADD, b"user", b"ticket", b"secret", 6, SESSION_RING) < 0:
                status = 2
            elif searched(libc, b"ticket") > 0:
                process_isolation.join_empty_keyring()
                status = int(searched(libc, b"ticket") > 0)
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status == 2:
        pytest.skip("this system has no key rings, or lets nobody use them")
    assert status == 0


# --- memory that no process holds ----------------------------------------------------

SOCKETS = """
import socket, time
listener = socket.socket(socket.AF_UNIX)
listener.bind("\\0held")
listener.listen(4096)
held = 0
while held < MOST:
    line = socket.socket(socket.AF_UNIX)
    line.setblocking(False)
    try:
        line.connect("\\0held")
        while True:
            held += line.send(bytes(1 << 16))
    except BlockingIOError:
        line.close()
"""
SHARED = """
import ctypes, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
size = 16 << 20
for _ in range(MOST // size):
    at = libc.mmap(None, size, 3, 0x21, -1, 0)
    ctypes.memset(at, 1, size)
    libc.munmap(at + 4096, size - 4096)  # one page stays mapped, and so the whole segment
"""
FILE = SHARED.replace("0x21, -1", "0x01, fd").replace(
    "size = ", "import os\nfd = os.open('/dev/zero', os.O_RDWR)\nsize = "
)
COPIED = """
import os, time
block = bytearray(MOST // 8)
block[::4096] = bytes([1]) * -(-len(block) // 4096)
for _ in range(7):
    if os.fork() == 0:
        block[::4096] = bytes([2]) * -(-len(block) // 4096)  # as much memory as its parent, with no shared page
        time.sleep(30)  # hold the memory until it is measured
        os._exit(0)
"""
# One page in each GiB, read and never written: each needs two page-table pages. Many more are not possible: at the end
# of the address space the process would end before it is measured.
TABLES = """
import ctypes, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
for number in range(min(MOST >> 13, 54_000)):
    at = libc.mmap((1 << 40) + (number << 30), 4096, 1, 0x22, -1, 0)
    ctypes.c_char.from_address(at).value
"""


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "source",
    [SOCKETS, SHARED, FILE, COPIED, TABLES],
    ids=["sockets", "shared", "a device", "copied", "tables"],
)
def test_memory_of_every_type_counts(source, tight, monkeypatch):
    # The cell under test holds the memory until it is stopped, which takes one or two measurements, not 30 s.
    with monkeypatch.context() as busy:
        busy.setattr(time_budget, "INTERVAL", 1.0)  # as on a busy machine
        ran, after = tight.run([CodeCell(source.replace("MOST", str(600 << 20)) + "time.sleep(30)"), CodeCell("1")])
    assert ran.status is CellStatus.KILLED and "more memory than it may" in str(ran.outputs)
    assert after.status is CellStatus.NOT_RUN
    # A thirtieth of that is allowed; the cell lasts for several measurements, so that one of them could stop it.
    few = source.replace("MOST", str(20 << 20)) + "time.sleep(0.6)\ndef f(x): return x"
    fine, answered = tight.run([CodeCell(few), Query("f", [[1.0]])])
    assert fine.status is CellStatus.OK and answered[0].value == 1.0


@pytest.mark.sandbox
def test_memory_of_short_cells_counts(tight):
    # Children that begin after their cell, and cells that are shorter than the time between two measurements.
    source = COPIED.replace("MOST", str(600 << 20)).replace(
        "if os.fork() == 0:", "if os.fork() == 0:\n        time.sleep(1)"
    )
    ran = tight.run([CodeCell(source), *[CodeCell("time.sleep(0.1)")] * 40])
    assert ran[-1].status is CellStatus.NOT_RUN and "more memory than it may" in str(ran)


@pytest.mark.sandbox
def test_shared_memory_of_children_counts_once(tight):
    reading = COPIED.replace("MOST", str(600 << 20)).replace(
        "block[::4096] = bytes([2])", "block[::4096] == bytes([1])"
    )
    (ran,) = tight.run(
        [CodeCell(reading + "time.sleep(1)")]
    )  # long enough for several measurements, none of which may stop it
    assert ran.status is CellStatus.OK


@pytest.fixture(scope="module")
def tight():
    with Sandbox(BARE, limits=Limits(memory_bytes=400 << 20, tmp_bytes=8 << 20)) as sandbox:
        yield sandbox


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "source",
    [
        "import os\nfd = os.memfd_create('x')",
        "import ctypes\nif ctypes.CDLL(None).shmget(0, 1 << 20, 0o1600) < 0: raise OSError",
        "import ctypes\nif ctypes.CDLL(None).msgget(0, 0o1600) < 0: raise OSError",
        "import socket\nsocket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
        "import socket\nsocket.create_server(('127.0.0.1', 0))",
        "import socket\nsocket.socketpair()[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)",
        "import fcntl, os\nfcntl.fcntl(os.pipe()[0], 1031, 1 << 20)",
        "import os\nos.splice(os.open('/usr/bin/env', 0), os.pipe()[1], 4096)",
        "import os\nopen('x', 'w').close(); os.setxattr('x', 'user.x', b'x')",
    ],
)
def test_uncounted_memory_is_refused(sandbox, source):
    (ran,) = sandbox.run([CodeCell(source)])
    assert ran.status is CellStatus.ERROR and ran.outputs[-1]["ename"] in ("OSError", "PermissionError"), ran.outputs


@pytest.mark.sandbox
def test_page_cache_carries_no_message_between_submissions(sandbox):
    source = (
        "import os, sys\nfd = os.open(os.__file__, os.O_RDONLY)\nos.pread(fd, 1, 0)\n"
        "os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)\n"
        "try: print('told', os.preadv(fd, [bytearray(1)], 0, os.RWF_NOWAIT))\n"
        "except BlockingIOError: print('told')\n"
        "except OSError: print(os.preadv(fd, [bytearray(1)], 0))"
    )
    assert printed(sandbox, source) == "1"


@pytest.mark.sandbox
def test_file_locks_take_no_memory(sandbox):
    source = (
        "import fcntl, os, struct\nfd = os.open('locks', os.O_RDWR | os.O_CREAT)\n"
        "for at in range(100): fcntl.fcntl(fd, fcntl.F_SETLK, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 2 * at, 1, 0))\n"
        "if os.fork() == 0:\n"
        "    asked = struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 0, 0)\n"
        "    os._exit(struct.unpack('hhqqi4x', fcntl.fcntl(fd, fcntl.F_GETLK, asked))[0])\n"
        "print(os.waitstatus_to_exitcode(os.wait()[1]) == fcntl.F_UNLCK)"
    )
    assert printed(sandbox, source) == "True"


# --- without a filter --------------------------------------------------------


def test_grading_is_refused_without_a_filter(monkeypatch):
    monkeypatch.setattr(filters.platform, "machine", lambda: "riscv64")
    with pytest.raises(SandboxUnavailable, match="(?s)riscv64.*--unsandboxed"), Sandbox(BARE):
        pass


def test_kernel_without_seccomp_is_reported(monkeypatch):
    class Old:
        def prctl(self, *_):
            ctypes.set_errno(errno.EINVAL)
            return -1

    assert not filters.unavailable_reason()
    monkeypatch.setattr(filters, "_libc", Old)
    assert "seccomp" in filters.unavailable_reason()
    with pytest.raises(OSError, match="not taken"):
        process_isolation.load_filter(required=True)
    process_isolation.load_filter(required=False)


def test_kernel_memory_of_an_ended_process_is_zero():
    assert KernelMemory().upper_bound([2**30]) == 0


@pytest.mark.sandbox
def test_unread_terminals_count_as_memory(monkeypatch, sandbox):
    # Each counts as huge, so that a few are enough. The cells last for several measurements.
    monkeypatch.setattr(kernel_memory, "TERMINAL", 1 << 28)
    opens = CodeCell("import os, time\npairs = [os.openpty() for _ in range(8)]\ntime.sleep(2)")
    (quiet,) = sandbox.run([CodeCell("import time\ntime.sleep(0.6)")])
    (ran,) = sandbox.run([opens])
    assert quiet.status is CellStatus.OK and ran.status is CellStatus.KILLED
