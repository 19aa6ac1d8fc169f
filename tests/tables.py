"""A table of quick cases as one test that tries every row.

A test for each row would take a thousand times as long as what it computes. Cases that do take time are parameters, which
the workers share: ``pytest.mark.parametrize``. ``pytest tests/FILE.py::TEST --row TEXT`` tries only the rows whose
description, as a failure prints it, contains the text.
"""

import functools
import inspect
import reprlib

import pytest

# The text of the option --row, which tests/conftest.py sets.
chosen = ""
_labels = []  # of the rows of outer tables, where two tables are combined


def every_row(names, table):
    """Run a test with each row of a table, like ``pytest.mark.parametrize`` but as one test.

    It tries every row, then fails with all that are wrong, each named. Rows share what fixtures give, so it does not suit a
    test that changes a fixture.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = [row if len(names) > 1 else (row,) for row in table]
    assert table, "a table without rows"

    def decorate(function):
        is_table = hasattr(function, "is_table")

        @functools.wraps(function)
        def test(**given):
            wrong, errors, tried = [], [], 0
            for row in table:
                values = dict(zip(names, row, strict=True))
                label = ", ".join(f"{name}={_short(value)}" for name, value in values.items())
                _labels.append(label)
                try:
                    if is_table:
                        tried += function(**given, **values)
                    elif chosen in ", ".join(_labels):
                        tried += 1
                        function(**given, **values)
                except (Exception, pytest.fail.Exception, BaseExceptionGroup) as error:
                    error.add_note(f"row: {label}")
                    wrong.append(label)
                    errors.append(error)
                finally:
                    _labels.pop()
            if errors:
                raise BaseExceptionGroup("\n  ".join([f"{len(wrong)} of {len(table)} rows:", *wrong]), errors)
            if not tried and not _labels:
                pytest.skip(f"no row of {function.__name__} contains {chosen!r}")
            return tried if _labels else None

        signature = inspect.signature(function)
        kept = [one for name, one in signature.parameters.items() if name not in names]
        assert len(kept) + len(names) == len(signature.parameters), f"{function.__name__} does not take {names}"
        test.__signature__ = signature.replace(parameters=kept)
        test.is_table = True
        return test

    return decorate


_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = 80


def _short(value):
    """A value in a line; a function of the table by where it is written."""
    if inspect.isfunction(value):
        return f"{value.__name__} of line {value.__code__.co_firstlineno}"
    return getattr(value, "id", None) or _REPR.repr(value)
