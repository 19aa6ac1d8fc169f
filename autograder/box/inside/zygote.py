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
from importlib import import_module

HERE = os.path.dirname(os.path.abspath(__file__))


def main(control, page, isolation):
    sys.path[:0] = [page, HERE]
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    import isolate
    import session
    from shell import Shell

    control = socket.socket(fileno=int(control))
    orders = json.loads(open(os.path.join(page, "page.json"), encoding="utf-8").read())
    for name in orders["warm"]:
        try:
            import_module(name)
        except ImportError:
            # The page will meet the same error, in the cell that imports it.
            pass
    shell = Shell.fresh()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    control.sendall(b"+")
    while True:
        data, fds, _, _ = socket.recv_fds(control, 1 << 16, 64)
        if not data:
            return
        order = json.loads(data)
        if os.fork() == 0:
            control.close()
            try:
                if isolation == "namespaces":
                    isolate.namespaces(os.environ["TMPDIR"], order["limits"]["tmp_bytes"])
                # The first child after the call above has number 1: when it ends, all end.
                keeper = os.fork()
                if keeper == 0:
                    session.keep(shell, order, fds, page, isolation)
                # The keeper's end of the line of life closes before the others have ended. This one closes after
                # that, or the next submission could meet the last one's processes, and their share of the limits.
                for fd in fds[1:]:
                    os.close(fd)
                try:
                    os.waitpid(keeper, 0)
                except ChildProcessError:
                    pass  # ended, and with SIGCHLD ignored nothing is left to collect
            finally:
                os._exit(0)
        for fd in fds:
            os.close(fd)


if __name__ == "__main__":
    main(*sys.argv[1:])
