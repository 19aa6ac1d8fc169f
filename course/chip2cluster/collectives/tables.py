"""The algorithms of a collective side by side, as a table."""

from .._validate import whole
from .algorithms import ALGORITHMS, named
from .cost import steps, time


def table(collective, message_bytes, ranks, bandwidth_one_way, latency=0.0):
    """Compare all algorithms of a collective on one message.

    Parameters
    ----------
    collective : str
        As `time`.
    message_bytes : float
        The message, bytes; see `meaning_of_size`.
    ranks : int
        Participants. Algorithms that need a power of two are left out for other numbers.
    bandwidth_one_way, latency : float
        As `time`.

    Returns
    -------
    pandas.DataFrame
        One row an algorithm, the fastest first; units are in the headers.

    Raises
    ------
    ValueError, TypeError
        As `time`.

    Notes
    -----
    Ignores what `time` ignores. Sources: see `algorithms`.

    Examples
    --------
    >>> table("all_reduce", 14e9, 6, 450e9, 2e-6)["time (ms)"].round(1).to_dict()
    {'in_network': 31.1, 'ring': 51.9, 'double_binary_tree': 62.2, 'tree': 186.7}
    """
    import pandas  # here, because the models do not need it

    ranks = whole("ranks", ranks)
    rows = {}
    for name, row in named("collective", collective, ALGORITHMS).items():
        if row.power_of_two and ranks & (ranks - 1):
            continue
        seconds = time(collective, name, message_bytes, ranks, bandwidth_one_way, latency)
        rows[name] = (steps(collective, name, ranks), round(float(row.wire(ranks)), 3), 1e3 * seconds)
    header = ["steps", "message crosses a link (times)", "time (ms)"]
    found = pandas.DataFrame.from_dict(rows, orient="index", columns=header)
    return found.sort_values("time (ms)", kind="stable")
