"""Tables are tried row by row to the end, and each row that fails is named."""

import pytest

from tests import tables
from tests.tables import every_row


def failure(test, **given):
    with pytest.raises(BaseExceptionGroup) as caught:
        test(**given)
    return caught.value


def test_every_row_that_fails_is_named_and_the_others_are_tried():
    tried = []

    @every_row("value", [1, 2, 3, 4])
    def odd(value):
        tried.append(value)
        assert value % 2

    error = failure(odd)
    assert tried == [1, 2, 3, 4]
    assert error.message.splitlines() == ["2 of 4 rows:", "  value=2", "  value=4"]
    assert [one.__notes__ for one in error.exceptions] == [["row: value=2"], ["row: value=4"]]


def test_combined_tables_run_every_pair_of_rows():
    @every_row("make, words", [(int, "invalid"), (lambda text: 1 / 0, "zero"), (float, "no such words")])
    @every_row("text", ["x", "1"])
    def refused(make, text, words, fixture):
        with pytest.raises((ValueError, ZeroDivisionError), match=words):
            make(text)
        assert fixture == "given"

    error = failure(refused, fixture="given")
    assert error.message.splitlines()[0] == "2 of 3 rows:"
    assert [one.message.splitlines()[1:] for one in error.exceptions] == [["  text='1'"], ["  text='x'", "  text='1'"]]


def test_a_row_that_is_right_says_nothing():
    every_row("a, b", [(1, 1), (2, 2)])(lambda a, b: pytest.fail("differ") if a != b else None)()


def test_rows_can_be_chosen_by_their_description(monkeypatch):
    tried = []

    @every_row("value", [1, 12, 3])
    def collect(value):
        tried.append(value)

    monkeypatch.setattr(tables, "chosen", "value=1")
    collect()
    assert tried == [1, 12]
    monkeypatch.setattr(tables, "chosen", "value=4")
    with pytest.raises(pytest.skip.Exception, match="no row of collect contains 'value=4'"):
        collect()


def test_rows_of_two_tables_can_be_chosen(monkeypatch):
    tried = []

    @every_row("a", [1, 2])
    @every_row("b", [3, 4])
    def collect(a, b):
        tried.append((a, b))

    for text, wanted in (("a=2", [(2, 3), (2, 4)]), ("b=3", [(1, 3), (2, 3)]), ("a=1, b=4", [(1, 4)])):
        monkeypatch.setattr(tables, "chosen", text)
        tried.clear()
        collect()
        assert tried == wanted
    monkeypatch.setattr(tables, "chosen", "a=3")
    with pytest.raises(pytest.skip.Exception, match="no row of collect contains 'a=3'"):
        collect()


def test_a_test_can_be_skipped():
    with pytest.raises(pytest.skip.Exception):
        every_row("a", [1])(lambda a: pytest.skip("not here"))()


def test_a_table_fits_its_test():
    with pytest.raises(AssertionError, match="a table without rows"):
        every_row("a", [])
    with pytest.raises(AssertionError, match=r"does not take \['b'\]"):
        every_row("b", [1])(lambda a: None)
    with pytest.raises(ValueError, match="zip"):
        every_row("a, b", [(1, 2, 3)])(lambda a, b: None)()


@pytest.mark.parametrize("again", [1, 2])
@every_row("value", (1, 2))
def test_pytest_gives_fixtures_and_parameters(tmp_path, again, value):
    assert tmp_path.is_dir() and again in (1, 2) and value in (1, 2)
