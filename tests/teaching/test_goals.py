"""The map of goals is true: every goal taught and practised, every exercise and task of use, every need on its page."""

from dataclasses import replace

import pytest

from autograder import course_pages
from chip2cluster.draw import palette
from course.teaching import generated_pages, goals, labs, prerequisite_graph, sections
from tests.pictures import geometry


def test_the_map_holds():
    assert goals.problems() == []


def test_nothing_of_the_course_is_left_out_of_it():
    # Counted from the pages alone.
    named = {name for part in goals.parts().values() for goal in part.goals for name in goal.exercises}
    assert named == {name for page in course_pages.chapters() for name in course_pages.checked_exercises(page)}
    marked = {
        (lab.parent.name, cell["metadata"]["nbgrader"]["grade_id"])
        for lab in course_pages.labs()
        for cell in course_pages.cells(lab)
        if cell["metadata"].get("nbgrader", {}).get("grade")
    }
    assert sum(len(lab.tasks) for lab in labs.labs().values()) == len(marked)
    assert all(task.points > 0 for lab in labs.labs().values() for task in lab.tasks)


def test_a_goal_is_a_piece_of_its_page():
    for part in goals.parts().values():
        said = goals.GOALS.search(sections.title_cell(part.topic))[1]
        for goal in part.goals:
            words = goal.words.split(" ", 3)[-1]
            assert words in said and not words.endswith((" and", " can", ",")), goal.words
        assert len({goal.name for goal in part.goals}) == len(part.goals)


def changed(topic, **values):
    known = goals.parts()
    first = known[topic].goals[0]
    own = {key: values.pop(key) for key in ("taught", "exercises", "tasks") if key in values}
    part = replace(known[topic], goals=(replace(first, **own), *known[topic].goals[1:]), **values)
    return known | {topic: part}


@pytest.mark.parametrize(
    "topic, values, says",
    [
        ("roofline", {"taught": ()}, "roofline.reach is taught nowhere"),
        ("roofline", {"exercises": (), "tasks": ()}, "roofline.reach is practised nowhere"),
        ("roofline", {"exercises": ("roofline.ridge",)}, "roofline.attainable practises no goal"),
        ("roofline", {"tasks": ()}, "lab roofline: the task 'task-shortest-time' practises no goal"),
        ("roofline", {"taught": ("explore",)}, "roofline: the section 'derive' teaches no goal"),
        ("roofline", {"taught": ("explore", "derived")}, "roofline.reach: there is no heading 'derived'"),
        ("roofline", {"exercises": ("roofline.rigde",)}, "roofline.reach: there is no exercise 'roofline.rigde'"),
        ("machine", {"tasks": ("task-1",)}, "machine.tiers: there is no task of the lab 'task-1'"),
        ("roofline", {"needs": ("mfu",)}, "roofline stands before mfu, which it needs"),
        ("mfu", {"needs": ("roofline", "machine")}, "mfu is said to need machine, and its page never leads there"),
        ("systolic", {"needs": ("roofline", "occupancy")}, "the page on systolic needs accelerators, and the map"),
        ("links", {"aside": ("second",)}, "links: there is no section 'second' to set aside"),
    ],
)
def test_what_is_wrong_with_a_map_is_said(topic, values, says):
    assert any(problem.startswith(says) for problem in goals.problems(changed(topic, **values)))


def test_a_goal_that_the_page_no_longer_has_is_named():
    with pytest.raises(ValueError, match="no goal begins with 'subtract' on the page"):
        goals.split_goals("You can add.", ["add", "subtract"], "sums")


def test_arrows_say_what_the_map_says_and_no_more():
    parts, drawn = goals.parts(), prerequisite_graph.edges()
    for topic, part in parts.items():
        assert {early for early, late in drawn if late == topic} <= {*part.needs, *part.helps}
        reached, open_ = set(), [topic]
        while open_:
            new = {early for early, late in drawn if late == open_[-1] and drawn[early, late]} - reached
            open_.pop()
            reached |= new
            open_ += new
        assert reached == set(goals.before(topic))
    level = prerequisite_graph.levels(drawn, list(parts))
    assert all(level[early] < level[late] for early, late in drawn)


@pytest.mark.parametrize("narrow", [False, True])
def test_the_picture_can_be_read(narrow):
    drawn = prerequisite_graph.prerequisites()
    drawn = drawn.narrow if narrow else drawn
    texts = geometry.texts(drawn.svg)
    assert not geometry.problems(texts, drawn.width, drawn.height)
    assert geometry.colours(drawn.svg) <= set(palette.DARK)
    shown = " ".join(text.words for text in texts)
    for chapter in sections.chapters().values():
        assert f"{chapter.number} · " in shown and f"Chapter {chapter.number}, {chapter.name}, " in drawn.description


def test_what_is_written_is_up_to_date():
    outdated = [
        name
        for name, text in generated_pages.files().items()
        if generated_pages.outdated(generated_pages.HERE / name, text)
    ]
    assert outdated == [], "run `python -m course.teaching`"
