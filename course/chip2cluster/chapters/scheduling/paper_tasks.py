"""Tasks on paper about scheduling: which jobs start, and how many runs a budget pays for."""

from chip2cluster.exercise.paper_task import Number, PaperTask, Step

JOBS = ("first", "second", "third", "fourth")


def _cluster(x):
    return {
        "free": [x.free_0, x.free_1, x.free_2],
        "jobs": [[getattr(x, f"{name}_pods"), getattr(x, f"{name}_gpus")] for name in JOBS],
    }


def _queue(x):
    jobs = "\n".join(f"| {number} | {pods} | {gpus} |" for number, (pods, gpus) in enumerate(x.jobs, 1))
    return {
        "free": f"{x.free[0]}, {x.free[1]} and {x.free[2]}",
        "jobs": f"| job | pods | GPUs of each pod |\n|--:|--:|--:|\n{jobs}",
    }


def _starts(x):
    free, found = [*x.free], []
    for pods, gpus in x.jobs:
        after = [*free]
        for _ in range(pods):
            fitting = [node for node in range(3) if after[node] >= gpus]
            if not fitting:
                break
            after[min(fitting, key=lambda node: after[node])] -= gpus
        else:
            free = after
            found.append(1)
            continue
        found.append(0)
    return found


TASKS = (
    PaperTask(
        exercise="scheduling.started",
        title="All or nothing",
        text="Three nodes of eight GPUs have {free} GPUs free. Jobs wait in this order:\n\n{jobs}\n\nA pod must fit on one node. The scheduler takes the jobs in "
        "order and puts each pod on the node with the fewest free GPUs that still has enough. A job whose pods do not all fit starts no pod and holds "
        "nothing, and the jobs after it are still tried. Write 1 for each job that runs and 0 for each other one, in order, with a semicolon between them.",
        given={
            **{f"free_{node}": Number("", values=(2, 3, 4, 5, 6, 7, 8), whole=True) for node in range(3)},
            **{f"{name}_pods": Number("", values=(1, 2, 3), whole=True) for name in JOBS},
            **{f"{name}_gpus": Number("", values=(1, 2, 4), whole=True) for name in JOBS},
        },
        inputs=_cluster,
        prints=_queue,
        exact=True,
        judges=True,
        plausible=lambda x: 2 <= sum(_starts(x)) <= 3 and _starts(x) != [1, 1, 1, 0],
        steps=(
            Step("the first two jobs", 0.5, lambda x: _starts(x)[:2]),
            Step("the last two jobs, with what is left", 0.5, _starts),
        ),
    ),
    PaperTask(
        exercise="scheduling.runs",
        title="How many runs does a budget pay for?",
        text="A budget of {budget_gpu_hours} is left. A run holds {nodes} nodes of {gpus_per_node} GPUs and takes between {minutes_low} and {minutes_high}. On "
        "average {repeated} of the runs fail at their end and are repeated once, in full. How many whole runs, each with its repeat, does the budget pay "
        "for: at least, and at most?",
        given={
            "budget_gpu_hours": Number("GPU-hours", 2000, 60000),
            "nodes": Number("", values=(2, 4, 8, 16, 32), whole=True),
            "gpus_per_node": Number("", values=(4, 8), whole=True),
            "minutes_low": Number("minutes", 40, 200),
            "minutes_high": Number("minutes", 210, 480),
            "repeated": Number("%", 5, 30, per=0.01),
        },
        inputs=lambda x: {
            "budget_gpu_hours": x.budget_gpu_hours,
            "nodes": x.nodes,
            "gpus_per_node": x.gpus_per_node,
            "minutes": [x.minutes_low, x.minutes_high],
            "repeated": x.repeated,
        },
        unit="runs",
        exact=True,
        judges=True,
        plausible=lambda x: (
            x.minutes[1] / x.minutes[0] < 3
            and 4 < x.budget_gpu_hours / (x.nodes * x.gpus_per_node * x.minutes[1] / 60) < 200
        ),
        steps=(
            Step(
                "GPU-hours of a run, longest and shortest",
                0.4,
                lambda x: [x.nodes * x.gpus_per_node * minutes / 60 for minutes in x.minutes[::-1]],
                "GPU-hours",
            ),
            Step("times one and the repeated share", 0.3, lambda x: 1 + x.repeated),
            Step(
                "budget over that, rounded down",
                0.3,
                lambda x: [
                    x.budget_gpu_hours // (x.nodes * x.gpus_per_node * minutes / 60 * (1 + x.repeated))
                    for minutes in x.minutes[::-1]
                ],
                "runs",
            ),
        ),
    ),
)
