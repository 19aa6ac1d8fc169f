"""Exercise on the step time with more replicas at the same global batch (strong scaling)."""

from chip2cluster import parallelism
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def step_seconds(kernels, tensor, bubble, data, copies):
    """Seconds of a step with ``copies`` times the replicas: work per sequence is shared, work per replica is not."""
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
    """Return an answer that divides each part by ``copies`` to this power."""
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
        Group("edges", 0.2, _edges, advice="There may be fewer replicas than before, and no tensor messages."),
    ),
    hints=(
        "The batch is the same, so each replica gets fewer sequences. Which of the four parts are done once for each sequence?",
        "A bubble lasts p − 1 micro-batches, no matter how many follow. And a chip exchanges the gradients of its parameters, "
        "no matter how many sequences they come from.",
        "kernels and tensor are divided by copies; bubble and data stay.",
    ),
    solution="""
def step_seconds(kernels, tensor, bubble, data, copies):
    return (kernels + tensor) / copies + bubble + data
""",
    explanation=(
        "More replicas share the work that is done for each sequence, but not the work that each replica does once a step. So the second part is a floor "
        "under the step time, and its share of the step is the efficiency that you lose. Amdahl stated this for programs in 1967."
    ),
    meaning=lambda: (
        f"On the chapter's machine {_told(1):.0f} % of a step is shared work. With four times the replicas it would be {_told(4):.0f} %, and with sixteen "
        f"times {_told(16):.0f} %: half of the machine would wait. A larger batch is the way out, as long as the loss allows it."
    ),
    mutants=MUTANTS["design.step_seconds"],
    mistakes=(
        Mistake("everything is shared", _like(bubble=1, data=1), "You divided everything. Then twice the machine would always be twice as fast. What does each replica do once a step, even if it has few sequences?"),
        Mistake("the bubble is shared", _like(bubble=1), "You divided the bubble. It lasts until the first micro-batch has passed through all stages: p − 1 micro-batches, no matter how many follow."),
        Mistake("the bubble grows", _like(bubble=-1), "You let the bubble grow. Its *share* grows, because fewer micro-batches follow; its seconds stay the same."),
        Mistake("data is shared", _like(data=1), "You divided the data messages. A chip exchanges the gradients of its parameters, as many bytes as before."),
        Mistake("data grows", _like(data=-1), "You let the data messages grow with the replicas. In a ring a chip sends about twice its gradients, whatever the number of replicas."),
        Mistake("tensor messages stay", _like(tensor=0), "You left the tensor messages unchanged. They carry activations, so fewer sequences mean fewer messages."),
        Mistake("kernels alone stay", _like(kernels=0, tensor=0), "You left all parts unchanged. More replicas share the sequences."),
        Mistake("multiplied", _like(kernels=-1, tensor=-1), "You multiplied. With more replicas each has fewer sequences: divide."),
    ),
)  # fmt: skip


def _told(copies):
    shared, fixed = 2.390 + 0.062 + 2.374 + 0.695, 0.161 + 0.209  # seconds, as the page prints them
    return 100 * shared / copies / (shared / copies + fixed)
