"""A step with more copies of the model, at the same batch."""

from chip2cluster import parallelism
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def step_seconds(kernels, tensor, bubble, data, copies):
    """Seconds of a step on so many times the copies: what is per sequence is shared, what is per copy is not."""
    return (kernels + tensor) / copies + bubble + data


def _case(kernels, tensor, bubble, data, copies):
    return {"kernels": kernels, "tensor": tensor, "bubble": bubble, "data": data, "copies": copies}


def _steps(generator):
    drawn = [_case(4.0, 1.0, 0.25, 0.5, 2)]  # a student sees this one
    for copies in (2, 4, 8, 3, 1.5):
        kernels, tensor, bubble, data = (
            round(float(generator.uniform(*ends)), 3) for ends in ((2, 9), (0.4, 1.5), (0.1, 0.35), (0.45, 0.9))
        )
        drawn.append(_case(kernels, tensor, bubble, data, copies))
    return drawn


def _edges(generator):
    return [_case(round(float(generator.uniform(2, 9)), 2), 0.6, 0.2, 0.4, 0.5), _case(3.0, 0.0, 0.3, 0.4, 4)]


def _like(tensor=1, bubble=0, data=0, kernels=1):
    """Each part divided by the copies to this power."""
    powers = {"kernels": kernels, "tensor": tensor, "bubble": bubble, "data": data}
    return lambda copies, **parts: sum(seconds / copies ** powers[name] for name, seconds in parts.items())


MORE = Exercise(
    id="design.step_seconds",
    title="Twice the machine",
    signature="step_seconds(kernels, tensor, bubble, data, copies)",
    unit="s",
    points=3,
    reference=step_seconds,
    shows=(step_seconds, parallelism.step_time),
    groups=(
        Group("steps", 0.8, _steps),
        Group("edges", 0.2, _edges, advice="There may be fewer copies than before, and no tensor messages."),
    ),
    hints=(
        "The batch is the same, so each copy gets fewer sequences. Which of the four parts are done once for each sequence?",
        "A bubble is p − 1 micro-batches long, however many follow. And the gradients that a chip exchanges are those of its parameters, "
        "however many sequences they come from.",
        "kernels and tensor are divided by copies; bubble and data stay.",
    ),
    solution="""
def step_seconds(kernels, tensor, bubble, data, copies):
    return (kernels + tensor) / copies + bubble + data
""",
    explanation=(
        "What is done for each sequence is shared by more copies; what is done once a step by each copy is not. So the second part is a floor "
        "under the step, and the share of the first in it is the efficiency that you lose. Amdahl said it of programs in 1967."
    ),
    meaning=lambda: (
        f"On the machine of the page {_told(1):.0f} % of a step is shared work. With four times the copies it would be {_told(4):.0f} %, and with sixteen "
        f"times {_told(16):.0f} %: more than half of the money would wait. A larger batch is the way out, as long as the loss bears it."
    ),
    mutants=MUTANTS["design.step_seconds"],
    mistakes=(
        Mistake("everything is shared", _like(bubble=1, data=1), "You divided everything. Then twice the machine would always be twice as fast: what does each copy do once a step, however few its sequences are?"),
        Mistake("the bubble is shared", _like(bubble=1), "You divided the bubble. It lasts until the first micro-batch has come through all stages: p − 1 micro-batches, however many follow."),
        Mistake("the bubble grows", _like(bubble=-1), "You let the bubble grow. Its *share* grows, as fewer micro-batches follow; its seconds stay."),
        Mistake("data is shared", _like(data=1), "You divided the data messages. A chip exchanges the gradients of its parameters, as many bytes as before."),
        Mistake("data grows", _like(data=-1), "You let the data messages grow with the copies. In a ring a chip sends about twice its gradients, whatever the number of copies."),
        Mistake("tensor messages stay", _like(tensor=0), "You left the tensor messages as they are. They carry activations, so with fewer sequences there are fewer of them."),
        Mistake("kernels alone stay", _like(kernels=0, tensor=0), "You left all parts as they are. More copies share the sequences."),
        Mistake("multiplied", _like(kernels=-1, tensor=-1), "You multiplied. With more copies each has fewer sequences to do."),
    ),
)  # fmt: skip


def _told(copies):
    shared, fixed = 2.39 + 0.06 + 1.37 + 0.70, 0.13 + 0.27  # seconds, as the page prints them
    return 100 * shared / copies / (shared / copies + fixed)
