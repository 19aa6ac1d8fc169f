"""Submissions that go around Python, straight to the kernel: its keys, its namespaces, memory that is nobody's."""

from .leaks import NAMED
from .model import failing

CALLS = """
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
arm = platform.machine() == "aarch64"
def call(x86, arm64, *arguments):
    return libc.syscall(arm64 if arm else x86, *(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))
"""
KEYS = (
    NAMED
    + CALLS
    + """
for ring in (-3, -4, -5):  # the session's key ring, the user's, the user's session's
    if call(250, 219, 10, ring, b"user", b"left", 0) > 0: print(MARK_ + " a key of the submission before")
    call(248, 217, b"user", b"left", b"hidden", 6, ring)
    buffer = ctypes.create_string_buffer(4096)
    if call(250, 219, 11, ring, buffer, 4096) > 0: print(MARK_ + " keys of the grader")
"""
)
MEMFDS = """
import os
held = []
try:
    for n in range(100):
        held.append(os.memfd_create(f"m{n}"))
        for _ in range(31): os.write(held[-1], bytes(1 << 20))
except OSError: pass
"""
QUEUES = """
import ctypes, os, socket
libc = ctypes.CDLL(None)
text = ctypes.create_string_buffer(8200)
for _ in range(2000):
    made = libc.msgget(0, 0o1600)
    while made >= 0 and libc.msgsnd(made, text, 8000, 0o4000) == 0: pass
    made = libc.shmget(0, 8 << 20, 0o1600)
    if made >= 0:
        libc.shmat.restype = ctypes.c_void_p
        place = libc.shmat(made, None, 0)
        ctypes.memset(place, 1, 8 << 20)
        libc.shmdt(ctypes.c_void_p(place))
"""
DOORS = (
    NAMED
    + CALLS
    + """
import os, socket
if libc.unshare(0x50020000) == 0: print(MARK_ + " namespaces of its own")
if call(56, 220, 0x10000011, 0, 0, 0, 0) == 0: os._exit(0)  # clone into a user namespace
ring = call(425, 425, 8, ctypes.create_string_buffer(120))
if ring >= 0: print(MARK_ + " io_uring")
if call(321, 280, 0, ctypes.create_string_buffer(128), 128) >= 0: print(MARK_ + " bpf")
for family in (16, 17, 38, 40):  # netlink with the counters of the network, raw packets, ciphers, the host of a guest
    try: print(MARK_, family, socket.socket(family, 3 if family < 20 else 5 if family == 38 else 1))
    except OSError: pass
"""
)

ATTACKS = (
    failing(
        "key-rings", "reads key rings, and leaves keys for the next submission", first=KEYS, last=KEYS, status="graded"
    ),
    failing(
        "memory-in-memfds", "fills files that lie in memory and belong to no process", first=MEMFDS, status="graded"
    ),
    failing(
        "memory-in-queues", "fills message queues and shared memory, and lets go of them", first=QUEUES, status="graded"
    ),
    failing("kernel-doors", "tries the less trodden ways into the kernel", first=DOORS, status="graded"),
)
