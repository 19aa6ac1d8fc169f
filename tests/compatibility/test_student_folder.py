"""A student's folder of version d7a7ae7a: pages with answers, a record, an export, a journal and a class's key."""

import ast
import json
import shutil

import pytest

from tests.compatibility.places import DATA, LAB, NOTEBOOK, ROOT, autograder, read, sources, write

STUDENT = DATA / "student"
RIDGE = "def ridge(sparse_tflops, bandwidth_gbytes):\n    return 1000 * sparse_tflops / 2 / bandwidth_gbytes"


def _rows(progress):
    return {row["exercise"]: row for row in progress.exercises if row["attempts"] or row["solved"]}


def _check_progress(found):
    rows = _rows(found)
    assert {name: (row["attempts"], row["solved"], row["hints"]) for name, row in rows.items()} == {
        "roofline.attainable": (2, True, 1),
        "roofline.ridge": (1, False, 0),
        "lab.roofline.shortest_time": (1, False, 0),
    }
    assert {row["question"]: row["guess"] for row in found.predictions if row["guess"]} == {
        "roofline.faster_chip": 1.5,
        "roofline.batch_for_ridge": 300,
        "roofline.fused_attention": 4,
    }


def test_progress_reads_the_record(student):
    from autograder import progress

    before = (student / "record/progress.json").read_bytes()
    _check_progress(progress("all"))
    assert (student / "record/progress.json").read_bytes() == before


def test_progress_imports_an_export(student, tmp_path, monkeypatch):
    from autograder import progress

    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "another"))
    assert not _rows(progress("all"))
    _check_progress(progress("all", import_from=student / "my-progress.json"))
    record = read(tmp_path / "another/progress.json")
    assert record["notes"] == read(STUDENT / "my-progress.json")["notes"]
    assert record["exercises"]["roofline.sweep"]["revealed"]


def test_progress_exports_what_it_imported(student):
    from autograder import progress

    progress("all", export_to="again.json")
    old, new = read("my-progress.json"), read("again.json")
    new.pop("shared_as")
    assert new == old


def test_progress_replaces_a_journal_of_its_own(student):
    from autograder import progress

    progress("all", share_to="journal.json")
    assert read("journal.json") == read(STUDENT / "journal.json")


def test_class_sums_up_shared_journals(student, course):
    autograder("class", "--journals", student / "journals", "--to", student / "new.json", "--root", course)
    new, old = read(student / "new.json"), read(STUDENT / "overview.json")
    assert {*old} <= {*new} and new["learners"] == old["learners"] == 5
    for name in ("guesses", "mistakes"):
        assert len(new[name]) == len(old[name]) == 3
        assert {*old[name][0]} <= {*new[name][0]}
    assert [one["exercise"] for one in new["mistakes"]] == [one["exercise"] for one in old["mistakes"]]
    assert [one["mistake"] for one in new["mistakes"]] == [one["mistake"] for one in old["mistakes"]]


@pytest.fixture
def newer(tmp_path):
    """Two chapters and a lab of today with one more sentence each, so that every copy is older."""
    root = tmp_path / "newer"
    for name in ("course/00_start.ipynb", f"course/{LAB}.ipynb", f"labs/{LAB}/{NOTEBOOK}"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        notebook = read(ROOT / name)
        notebook["cells"][0]["source"] = [*notebook["cells"][0]["source"], "\n\nA new sentence."]
        write(root / name, notebook)
    shutil.copytree(ROOT / "course/images", root / "course/images")
    return root


def test_start_update_carries_answers_over(student, newer):
    page, lab = student / "my_course" / f"{LAB}.ipynb", student / "my_labs" / LAB / NOTEBOOK
    before = page.read_bytes()
    done = autograder("start", "--update", "--from", newer, "--to", student)
    assert done.code == 0, done.err
    new = sources(page)
    assert "A new sentence." in next(iter(new.values()))
    assert new["ex-ridge-answer"] == RIDGE and "intensity * memory_bandwidth" in new["ex-attainable-answer"]
    names = [*new]
    assert new["mine-1"] == "2 + 2  # mine" and names.index("mine-1") == names.index("ex-ridge-check") + 1
    (kept,) = (page.parent / "older").glob(f"{LAB}.*.ipynb")
    assert kept.read_bytes() == before
    # The copy's own record tells that nobody has worked in this page, so nothing is kept of it.
    assert not [*page.parent.rglob("00_start.*.ipynb")]
    assert "A new sentence." in next(iter(sources(page.with_name("00_start.ipynb")).values()))
    new = sources(lab)
    assert "A new sentence." in next(iter(new.values()))
    assert "max(flops / peak_flops" in new["shortest_time"] and new["recommendation"] == "The H200."


def test_start_keeps_copies_that_exist(student, newer):
    before = {file: file.read_bytes() for file in student.rglob("*.ipynb")}
    assert autograder("start", "--from", newer, "--to", student).code == 0
    assert {file: file.read_bytes() for file in student.rglob("*.ipynb")} == before


@pytest.mark.parametrize("page", ["my_course/00_start.ipynb", f"my_course/{LAB}.ipynb", f"my_labs/{LAB}/{NOTEBOOK}"])
def test_cells_of_an_old_page_run(student, page):
    """Every name that the page of that version imports and calls is still there."""
    values = {"display": print}
    for cell in read(student / page)["cells"]:
        if cell["cell_type"] == "code":
            *lines, last = ast.parse("".join(cell["source"])).body
            exec(compile(ast.Module([*lines], []), cell["id"], "exec"), values)
            if isinstance(last, ast.Expr):
                shown = eval(compile(ast.Expression(last.value), cell["id"], "eval"), values)
                assert repr(shown)
            else:
                exec(compile(ast.Module([last], []), cell["id"], "exec"), values)
    solved = {name for name, one in read(student / "record/progress.json")["exercises"].items() if one["solved"]}
    assert "roofline.attainable" in solved
    assert ("roofline.ridge" in solved) == (page == f"my_course/{LAB}.ipynb")
    assert ("lab.roofline.shortest_time" in solved) == page.startswith("my_labs")


def test_given_reads_the_key_and_the_name_of_a_class(student):
    from autograder import given

    for name, values in read("given.json").items():
        assert given(name) == values


def test_me_knows_the_class(student):
    assert autograder("me", "ann").code == 0
    assert autograder("me", "eve").code == 2
    assert autograder("me", "bob").code == 2  # the folder is ann's
    assert autograder("me", "bob", "--change").code == 0
    assert (student / "student.txt").read_text(encoding="utf-8") == "bob\n"


def test_texts_of_a_design_and_a_machine_are_read(student):
    from chip2cluster import capstone
    from chip2cluster.measure.own_machine import machine_from

    text = (student / "design.json").read_text(encoding="utf-8").strip()
    design, promised = capstone.from_text(text)
    assert promised == {"mfu": 0.4, "days": 30.0} and design.layout.tensor == 8
    assert json.loads(capstone.to_text(design, **promised)) == json.loads(text)
    machine, said = machine_from((student / "machine.json").read_text(encoding="utf-8"))
    assert said.startswith("Your own") and machine.ranks == 2
