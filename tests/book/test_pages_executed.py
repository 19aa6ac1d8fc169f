"""The executed pages: what a reader of the book sees of exercises, predictions, tables and pictures."""

import getpass
import re
import socket
from dataclasses import replace
from html import unescape
from pathlib import Path

import nbformat
import pytest
from docutils.core import publish_parts

from autograder.checking.verdict import format_inline
from autograder.exercises import exercise
from autograder.student.given import draw_number
from autograder.student.help import solution_card
from chip2cluster import predict
from course.publish.book import execute, predictions, tables

SOURCES = execute.sources()
CHECKED = re.compile(r'check\("([\w.]+)"')
EXERCISE = re.compile(
    r'<div class="c2c-exercise" id="([\w-]+)" data-exercise="([\w.]+)"(?: data-numpy)?>(.*)</div>', re.DOTALL
)
DETAILS = re.compile(r'<details class="c2c-(\w+)"><summary>([^<]*)</summary>')


def read(file):
    return nbformat.read(file, as_version=4)


def html(cell):
    return "".join(output.get("data", {}).get("text/html", "") for output in cell.get("outputs", ()))


def words(markup):
    return unescape(re.sub(r"<[^>]*>", "", markup))


def notebook(folder, *sources, name="scratch"):
    """A notebook of code cells named cell-0, cell-1 and so on."""
    cells = [nbformat.v4.new_code_cell(source, id=f"cell-{at}") for at, source in enumerate(sources)]
    file = folder / f"{name}.ipynb"
    nbformat.write(
        nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python"}}),
        file,
    )
    return file


def executed(source, folder):
    target = folder / f"executed-{source.name}"
    execute.page(source, target, folder / "_static")
    return read(target)


@pytest.fixture(params=SOURCES, ids=lambda file: file.stem)
def page(request, pages):
    """A page as written, and as executed."""
    return read(request.param), read(pages / request.param.name)


def test_there_is_one_page_for_each_notebook_of_the_course(pages):
    assert sorted(file.name for file in pages.glob("*.ipynb")) == [file.name for file in SOURCES]
    assert len(SOURCES) == len(list(Path("course").resolve().glob("*.ipynb"))) >= 13
    for name in ("predictions.js", "predictions-data.js", "cards.css"):
        assert (pages / "_static" / name).stat().st_size


def test_a_page_keeps_its_cells(page):
    source, made = page
    kept = [cell for cell in source.cells if cell.id != "setup-fails"]  # a book has no kernel to be the wrong one
    assert [cell.id for cell in made.cells] == [cell.id for cell in kept]
    for before, after in zip(kept, made.cells, strict=True):
        if before.cell_type == "code" and before.id != "setup":
            assert after.source == before.source
        elif before.cell_type == "markdown":
            assert re.sub(r"^\(exercise-[\w-]+\)=\n", "", after.source, flags=re.MULTILINE) == before.source


def test_exercise_order_is_stub_verdict_hints_solution(page):
    source, made = page
    wanted = [found[1] for cell in source.cells if cell.cell_type == "code" and (found := CHECKED.match(cell.source))]
    shown = []
    for place, cell in enumerate(made.cells):
        if not CHECKED.match(cell.source):
            continue
        stub = made.cells[place - 1]
        anchor, name, body = EXERCISE.fullmatch(html(cell)).groups()
        task = exercise(name).with_draw(draw_number(name, execute.STUDENT))
        shown.append(name)
        assert stub.source.endswith(task.stub.strip().removeprefix("import math").strip())
        assert not set(stub.metadata.get("tags", ())) & {"remove-input", "hide-input", "remove-cell", "hide-cell"}
        assert not cell.metadata.get("tags") and body.startswith('<div class="c2c-verdict"')
        assert "not written yet" in body.partition("<details")[0] and anchor == re.sub("[._]", "-", f"check-{name}")
        card = solution_card(task)
        order = ["Hint 1", "Hint 2", "Hint 3", "Show the solution", *["The package's own source"] * bool(card.folded)]
        assert [unescape(title) for _, title in DETAILS.findall(body)] == order
        parts = re.split(r"<details[^>]*>", body)[1:]
        for text, part in zip(task.hints, parts, strict=False):
            assert f"<p>{format_inline(text)}</p>" in part and part.count("</details>") == 1
        assert format_inline(task.explanation) in parts[3] and words(parts[3]).rstrip().endswith(task.solution.strip())
        assert all('class="highlight"' in part for part in parts[3:])
        assert not card.folded or words(parts[4]).rstrip().endswith(card.folded)
    assert shown == wanted


def test_each_exercise_of_a_chapter_has_an_address(page):
    _, made = page
    text = "\n".join(cell.source for cell in made.cells if cell.cell_type == "markdown")
    names = re.findall(r"^\((exercise-[\w-]+)\)=\n#+ Exercise \d+ ", text, re.MULTILINE)
    assert len(names) == len(set(names)) == len(re.findall(r"^#+ Exercise \d+ ", text, re.MULTILINE))


def test_nothing_of_the_machine_and_nobodys_record_gets_in(page):
    _, made = page
    for cell in made.cells:
        for output in cell.get("outputs", ()):
            assert output.output_type != "error" and output.get("name") != "stderr"
            said = repr(output)
            assert not re.search(r"Traceback|/tmp/|/home/|/root/|/work/|site-packages| at 0x[0-9a-f]+", said)
            # As a word: letters of a short name stand side by side in the bytes of any picture too.
            assert not re.search(rf"(?<![\w+/]){re.escape(socket.gethostname())}(?![\w+/])", said)
            assert f"/{getpass.getuser()}/" not in said
            assert not re.search(r"\d+ of \d+ exercises solved|unsolved|Kept in|CHIP2CLUSTER_", said)
    assert "version" not in made.metadata.language_info


def test_what_is_no_lesson_is_folded_away_and_the_rest_is_not(page):
    _, made = page
    for cell in made.cells:
        tags = set(cell.metadata.get("tags", ()))
        call = cell.cell_type == "code" and re.match(
            r"(predict\.(ask|notes)|explore\.\w+|contents|given|progress)\(", cell.source
        )
        assert ("remove-input" in tags) == bool(call)
        assert ("hide-input" in tags) == (cell.cell_type == "code" and cell.id == "setup" and not cell.outputs)


def test_code_behind_an_exercise_finds_it_solved(pages):
    (cell,) = [cell for cell in read(pages / "09_mfu.ipynb").cells if cell.id == "audit-cases"]
    assert "PaLM 540B" in cell.outputs[0].text and "as soon as exercise" not in cell.outputs[0].text


def test_explorers_are_filmstrips(page, pages):
    _, made = page
    for cell in made.cells:
        if cell.cell_type == "code" and cell.source.startswith("explore."):
            address = re.search(r'data-filmstrip="([^"]+)"', html(cell))[1]
            assert (pages / address).stat().st_size and re.search(r"<img [^>]*alt=\"[^\"]{40,}", html(cell))


def test_a_form_asks_and_does_not_tell(page):
    _, made = page
    asked = [cell for cell in made.cells if cell.cell_type == "code" and cell.source.startswith("predict.ask")]
    for cell in asked:
        question = predict.find(re.search(r'"([\w.]+)"', cell.source)[1])
        shown = html(cell)
        assert question.text in words(shown) and question.unit in words(shown) and "JavaScript" in shown
        entry = predictions._question(question)
        assert entry["value"] not in words(shown) and entry["reason"] not in words(shown) and "<details" not in shown
        assert not re.search(r'(?:title|alt|data-truth)="', shown)


def test_notes_field_and_folded_answers_match_the_book(tmp_path):
    source = notebook(
        tmp_path,
        "from chip2cluster import predict, specs",
        'predict.notes("roofline.explore")',
        'predict.folded(specs.table(["B200"], ["memory_bandwidth"]), "Show the bandwidth")',
    )
    _, place, fold = executed(source, tmp_path).cells
    assert 'data-notes="roofline.explore"' in html(place) and "JavaScript" in html(place)
    assert "remove-input" in place.metadata.tags and len(place.outputs) == 1
    shown = html(fold)
    assert shown.startswith("<details><summary") and 'class="c2c-data"' in shown and "B200" in shown
    assert shown.endswith("</details>") and "<style" not in shown


def test_tables_have_scopes_and_numbers_to_the_right(page):
    _, made = page
    for cell in made.cells:
        shown = html(cell)
        if 'class="c2c-data"' not in shown:
            continue
        boxed = shown[shown.index('class="c2c-frame"') :]  # above the table of the chapters is their map, with a style
        assert "<style" not in boxed and 'role="group" tabindex="0" aria-label="Table: ' in boxed
        assert all("scope=" in header for header in re.findall(r"<th\b[^>]*>", shown))
        assert shown.count("<table") == shown.count("<thead") == shown.count('class="c2c-data"')


def test_pictures_say_what_they_show(page):
    _, made = page
    for cell in made.cells:
        for image in re.findall(r"<img\b[^>]*>", html(cell)):
            assert len(re.search(r'alt="([^"]*)"', image)[1]) > 40


def test_columns_of_numbers_and_of_words():
    import pandas

    columns = {"rate": [1.5, None], "what": ["a <b>", "4 × 2"], "n": ["1,200", ""]}
    data = pandas.DataFrame(columns, index=pandas.Index(["x", "y"], name="chip"))
    for made in (tables.frame(data), tables.styled(data.style.format(precision=1, na_rep=""))):
        assert re.findall(r'<th scope="col" class="(\w+)">([^<]*)</th>', made) == [
            ("words", "chip"), ("number", "rate"), ("words", "what"), ("number", "n")]  # fmt: skip
        assert '<th scope="row">x</th><td class="number">1.5</td>' in made and "1,200" in made
    assert "a &lt;b&gt;" in tables.frame(data)
    assert tables.frame(data.reset_index(drop=True)).count("<thead><tr><td></td>") == 1


def test_a_missing_value_is_a_dash_in_a_column_of_numbers():
    import pandas

    data = pandas.DataFrame({"rate (GB/s)": [900.0, None]}, index=["DGX H100", "GH200"])
    for made in (tables.frame(data.convert_dtypes()), tables.styled(data.style.format(precision=0, na_rep="–"))):
        assert '<td class="number">900</td>' in made and '<td class="number">–</td>' in made
        assert "NA" not in made and '<th scope="col" class="number">rate (GB/s)</th>' in made


def test_whole_numbers_have_no_decimal_that_nobody_measured():
    import pandas

    data = pandas.DataFrame({"whole": [312.0, None, -3.0], "not": [312.0, 989.4, 1.0]}, index=["1.0", "2.0", "3.0"])
    cells = re.findall(r"<t[dh][^>]*>([^<]*)", tables.frame(data).partition("<tbody>")[2])
    assert cells == ["1.0", "312", "312.0", "2.0", "NaN", "989.4", "3.0", "−3", "1.0"]
    assert "312.0" in tables.styled(data.style.format(precision=1))


@pytest.mark.prove
def test_two_builds_are_the_same_and_the_builder_leaves_no_trace(tmp_path, monkeypatch, pages):
    personal = "lab.accelerators.own_room"
    signature = exercise(personal).signature
    source = notebook(
        tmp_path,
        "import pandas\nfrom autograder import check, progress\nfrom chip2cluster import draw, predict, specs, topology",
        f"def {signature}:\n    raise NotImplementedError",
        f'check("{personal}", {signature.split("(")[0]})',
        'predict.ask("roofline.faster_chip")',
        'pandas.DataFrame({"a": [1]}).style.format(precision=1)',
        "draw.network_bisection(topology.torus((3, 3), 50e9))",
        'print({"a", "b", "c", "d"})',
        "progress()",
    )
    texts = []
    for someone in ("ada", "bob"):
        monkeypatch.setenv("CHIP2CLUSTER_STUDENT", someone)
        monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / someone))
        executed(source, tmp_path)
        texts.append((tmp_path / f"executed-{source.name}").read_text(encoding="utf-8"))
        assert not (tmp_path / someone).exists()
    assert texts[0] == texts[1] and "Hint 3" in texts[0] and "Show the solution" not in texts[0]
    again = next(file for file in SOURCES if file.stem == "notation")
    executed(again, tmp_path)
    assert (tmp_path / f"executed-{again.name}").read_bytes() == (pages / again.name).read_bytes()


def test_an_explorer_has_the_fragment_of_its_cell(tmp_path):
    """JupyterLab finds a cell by #cell-id=, so one link serves the notebook and the book."""
    page = executed(notebook(tmp_path, "from chip2cluster import explore", "explore.ring()"), tmp_path)
    assert html(page.cells[1]).startswith('<span id="cell-id=cell-1"></span>')


def test_a_cell_that_fails_stops_the_build_and_says_where(tmp_path):
    with pytest.raises(execute.PageError, match="(?s)broken, cell cell-1:.*ZeroDivisionError") as caught:
        executed(notebook(tmp_path, "1", "1 / 0", name="broken"), tmp_path)
    assert "\x1b" not in str(caught.value) and not (tmp_path / "executed-broken.ipynb").exists()


def test_a_solution_that_the_check_refuses_stops_the_build(tmp_path, monkeypatch):
    lines = "def ridge(sparse_tflops, bandwidth_gbytes):\n    return 7"
    wrong = replace(exercise("roofline.ridge"), solution=lines)
    monkeypatch.setattr(execute, "exercise", lambda name: wrong)
    source = notebook(
        tmp_path,
        "from autograder import check",
        f"def {wrong.signature}:\n    raise NotImplementedError",
        'check("roofline.ridge", ridge)',
    )
    with pytest.raises(execute.PageError, match="the solution behind cell-2:(?s:.*)the solution is refused"):
        executed(source, tmp_path)


def test_markdown_inside_details_is_rendered(page):
    from myst_parser.docutils_ import Parser

    _, made = page
    for cell in made.cells:
        if cell.cell_type != "markdown" or "<details>" not in cell.source:
            continue
        settings = {"myst_enable_extensions": ["dollarmath"], "report_level": 4, "myst_suppress_warnings": ["myst"]}
        body = publish_parts(cell.source, parser=Parser(), writer="html5", settings_overrides=settings)["body"]
        # In code any sign is right.
        body = re.sub(r'<span class="docutils literal">.*?</span>|<pre.*?</pre>', "code", body, flags=re.DOTALL)
        folded = re.findall(r"<details><summary>[^<]+</summary>(.*?)</details>", body, re.DOTALL)
        assert len(folded) == cell.source.count("<details>")
        for inside in folded:
            assert re.search(r"<(p|ol)\b", inside) and not re.search(r"(?<!\*)\*\w[^*<]*\w\*(?!\*)|`|\$", words(inside))
