"""Exercise on the sequences and tokens that a server schedules in its next step."""

from collections import deque

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake
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
            advice="Look at a prompt that fills its last block, at one that takes the last block there is, at one that never fits, and at a step in which nobody decodes.",
        ),
    ),
    hints=(
        "Two budgets: blocks and tokens. Spend on those that decode first, one token each, and one block for each whose blocks are full.",
        "Then walk along the line. -(-prompt // block_tokens) rounds up; when the blocks don't suffice, break: nobody overtakes.",
        "Inside the loop: take the blocks of the whole prompt, read min(prompt, tokens left), and go on even when no token is left.",
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
        "This is the inner loop of a server. Those that decode never stop for a prompt: it comes in pieces beside them. Blocks are "
        "the hard budget and tokens the soft one; the first decides who is in, the second how long a step takes, and so how long "
        "everybody waits for the next token."
    ),
    meaning=lambda: (
        "vLLM's scheduler is this loop and some more: it takes blocks piece by piece, shares those of equal prefixes, and sends the youngest "
        "back to the line when blocks run out. Its two budgets are called max_num_batched_tokens and num_gpu_blocks."
    ),
    mistakes=(
        Mistake(
            "somebody overtakes",
            _rules(skip=True),
            "You let a small request pass one for which there is no room. First come, first served: behind the first that does not fit, "
            "all wait. Otherwise a long prompt might wait forever.",
        ),
        Mistake(
            "shortest first",
            _rules(order=sorted),
            "You took the shortest first. The line is in the order of arrival.",
        ),
        Mistake(
            "the decoding are free",
            _rules(counted=False),
            "You gave all of step_tokens to prompts. Each sequence that decodes takes one token of the step.",
        ),
        Mistake(
            "nobody grows",
            _rules(grow=lambda cached, block: 0),
            "You gave the sequences that decode no new blocks. Whose blocks are all full needs one for the next token.",
        ),
        Mistake(
            "everybody grows",
            _rules(grow=lambda cached, block: 1),
            "You took a block for every sequence that decodes. Only those whose blocks are full need one.",
        ),
        Mistake(
            "a block too late",
            _rules(grow=lambda cached, block: (cached + 1) % block == 0),
            "You took a block for the sequence whose last block gets its last token now. The one that needs a block is the one with none left.",
        ),
        Mistake(
            "blocks rounded down",
            _rules(need=lambda prompt, block: prompt // block),
            "You rounded the blocks of a prompt down. Its last tokens need a block too.",
        ),
        Mistake(
            "one block more",
            _rules(need=lambda prompt, block: prompt // block + 1),
            "You gave a prompt a block more than the full ones. One that fills its last block needs no other.",
            v.EDGES,
            share=0.8,
        ),
        Mistake(
            "whole prompts",
            _rules(piece=_all_or_nothing),
            "You read a prompt whole or not at all. Here it is read in pieces: what is left of the step's tokens is read, the rest in later steps.",
        ),
        Mistake(
            "blocks of the piece",
            _rules(left=True),
            "You took blocks for the piece that is read now. Who comes in takes the blocks of the whole prompt at once.",
        ),
        Mistake(
            "full of tokens",
            _rules(only_read=True),
            "You stopped when the step had no tokens left. Blocks decide who comes in; a request may come in and be read from the next step on.",
        ),
        Mistake(
            "the last block kept",
            _rules(kept=1),
            "You left a request out that would take the last blocks. Free blocks that are just enough are enough.",
            v.EDGES,
            share=0.8,
        ),
        Mistake(
            "tokens never spent",
            lambda decoding, waiting, free_blocks, block_tokens, step_tokens: np.array(
                [
                    [blocks, min(prompt, step_tokens - len(decoding)) if blocks else 0]
                    for (blocks, _), prompt in zip(
                        fill_step(decoding, waiting, free_blocks, block_tokens, step_tokens), waiting, strict=True
                    )
                ],
                dtype=float,
            ),
            "You gave each prompt all that the step has left for prompts. What one reads, the next cannot.",
        ),
    ),
    mutants=MUTANTS["serving.fill_step"],
)
