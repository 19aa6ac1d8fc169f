"""Exercise on memory capacity: MiB that a tool prints against GB on the datasheet."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake
from chip2cluster.units import GB, MIB

from ..mutants import MUTANTS


def largest_model(free_mib, bytes_per_parameter):
    """Billions of parameters whose bytes fill the free memory that a tool prints in MiB."""
    return free_mib * MIB / bytes_per_parameter / GB


def _devices(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"free_mib": 100_000, "bytes_per_parameter": 2}
    sizes = (2, 1, 4, 0.5, 16)
    drawn = [
        {"free_mib": int(free), "bytes_per_parameter": size}
        for free, size in zip(generator.integers(14_000, 190_000, 5), sizes, strict=True)
    ]
    return [easy, *drawn]


def _meaning():
    return (
        f"The 81,559 MiB of an H100 hold at most {largest_model(81559, 2):.1f} billion parameters in bf16 and "
        f"{largest_model(81559, 0.5):.0f} billion in 4 bits; at the 16 bytes of training {largest_model(81559, 16):.1f} billion."
    )


CAPACITY = Exercise(
    id="machine.largest_model",
    title="What fits into 81,559 MiB?",
    signature="largest_model(free_mib, bytes_per_parameter)",
    unit="billion parameters",
    points=2,
    reference=largest_model,
    groups=(Group("devices", 1.0, _devices),),
    hints=(
        "Go through bytes: how many bytes are free?",
        "1 MiB is 2**20 bytes = 1,048,576 bytes. 1 MB would be 10**6.",
        "free_mib * 2**20 bytes, divided by the bytes of a parameter, divided by 10**9.",
    ),
    solution="""
def largest_model(free_mib, bytes_per_parameter):
    return free_mib * 2**20 / bytes_per_parameter / 1e9
""",
    explanation=(
        "Tools count memory in powers of two, people count parameters in powers of ten. At MiB the two are 4.9 % apart, "
        "at GiB 7.4 %, at TiB 10 %: enough to decide whether a model fits."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "MiB taken for MB",
            lambda free_mib, bytes_per_parameter: free_mib * 1e6 / bytes_per_parameter / 1e9,
            "You took MiB for MB. 1 MiB is 2**20 = 1,048,576 bytes, so 4.9 % more fits.",
            v.UNIT,
        ),
        Mistake(
            "GiB taken for a billion",
            lambda free_mib, bytes_per_parameter: free_mib / 1024 / bytes_per_parameter,
            "You divided by 1024 and got GiB. A billion is 10**9, a GiB is 2**30 = 1.074 × 10**9: go through bytes.",
            v.UNIT,
        ),
        Mistake(
            "KiB taken for MiB",
            lambda free_mib, bytes_per_parameter: free_mib * 1024 / bytes_per_parameter / 1e9,
            "You multiplied by 1024 once, which turns MiB into KiB. Bytes take another 1024: 1 MiB is 2**20 bytes.",
            v.UNIT,
        ),
        Mistake(
            "one byte a parameter",
            lambda free_mib, bytes_per_parameter: free_mib * MIB / 1e9,
            "You returned the free gigabytes. Each parameter takes bytes_per_parameter of them.",
        ),
        Mistake(
            "multiplied",
            lambda free_mib, bytes_per_parameter: free_mib * MIB * bytes_per_parameter / 1e9,
            "You multiplied by the bytes of a parameter. The larger a parameter, the fewer fit: divide.",
        ),
        Mistake(
            "parameters, not billions",
            lambda free_mib, bytes_per_parameter: free_mib * MIB / bytes_per_parameter,
            "You returned parameters. Return billions of them: divide by 10**9.",
            v.UNIT,
        ),
        Mistake(
            "bits for bytes",
            lambda free_mib, bytes_per_parameter: free_mib * MIB / (8 * bytes_per_parameter) / 1e9,
            "You counted a parameter in bits. Both numbers are in bytes already: no 8 is needed.",
            v.UNIT,
        ),
    ),
    mutants=MUTANTS["machine.largest_model"],
)
