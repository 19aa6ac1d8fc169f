"""A second written question for each lab: its words are public, its numbers and so its answer follow from the secret.

The file ``written_question.py`` of a chapter holds it: what was measured, and two explanations of it. Which of them is
right, and for which numbers, is drawn for a class; the models say the rest.
"""

from functools import cache

from chip2cluster import chapters
from chip2cluster.exercise.written_question import ClassQuestion, Question, draw_question

from ..secret import question_seed

__all__ = ["ClassQuestion", "Question", "class_question", "draw_question", "questions"]


@cache
def questions() -> dict[str, Question]:
    """Return every question by the topic of its lab; none in what students are given."""
    found = {topic: chapters.module(topic, "written_question") for topic in chapters.topics()}
    return {topic: module.QUESTION for topic, module in found.items() if module}


def class_question(topic: str) -> ClassQuestion:
    """The question of a lab as the class of this secret gets it.

    Raises
    ------
    ValueError
        For a topic without one; the message names those that have one.
    """
    known = questions()
    if topic not in known:
        raise ValueError(f"no second question is written for {topic!r}; there are {', '.join(known)}")
    return draw_question(known[topic], question_seed(topic))
