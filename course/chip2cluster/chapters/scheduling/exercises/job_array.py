"""Exercise on the items that a task of a job array works on."""

import numpy as np

from chip2cluster import scheduling
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake


def work(specification, task, items):
    """Numbers of the items of this task, when they are dealt out in turn."""
    tasks = sorted(scheduling.expand_array(specification).tasks)
    return np.arange(tasks.index(task), items, len(tasks))


def _case(specification, task, items):
    return {"specification": specification, "task": int(task), "items": int(items)}


def _draw(generator):
    def once():
        first, step, count = int(generator.integers(1, 9)), int(generator.integers(2, 5)), int(generator.integers(4, 9))
        last = first + step * (count - 1) + int(generator.integers(0, step))  # what is left over is no task
        cap = int(generator.integers(2, count))
        task = first + step * int(generator.integers(1, count))
        return _case(
            f"{first}-{last}:{step}%{cap}", task, int(generator.integers(5, 9)) * count + int(generator.integers(count))
        )

    return draw_until(lambda inputs: _told(inputs), once)


def _told(inputs):
    """Whether each task has three items at least, so that a wrong stride shows."""
    return len(work(**inputs)) >= 3 and inputs["items"] > inputs["task"]


def _arrays(generator):
    # Four tasks, 0, 4, 8 and 12, of which the third is asked. A student sees this one.
    return [_case("0-15:4%2", 8, 12), *(_draw(generator) for _ in range(6))]


def _edges(generator):
    shift = int(generator.integers(3, 9))
    return [
        _case("0-9", 3, 25),
        _case(f"{shift}-{shift + 4}", shift + 4, 14),
        _case("0-6:2", 6, 9),
        _case("5", 5, 3),
    ]


def _ends(specification):
    tasks = sorted(scheduling.expand_array(specification).tasks)
    return tasks, scheduling.expand_array(specification).limit or len(tasks)


def _like(begin=lambda tasks, task, cap: tasks.index(task), stride=lambda tasks, cap: len(tasks)):
    def wrong(specification, task, items):
        tasks, cap = _ends(specification)
        return np.arange(begin(tasks, task, cap), items, stride(tasks, cap))

    return wrong


def _by_text(begin):
    """Strides by the numbers of the range as they are written; ``begin`` is given the task and the first of them."""

    def wrong(specification, task, items):
        first, _, last = specification.split("%")[0].split(":")[0].partition("-")
        first, last = int(first), int(last or first)
        start, stride = begin(task, first, last)
        return np.arange(start, items, stride)

    return wrong


def _without_last(specification, task, items):
    """The count that Python's range gives of the text's two ends."""
    tasks, _ = _ends(specification)
    text = specification.split("%")[0].split(":")[0].partition("-")
    step = tasks[1] - tasks[0] if len(tasks) > 1 else 1
    count = len(range(int(text[0]), int(text[2] or text[0]), step))
    return np.arange(tasks.index(task), items, max(1, count))


def _block(specification, task, items):
    tasks, _ = _ends(specification)
    each = -(-items // len(tasks))
    place = tasks.index(task)
    return np.arange(place * each, min(items, (place + 1) * each))


def _even_blocks(specification, task, items):
    """Blocks that share the rest among the first of them, as ``np.array_split`` does."""
    tasks, _ = _ends(specification)
    return np.array_split(np.arange(items), len(tasks))[tasks.index(task)]


ARRAY = Exercise(
    id="scheduling.work",
    title="Which shards are mine?",
    signature="work(specification, task, items)",
    unit="",
    points=3,
    reference=work,
    shows=(work, scheduling.expand_array),
    groups=(
        Group("arrays", 0.8, _arrays),
        Group(
            "edges",
            0.2,
            _edges,
            advice="An array may begin at any number, may have no step and no cap, and may be a single number.",
        ),
    ),
    hints=(
        "How many tasks are there, and which of them is this one, counted from 0? Neither number is in the text.",
        "A range includes both ends, :4 takes every fourth number from the first one, and the number after % only says how many may run at once.",
        "place = (task − first) // step; count = (last − first) // step + 1; the items are range(place, items, count).",
    ),
    solution="""
def work(specification, task, items):
    numbers = specification.split("%")[0]
    numbers, _, step = numbers.partition(":")
    first, _, last = numbers.partition("-")
    first, last, step = int(first), int(last or first), int(step or 1)
    count = (last - first) // step + 1
    return list(range((task - first) // step, items, count))
""",
    explanation=(
        "A task's number is a name, not an index. With its index among the tasks and their count, each item is read exactly once, whatever "
        "the numbers are; Slurm sets SLURM_ARRAY_TASK_COUNT, _MIN and _STEP for this."
    ),
    meaning=lambda: (
        f"If you submit one failed task again alone, as --array=8, there is {scheduling.expand_array('8').count} task, and it would take all the items. "
        "So write the number of parts into the script, or one line for each item into a file, and use the task's number as the line number."
    ),
    mistakes=(
        Mistake(
            "number for place",
            _like(lambda tasks, task, cap: task),
            "You begin at the item of the task's number. Task numbers may begin anywhere and go in steps: what is its index among the tasks?",
        ),
        Mistake(
            "steps forgotten",
            _like(lambda tasks, task, cap: task - tasks[0]),
            "You subtracted the first number but forgot the step. If the numbers are four apart, the third one has index 2, not 8.",
        ),
        Mistake(
            "as in the book",
            _like(lambda tasks, task, cap: task, lambda tasks, cap: tasks[-1] + 1),
            "You begin at the task's number and use the largest number plus one as the stride, as the book in this chapter does. That is right only for an "
            "array that begins at 0 and has no step; otherwise items are never read.",
        ),
        Mistake(
            "as in the book, by the text",
            _by_text(lambda task, first, last: (task, last + 1)),
            "You begin at the task's number and use the end of the range plus one as the stride, as the book in this chapter does. That is right only for an "
            "array that begins at 0 and has no step; otherwise items are never read.",
        ),
        Mistake(
            "no step",
            _by_text(lambda task, first, last: (task - first, last - first + 1)),
            "You took every number of the range for a task. With a step of four only every fourth number is one: count those, and find this one's index.",
        ),
        Mistake(
            "the largest number and one",
            _like(stride=lambda tasks, cap: tasks[-1] + 1),
            "Your stride is the largest number plus one. That is the count only if the array begins at 0 and has no step; otherwise items are never read.",
        ),
        Mistake(
            "one too many",
            _like(stride=lambda tasks, cap: len(tasks) + 1),
            "Your stride is one too long: with N tasks every (N + 1)th item is never read.",
        ),
        Mistake(
            "the last is left out",
            _like(stride=lambda tasks, cap: max(1, len(tasks) - 1)),
            "You counted one task too few. A range of Slurm includes both of its ends.",
        ),
        Mistake(
            "a range of Python",
            _without_last,
            "You counted with a range that stops before its last number. Python's does; a range of Slurm includes both of its ends.",
        ),
        Mistake(
            "the cap for the count, and the place in it",
            _like(lambda tasks, task, cap: tasks.index(task) % cap, lambda tasks, cap: cap),
            "You took the number after % for the count of tasks. It says how many may run at once; all of them run in the end.",
        ),
        Mistake(
            "the cap for the count",
            _like(stride=lambda tasks, cap: cap),
            "You took the number after % for the count of tasks. It says how many may run at once; all of them run in the end.",
        ),
        Mistake(
            "in even blocks",
            _even_blocks,
            "You assigned blocks of neighboring items. That reads each item once, too; here they are assigned round-robin, so that a list sorted by size is split fairly.",
        ),
        Mistake(
            "in blocks",
            _block,
            "You assigned blocks of neighboring items. That reads each item once, too; here they are assigned round-robin, so that a list sorted by size is split fairly.",
        ),
    ),
)
