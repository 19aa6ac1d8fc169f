"""Task on the price of a training token, and the cheapest offer."""

import numpy as np

from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def rank_offers(names, tokens_per_second, devices, dollars_per_hour):
    """Names of the offers, the cheapest token first."""
    costs = np.asarray(devices) * np.asarray(dollars_per_hour) / np.asarray(tokens_per_second)
    return [names[place] for place in np.argsort(costs, kind="stable")]


OFFERS_MADE = ("Amber", "Basalt", "Cobalt", "Dune", "Ember", "Flint", "Grove")


def _market(generator, count):
    """Prices that neither follow the speed nor the number of devices."""
    names = [str(name) for name in generator.permutation(OFFERS_MADE)[:count]]
    devices = 8.0 * generator.permutation(np.arange(1, count + 1) ** 2)
    each = generator.permutation(np.linspace(1500, 11000, count)) * generator.uniform(0.97, 1.03, count)
    # Costs of a token stand apart, so that the order is no matter of taste.
    costs = generator.permutation(1.25 ** np.arange(count))
    price = each * costs / 2500
    return {
        "names": names,
        "tokens_per_second": np.round(devices * each),
        "devices": devices,
        "dollars_per_hour": np.round(price, 6),
    }


def _markets(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "names": ["Amber", "Basalt", "Cobalt"],
        "tokens_per_second": np.array([1000.0, 4000.0, 500.0]),
        "devices": np.array([10.0, 20.0, 1.0]),
        "dollars_per_hour": np.array([1.0, 3.0, 10.0]),
    }
    # So many that two wrong rankings differ somewhere.
    return [easy, *(_market(generator, count) for count in (4, 5, 6, 7) * 4)]


def _ranked(value, reverse=False):
    def wrong(names, tokens_per_second, devices, dollars_per_hour):
        values = value(tokens_per_second, devices, dollars_per_hour)
        order = sorted(range(len(names)), key=lambda place: values[place], reverse=reverse)
        return [names[place] for place in order]

    return wrong


OFFERS = Exercise(
    id="lab.mfu.rank_offers",
    title="Who sells the cheapest token?",
    signature="rank_offers(names, tokens_per_second, devices, dollars_per_hour)",
    unit="",
    graded=True,
    points=4,
    reference=rank_offers,
    groups=(Group("markets", 1.0, _markets),),
    hints=(
        "What does the whole cluster cost in an hour, and how many tokens does it train on in that hour?",
        "Dollars an hour are devices · dollars_per_hour. Divide by the tokens a second; a factor of 3600 changes no order.",
        "Put the costs into a dict by name and sort it: sorted(costs, key=costs.get).",
    ),
    explanation="MFU compares a chip with its own data sheet. A bill compares tokens with dollars, and the two orders may differ.",
    mistakes=(
        Mistake(
            "divided by the devices",
            _ranked(lambda t, n, d: d / t / n),
            "You divided by the devices. Every one of them costs dollars_per_hour: multiply.",
        ),
        Mistake(
            "most expensive first",
            _ranked(lambda t, n, d: n * d / t, reverse=True),
            "Your list starts with the most expensive token. The cheapest comes first.",
        ),
        Mistake(
            "cheapest hour",
            _ranked(lambda t, n, d: d),
            "You ranked by the price of an hour. A slow chip can be cheap by the hour and expensive by the token.",
        ),
        Mistake(
            "cheapest cluster",
            _ranked(lambda t, n, d: n * d),
            "You ranked by the cluster's cost per hour. Divide by the tokens that it trains on.",
        ),
        Mistake(
            "fastest cluster",
            _ranked(lambda t, n, d: t, reverse=True),
            "You ranked by speed. Many devices are fast and expensive: divide the cost by the tokens.",
        ),
        Mistake(
            "fastest device",
            _ranked(lambda t, n, d: t / n, reverse=True),
            "You ranked by tokens a second of one device and forgot its price.",
        ),
        Mistake(
            "devices forgotten",
            _ranked(lambda t, n, d: d / t),
            "You divided the price of one device by the speed of all. Multiply the price by the devices.",
        ),
        Mistake(
            "devices counted twice",
            _ranked(lambda t, n, d: n * n * d / t),
            "You counted the devices twice: tokens_per_second is already that of the whole cluster.",
        ),
    ),
    mutants=MUTANTS["lab.mfu.rank_offers"],
)
