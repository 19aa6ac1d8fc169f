"""Exercise on FLOP per joule at the facility, PUE included."""

from chip2cluster import specs
from chip2cluster._validate import known
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def flop_per_joule(peak_tflops, chips, chip_watts, host_watts, pue):
    """Peak FLOP for each joule that a server and its cooling draw from the grid."""
    return chips * peak_tflops * 1e12 / ((chips * chip_watts + host_watts) * pue)


def _servers(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"peak_tflops": 1000.0, "chips": 8, "chip_watts": 700.0, "host_watts": 2400.0, "pue": 1.25}
    drawn = zip(
        generator.uniform(200, 2500, 4).round(),
        (8, 4, 8, 16),
        generator.uniform(300, 1200, 4).round(),
        generator.uniform(800, 5000, 4).round(),
        (1.1, 1.4, 1.55, 1.2),
        strict=True,
    )
    return [easy] + [dict(zip(easy, (float(p), n, float(w), float(h), pue), strict=True)) for p, n, w, h, pue in drawn]


def _bare(generator):
    return [{"peak_tflops": 989.4, "chips": 1, "chip_watts": 700.0, "host_watts": 0.0, "pue": 1.0}]


def _share(chips_in_rate=True, host="once", pue="times", scale=1.0):
    def wrong(peak_tflops, chips, chip_watts, host_watts, pue_value):
        hosts = {"once": host_watts, "never": 0.0, "each": chips * host_watts}[host]
        watts = chips * chip_watts + hosts
        watts = {"times": watts * pue_value, "never": watts, "over": watts / pue_value}[pue]
        return scale * (chips if chips_in_rate else 1) * peak_tflops * 1e12 / watts

    return lambda peak_tflops, chips, chip_watts, host_watts, pue: wrong(
        peak_tflops, chips, chip_watts, host_watts, pue
    )


def _meaning():
    chip = specs.accelerator("H100 SXM")
    tera = chip.peak_flops_dense("bf16") / 1e12
    watts = known("tdp_watts", chip.tdp_watts)
    walls = [flop_per_joule(tera, 8, watts, 10200 - 8 * watts, pue) / 1e12 for pue in (1.0, 1.54)]
    return (
        f"An H100 promises {tera / watts:.2f} TFLOP for each joule. In a DGX H100 of 10.2 kW it is {walls[0]:.2f}, and in a "
        f"building with an average PUE of 1.54 it is {walls[1]:.2f}. That is {walls[1] * watts / tera:.0%} of the datasheet's ratio, before any program runs."
    )


WATTS = Exercise(
    id="accelerators.flop_per_joule",
    title="FLOP for each joule, at the wall",
    signature="flop_per_joule(peak_tflops, chips, chip_watts, host_watts, pue)",
    unit="FLOP/J",
    points=3,
    reference=flop_per_joule,
    groups=(
        Group("servers", 0.9, _servers),
        Group(
            "edges",
            0.1,
            _bare,
            advice="For one bare chip in a perfect building the answer is the datasheet's ratio: peak over TDP.",
        ),
    ),
    hints=(
        "A watt is a joule per second, so FLOP/s over watts is FLOP for each joule.",
        "Add up the power of the server: all chips, and the rest once. The building multiplies that by the PUE.",
        "chips * peak_tflops * 1e12 / ((chips * chip_watts + host_watts) * pue).",
    ),
    solution="""
def flop_per_joule(peak_tflops, chips, chip_watts, host_watts, pue):
    watts = (chips * chip_watts + host_watts) * pue
    return chips * peak_tflops * 1e12 / watts
""",
    explanation=(
        "By its datasheet an H100 alone does 1.41 TFLOP for each joule at most. In a server that may draw 10.2 kW with eight of them it is "
        "0.78, and with a PUE of 1.3 it is 0.60. That is less than half, before any program runs."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "the chip alone",
            lambda peak_tflops, chips, chip_watts, host_watts, pue: peak_tflops * 1e12 / chip_watts,
            "That is the chip alone, as on the datasheet. The rest of the server and the building draw power too.",
        ),
        Mistake(
            "host forgotten",
            _share(host="never"),
            "You left out the rest of the server: processors, fans, NICs.",
        ),
        Mistake(
            "building forgotten",
            _share(pue="never"),
            "You left out the building. It draws pue times the power of the server.",
        ),
        Mistake(
            "building gives power",
            _share(pue="over"),
            "Your building makes the server more efficient. The PUE multiplies the watts, so it divides the result. Check the parentheses.",
        ),
        Mistake(
            "one chip's rate",
            _share(chips_in_rate=False),
            "You took the rate of one chip and the power of the whole server. All chips compute.",
        ),
        Mistake(
            "host for each chip",
            _share(host="each"),
            "You counted host_watts once for each chip. Count it once per server.",
        ),
        Mistake(
            "TFLOP/J",
            _share(scale=1e-12),
            "That is TFLOP for each joule. Return FLOP for each joule: T is 10^12.",
            v.UNIT,
        ),
        Mistake(
            "one chip's power",
            lambda peak_tflops, chips, chip_watts, host_watts, pue: (
                chips * peak_tflops * 1e12 / ((chip_watts + host_watts) * pue)
            ),
            "You counted the power of only one chip. The server has `chips` of them.",
        ),
        Mistake(
            "building cools the host alone",
            lambda peak_tflops, chips, chip_watts, host_watts, pue: (
                chips * peak_tflops * 1e12 / (chips * chip_watts + host_watts * pue)
            ),
            "You applied the PUE to a part of the watts. It holds for the whole server: put brackets round the sum.",
        ),
        Mistake(
            "building cools the chips alone",
            lambda peak_tflops, chips, chip_watts, host_watts, pue: (
                chips * peak_tflops * 1e12 / (chips * chip_watts * pue + host_watts)
            ),
            "You applied the PUE to a part of the watts. It holds for the whole server: put brackets round the sum.",
        ),
        Mistake(
            "upside down",
            lambda peak_tflops, chips, chip_watts, host_watts, pue: (
                (chips * chip_watts + host_watts) * pue / (chips * peak_tflops * 1e12)
            ),
            "Your fraction is upside down: it gives joules per FLOP.",
        ),
    ),
)
