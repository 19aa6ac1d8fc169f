"""Peak memory of this process; imported by the processes that are measured, so it loads next to nothing."""

import resource
import sys


def peak_bytes():
    """Return the peak of resident bytes since this process began to run its program.

    On Linux ``ru_maxrss`` counts the parent's memory too, because a process keeps that peak when it is started.
    """
    try:
        with open("/proc/self/status") as status:
            return 1024 * int(status.read().partition("VmHWM:")[2].split()[0])
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else 1024 * peak
