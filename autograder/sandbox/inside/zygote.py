"""Warm interpreter of the sandbox: imports once, then forks one session for each submission.

The grader starts it as ``python -I zygote.py CONTROL PAGE ISOLATION``. It runs no student code itself. Orders arrive on
the control socket, with file descriptors: one for the supervisor (closing it ends the session and everything that it
started), one for the cells, and one for each query.
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
    """Serve until the control socket closes."""
    # Imported modules stay: repeated garbage collections would be a sixth of the start time.
    gc.disable()
    sys.path.insert(0, page)
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    # The page's own copy of this folder, under the name that it has there.
    from autograder.sandbox.inside import process_isolation, stub_modules, supervisor
    from autograder.sandbox.inside.notebook_shell import Shell
    from autograder.sandbox.inside.reply_codes import Isolation
    from autograder.sandbox.inside.table_display import PandasOptions

    process_isolation.join_empty_keyring()
    sys.meta_path.insert(0, PandasOptions())
    sys.meta_path.append(stub_modules.StubFinder())
    control = socket.socket(fileno=int(line))
    for name in json.loads(Path(page, "page.json").read_text(encoding="utf-8"))["preload"]:
        # The page raises the same error in the cell that imports it.
        with suppress(ImportError):
            import_module(name)
    with suppress(Exception):  # a page without chips has no catalogue
        # The catalogue is read once here, because that takes longer than most pages.
        chips = sys.modules["chip2cluster.specs"]
        chips.accelerator(chips.accelerators()[0].name)
    gc.freeze()
    shell = Shell.create()
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
                    process_isolation.enter_namespaces(os.environ["TMPDIR"], order["limits"]["tmp_bytes"])
                # The first child after the call above has process number 1: when it ends, all end.
                first = os.fork()
                if first == 0:
                    supervisor.supervise(shell, order, fds, page, Isolation(isolation))
                # The supervisor's own end of the life socket closes before the other processes have ended. This one closes
                # after that; the next submission would otherwise meet the last one's processes, which use up its limits.
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
