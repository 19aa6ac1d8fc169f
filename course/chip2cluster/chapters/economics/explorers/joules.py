"""Explorer of measured joules: how many chats share a step, what a token takes, and how long each waits."""

from typing import Any

from chip2cluster import draw, economics
from chip2cluster.draw.pictures.token_energy import figure
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Nearest
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.static_states import ALL, Strip
from chip2cluster.units import significant

MODELS = tuple(dict.fromkeys(row.model for row in economics.measured_answers()))
ASKED = {model: tuple(row.max_sequences for row in economics.measured_answers(model)) for model in MODELS}


def _chats(values):
    return ASKED[values["model"]]


class Joules(Explorer):
    """Put more chats into a step: the joules per token fall, and the time per output token grows.

    All points were measured: a mean over a run of chats, the devices alone.

    Parameters
    ----------
    chats : int
        Chats that may share a step: 8 to 1,024, those that were measured.
    model : str
        Such as ``"Llama 3.1 70B"``.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.joules(256).sentence[:61]
    'Llama 3.1 70B, 256 chats: 0.48 J a token, devices alone, and '
    """

    title = "Joules per token"
    extent = Extent(letters=220, rows=10)
    positional = ("chats", "model")
    controls = (
        Choice(name="model", label="Model", default="Llama 3.1 70B", options=MODELS),
        Nearest(name="chats", label="Concurrent chats, at most", default=8, options=_chats),
    )
    strip = Strip("chats", {"model": ALL})

    def frame(self, values: dict[str, Any]) -> Frame:
        model, chats = values["model"], values["chats"]
        series = tuple(_series(name) for name in MODELS)
        place = ASKED[model].index(chats)
        rows, marked = _rows(model, chats)
        picture = draw.token_energy(
            series, (MODELS.index(model), place), subtitle="Mean power of the devices over their rate"
        )
        keys = tuple(_key(*row[:2]) for row in rows)
        return Frame(picture, Table(_caption(model), COLUMNS, rows, marked, keys, note=NOTE), _say(model, chats))


def _series(model):
    rows = economics.measured_answers(model)
    return draw.Batches(
        f"{model}, {rows[0].devices} {rows[0].chip}",
        tuple(row.mean_sequences for row in rows),
        tuple(row.joules_per_output_token for row in rows),
        tuple(row.median_seconds_between_tokens for row in rows),
        tuple(_key(row.model, row.max_sequences) for row in rows),
    )


def _key(model, chats):
    """What a point of the picture and its row of the table have in common."""
    return f"{model}, {chats}"


def _measured(model, chats):
    return next((row for row in economics.measured_answers(model) if row.max_sequences == chats), None)


def _rows(model, chats):
    """Return rows of the model at each doubling and at the present count, then of the other models at that count."""
    places = [number for number in ASKED[model] if number.bit_count() == 1 or number == chats]
    wanted = [(model, number) for number in places] + [(name, chats) for name in MODELS if name != model]
    found = [row for row in (_measured(*one) for one in wanted) if row]
    marked = next(number for number, row in enumerate(found) if (row.model, row.max_sequences) == (model, chats))
    return tuple(
        (
            row.model,
            row.max_sequences,
            row.mean_watts,
            row.output_tokens_per_second,
            row.joules_per_output_token,
            1e3 * row.median_seconds_between_tokens,
        )
        for row in found
    ), marked


NOTE = "Measured, all devices of a model together, without host and cooling"


def _caption(model):
    row = economics.measured_answers(model)[0]
    return f"{model} on {row.devices} {row.chip}, {row.precision}"


def _say(model, chats):
    here, half = _measured(model, chats), _measured(model, chats // 2)
    said = (
        f"{model}, {_many(here)}: {figure(here.joules_per_output_token)} J a token, devices alone, and a time per "
        f"output token of {1e3 * here.median_seconds_between_tokens:.0f} ms."
    )
    if half:
        less = half.joules_per_output_token / here.joules_per_output_token
        wait = here.median_seconds_between_tokens / half.median_seconds_between_tokens
        said += f" From {chats // 2:,} to {chats:,} the joules fall by a factor of {less:.2f}, and the time per token grows by {wait:.2f}."
    elif chats == ASKED[model][0]:
        said += " Fewer were not measured."
    return said


def _many(row):
    """How many chats shared a step: what was allowed, and the mean where it stayed below."""
    if row.mean_sequences < 0.95 * row.max_sequences:
        return f"{row.mean_sequences:.0f} chats on average (at most {row.max_sequences:,})"
    return f"{row.max_sequences:,} chats"


COLUMNS = (
    Column("model"),
    Column("chats, at most", "", "{:,}".format),
    Column("power", "W", "{:,.0f}".format),
    Column("tokens", "1/s", "{:,.0f}".format),
    Column("energy per token", "J", lambda joules: significant(joules, 3)),
    Column("time per output token", "ms", "{:.0f}".format),
)
