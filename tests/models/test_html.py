"""Tables as a reader, a screen reader and a careless caller meet them."""

from html.parser import HTMLParser

import pytest

from chip2cluster.html import INLINE, Head, Html, content, table
from tests.tables import every_row

HEADS = (Head("chip"), Head("peak", "TFLOP/s", number=True), Head("link"))
ROWS = (("<x>", "1.5", "PCIe & more"), ("y", "989", Html("<b>NVLink</b>")))


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.seen, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@every_row("labels", [0, 1, 2])
@every_row("heads", [(), HEADS, (Head(""), *HEADS[1:])])
@every_row("look", [None, INLINE])
def test_every_header_has_a_scope_and_words(labels, heads, look):
    tags = Tags(table(heads, ROWS, caption="a < b", labels=labels, look=look))
    assert not tags.open
    scopes = [attributes["scope"] for tag, attributes in tags.seen if tag == "th"]
    assert scopes == ["col"] * sum(bool(head.text) for head in heads) + ["row"] * labels * len(ROWS)


def test_text_is_escaped_unless_it_says_that_it_is_html():
    made = table(HEADS, ROWS, caption="<caption>")
    assert "&lt;x&gt;" in made and "PCIe &amp; more" in made and "<b>NVLink</b>" in made and "&lt;caption&gt;" in made


def test_numbers_stand_to_the_right_and_one_row_is_marked():
    rows = content(HEADS, ROWS, marked=1).split("<tr")[2:]
    assert all('<td class="c2c-number">' in row for row in rows)
    assert ["c2c-marked" in row and "▸" in row for row in rows] == [False, True]
    assert '<td style="text-align:right">989' in table(HEADS, ROWS, look=INLINE)


def test_a_row_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="zip"):
        table(HEADS, [("x", "1")])


def test_negative_numbers_have_a_minus_and_words_a_hyphen():
    made = table([Head("name"), Head("share", number=True), Head("id")], [("-1", "-5.02", "-7")])
    assert ">\N{MINUS SIGN}5.02</td>" in made and ">-7</td>" in made and ">-1</th>" in made
