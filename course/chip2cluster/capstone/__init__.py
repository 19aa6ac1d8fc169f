"""Design of a whole cluster for a training run: its time, cost (capex and opex), power and carbon, and whether it fits.

>>> from chip2cluster import capstone
>>> scenario = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512, deadline_seconds=60 * 86400)
>>> out = capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=16, spares=1), scenario)
>>> out.meets, round(out.days)
(True, 11)
"""

from .binding import Binding, NoDesign, binding
from .bounds import Bounds, bounds
from .design import Design
from .evaluate import evaluate
from .frontier import best, distance, frontier
from .grid import Designs, designs_of, grid
from .kernels import KernelShare, kernel_share, kernel_shares
from .layout_rule import layout_by_rule
from .log import run_log
from .memo import Memo, memo
from .outcome import Constraint, Outcome, Problem, Term
from .outcomes import Outcomes, evaluate_many
from .play import Day, Event, Play, play, run_plan
from .prices import FailureRates, Prices, chip_prices
from .repeated_runs import Runs, bad_week, play_many
from .scenario import Scenario
from .sensitivity import Sensitivity, ranges, sensitivity
from .tables import bounds_table, run_table, sensitivity_table, step_table
from .text import from_text, to_text
from .worlds import worlds

__all__ = [
    "Binding",
    "Bounds",
    "Constraint",
    "Day",
    "Design",
    "Designs",
    "Event",
    "FailureRates",
    "KernelShare",
    "Memo",
    "NoDesign",
    "Outcome",
    "Outcomes",
    "Play",
    "Prices",
    "Problem",
    "Runs",
    "Scenario",
    "Sensitivity",
    "Term",
    "bad_week",
    "best",
    "binding",
    "bounds",
    "bounds_table",
    "chip_prices",
    "designs_of",
    "distance",
    "evaluate",
    "evaluate_many",
    "from_text",
    "frontier",
    "grid",
    "kernel_share",
    "kernel_shares",
    "layout_by_rule",
    "memo",
    "play",
    "play_many",
    "ranges",
    "run_log",
    "run_plan",
    "run_table",
    "sensitivity",
    "sensitivity_table",
    "step_table",
    "to_text",
    "worlds",
]
