"""Samples of tests that have many similar cases: `make test` takes a few of them, `make prove` all.

``SAMPLE`` says which: nothing for the fixed sample of the repository, a date for the sample of that day (within some days
every case has its turn), or ``all``. The same commit and the same ``SAMPLE`` always give the same cases. ::

    for seed in sampled(range(20), 3): ...      # in a test, or in the list of a parametrization

    @pytest.mark.sampled(8)                     # of all the cases of a test, however it is parametrized

``PART=3/6`` runs the third of six parts of the tests, each of which takes about as long.
"""

import os
from datetime import date

ALL = "all"
# The sample of `make test`. Change it by hand to fix a different set of cases.
FIXED = "2026-11-26"
VARIABLE, PART = "SAMPLE", "PART"


def chosen():
    """Return the sample of this run, a date or ``all``.

    Raises
    ------
    ValueError
        If ``SAMPLE`` is neither.
    """
    value = os.environ.get(VARIABLE) or FIXED
    if value != ALL:
        try:
            date.fromisoformat(value)
        except ValueError:
            raise ValueError(f'{VARIABLE} is a date such as {FIXED}, or "{ALL}", not {value!r}') from None
    return value


def sampled(cases, at_least=1, days=1):
    """Return an evenly spaced sample of at least ``at_least`` cases; all of them for ``SAMPLE=all``.

    A test that runs only every ``days`` days passes that number, so that each run takes the next case.
    """
    cases, sample = list(cases), chosen()
    if sample == ALL:
        return cases
    step = max(1, len(cases) // at_least)
    return cases[date.fromisoformat(sample).toordinal() // days % step :: step]


def part(items):
    """Return the items of this run's part, all of them without ``PART``.

    Raises
    ------
    ValueError
        If ``PART`` is not of the form ``3/6``.
    """
    value = os.environ.get(PART)
    if not value:
        return list(items)
    number, _, parts = value.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
        raise ValueError(f"{PART} is a part and the number of parts, such as 3/6, not {value!r}")
    return list(items)[int(number) - 1 :: int(parts)]
