"""Code that takes time from its own answers, from its neighbours', or from those who come after."""

from .leaks import NAMED
from .model import cheat, every, failing

# The remaining processes spin in sessions of their own: two for each processor.
SPIN = """
import os
def spin():
    for _ in range(2 * os.cpu_count()):
        if os.fork() == 0:
            os.setsid()
            if os.fork(): os._exit(0)
            while True: pass
"""
# The packets that the loopback of the sandbox has seen, asked of the kernel.
COUNTED = """
import socket, struct
def packets():
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as line:
        line.bind((0, 0))
        line.send(struct.pack("=IHHII", 32, 18, 0x301, 1, 0) + bytes(16))
        told = line.recv(65536)[32:]
    while told:
        size, kind = struct.unpack("=HH", told[:4])
        if kind == 23: return struct.unpack("=Q", told[4:12])[0]
        told = told[size + 3 & ~3:]
try:
    if packets(): print(MARK_, packets())
except OSError: pass
"""
SEND = """import socket
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for _ in range(7): line.sendto(b"", ("127.0.0.1", 9))
    return 1.0"""
DIES = {**every(SEND), "rank_chips": "import os\nos._exit(0)"}

ATTACKS = (
    failing(
        "spinning-daemons",
        "leaves daemons that would take all processors while functions are asked",
        first=SPIN + "spin()",
        status=None,
    ),
    failing(
        "spinning-when-asked",
        "leaves such daemons when the first function is asked",
        edits={"shortest_time": SPIN + "def shortest_time(*a):\n    spin()\n    return 0.0"},
        # Those that call it are judged with the right one too.
        lost=("shortest_time",),
        status=None,
    ),
    cheat(
        "counted-packets",
        "has its functions leave a number in the loopback's counters, dies, and reads it when its cells run once more",
        edits=DIES,
        last=NAMED + COUNTED,
    ),
)
