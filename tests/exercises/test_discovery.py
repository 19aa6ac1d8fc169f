"""Exercises, questions and explorers are found by their files, in the order of the pages."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograder import course_pages
from autograder import exercises as registry
from chip2cluster import _pages, chapters, explore
from chip2cluster.predict import questions


def test_exercises_are_in_chapter_order_with_labs_after_chapters():
    course = Path(__file__).resolve().parents[2] / "course"
    places = {file.stem.partition("_")[2]: file.stem for file in course.glob("[0-9]*.ipynb")}
    # Reference notebooks have no number, and come after the chapters.
    places |= {file.stem: f"behind {file.stem}" for file in course.glob("[!0-9]*.ipynb")}

    def place(name):
        *lab, topic, _ = name.split(".")
        return places[topic], lab

    order = list(registry.exercises())
    assert [place(name) for name in order] == sorted(place(name) for name in order)
    assert len(set(order)) == len(order) == sum(map(len, registry.topics().values()))
    asked = [place(question.id) for question in questions.QUESTIONS]
    assert asked == sorted(asked)


def test_the_exercises_of_a_page_stand_in_its_order():
    page = course_pages.chapters()[2].read_text(encoding="utf-8")
    ours = [name for name in registry.exercises() if name.startswith("roofline.")]
    found = [page.index(f'check(\\"{name}\\"') for name in ours]
    assert found == sorted(found) and len(found) > 3


def test_two_exercises_of_one_name_are_refused_with_both_places(monkeypatch):
    ridge = registry.exercise("roofline.ridge")
    modules = {"a": SimpleNamespace(__name__="a", RIDGE=ridge), "b": SimpleNamespace(__name__="b", OTHER=twin(ridge))}
    package = SimpleNamespace(__name__="topic", __path__=())
    monkeypatch.setattr(registry, "import_module", lambda name: modules.get(name.rpartition(".")[2], package))
    monkeypatch.setattr(registry, "iter_modules", lambda path: [SimpleNamespace(name=name) for name in modules])
    with pytest.raises(ValueError, match=r"two exercises are called 'roofline\.ridge': in a and in b"):
        list(registry._members("topic", {}))
    modules["b"].OTHER = ridge  # the same one, imported by its neighbour
    assert list(registry._members("topic", {})) == [ridge]


def test_one_exercise_is_found_in_the_folder_that_its_id_names(monkeypatch):
    known = {name: one for name, one in registry.exercises().items() if name not in registry.own_exercise_ids()}
    monkeypatch.setattr(registry, "exercises", lambda: pytest.fail("all exercises were read for one"))
    assert all(registry.exercise(name) is one for name, one in known.items())


def test_refused_folder_keeps_the_courses_exercises(tmp_path, monkeypatch):
    ours = registry.topics()["roofline_lab"]
    (tmp_path / "exercises/roofline_lab").mkdir(parents=True)
    (tmp_path / "exercises/roofline_lab/__init__.py").touch()
    monkeypatch.setenv(registry.FOLDERS_VARIABLE, "")
    try:
        registry.also_in(tmp_path)
        with pytest.raises(ValueError, match="roofline_lab has the name of a folder of the course"):
            registry.topics()
    finally:
        monkeypatch.undo()
        registry._update_path()
    again = registry.topics()["roofline_lab"]
    assert len(again) == len(ours) and all(new is old for new, old in zip(again, ours, strict=True))


def twin(exercise):
    return replace(exercise)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Package as a wheel installs it, without notebooks."""
    monkeypatch.setattr(_pages, "__file__", str(tmp_path / "site-packages/chip2cluster/_pages.py"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_where_no_pages_are_found_the_alphabet_is_the_order(installed):
    assert _pages.chapters() == {} and course_pages.pages() == []
    assert _pages.in_order(["mfu", "roofline", "links"]) == ["links", "mfu", "roofline"]


def test_a_folder_that_was_removed_has_no_pages(installed, monkeypatch):
    (installed / "gone").mkdir()
    monkeypatch.chdir(installed / "gone")
    (installed / "gone").rmdir()
    assert _pages.folder() is None


def test_installed_package_takes_the_order_from_the_folder(installed, monkeypatch):
    course, lab = installed / "course", installed / "my_labs/02_links"
    lab.mkdir(parents=True)
    course.mkdir()
    for name in ("00_start", "02_links", "10_mfu", "1_roofline"):
        (course / f"{name}.ipynb").touch()
    for place in (installed, course, lab):
        monkeypatch.chdir(place)
        assert list(_pages.chapters()) == ["roofline", "links", "mfu"]
    assert _pages.in_order(["unknown", "mfu", "links", "also"]) == ["links", "mfu", "also", "unknown"]


def test_a_file_of_questions_without_any_is_named(monkeypatch):
    monkeypatch.setattr(chapters, "module", lambda topic, name: SimpleNamespace(__file__=f"{topic}/{name}.py"))
    with pytest.raises(ValueError, match=r"moon/predictions\.py has no QUESTIONS"):
        questions._questions_of("moon")


def test_a_file_of_explorers_without_one_is_named(monkeypatch):
    module = SimpleNamespace(__file__="explorers/moon.py", __name__="explorers.moon", Explorer=explore.Explorer)
    monkeypatch.setattr(explore, "import_module", lambda name: module)
    with pytest.raises(ValueError, match=re.escape("explorers/moon.py must define one Explorer, and it defines 0")):
        explore.roofline()


def test_every_explorer_is_known_by_its_file_and_by_its_class():
    for name, kind in explore.explorers().items():
        assert getattr(explore, name) is getattr(explore, kind.__name__) is kind
        names = kind.positional or (kind.controls[0].name,)
        start = kind().values
        assert kind(*(start[control] for control in names)).values == start
        assert "Parameters" in kind.__doc__ and all(f"{control} :" in kind.__doc__ for control in names)


def test_a_start_value_without_a_name_is_that_of_the_subject():
    assert explore.accelerators("MI300X").values["chip"] == "MI300X"
    assert (
        explore.occupancy(512, 32, 57).values | {"threads": 512, "registers": 32, "shared": 57}
        == explore.occupancy(threads=512, registers=32, shared=57).values
    )
    with pytest.raises(TypeError, match="Roofline takes device without a name, and nothing else"):
        explore.roofline("B200", "bf16")
    with pytest.raises(TypeError, match="got device twice"):
        explore.roofline("B200", device="B200")
