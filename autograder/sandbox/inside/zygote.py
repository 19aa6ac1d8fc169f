"""The warm interpreter of a box: imports once, forks one session for each submission.

Started by the grader as ``python -I zygote.py CONTROL PAGE ISOLATION``. It runs no
student's code itself. On the control line come orders with file descriptors: one
for life (closing it ends the session and everything that it started), one for the
cells, one for each function that will be asked.
"""

import gc
import json
import os
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path


def main(line: str, page: str, isolation: str) -> None:
    """Serve until the control line closes."""
    # What is imported stays: to go through it for garbage again and again is a sixth of a start.
    gc.disable()
    sys.path.insert(0, page)
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    # The page's own copy of this folder, under the name that it has there.
    from autograder.sandbox.inside import isolate, stub_modules, supervisor
    from autograder.sandbox.inside.codes import Isolation
    from autograder.sandbox.inside.shell import Shell
    from autograder.sandbox.inside.table_display import WholeTables

    isolate.own_keys()
    sys.meta_path.insert(0, WholeTables())
    sys.meta_path.append(stub_modules.StandIns())
    control = socket.socket(fileno=int(line))
    for name in json.loads(Path(page, "page.json").read_text(encoding="utf-8"))["warm"]:
        # The page will meet the same error, in the cell that imports it.
        with suppress(ImportError):
            import_module(name)
    with suppress(Exception):  # a page without chips has none to look up
        # Reading the catalogue takes longer than most pages do.
        chips = sys.modules["chip2cluster.specs"]
        chips.accelerator(chips.accelerators()[0].name)
    gc.freeze()
    shell = Shell.fresh()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.freeze()
    gc.enable()
    control.sendall(b"+")
    while True:
        data, fds, _, _ = socket.recv_fds(control, 1 << 16, 64)
        if not data:
            return
        order = json.loads(data)
        if os.fork() == 0:
            control.close()
            try:
                if isolation == Isolation.NAMESPACES:
                    isolate.namespaces(os.environ["TMPDIR"], order["limits"]["tmp_bytes"])
                # The first child after the call above has number 1: when it ends, all end.
                first = os.fork()
                if first == 0:
                    supervisor.keep(shell, order, fds, page, Isolation(isolation))
                # The keeper's end of the line of life closes before the others have ended. This one closes after
                # that, or the next submission could meet the last one's processes, and their share of the limits.
                for fd in fds[1:]:
                    os.close(fd)
                with suppress(ChildProcessError):  # ended, and with SIGCHLD ignored nothing is left to collect
                    os.waitpid(first, 0)
            finally:
                os._exit(0)
        for fd in fds:
            os.close(fd)


if __name__ == "__main__":
    main(*sys.argv[1:])
