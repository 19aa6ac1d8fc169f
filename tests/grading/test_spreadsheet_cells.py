"""Text cells for spreadsheets: a name is never run as a formula, however it begins."""

import csv
import io
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autograder.grading.spreadsheet import text_cell

MARKS = "=+-@＝＋'\"` \t\r\n\0\x0b\x1b\x85\u2028\u200b\u202e\u2060\ufeff1a|,;"


@given(st.text(st.sampled_from(MARKS), max_size=12) | st.text())
@example('"=1+1')
@example("\ufeff=1+1")
@example("\0=1+1")
@example("a\r\n=1+1")
def test_text_cell_is_one_line_and_no_formula(value):
    cell = text_cell(value)
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", cell)
    file = io.StringIO()
    csv.writer(file).writerow([cell, "next"])
    assert list(csv.reader(io.StringIO(file.getvalue()))) == [[cell, "next"]]
    seen = "".join(mark for mark in cell if mark.isprintable()).lstrip(' "')
    assert not seen.startswith(tuple("=@＝＋－＠"))
    assert not seen.startswith(("+", "-")) or re.fullmatch(r"[+-]?[0-9._]+(e[+-]?[0-9]+)?", cell, re.IGNORECASE)


@pytest.mark.parametrize("name", ["Zoë Müller-O'Neil 🎓", "👩\u200d🎓", "李小龙", "'t Hooft", "-5", "a=b"])
def test_text_cell_keeps_names(name):
    assert text_cell(name) == name


@given(st.text(st.sampled_from(MARKS), max_size=12) | st.text())
@example('x";=1+1;')
@example("a;=1")
@example('a"=1')
@example("a;\t =1")
@example('a; "\u200b=1')
@example("a;;-1+1")
@example(";=1")
def test_text_cell_is_no_formula_where_semicolons_part_cells(value):
    file = io.StringIO()
    csv.writer(file).writerow(["ann", text_cell(value), "5"])
    for separator in ";\t":
        for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE):
            for row in csv.reader(io.StringIO(file.getvalue()), delimiter=separator, quoting=quoting):
                for cell in row[1:]:
                    seen = "".join(mark for mark in cell if mark.isprintable()).lstrip(' "')
                    assert not seen.startswith(tuple("=+-@＝＋－＠")), row


@pytest.mark.parametrize("name", ['van "der" Ü', "a; b", "Ann (=x)", 'Jo "JJ" O\'Neil; III'])
def test_text_cell_keeps_quotes_and_semicolons_in_names(name):
    assert text_cell(name) == name
