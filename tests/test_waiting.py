"""The helper that waits for a condition."""

import pytest

from tests.waiting import wait_until


def test_wait_until_returns_the_first_true_value():
    values = iter([0, None, "", "here"])
    assert wait_until(lambda: next(values), seconds=60, what="a value") == "here"


@pytest.mark.parametrize("what", ["the server answers", lambda: "the server answers"])
def test_wait_until_names_what_did_not_happen(what):
    with pytest.raises(TimeoutError, match=r"not within 0\.05 s: the server answers"):
        wait_until(lambda: False, seconds=0.05, what=what)


def test_wait_until_passes_on_an_error_of_the_condition():
    def condition():
        raise RuntimeError("the server has ended")

    with pytest.raises(RuntimeError, match="has ended"):
        wait_until(condition, seconds=60, what="the server answers")
