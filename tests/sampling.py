"""Which of many like cases are tried today: `make test` takes a few of them, and other ones each day, `make prove` all.

``SAMPLE`` says which: a date, today's unless it is set, or ``all``. Every case has its turn within as many days as the
cases are times the sample. ::

    for seed in sampled(range(20), 3): ...      # in a test, or in the list of a parametrisation

    @pytest.mark.sampled(8)                     # of all the cases that a test has, however it is parametrised
"""

import os
from datetime import date

ALL = "all"
VARIABLE = "SAMPLE"
# Set once and for all processes of a run, which may last past midnight.
os.environ.setdefault(VARIABLE, date.today().isoformat())


def sampled(cases, at_least=1, days=1):
    """These cases, or an even sample of them: from the day's case on, each that is as far behind the last.

    What has these cases may itself have its turn only every so many ``days``: the next case comes with its next turn.
    """
    cases, chosen = list(cases), os.environ[VARIABLE]
    if chosen == ALL:
        return cases
    step = max(1, len(cases) // at_least)
    return cases[date.fromisoformat(chosen).toordinal() // days % step :: step]
