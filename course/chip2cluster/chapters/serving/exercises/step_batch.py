"""Exercise on the sequences and tokens that a server schedules in its next step."""

from collections import deque

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake, Together
from chip2cluster.serving import Replica
from chip2cluster.serving.replica_scheduler import Engine, SequenceState

from ..mutants import MUTANTS


def fill_step(decoding, waiting, free_blocks, block_tokens, step_tokens):
    """Blocks that each waiting request takes and tokens of it that are read, by a real engine."""
    held = [-(-cached // block_tokens) for cached in decoding]
    rules = Replica(
        step_seconds=lambda batch: 1.0,
        cache_blocks=max(1, sum(held) + free_blocks),
        block_tokens=block_tokens,
        max_sequences=step_tokens,
        step_tokens=step_tokens,
        prefix_cache=False,
    )
    queue = [SequenceState(number, prompt, 10**6) for number, prompt in enumerate(waiting)]
    engine = Engine(rules, deque(queue))
    for number, (cached, blocks) in enumerate(zip(decoding, held, strict=True)):
        running = SequenceState(-1 - number, 1, 10**6)
        running.cached, running.blocks = cached, blocks
        engine.decoding.append(running)
    engine.free_blocks = free_blocks
    engine.start_step()
    pieces = {id(one): count for one, count in engine.chunks}
    return np.array([[one.blocks, pieces.get(id(one), 0)] for one in queue], dtype=float)


def _case(generator, running, prompts, block, spare=None):
    """A step with so many that decode and wait; ``spare`` blocks are left when so many prompts have come in."""
    decoding = [int(n) for n in generator.integers(2, 9 * block, running)]
    decoding[0] = block * int(generator.integers(1, 9))  # one whose blocks are full
    waiting = [int(n) for n in generator.integers(block + 1, 12 * block, prompts)]
    grown = sum(cached % block == 0 for cached in decoding)
    needs = [-(-prompt // block) for prompt in waiting]
    come = int(generator.integers(1, prompts)) if spare is None else prompts
    # The next one lacks a block or two, which one behind it would not lack.
    free = (
        grown + sum(needs[:come]) + (max(0, needs[come] - int(generator.integers(1, 3))) if come < prompts else spare)
    )
    first = sum(waiting[:come])
    tokens = running + max(
        prompts, int(generator.uniform(0.3, 0.9) * first)
    )  # the engine takes no more sequences than tokens
    return {
        "decoding": decoding,
        "waiting": waiting,
        "free_blocks": int(free),
        "block_tokens": block,
        "step_tokens": int(tokens),
    }


def _steps(generator):
    # A case that can be done on paper comes first: it is the one that a student sees.
    easy = {"decoding": [8, 5], "waiting": [6, 9, 3], "free_blocks": 5, "block_tokens": 4, "step_tokens": 7}
    drawn = [
        _case(generator, running, prompts, block)
        for running, prompts, block in ((3, 4, 8), (5, 3, 16), (8, 5, 16), (2, 4, 4))
    ]
    # Enough tokens for all that come in, and the one that does not fit has a small one behind it.
    roomy = {
        "decoding": [int(n) for n in generator.integers(3, 90, 4)],
        "waiting": [int(generator.integers(20, 30)), int(generator.integers(100, 120)), int(generator.integers(3, 9))],
        "free_blocks": int(generator.integers(7, 9)),
        "block_tokens": 16,
        "step_tokens": 512,
    }
    return [easy, *drawn, roomy]


def _edges(generator):
    block = 16
    whole = _case(generator, 3, 3, block, spare=2)
    whole["waiting"] = [block * int(n) for n in generator.integers(1, 4, 3)]
    full = {
        "decoding": [20, 37],
        "waiting": [int(generator.integers(70, 90))],
        "free_blocks": 3,
        "block_tokens": block,
        "step_tokens": 64,
    }
    alone = {"decoding": [], "waiting": [40, 30], "free_blocks": 9, "block_tokens": block, "step_tokens": 64}
    # The last blocks are just enough.
    prompt = int(generator.integers(5, 9)) * block - int(generator.integers(1, 9))
    even = {
        "decoding": [],
        "waiting": [prompt],
        "free_blocks": -(-prompt // block),
        "block_tokens": block,
        "step_tokens": 64,
    }
    return [whole, full, alone, even]


def _rules(
    need=lambda prompt, block: -(-prompt // block),
    grow=lambda cached, block: cached % block == 0,
    skip=False,
    order=list,
    counted=True,
    piece=min,
    only_read=False,
    left=None,
    kept=0,
):
    """The scheduler with one of its rules changed."""

    def wrong(decoding, waiting, free_blocks, block_tokens, step_tokens):
        free = free_blocks - sum(grow(cached, block_tokens) for cached in decoding)
        tokens = step_tokens - (len(decoding) if counted else 0)
        rows = np.zeros((len(waiting), 2))
        for place in (
            order(range(len(waiting))) if order is list else sorted(range(len(waiting)), key=waiting.__getitem__)
        ):
            blocks = need(waiting[place], block_tokens)
            if left:
                blocks = -(-min(waiting[place], max(tokens, 0)) // block_tokens)
            if blocks > free - kept or (only_read and tokens <= 0):
                if skip:
                    continue
                break
            free -= blocks
            read = piece(waiting[place], max(tokens, 0))
            tokens -= read
            rows[place] = blocks, read
        return rows

    return wrong


def _all_or_nothing(prompt, tokens):
    return prompt if prompt <= tokens else 0


FILL = Exercise(
    id="serving.fill_step",
    title="Fill a step",
    signature="fill_step(decoding, waiting, free_blocks, block_tokens, step_tokens)",
    unit="",
    points=6,
    reference=fill_step,
    shows=(fill_step,),
    groups=(
        Group("steps", 0.8, _steps),
        Group(
            "edges",
            0.2,
            _edges,
            advice="Consider a prompt that fills its last block, one that takes the last free block, one that never fits, and a step without decoding sequences.",
        ),
    ),
    hints=(
        "There are two budgets: blocks and tokens. Spend them on the decoding sequences first: one token each, and one block for each sequence whose blocks are full.",
        "Then go through the queue. -(-prompt // block_tokens) rounds up; when the free blocks are not enough, break: no request overtakes another.",
        "Inside the loop: allocate blocks for the whole prompt, prefill min(prompt, tokens left), and continue even when no token is left.",
    ),
    solution="""
def fill_step(decoding, waiting, free_blocks, block_tokens, step_tokens):
    for cached in decoding:
        if cached % block_tokens == 0:        # all its blocks are full: the next token needs a new one
            free_blocks -= 1
    tokens_left = step_tokens - len(decoding)
    taken = []
    for prompt in waiting:
        blocks = -(-prompt // block_tokens)   # rounded up
        if blocks > free_blocks:
            break                             # nobody overtakes
        free_blocks -= blocks
        piece = min(prompt, tokens_left)
        tokens_left -= piece
        taken.append([blocks, piece])
    return taken + [[0, 0]] * (len(waiting) - len(taken))
""",
    explanation=(
        "This is the inner loop of a server. Decoding sequences never stop for a prompt, because it is prefilled in "
        "chunks alongside them. Blocks are the hard budget and decide which requests are admitted; tokens are the soft "
        "budget and set how long a step takes, and so the inter-token latency."
    ),
    meaning=lambda: (
        "vLLM's scheduler is this loop with additions: it allocates blocks step by step, shares the blocks of equal "
        "prefixes, and preempts the youngest request when blocks run out. Its two budgets are max_num_batched_tokens "
        "and num_gpu_blocks."
    ),
    mistakes=(
        Mistake(
            "requests overtake",
            _rules(skip=True),
            "You let a small request overtake one that does not fit. The queue is first come, first served: behind the "
            "first request that does not fit, all wait. Otherwise a long prompt might wait forever.",
        ),
        Mistake(
            "shortest first",
            _rules(order=sorted),
            "You took the shortest prompts first. The queue is in order of arrival.",
        ),
        Mistake(
            "decoding sequences take no tokens",
            _rules(counted=False),
            "You gave all of step_tokens to prompts. Each decoding sequence takes one token of the step.",
        ),
        Mistake(
            "no block for decoding sequences",
            _rules(grow=lambda cached, block: 0),
            "You gave the decoding sequences no new blocks. A sequence whose blocks are all full needs one for its next token.",
        ),
        Mistake(
            "a block for every decoding sequence",
            _rules(grow=lambda cached, block: 1),
            "You took a block for every decoding sequence. Only those whose blocks are full need one.",
        ),
        Mistake(
            "block one token early",
            _rules(grow=lambda cached, block: (cached + 1) % block == 0),
            "You took a block for the sequence whose last block gets its last token in this step. A sequence needs a new block only if its blocks are already full.",
        ),
        Mistake(
            "blocks rounded down",
            _rules(need=lambda prompt, block: prompt // block),
            "You rounded the blocks of a prompt down. Its last tokens need a block too.",
        ),
        Mistake(
            "one block too many",
            _rules(need=lambda prompt, block: prompt // block + 1),
            "You gave a prompt one block more than its full ones. A prompt that fills its last block needs no other.",
            v.EDGES,
            share=0.8,
        ),
        Mistake(
            "whole prompts",
            _rules(piece=_all_or_nothing),
            "You prefill a prompt completely or not at all. Here it is prefilled in chunks: this step takes as much as its token budget allows, later steps take the rest.",
        ),
        Mistake(
            "blocks of the chunk",
            _rules(left=True),
            "You took blocks only for the chunk that is prefilled now. An admitted request takes the blocks of its whole prompt at once.",
        ),
        Mistake(
            "stopped when tokens ran out",
            _rules(only_read=True),
            "You stopped when the step had no tokens left. Blocks decide which requests are admitted; a request may be admitted now and prefilled from the next step on.",
        ),
        Mistake(
            "last block refused",
            _rules(kept=1),
            "You refused a request that would take the last blocks. Exactly enough free blocks are enough.",
            v.EDGES,
            share=0.8,
        ),
        Mistake(
            "tokens not subtracted",
            lambda decoding, waiting, free_blocks, block_tokens, step_tokens: np.array(
                [
                    [blocks, min(prompt, step_tokens - len(decoding)) if blocks else 0]
                    for (blocks, _), prompt in zip(
                        fill_step(decoding, waiting, free_blocks, block_tokens, step_tokens), waiting, strict=True
                    )
                ],
                dtype=float,
            ),
            "You gave each prompt all tokens that the step has left for prompts. Subtract the tokens of one prompt before you go to the next.",
        ),
    ),
    together=(
        Together(
            "no block for decoding sequences", "requests overtake", _rules(skip=True, grow=lambda cached, block: 0)
        ),
    ),
    mutants=MUTANTS["serving.fill_step"],
)
