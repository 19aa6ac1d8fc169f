"""Design memo: its numbers are those of the models, and it prints on two pages."""

import copy
import re
from dataclasses import replace
from html import unescape

import pytest

from chip2cluster import capstone, draw
from chip2cluster.capstone.memo_parts import MemoTable
from chip2cluster.chapters.design.scenario import DESIGN, SCENARIO


@pytest.fixture(scope="module")
def searched():
    designs = capstone.grid(SCENARIO, chips=["H100 SXM", "B200"], nodes=[512, 1024], spares=[8, 40], storages=[400e9],
                            checkpoint_intervals=[1800.0], precisions=["bf16", "fp8"], chunks=[1, 7, 15])  # fmt: skip
    return capstone.evaluate_many(designs, SCENARIO)


@pytest.fixture(scope="module")
def paper(searched):
    return draw.memo(capstone.memo(DESIGN, SCENARIO, compared=searched, title="Design <memo>"))


def test_memo_states_bounds_frontier_sensitivity_and_risks(paper, searched):
    text = unescape(re.sub(r"<[^>]+>", " ", paper.html))
    out = capstone.evaluate(DESIGN, SCENARIO)
    low, high = out.interval("days")
    assert f"{low:.1f} to {high:.1f} days ({out.days:.1f} expected)" in text
    assert f"every {out.checkpoint_interval / 60:.1f} minutes" in text
    for precision in ("bf16", "fp8"):
        assert f"{capstone.bounds(replace(SCENARIO, precision=precision), 'B200').fewest_chips:,}" in text
    assert f"{int(searched.meets.sum()):,} searched designs keep all limits" in text
    first = capstone.sensitivity(DESIGN, SCENARIO)[0]
    assert f"{min(first.at_low, first.at_high):.1f} to {max(first.at_low, first.at_high):.1f} days" in text
    run = capstone.play(DESIGN, SCENARIO, capstone.bad_week(DESIGN, SCENARIO, 100))
    logged = [line for line in capstone.run_log(run).splitlines() if line in text]
    assert len(logged) == 5 and "waiting for nodes" in text and "leaves out" in text
    assert "Design <memo>" in text and "<memo>" not in paper.html


def test_memo_marks_the_design_in_the_frontier(paper, searched):
    assert paper.html.count('r="7"') == 1
    assert paper.html.count("#b02a2a") == len(capstone.frontier(searched)) + 1  # and one in the legend


def test_memo_is_saved_once_and_never_overwrites(paper, tmp_path):
    target = paper.save(tmp_path / "memo.html")
    assert target.read_text(encoding="utf-8") == paper.html
    with pytest.raises(FileExistsError, match="another name"):
        paper.save(target)


def test_memo_content_names_its_drawn_form():
    content = capstone.memo(DESIGN, SCENARIO)
    for said in (str(content), repr(content)):
        assert "draw.memo(memo)" in said
    for name in ("html", "save"):
        with pytest.raises(AttributeError, match=rf"draw\.memo\(memo\)\.{name}"):
            getattr(content, name)
    assert not hasattr(content, "_repr_html_")
    assert copy.copy(content).pages == content.pages


def test_memo_page_of_a_design_is_refused():
    with pytest.raises(TypeError, match=r"draw\.memo\(capstone\.memo\("):
        draw.memo(DESIGN)


def test_memo_tables_hold_text_only(searched):
    content = capstone.memo(DESIGN, SCENARIO, compared=searched)
    tables = [
        part for page in content.pages for section in page for part in section.parts if isinstance(part, MemoTable)
    ]
    assert len(tables) >= 6
    assert all(isinstance(cell, str) and cell != "False" for table in tables for row in table.rows for cell in row)


def test_memo_of_a_design_that_cannot_run_is_refused():
    with pytest.raises(ValueError, match="cannot"):
        capstone.memo(replace(DESIGN, nodes=1, layout=None), SCENARIO)


def test_memo_prints_on_two_pages(paper, searched, browser):
    small = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    tab = browser.new_page()
    for one in (paper, draw.memo(capstone.memo(capstone.Design(chip="H100 SXM", nodes=16, spares=1), small))):
        tab.set_content(one.html)
        for size in ("A4", "Letter"):
            printed = tab.pdf(format=size)
            assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 2, size
    tab.close()
