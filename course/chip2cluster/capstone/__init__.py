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
from .design_grid import Designs, designs_of, grid
from .design_json import from_text, to_text
from .evaluation import evaluate
from .frontier import best, distance, frontier
from .interruption_log import run_log
from .kernel_efficiency import KernelShare, kernel_share, kernel_shares
from .layout_rule import layout_by_rule
from .memo import memo
from .memo_parts import Memo
from .outcome import Constraint, Outcome, Problem, Term
from .outcomes import Outcomes, evaluate_many
from .prices import FailureRates, Prices, chip_prices
from .repeated_runs import Runs, bad_week, play_many
from .run_simulation import Day, Event, Play, play, run_plan
from .scenario import Scenario
from .scenario_variants import worlds
from .sensitivity import Sensitivity, ranges, sensitivity
from .tables import bounds_table, run_table, sensitivity_table, step_table

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
