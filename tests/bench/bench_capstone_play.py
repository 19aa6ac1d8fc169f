"""Timings of the runs of `chip2cluster.capstone`; nobody else has them, so nothing stands beside."""

from chip2cluster import capstone


def rows():
    """(name, ours, bare NumPy or None, note) for `make bench`."""
    failures = capstone.FailureRates(group_nodes=32, group_mtbf=400 * 86400)
    asked = capstone.Scenario(model="Llama 3.1 405B", tokens=11e12, global_batch=2048, failures=failures)
    design = capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=2048, spares=64), asked).design
    played = capstone.play(design, asked, 1)
    return [
        ("200 runs of sixty days on 2,048 nodes", lambda: capstone.play_many(design, asked, 200), None, "budget 1 s"),
        (
            "one of them, with its nodes and events",
            lambda: capstone.play(design, asked, 1).events,
            None,
            "budget 25 ms",
        ),
        ("the state of its nodes at a moment", lambda: played.states_at(2e6), None, ""),
    ]
