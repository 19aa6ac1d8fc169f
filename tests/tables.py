"""A table of cases that take no time, as one test that tries every row.

A test of its own costs a row some thousand times what it computes. Cases that do cost something stay apart, for the
workers to share: ``pytest.mark.parametrize``.
"""

import functools
import inspect
import reprlib

import pytest


def every_row(names, table):
    """Like ``pytest.mark.parametrize``, as one test: it tries every row, then fails with all that are wrong, each named.

    Rows share what fixtures give, so a test that changes it is none for this.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = [row if len(names) > 1 else (row,) for row in table]
    assert table, "a table without rows"

    def decorate(function):
        @functools.wraps(function)
        def tried(**given):
            wrong, errors = [], []
            for row in table:
                values = dict(zip(names, row, strict=True))
                try:
                    function(**given, **values)
                except (Exception, pytest.fail.Exception, BaseExceptionGroup) as error:
                    wrong.append(", ".join(f"{name}={_short(value)}" for name, value in values.items()))
                    error.add_note(f"row: {wrong[-1]}")
                    errors.append(error)
            if errors:
                raise BaseExceptionGroup("\n  ".join([f"{len(wrong)} of {len(table)} rows:", *wrong]), errors)

        signature = inspect.signature(function)
        kept = [one for name, one in signature.parameters.items() if name not in names]
        assert len(kept) + len(names) == len(signature.parameters), f"{function.__name__} does not take {names}"
        tried.__signature__ = signature.replace(parameters=kept)
        return tried

    return decorate


_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = 80


def _short(value):
    """A value in a line; a function of the table by where it is written."""
    if inspect.isfunction(value):
        return f"{value.__name__} of line {value.__code__.co_firstlineno}"
    return getattr(value, "id", None) or _REPR.repr(value)
