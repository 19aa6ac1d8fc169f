"""Exercise on the fair-share factor of each user in a tree of accounts."""

import numpy as np

from chip2cluster import scheduling
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake


def factors(account_shares, account, shares, usage):
    """Factor of each user, in the order in which they are given."""
    accounts = []
    for number, promised in enumerate(account_shares):
        members = [place for place, its in enumerate(account) if its == number]
        children = [scheduling.Share(f"u{place}", float(shares[place]), float(usage[place])) for place in members]
        accounts.append(scheduling.Share(f"a{number}", float(promised), children=children))
    ranked = scheduling.fair_tree(scheduling.Share("root", children=accounts))
    return np.array([ranked[f"u{place}"] for place in range(len(account))])


def _case(account_shares, account, shares, usage):
    return {
        "account_shares": np.array(account_shares, dtype=float),
        "account": np.array(account, dtype=int),
        "shares": np.array(shares, dtype=float),
        "usage": np.array(usage, dtype=float),
    }


def _draw(generator):
    def once():
        count = int(generator.integers(2, 4))
        account = generator.permutation(np.repeat(np.arange(count), generator.integers(2, 4, count)))
        users = len(account)
        return _case(
            generator.integers(10, 60, count), account, generator.integers(1, 6, users),
            generator.integers(50, 3000, users),
        )  # fmt: skip

    return draw_until(lambda inputs: len(set(factors(**inputs))) == len(inputs["account"]), once)


def _trees(generator):
    # Two accounts of two users each; the levels come out in round figures. A student sees this one.
    hand = _case([60, 40], [0, 0, 1, 1], [1, 1, 1, 3], [900, 100, 500, 500])
    # Three users share one account: its shares are compared whole.
    crowded = _case([60, 40], [0, 0, 0, 1], [1, 1, 1, 1], [100, 150, 250, 500])
    return [hand, crowded, *(_draw(generator) for _ in range(6))]


def _edges(generator):
    drawn = _draw(generator)
    idle = drawn["usage"].copy()
    idle[int(generator.integers(len(idle)))] = 0.0
    return [
        {**drawn, "usage": idle},
        _case([5, 30, 10], [0, 1, 2], [1, 7, 2], generator.permutation([300.0, 700.0, 5000.0])),
    ]


def _placed(order):
    """Factors from an order of users, the best first."""
    result = np.empty(len(order))
    result[np.asarray(order)] = np.arange(len(order), 0, -1) / len(order)
    return result


def _level(shares, usage):
    with np.errstate(divide="ignore", invalid="ignore"):
        return (shares / shares.sum()) / (usage / usage.sum())


def _parts(account_shares, account, shares, usage, sums=np.sum):
    """Level of each account, and of each user among those of the same account."""
    used = np.array([sums(usage[account == number]) for number in range(len(account_shares))])
    mine = np.empty(len(account))
    for number in range(len(account_shares)):
        members = account == number
        mine[members] = _level(shares[members], usage[members])
    return _level(account_shares, used), mine


def _walked(rule):
    def wrong(account_shares, account, shares, usage):
        level, mine = rule(account_shares, account, shares, usage)
        return _placed(sorted(range(len(account)), key=lambda u: (-level[account[u]], -mine[u], u)))

    return wrong


def _global(rule):
    def wrong(account_shares, account, shares, usage):
        value = rule(account_shares, account, shares, usage)
        return _placed(sorted(range(len(account)), key=lambda u: (-value[u], u)))

    return wrong


def _by_tree(account_shares, account, shares, usage):
    level, mine = _parts(account_shares, account, shares, usage)
    return sorted(range(len(account)), key=lambda u: (-level[account[u]], -mine[u], u))


def _without_accounts(account_shares, account, shares, usage):
    """Levels of all users in one list, as if they were siblings."""
    return _level(shares, usage)


def _classic(account_shares, account, shares, usage):
    normed = np.empty(len(account))
    for number in range(len(account_shares)):
        members = account == number
        normed[members] = account_shares[number] / account_shares.sum() * shares[members] / shares[members].sum()
    return scheduling.classic_fairshare(usage / usage.sum(), normed)


SHARES = Exercise(
    id="scheduling.factors",
    title="Who is next?",
    signature="factors(account_shares, account, shares, usage)",
    unit="",
    points=4,
    reference=factors,
    shows=(factors, scheduling.fair_tree),
    groups=(
        Group("trees", 0.8, _trees),
        Group(
            "edges",
            0.2,
            _edges,
            advice="A user without any usage is the first in the account; an account may have a single user.",
        ),
    ),
    hints=(
        "There are two decisions: which account is next, and which of its users? Users of different accounts are never compared.",
        "Level of an account: its part of all shares divided by its part of all usage, where its usage is the sum of its users'. Level of a user: "
        "the same among the users of the account. The largest level goes first.",
        "Sort the users by the level of their account, then by their own, the largest first. Of N users the first has the factor N/N, the next (N − 1)/N.",
    ),
    solution="""
import numpy as np


def level(shares, usage):
    with np.errstate(divide="ignore"):
        return (shares / shares.sum()) / (usage / usage.sum())


def factors(account_shares, account, shares, usage):
    used = np.array([usage[account == number].sum() for number in range(len(account_shares))])
    of_account = level(account_shares, used)
    own = np.empty(len(account))
    for number in range(len(account_shares)):
        own[account == number] = level(shares[account == number], usage[account == number])
    order = sorted(range(len(account)), key=lambda user: (-of_account[account[user]], -own[user]))
    result = np.empty(len(account))
    for place, user in enumerate(order):
        result[user] = (len(order) - place) / len(order)
    return result
""",
    explanation=(
        "The tree is evaluated from the top. All users of an account that has used too much rank behind those of an account that has used too "
        "little, even users without any usage. So users of one account can't improve their rank at the cost of another account."
    ),
    meaning=lambda: (
        f"In the recording Bob, who had used nothing, had the factor {_bob():.1f} (root and an operator were counted as users, too), because his colleague Alice had used the share of both. "
        "If your factor is low although you ran nothing, look at your account, not at your jobs."
    ),
    mistakes=(
        Mistake(
            "by usage alone",
            _global(lambda a, account, shares, usage: -usage),
            "You ranked users only by their usage. Their shares, and those of their accounts, count as well.",
        ),
        Mistake(
            "all are first",
            lambda account_shares, account, shares, usage: np.ones(len(account)),
            "You gave every user the factor 1. Only the first has it; the next of N users has (N − 1)/N.",
        ),
        Mistake(
            "one level for all",
            _global(lambda a, account, shares, usage: _parts(a, account, shares, usage)[1]),
            "You compared users of different accounts by their own levels. The accounts are ranked first; a user can overtake only users of the same account.",
        ),
        Mistake(
            "no accounts",
            _global(_without_accounts),
            "You ranked all users in one list, as if there were no accounts. Rank the accounts first, by their shares and the usage of all their users; then the users inside each.",
        ),
        Mistake(
            "in order of rank",
            lambda *a, **k: np.sort(factors(*a, **k))[::-1],
            "You returned the factors in order of rank. Return them in the order in which the users are given: the first number is that of user 0.",
        ),
        Mistake(
            "the older formula",
            _classic,
            "That is Slurm's older fairshare, 2 to the power of minus usage over share. Fair Tree uses ranks: the factors are ranks divided by the number of users.",
        ),
        Mistake(
            "sorted by the older formula",
            _global(lambda *tree: _classic(*tree)),
            "You ranked users by usage divided by their share of the whole machine. In a tree the accounts are compared first.",
        ),
        Mistake(
            "the wrong way round",
            lambda *a, **k: _placed(_by_tree(*a, **k)[::-1]),
            "Your order is reversed: a large level means that much was promised and little used, so it comes first.",
        ),
        Mistake(
            "places from 0",
            lambda *a, **k: (lambda placed: placed - 1 / len(placed))(_placed(_by_tree(*a, **k))),
            "All your factors are one rank too low. The first of N users has the factor 1, the last 1/N.",
        ),
        Mistake(
            "shares of accounts forgotten",
            _walked(lambda a, account, shares, usage: _parts(np.ones(len(a)), account, shares, usage)),
            "You ranked the accounts only by their usage. An account with more shares may use more.",
        ),
        Mistake(
            "shares of accounts shared out",
            _walked(
                lambda a, account, shares, usage: _parts(
                    a / np.bincount(account, minlength=len(a)), account, shares, usage
                )
            ),
            "You divided an account's shares by the number of its users. Accounts are compared as a whole, however many users they have.",
        ),
        Mistake(
            "shares of users forgotten",
            _walked(lambda a, account, shares, usage: _parts(a, account, np.ones(len(shares)), usage)),
            "Inside an account you ranked only by usage. Its users have shares, too.",
        ),
    ),
)


def _bob():
    return next(one.fairshare for one in scheduling.recorded_shares() if one.user == "bob" and one.fairshare < 1)
