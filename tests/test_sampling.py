"""A sample is fixed unless a day is named, large enough, and within some days every case has been in one."""

import os
from datetime import date, timedelta

import pytest

from tests.sampling import ALL, FIXED, PART, VARIABLE, chosen, part, sampled


@pytest.mark.parametrize("count, at_least", [(20, 3), (7, 3), (5, 2), (3, 3), (2, 5), (1, 1), (534, 40), (0, 1)])
def test_every_case_has_its_turn(monkeypatch, count, at_least):
    cases, met = range(count), set()
    for day in range(-(-count // at_least) * 2):
        monkeypatch.setenv(VARIABLE, (date(2026, 12, 30) + timedelta(day)).isoformat())
        today = sampled(cases, at_least)
        assert len(today) >= min(at_least, count) and today == sampled(cases, at_least)
        met |= {*today}
    assert met == {*cases}
    monkeypatch.setenv(VARIABLE, ALL)
    assert sampled(cases, at_least) == [*cases]


def test_what_has_its_turn_on_some_days_alone_leaves_no_case_out(monkeypatch):
    met = set()
    for turn in range(6):
        monkeypatch.setenv(VARIABLE, (date(2026, 12, 30) + timedelta(3 * turn)).isoformat())
        met |= {*sampled(range(6), days=3)}
    assert met == {*range(6)}


def test_the_sample_is_fixed_unless_another_is_named(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    fixed = sampled(range(100), 3)
    assert chosen() == FIXED and sampled(range(100), 3) == fixed
    monkeypatch.setenv(VARIABLE, FIXED)
    assert sampled(range(100), 3) == fixed
    monkeypatch.setenv(VARIABLE, "yesterday")
    with pytest.raises(ValueError, match="SAMPLE is a date such as .*, not 'yesterday'"):
        sampled(range(3))


def test_parts_hold_every_test_once(monkeypatch):
    monkeypatch.delenv(PART, raising=False)
    assert part(range(20)) == [*range(20)]
    met = []
    for number in range(1, 7):
        monkeypatch.setenv(PART, f"{number}/6")
        met += part(range(20))
    assert sorted(met) == [*range(20)]
    for wrong in ("0/6", "7/6", "3", "a/b", "1/0"):
        monkeypatch.setenv(PART, wrong)
        with pytest.raises(ValueError, match="such as 3/6"):
            part(range(20))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("first", range(6))
@pytest.mark.parametrize("second", range(4))
def test_a_marked_test_has_a_sample_of_all_its_cases(first, second, request):
    name = request.function.__name__
    tried = [item.callspec.params for item in request.session.items if getattr(item, "originalname", "") == name]
    wanted = sampled([{"second": second, "first": first} for second in range(4) for first in range(6)], 5)
    assert tried == [case for case in wanted if case in tried]
    if len(tried) > 1 and not os.environ.get(PART):  # several cases, so the whole test was asked for
        assert tried == wanted
