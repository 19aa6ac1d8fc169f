"""Exercise on the concurrent users whose KV caches fit."""

from chip2cluster import specs
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake, Together
from chip2cluster.transformer import Config, LatentAttention, kv_cache_per_token

from ..mutants import MUTANTS

HEAD = 128  # numbers of a key, and of a value


def users(memory_gbytes, parameters, layers, heads, kv_heads, latent, tokens, block_tokens):
    """Sequences of a length for which there are blocks beside the weights, all in bf16."""
    if latent:
        kept = LatentAttention(kv_lora_rank=latent - 64, qk_nope_head_dim=HEAD, qk_rope_head_dim=64, v_head_dim=HEAD)
        config = Config(layers=layers, d_model=HEAD * heads, heads=heads, vocab_size=1000, latent=kept)
    else:
        config = Config(layers=layers, d_model=HEAD * heads, heads=heads, kv_heads=kv_heads, vocab_size=1000)
    return _fit(memory_gbytes * 1e9 - 2 * parameters, kv_cache_per_token(config), tokens, block_tokens)


def _fit(room, each, tokens, block_tokens):
    blocks = max(0, room) // (each * block_tokens)
    return int(blocks // -(-tokens // block_tokens))


def _case(generator, latent=0, block=16, whole=False):
    heads = int(generator.choice([32, 64, 96]))
    layers = int(generator.integers(20, 100))
    tokens = int(generator.integers(300, 9000)) // block * block + (
        0 if whole else int(generator.integers(2, block - 2))
    )
    memory = float(generator.integers(8, 60) * 10)
    return {
        "memory_gbytes": memory,
        "parameters": round(float(generator.uniform(0.1, 0.35)) * memory, 1) * 1e9,
        "layers": layers,
        "heads": heads,
        "kv_heads": 0 if latent else int(generator.choice([4, 8, 16])),
        "latent": latent,
        "tokens": tokens,
        "block_tokens": block,
    }


def _models(generator):
    # A case that can be done on paper comes first: it is the one that a student sees. 10,240 bytes a token.
    easy = dict(
        memory_gbytes=3.0, parameters=1e9, layers=10, heads=8, kv_heads=2, latent=0, tokens=100, block_tokens=16
    )
    drawn = [_case(generator, latent, block) for latent, block in ((0, 16), (576, 16), (0, 64), (320, 32), (0, 128))]
    return [easy, *drawn]


def _edges(generator):
    full = _case(generator)
    return [
        _case(generator, whole=True),
        _case(generator, 576, whole=True),
        full | {"parameters": full["memory_gbytes"] * 6e8},
    ]


def _rule(each=None, room=None, count=None):
    """The calculation with one of its parts changed."""

    def wrong(memory_gbytes, parameters, layers, heads, kv_heads, latent, tokens, block_tokens):
        numbers = (each or _each)(layers, heads, kv_heads, latent)
        left = (room or (lambda m, p: m * 1e9 - 2 * p))(memory_gbytes, parameters)
        return (count or _fit)(left, 2 * numbers, tokens, block_tokens)

    return wrong


def _without_blocks(room, each, tokens, block_tokens):
    return int(max(0, room) // (each * tokens))


def _each(layers, heads, kv_heads, latent):
    return layers * (latent or 2 * kv_heads * HEAD)


USERS = Exercise(
    id="serving.users",
    title="How many users fit?",
    signature="users(memory_gbytes, parameters, layers, heads, kv_heads, latent, tokens, block_tokens)",
    unit="users",
    points=4,
    reference=users,
    shows=(users, kv_cache_per_token),
    groups=(
        Group("heads and latents", 0.8, _models),
        Group(
            "edges",
            0.2,
            _edges,
            advice="If the tokens fill the last block, no block is added. If the weights alone do not fit, no user does: 0.",
        ),
    ),
    hints=(
        "First the bytes of one token: in each layer, a key and a value for each cached head, or one latent. Each number has two bytes.",
        "Then blocks: how many whole blocks fit beside the weights, and how many does one user need if the last one may be partly empty?",
        "Use whole numbers: round the available blocks down, round one user's blocks up, and round their quotient down.",
    ),
    solution="""
import math


def users(memory_gbytes, parameters, layers, heads, kv_heads, latent, tokens, block_tokens):
    numbers = latent if latent else 2 * kv_heads * 128
    bytes_per_token = 2 * layers * numbers
    room = memory_gbytes * 1e9 - 2 * parameters
    blocks = max(0, math.floor(room / (bytes_per_token * block_tokens)))
    return blocks // math.ceil(tokens / block_tokens)
""",
    explanation=(
        "The number of query heads does not matter, because queries are not kept. The cache keeps one key and one "
        "value for each cached head, or a latent from which both are rebuilt. With paged blocks each user wastes less "
        "than one block; before, room for the longest possible answer was reserved for everybody."
    ),
    meaning=lambda: (
        f"An H100, with 85.5 GB by its driver, has room for {_llama(8)} users of 8,192 tokens with Llama 3 8B. With a key and a value for each of "
        f"its 32 heads it would have room for {_llama(32)}. So GQA determines how many users share each read of the "
        "weights."
    ),
    mistakes=(
        Mistake(
            "keys only",
            _rule(each=lambda n, h, k, c: n * (c or k * HEAD)),
            "You cached one vector for each head. Both a key and a value are kept, so there are two.",
        ),
        Mistake(
            "latent counted twice",
            _rule(each=lambda n, h, k, c: n * 2 * (c or k * HEAD)),
            "You doubled the latent. It is kept once, because keys and values are both rebuilt from it.",
        ),
        Mistake(
            "query heads",
            _rule(each=lambda n, h, k, c: n * (c or 2 * h * HEAD)),
            "You cached keys and values for all query heads. Groups of query heads share them: only kv_heads are cached.",
        ),
        Mistake(
            "one layer",
            _rule(each=lambda n, h, k, c: c or 2 * k * HEAD),
            "You counted one layer. Each layer keeps its own keys and values.",
        ),
        Mistake(
            "one byte per number",
            lambda **case: _rule(each=lambda n, h, k, c: _each(n, h, k, c) / 2)(**case),
            "You counted one byte per cached number. In bf16 it is two.",
        ),
        Mistake(
            "weights forgotten",
            _rule(room=lambda m, p: m * 1e9),
            "You gave all of the memory to the cache. The weights, two bytes a parameter, are in memory as well.",
        ),
        Mistake(
            "one byte per weight",
            _rule(room=lambda m, p: m * 1e9 - p),
            "You counted one byte per parameter. In bf16 it is two.",
        ),
        Mistake(
            "GiB",
            _rule(room=lambda m, p: m * 2**30 - 2 * p),
            "You took the GB of the memory as GiB. 1 GB is 10**9 bytes.",
            v.UNIT,
        ),
        Mistake(
            "no blocks",
            _rule(count=_without_blocks),
            "You gave each user exactly the bytes of their tokens. Memory is allocated in blocks, and a partly filled last block belongs to one user alone.",
            share=0.0,
        ),
        Mistake(
            "blocks rounded down",
            _rule(count=lambda room, each, tokens, block: int(max(0, room) // (each * block) // (tokens // block))),
            "You rounded a user's blocks down, so the last tokens have no room. A partly filled block still counts as a block.",
        ),
        Mistake(
            "one block too many",
            _rule(count=lambda room, each, tokens, block: int(max(0, room) // (each * block) // (tokens // block + 1))),
            "You gave every user one block more than the full ones. If the tokens fill the last block, no block is added.",
            v.EDGES,
            share=0.8,
        ),
        Mistake(
            "users rounded up",
            _rule(
                count=lambda room, each, tokens, block: int(-(-(max(0, room) // (each * block)) // -(-tokens // block)))
            ),
            "You rounded the users up. The last one does not fit completely.",
        ),
        Mistake(
            "blocks instead of users",
            _rule(count=lambda room, each, tokens, block: int(max(0, room) // (each * block))),
            "You returned the blocks. Each user needs several.",
        ),
    ),
    together=(
        Together(
            "query heads",
            "no blocks",
            _rule(each=lambda n, h, k, c: n * (c or 2 * h * HEAD), count=_without_blocks),
        ),
        Together("weights forgotten", "no blocks", _rule(room=lambda m, p: m * 1e9, count=_without_blocks)),
    ),
    mutants=MUTANTS["serving.users"],
)


def _llama(kv_heads):
    memory = specs.accelerator("H100 SXM").driver_memory_bytes / 1e9
    return users(memory, 8030261248, 32, 32, kv_heads, 0, 8192, 16)
