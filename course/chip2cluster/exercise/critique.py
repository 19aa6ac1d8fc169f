"""Exercise *What is wrong with this answer?*: three worked answers to a task, one right and two with a named mistake.

The learner's function returns three numbers, one for each answer: 0 for the right one, and for each other one the number
of what is wrong with it, from a list of statements. Python's own types are enough, so that a browser needs no NumPy.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from . import verdict_codes as v

ANSWERS, STATEMENTS = 3, 4  # answers shown, and statements to choose from at most
LETTERS = "ABC"
CONFUSED = "one mistake taken for another"
NOT_ONE_RIGHT = "not exactly one answer is called right"
ALL_RIGHT = "You found the right answer, and what is wrong with the other two."


@dataclass(frozen=True)
class WorkedAnswer:
    """Answer to the task as a student works it out.

    Attributes
    ----------
    lines : str
        Lines of Python with the numbers of the task.
    result : str
        Value of the last line, with its unit.
    number : int
        Number of the statement that says what is wrong; 0 for the right answer.
    mistake, message : str
        Name of the mistake, and the sentence for someone who makes it; empty for the right answer.
    """

    lines: str
    result: str
    number: int = 0
    mistake: str = ""
    message: str = ""


@dataclass(frozen=True)
class Critique:
    """Three worked answers of one draw.

    Attributes
    ----------
    task : str
        Task that was answered, with its numbers.
    answers : tuple of WorkedAnswer
        Three, one of them right.
    statements : tuple of str
        Statements of what can be wrong; their numbers begin with 1.
    messages : tuple of (str, str)
        Name and message of every mistake that any draw may show.
    """

    task: str
    answers: tuple[WorkedAnswer, ...]
    statements: tuple[str, ...]
    messages: tuple[tuple[str, str], ...]

    def right(self) -> list[int]:
        """Return the right numbers, in the order of the answers."""
        return [answer.number for answer in self.answers]

    def solution(self, signature: str) -> str:
        """Return the source of a function that returns the right numbers, with what they mean."""
        says = ["right", *self.statements]
        notes = "".join(
            f"    # {letter}: {says[answer.number]}\n" for letter, answer in zip(LETTERS, self.answers, strict=True)
        )
        return f"\ndef {signature}:\n{notes}    return {self.right()}\n"

    def diagnose(self, numbers: Sequence[float]) -> tuple[v.Ruling, str, str]:
        """Return ruling, message and mistake for three numbers that are not the right ones."""
        most = len(self.statements)
        if strange := [number for number in numbers if number not in range(most + 1)]:
            return v.VALUE, f"The numbers go from 0 to {most}; {strange[0]:g} is none of them.", ""
        taken = [place for place, number in enumerate(numbers) if number == 0]
        if len(taken) != 1:
            found = f"You call {len(taken)} of them right" if taken else "You call none of them right"
            return v.MISCONCEPTION, f"{found}. Exactly one is: give that one the 0, and only that one.", NOT_ONE_RIGHT
        letter, answer = LETTERS[taken[0]], self.answers[taken[0]]
        if answer.number:
            return v.MISCONCEPTION, f"{letter} is not right. Its author would be told: {answer.message}", answer.mistake
        pairs = zip(LETTERS, self.answers, numbers, strict=True)
        missed, said = next((name, number) for name, one, number in pairs if number != one.number)
        return (
            v.MISCONCEPTION,
            f"{letter} is right. But statement {said:g} doesn't fit {missed}: compare its lines with those of {letter}, "
            "one by one.",
            CONFUSED,
        )
