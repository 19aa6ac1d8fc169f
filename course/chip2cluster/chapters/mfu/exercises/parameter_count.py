"""Exercise on the parameters of a published model, from its configuration file."""

from chip2cluster import transformer
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def parameters(layers, d_model, heads, kv_heads, d_hidden, vocab_size):
    """Parameters of a Llama-like model: gated, untied, without biases."""
    shape = dict(layers=layers, d_model=d_model, heads=heads, kv_heads=kv_heads, d_hidden=d_hidden)
    return transformer.parameters(transformer.Config(**shape, vocab_size=vocab_size, gated=True))


def _models(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"layers": 1, "d_model": 10, "heads": 5, "kv_heads": 1, "d_hidden": 20, "vocab_size": 100}
    drawn = []
    for heads, group, layers in zip(
        (16, 32, 40, 64, 96), (2, 4, 8, 8, 12), generator.integers(20, 120, 5), strict=True
    ):
        width = 128 * heads
        drawn.append(
            {
                "layers": int(layers),
                "d_model": width,
                "heads": heads,
                "kv_heads": heads // group,
                "d_hidden": 256 * int(width * generator.uniform(2.6, 3.6) / 256),
                "vocab_size": 64 * int(generator.integers(500, 3000)),
            }
        )
    return [easy, *drawn]


def _count(grouped=True, matrices=3, tables=2, norms=2, final=1, output=1, pair=2):
    def wrong(layers, d_model, heads, kv_heads, d_hidden, vocab_size):
        shared = kv_heads / heads if grouped else 1
        attention = d_model**2 * (1 + output + pair * shared)
        layer = attention + matrices * d_model * d_hidden + norms * d_model
        return layers * layer + final * d_model + tables * vocab_size * d_model

    return wrong


PARAMETERS = Exercise(
    id="mfu.parameters",
    title="The parameters of a real model",
    signature="parameters(layers, d_model, heads, kv_heads, d_hidden, vocab_size)",
    unit="",
    points=3,
    reference=parameters,
    shows=(parameters, transformer.parameters),
    tolerance=1e-9,
    groups=(Group("models", 1.0, _models),),
    hints=(
        "Count one layer first: attention, feed-forward, norms. Then multiply by the layers and add the parts around them.",
        "Keys and values are narrower than queries: kv_heads heads of width d / heads instead of heads of them.",
        "layers · (2d² + 2d · kv_heads · d / heads + 3d · d_hidden + 2d) + d + 2 · vocab_size · d.",
    ),
    solution="""
def parameters(layers, d_model, heads, kv_heads, d_hidden, vocab_size):
    kv_width = kv_heads * d_model // heads
    attention = 2 * d_model**2 + 2 * d_model * kv_width
    feed_forward = 3 * d_model * d_hidden
    norms = 2 * d_model
    return layers * (attention + feed_forward + norms) + d_model + 2 * vocab_size * d_model
""",
    explanation=(
        "The feed-forward matrices hold most of it: 70 of 100 parameters in Llama 3 8B. The norms are negligible in the sum, "
        "but with them your count agrees with the published one to the last digit, which proves that you "
        "read the configuration right."
    ),
    meaning=lambda: (
        f"For Llama 3 8B it gives {transformer.parameters(transformer.model('Llama 3 8B').config):,}, the same as its "
        "checkpoint to the last digit. So the configuration was read right."
    ),
    mistakes=(
        Mistake(
            "width of a head forgotten",
            lambda layers, d_model, heads, kv_heads, d_hidden, vocab_size: (
                parameters(layers, d_model, heads, kv_heads, d_hidden, vocab_size)
                + layers * 2 * d_model * kv_heads * (1 - d_model / heads)
            ),
            "You took kv_heads for the width of keys and values. Each of these heads is d / heads wide.",
        ),
        Mistake(
            "keys and values as wide as queries",
            _count(grouped=False),
            "You gave keys and values as many heads as the queries. They have kv_heads heads of width d / heads.",
        ),
        Mistake(
            "two feed-forward matrices",
            _count(matrices=2),
            "You counted two feed-forward matrices. This block is gated and has three: gate, up and down.",
        ),
        Mistake(
            "one table",
            _count(tables=1),
            "You counted one table of words. Input and output have one table each; they are not tied.",
        ),
        Mistake("no tables", _count(tables=0), "You left out the two tables of vocab_size × d around the layers."),
        Mistake(
            "norms forgotten", _count(norms=0, final=0), "You left out the norms: two in each layer and one at the end."
        ),
        Mistake("last norm forgotten", _count(final=0), "One vector is missing: the norm after the last layer."),
        Mistake(
            "keys without values",
            _count(pair=1),
            "You counted one matrix for keys and values. Each has its own, d × d_kv: four attention matrices in all.",
        ),
        Mistake(
            "two norms in all",
            lambda layers, d_model, **shape: parameters(layers, d_model, **shape) - 2 * (layers - 1) * d_model,
            "You counted two norms in all. Each layer has two of its own.",
        ),
        Mistake("one norm a layer", _count(norms=1), "Each layer has two norms: one before each of its blocks."),
        Mistake(
            "output projection forgotten",
            _count(output=0),
            "You left out the output matrix of the attention, d × d: four matrices in all.",
        ),
        Mistake(
            "one layer",
            lambda layers, **shape: parameters(layers=1, **shape),
            "That is one layer and the tables. Multiply the parameters of a layer by the number of layers.",
        ),
        Mistake(
            "everything repeated",
            lambda layers, d_model, heads, kv_heads, d_hidden, vocab_size: (
                layers * parameters(1, d_model, heads, kv_heads, d_hidden, vocab_size)
            ),
            "You multiplied the tables and the last norm by the layers as well. They occur only once, outside the layers.",
        ),
        Mistake(
            "the rule of twelve",
            lambda layers, d_model, heads, kv_heads, d_hidden, vocab_size: (
                12 * layers * d_model**2 + 2 * vocab_size * d_model
            ),
            "12 d² a layer holds for a plain GPT: four full attention matrices and two of d × 4d. Count the shapes given here.",
        ),
    ),
    mutants=MUTANTS["mfu.parameters"],
)
