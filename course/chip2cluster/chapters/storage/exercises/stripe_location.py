"""Exercise on the target and offset of a byte in a striped file."""

import numpy as np

from chip2cluster import storage
from chip2cluster.exercise.model import Exercise, Group, Mistake

MIB = 2**20


def locate(offset, stripe_mib, stripe_count, first_target, targets):
    """Number of the target of a byte, and the byte's offset in the object there."""
    place = storage.StripeLayout(stripe_mib * MIB, stripe_count, first_target, targets).locate(offset)
    return np.array([place.ost, place.object_offset])


def _case(offset, stripe, count, first, targets):
    return {
        "offset": int(offset),
        "stripe_mib": stripe,
        "stripe_count": count,
        "first_target": first,
        "targets": targets,
    }


def _bytes(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    drawn = [_case(5 * MIB + 7, 1, 4, 3, 8)]
    for stripe, count, targets in ((1, 4, 16), (4, 8, 24), (2, 3, 5), (16, 12, 48), (8, 5, 7)):
        first = int(generator.integers(targets - count + 1, targets))  # the objects go round behind the last target
        turn, stripe_number = int(generator.integers(1, 40)), int(generator.integers(targets - first, count))
        within = int(generator.integers(1, stripe * MIB))
        drawn.append(_case((turn * count + stripe_number) * stripe * MIB + within, stripe, count, first, targets))
    return drawn


def _edges(generator):
    last = int(generator.integers(2, 9))
    return [
        _case(0, 4, 6, 5, 12),
        _case(last * 6 * 4 * MIB, 4, 6, 5, 12),  # the first byte of a new turn
        _case(last * 4 * MIB - 1, 4, 6, 2, 12),  # the last byte of a stripe
        _case(last * 10**9 + 1, 4, 1, 9, 12),
    ]


def _place(unit=MIB, wrap=True, first=True, turns=lambda x, s, c: x // (s * c) * s + x % s, number=None):
    def wrong(offset, stripe_mib, stripe_count, first_target, targets):
        size = stripe_mib * unit
        stripe = (number or (lambda x, s, c: x // s % c))(offset, size, stripe_count)
        target = stripe + (first_target if first else 0)
        return np.array([target % targets if wrap else target, turns(offset, size, stripe_count)])

    return wrong


def _round(offset, stripe_mib, stripe_count, first_target, targets):
    before = locate(offset, stripe_mib, stripe_count, first_target, targets)[1]
    return np.array([(first_target + offset // (stripe_mib * MIB)) % stripe_count, before])


LOCATE = Exercise(
    id="storage.locate",
    title="Which target holds this byte?",
    signature="locate(offset, stripe_mib, stripe_count, first_target, targets)",
    unit="",
    points=3,
    reference=locate,
    shows=(locate,),
    groups=(
        Group("bytes", 0.8, _bytes),
        Group(
            "edges",
            0.2,
            _edges,
            advice="Check the first and the last byte of a stripe. With a stripe count of 1 all bytes are on one target.",
        ),
    ),
    hints=(
        "In which stripe of the whole file is the byte? Count from 0. How many full rounds over all objects come before it?",
        "Object number: whole stripes before the byte, modulo the stripe count. Each full round has put one stripe into every object.",
        "size = stripe_mib · 2**20; target = (first_target + offset // size % stripe_count) % targets; "
        "in the object: offset // (size · stripe_count) · size + offset % size.",
    ),
    solution="""
def locate(offset, stripe_mib, stripe_count, first_target, targets):
    size = stripe_mib * 2**20
    stripe = offset // size % stripe_count
    turns = offset // (size * stripe_count)
    return [(first_target + stripe) % targets, turns * size + offset % size]
""",
    explanation=(
        "Every full round puts one whole stripe into each object, so an object grows by one stripe per round. The stripe number "
        "modulo the stripe count gives the object; count the target from the first one, and after the last target comes number 0."
    ),
    meaning=lambda: (
        f"No server is needed for this. A client that knows the layout of a file computes it, {_told()} times for each GiB of "
        "stripes of 1 MiB, and then talks only to the targets. That is what striping gains."
    ),
    mistakes=(
        Mistake(
            "stripe for target",
            _place(first=False, wrap=False),
            "You returned the number of the stripe. The first stripe is on target first_target, and the others follow.",
        ),
        Mistake(
            "no way round",
            _place(wrap=False),
            "You counted past the last target. Targets are numbered 0 to targets − 1; after the last comes the first.",
        ),
        Mistake(
            "the file's offset",
            _place(turns=lambda x, s, c: x),
            "Your second number is the offset in the file. The object on a target holds only every stripe_count-th stripe.",
        ),
        Mistake(
            "the stripe's offset",
            _place(turns=lambda x, s, c: x % s),
            "Your second number is the offset in the stripe. Stripes of earlier rounds come before it in the same object.",
        ),
        Mistake(
            "whole stripes alone",
            _place(turns=lambda x, s, c: x // (s * c) * s),
            "Your second number counts only the stripes of earlier rounds. Add the bytes before this one in its own stripe, offset % stripe.",
        ),
        Mistake(
            "an even share",
            _place(turns=lambda x, s, c: x // c),
            "You divided the offset by the stripe count. That is only right on average, because an object holds whole stripes.",
        ),
        Mistake(
            "turns without their size",
            _place(turns=lambda x, s, c: x // (s * c) + x % s),
            "You added the number of rounds. Each round left a whole stripe in the object: multiply by its size.",
        ),
        Mistake(
            "modulo all targets",
            _place(number=lambda x, s, c: x // s, turns=lambda x, s, c: x // (s * c) * s + x % s),
            "You distributed the stripes over all targets. The file uses stripe_count of them.",
        ),
        Mistake(
            "MB for MiB",
            _place(unit=10**6),
            "You took a MiB for a million bytes. It is 2**20.",
        ),
        Mistake(
            "round after the stripes of a turn",
            _round,
            "Your targets wrap around after stripe_count of them. Count from first_target; number 0 comes after the *last target*.",
        ),
        Mistake(
            "exchanged",
            lambda **where: locate(**where)[::-1],
            "Your two numbers are swapped: first the target, then the bytes before it in the object.",
        ),
        Mistake(
            "counted from 1",
            _place(number=lambda x, s, c: (x // s + 1) % c),
            "Your target is one too high. The first stripe has the number 0.",
        ),
    ),
)


def _told():
    layout = storage.StripeLayout(MIB, 4)
    return f"{len(layout.extents(0, 2**30)):,}"
