"""Exercise on the cheapest memory tier for the KV caches of idle users."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until, forgives, tells_apart
from chip2cluster.exercise.model import Exercise, Group, Mistake
from chip2cluster.links import transfer_time

from ..mutants import MUTANTS

NONE = "read again"
NAMES = tuple(f"tier {number}" for number in range(1, 8))  # numbers are drawn at random, so no real ones


def cheapest_tier(users, history_tokens, cache_bytes, read_again, tiers):
    """Name of the tier with the least dollars a GB that has room for all and gives one back soon enough."""
    return _pick(users, history_tokens, cache_bytes, read_again, tiers)


def _pick(
    users,
    history_tokens,
    cache_bytes,
    read_again,
    tiers,
    *,
    best=lambda tier: tier["dollars_per_gbyte"],
    room=lambda tier, one, users: users * one <= tier["gbytes"] * 1e9,
    soon=lambda tier, one, again: _fetch(tier, one) <= again,
):
    one, again = history_tokens * cache_bytes, history_tokens / read_again
    good = [tier for tier in tiers if room(tier, one, users) and soon(tier, one, again)]
    return min(good, key=best)["name"] if good else NONE


def _fetch(tier, one):
    return transfer_time(one, tier["gbytes_per_second"] * 1e9, tier["latency_us"] * 1e-6)


def _tier(name, gbytes, rate, dollars, latency):
    return {
        "name": name,
        "gbytes": gbytes,
        "gbytes_per_second": rate,
        "dollars_per_gbyte": dollars,
        "latency_us": latency,
    }


def _case(generator, kind):
    """Tiers around both lines: room for all of them, and as fast as reading again."""
    users = int(generator.integers(20, 3000))
    tokens = int(generator.integers(800, 30000))
    cache = int(generator.choice([70272, 131072, 327680, 516096]))
    again = float(round(generator.uniform(4e3, 4e4), -2))
    room, pace = users * tokens * cache / 1e9, cache * again / 1e9  # GB for all; GB/s that is as fast
    dollars = generator.uniform(0.05, 20, len(NAMES))
    small, large = (lambda: float(generator.uniform(0.05, 0.85))), (lambda: float(generator.uniform(1.2, 9)))
    # Too slow, too small, both, and three that will do: one larger than needed, one faster than needed.
    made = [
        (large(), small()),
        (large(), small()),
        (small(), large()),
        (small(), small()),
        (9 * large(), large()),
        (large(), 9 * large()),
        (large(), large()),
    ]
    if kind == "none":
        made = [(size, small()) if size > 1 else (size, rate) for size, rate in made]
    names = generator.permutation(NAMES)
    tiers = [
        _tier(
            str(name),
            float(f"{size * room:.4g}"),
            float(f"{rate * pace:.4g}"),
            round(float(price), 2),
            round(float(generator.uniform(1, 90)), 1),
        )
        for name, (size, rate), price in zip(names, made, dollars, strict=True)
    ]
    return _inputs(users, tokens, cache, again, [tiers[place] for place in generator.permutation(len(tiers))])


def _inputs(users, tokens, cache, again, tiers):
    return dict(users=users, history_tokens=tokens, cache_bytes=cache, read_again=again, tiers=tiers)


HEART = ("the cheapest", "whatever has room", "whatever is soon enough", "the smallest bill", "the first that will do")


def _services(generator):
    # A case that can be done in the head comes first: it is the one that a student sees. A history is 1 GB, read again in 0.1 s.
    tiers = [
        _tier("host DDR", 200.0, 60.0, 5.0, 1.0),
        _tier("CXL pool", 4000.0, 25.0, 6.0, 1.0),
        _tier("local NVMe", 30000.0, 7.0, 0.1, 80.0),
        _tier("neighbour's HBM", 640.0, 450.0, 15.0, 1.0),
    ]
    drawn = [_inputs(500, 10000, 100000, 100000.0, tiers)]
    for kind in ("some", "some", "none", "some", "some"):
        wrong = HEART if kind == "some" else HEART[:3]
        drawn.append(
            draw_until(lambda case, wrong=wrong: _misleads(case, wrong), lambda kind=kind: _case(generator, kind))
        )
    # And one in which the cheapest with room is the right one.
    drawn.append(draw_until(lambda case: forgives(TIER, case, "whatever has room"), lambda: _case(generator, "some")))
    return drawn


def _misleads(case, wrong):
    """Whether each of these mistakes is wrong here."""
    return all(tells_apart(TIER, case, name) for name in wrong)


def _edges(generator):
    """A latency that decides: two tiers of which the cheap one is quick in bytes and slow to begin."""
    tokens, cache, again = int(generator.integers(60, 120)), 131072, 40000.0
    one, time = tokens * cache, tokens / again
    late = _tier("object store", 90000.0, float(f"{3 * one / time / 1e9:.4g}"), 0.05, float(f"{0.9 * time * 1e6:.4g}"))
    good = _tier("local NVMe", 30000.0, float(f"{4 * one / time / 1e9:.4g}"), 0.2, 80.0)
    # All the histories fill the pool to the last byte.
    exact = _tier("CXL pool", 10.0, float(generator.integers(40, 90)), 0.05, 1.0)
    roomy = _tier("local NVMe", 30000.0, float(generator.integers(20, 40)), 0.2, 80.0)
    return [
        _inputs(10, tokens, cache, again, [late, good]),
        _inputs(10, tokens, cache, again, [late]),
        _inputs(100, 1000, 100000, 20000.0, [roomy, exact]),
    ]


def _like(**changed):
    return lambda **case: _pick(**case, **changed)


TIER = Exercise(
    id="serving.cheapest_tier",
    title="Which memory tier can hold the idle KV caches?",
    signature="cheapest_tier(users, history_tokens, cache_bytes, read_again, tiers)",
    unit="",
    points=4,
    reference=cheapest_tier,
    shows=(cheapest_tier, transfer_time),
    groups=(
        Group(
            "tiers",
            0.8,
            _services,
            v.VALUE,
            "Two conditions, then one choice: the tier must have room for all users and must return a cache in time; take the fewest dollars per GB.",
        ),
        Group(
            "edges",
            0.2,
            _edges,
            advice="For a short history the latency dominates: the time to fetch it is the latency plus its bytes over the rate. A tier that the histories fill to the last byte has enough room.",
        ),
    ),
    hints=(
        "A history has history_tokens · cache_bytes bytes. Fetching it must not take longer than prefilling its tokens again.",
        "The room must be enough for all users; the time is that of the one user who has just returned.",
        "Keep the tiers that meet both conditions, and take min(..., key=...) by dollars_per_gbyte. If none is left, return 'read again'.",
    ),
    solution="""
def cheapest_tier(users, history_tokens, cache_bytes, read_again, tiers):
    one = history_tokens * cache_bytes
    limit = history_tokens / read_again
    good = [
        tier for tier in tiers
        if users * one <= tier["gbytes"] * 1e9
        and tier["latency_us"] * 1e-6 + one / (tier["gbytes_per_second"] * 1e9) <= limit
    ]
    return min(good, key=lambda tier: tier["dollars_per_gbyte"])["name"] if good else "read again"
""",
    explanation=(
        "The length of a history nearly cancels: for each token, fetching takes cache_bytes over the rate, and "
        "prefilling again takes one over read_again. So a tier is fast enough if its rate is above about cache_bytes · "
        "read_again bytes a second, and the latency matters only for a short history."
    ),
    meaning=lambda: (
        f"Llama 3 8B keeps {131072 / 1e3:.0f} kB a token. Prefilled again at 20,000 tokens a second, any tier above "
        f"{131072 * 2e4 / 1e9:.1f} GB/s is fast enough, so a drive is enough. DeepSeek-V3's latent is half as large, "
        "and each token takes more arithmetic, so even a slow network is enough."
    ),
    mistakes=(
        Mistake(
            "the cheapest",
            _like(room=lambda *_: True, soon=lambda *_: True),
            "You took the cheapest tier of all. It must have room for all histories, and return one in time.",
        ),
        Mistake(
            "the fastest tier",
            _like(best=lambda tier: -tier["gbytes_per_second"], room=lambda *_: True, soon=lambda *_: True),
            "You took the fastest tier of all. First check which tiers have room for all histories; of those that are fast enough, take the cheapest.",
        ),
        Mistake(
            "whatever has room",
            _like(soon=lambda *_: True),
            "You took the cheapest tier with enough room. Fetching from it takes longer than prefilling the tokens again.",
        ),
        Mistake(
            "whatever is soon enough",
            _like(room=lambda *_: True),
            "You took the cheapest tier that is fast enough. It has no room for all histories: all users' caches are stored there, not just one.",
        ),
        Mistake(
            "all histories at once",
            lambda **case: _pick(**case, soon=lambda tier, one, again: _fetch(tier, case["users"] * one) <= again),
            "You fetched all histories for one returning user. The time is that of one history.",
        ),
        Mistake(
            "the fastest that fits",
            _like(best=lambda tier: -tier["gbytes_per_second"]),
            "You returned the fastest tier. Every tier that is faster than prefilling again is fast enough, and the task asks for the cheapest of these.",
        ),
        Mistake(
            "the first that will do",
            lambda users, history_tokens, cache_bytes, read_again, tiers: _pick(
                users, history_tokens, cache_bytes, read_again, tiers, best=lambda tier: tiers.index(tier)
            ),
            "You took the first tier that meets both conditions. A later one may be cheaper: take the minimum of dollars_per_gbyte.",
        ),
        Mistake(
            "bits and bytes",
            _like(soon=lambda tier, one, again: _fetch(tier, 8 * one) <= again),
            "You treated the rate as bits a second, or converted the bytes to bits. Both the rate and the history are in bytes.",
        ),
        Mistake(
            "exact fit refused",
            _like(room=lambda tier, one, users: users * one < tier["gbytes"] * 1e9),
            "You refused a tier that the histories fill to the last byte. Exactly enough room is enough.",
            v.EDGES,
            share=0.8,
        ),
        Mistake(
            "the most expensive",
            _like(best=lambda tier: -tier["dollars_per_gbyte"]),
            "You took the most expensive tier that is fast and large enough. Return the cheapest.",
        ),
        Mistake(
            "the smallest bill",
            _like(best=lambda tier: tier["dollars_per_gbyte"] * tier["gbytes"]),
            "You compared the price of whole tiers. The histories fill only a part of a tier, so compare dollars_per_gbyte.",
        ),
        Mistake(
            "limit inverted",
            _like(soon=lambda tier, one, again: _fetch(tier, one) >= again),
            "You inverted the time limit: you kept the tiers that are slower than prefilling again.",
        ),
        Mistake(
            "latency forgotten",
            _like(soon=lambda tier, one, again: one / (tier["gbytes_per_second"] * 1e9) <= again),
            "You left out the latency. It dominates for a short history.",
            v.EDGES,
            share=0.8,
        ),
    ),
    mutants=MUTANTS["serving.cheapest_tier"],
)
