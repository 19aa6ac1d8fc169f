"""Tasks on paper about accelerators: what a peak says, and what it costs in power."""

from chip2cluster.exercise.machine_ranges import CLOCK, PEAK, PUE
from chip2cluster.exercise.paper_task import Choice, Number, PaperTask, Step

UNITS = Number("", values=(80, 108, 132, 144, 148, 160), whole=True)

TASKS = (
    PaperTask(
        exercise="accelerators.peak",
        title="A peak from first principles",
        text="A GPU has {units} streaming multiprocessors with {cores_per_unit} tensor cores each. In a clock cycle a tensor "
        "core does {macs_per_core} multiply-accumulates of 16-bit numbers. The boost clock is {clock_mhz}. What is the dense "
        "peak, in the unit of datasheets?",
        given={
            "units": UNITS,
            "cores_per_unit": Number("", values=(4, 8), whole=True),
            "macs_per_core": Number("", values=(256, 512, 1024), whole=True),
            "clock_mhz": CLOCK,
        },
        unit="TFLOP/s",
        per=1e12,
        plausible=lambda x: 120e6 < 2 * x.units * x.cores_per_unit * x.macs_per_core * x.clock_mhz < 2500e6,
        steps=(
            Step(
                "multiply-accumulates of the chip in a cycle",
                0.4,
                lambda x: x.units * x.cores_per_unit * x.macs_per_core,
            ),
            Step(
                "times 2: a multiply-accumulate is two operations",
                0.3,
                lambda x: 2 * x.units * x.cores_per_unit * x.macs_per_core,
                "FLOP",
            ),
            Step(
                "times the clock in Hz",
                0.3,
                lambda x: 2 * x.units * x.cores_per_unit * x.macs_per_core * x.clock_mhz / 1e6,
                "TFLOP/s",
            ),
        ),
    ),
    PaperTask(
        exercise="lab.accelerators.implied_clock",
        title="The clock behind a peak",
        text="A datasheet prints a dense peak of {peak_tflops} for a chip with {units} compute units. A unit does "
        "{macs_per_unit} multiply-accumulates in a clock cycle. At which clock does the chip reach its printed peak? Judge whether a GPU can run at that clock.",
        given={"peak_tflops": PEAK, "units": UNITS, "macs_per_unit": Number("", values=(1024, 2048, 4096), whole=True)},
        unit="MHz",
        judges=True,
        judgement="GPUs of 2017 to 2025 run at 1 to 2.5 GHz; above that the printed peak is sparse or of narrower numbers.",
        plausible=lambda x: 1000 < x.peak_tflops * 1e6 / (2 * x.units * x.macs_per_unit) < 4000,
        steps=(
            Step(
                "operations of a cycle: two for each multiply-accumulate", 0.5, lambda x: 2 * x.units * x.macs_per_unit
            ),
            Step(
                "peak over operations of a cycle",
                0.5,
                lambda x: x.peak_tflops * 1e6 / (2 * x.units * x.macs_per_unit),
                "MHz",
            ),
        ),
    ),
    PaperTask(
        exercise="accelerators.dense_16_bit",
        title="What is left of a headline",
        text="A headline promises {printed_tflops} for one GPU, counted with {bits} numbers and {sparse} structured sparsity. "
        "The peak doubles each time numbers are half as wide, and 2:4 structured sparsity doubles it once more. How much is "
        "the dense peak with 16-bit numbers?",
        given={
            "printed_tflops": Number("TFLOP/s", 1200, 20000),
            "bits": Choice({4: "4-bit", 8: "8-bit"}),
            "sparse": Choice({True: "with", False: "without"}),
        },
        unit="TFLOP/s",
        plausible=lambda x: 120 <= x.printed_tflops * x.bits / 16 / (1 + x.sparse) <= 2500,
        steps=(
            Step("undo sparsity, if it is counted", 0.4, lambda x: x.printed_tflops / (1 + x.sparse), "TFLOP/s"),
            Step(
                "halve for each doubling of the width",
                0.6,
                lambda x: x.printed_tflops / (1 + x.sparse) * x.bits / 16,
                "TFLOP/s",
            ),
        ),
    ),
    PaperTask(
        exercise="accelerators.flop_per_joule",
        title="Operations for each joule",
        text="A server holds {chips} accelerators with a peak of {peak_tflops} and a power of {chip_watts} each; the rest of "
        "the server draws {host_watts}. The data center has a power usage effectiveness (PUE) of {pue}. At the peak, how many "
        "operations are done for each joule drawn from the grid? This is a bound: no program reaches it.",
        given={
            "peak_tflops": PEAK,
            "chips": Number("", values=(4, 8), whole=True),
            "chip_watts": Number("W", values=(300, 400, 500, 700, 750, 1000, 1200)),
            "host_watts": Number("W", 1200, 4500),
            "pue": PUE,
        },
        unit="GFLOP/J",
        per=1e9,
        plausible=lambda x: 0.4 < x.peak_tflops / x.chip_watts < 2.5,
        steps=(
            Step("power of the server", 0.3, lambda x: x.chips * x.chip_watts + x.host_watts, "W"),
            Step("times the PUE", 0.3, lambda x: x.pue * (x.chips * x.chip_watts + x.host_watts), "W"),
            Step(
                "peak of all chips over that power",
                0.4,
                lambda x: 1e3 * x.chips * x.peak_tflops / (x.pue * (x.chips * x.chip_watts + x.host_watts)),
                "GFLOP/J",
            ),
        ),
    ),
)
