"""Second written question of each lab: its text is public, its numbers and its answer follow from the secret.

The file ``written_question.py`` of a chapter contains it: measurements, and two explanations of them. Which explanation is
right, and the numbers, are drawn for a class; the models compute the rest.
"""

from functools import cache

from chip2cluster import chapters
from chip2cluster.exercise.written_question import ClassQuestion, Question, draw_question

from ..secret import question_seed

__all__ = ["ClassQuestion", "Question", "class_question", "draw_question", "questions"]


@cache
def questions() -> dict[str, Question]:
    """Return every question by the topic of its lab; the files that students get contain none."""
    found = {topic: chapters.module(topic, "written_question") for topic in chapters.topics()}
    return {topic: module.QUESTION for topic, module in found.items() if module}


def class_question(topic: str) -> ClassQuestion:
    """Return the question of a lab with the numbers for the class with this secret.

    Raises
    ------
    ValueError
        If the topic has no question; the message names the topics that have one.
    """
    known = questions()
    if topic not in known:
        raise ValueError(f"no second question is written for {topic!r}; there are {', '.join(known)}")
    return draw_question(known[topic], question_seed(topic))
