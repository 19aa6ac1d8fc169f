"""Questions on serving."""

from statistics import median

from chip2cluster import links, serving
from chip2cluster.predict.question import Question

_LLAMA = serving.deploy("Llama 3 8B", "H100 SXM")
_PROMPT = 8192
_REACHED = serving.Efficiency(compute=0.5, memory=0.7, overhead_seconds=2e-3)


def _missed():
    return serving.time_to_first_token(_LLAMA, _PROMPT) / serving.time_between_tokens(_LLAMA, 4096)


def _why_missed(truth):
    read, step = serving.time_to_first_token(_LLAMA, _PROMPT), serving.time_between_tokens(_LLAMA, 4096)
    return (
        f"Two operations for each weight and each of 8,192 tokens, plus the attention scores, take {1e3 * read:.0f} ms "
        f"at the peak. A decode step of one token reads the weights once, {1e3 * step:.1f} ms. So at datasheet rates "
        f"{truth:.0f} decode steps fit into the prefill of one prompt."
    )


def _users():
    return float(serving.largest_batch(_LLAMA, 4 * _PROMPT))  # a token without grouped heads takes what four take


def _why_users(truth):
    room, each = _LLAMA.cache_room, 4 * _PROMPT * _LLAMA.cache_per_token
    reserve = serving.deploy("Llama 3 8B", "H100 SXM", memory_share=0.9)
    return (
        f"{_LLAMA.memory_bytes / 1e9:.1f} GB minus {_LLAMA.weight_memory / 1e9:.1f} GB of weights leave {room / 1e9:.1f} GB. "
        f"With 32 cached heads a token takes four times 131 kB, so 8,192 tokens take {each / 1e9:.1f} GB: {truth:.0f} users. With grouped "
        f"heads {serving.largest_batch(_LLAMA, _PROMPT)} fit. (If a tenth of the memory is kept for the server's runtime and activations, "
        f"{serving.largest_batch(reserve, 4 * _PROMPT)} and {serving.largest_batch(reserve, _PROMPT)}.)"
    )


def _pieces():
    return 1e3 * serving.time_to_first_token(_LLAMA, 512, efficiency=_REACHED)


def _why_pieces(truth):
    tflop = (truth * 1e-3 - _REACHED.overhead_seconds) * _REACHED.compute * _LLAMA.peak_flops_dense / 1e12
    return (
        f"A step of 512 tokens is {tflop:.1f} TFLOP (two operations with each of 7.0 billion weights, and the attention scores). At half of the "
        f"peak, plus 2 ms, that takes {truth:.1f} ms. However long a prompt is, "
        "no user waits much longer for the next token (only the prompt's attention scores grow); the prompt "
        "itself takes more steps."
    )


def _shares():
    return [row.share for row in serving.measured_rows("throughput") if row.has_model_shape and row.chip == "H100 SXM"]


def _reached():
    return 100 * median(_shares())


def _why_reached(truth):
    shares = _shares()
    return (
        f"The median of {len(shares)} published measurements on H100 is {truth:.0f} % of the bound; the worst reaches "
        f"{100 * min(shares):.0f} %, the best {100 * max(shares):.0f} %. Long answers to short prompts come closest, "
        "because little but memory bandwidth matters there."
    )


def _unluckiest():
    return serving.wait_percentile(1, 0.9, 1.0, 99)


def _why_unluckiest(truth):
    return f"{truth:.0f} s: five times the mean. The probability of a wait falls exponentially, and 1 % is far in the tail. The logarithm of 90 is 4.5, and 1 s over 1 − 0.9 is 10 s."


def _hide():
    return serving.tokens_to_hide(_LLAMA, links.pcie(5, 16).bandwidth_one_way)


def _why_hide(truth):
    return (
        "A weight takes two bytes on the link and two operations for each token, so the number of tokens is the peak "
        f"over the link's rate: {truth:,.0f}. A long prompt has that many; a decode step has only as many tokens as "
        "users, so it never hides the link."
    )


# Llama 3.1 70B on B200, TensorRT-LLM, prompts of 1,024 and answers of 8,192 tokens, 4 users: seconds of a token, as measured
# by SemiAnalysis's InferenceX (github.com/ai-dynamo/aiconfigurator at 095f58a5, systems/data).
_TWO_CHIPS_FP8, _EIGHT_CHIPS_FP4 = 0.00984383, 0.00613727


def _eight():
    return _TWO_CHIPS_FP8 / _EIGHT_CHIPS_FP4


def _why_eight(truth):
    return (
        f"{1e3 * _TWO_CHIPS_FP8:.1f} ms became {1e3 * _EIGHT_CHIPS_FP4:.1f} ms: {truth:.1f} times as fast. The memory "
        "traffic fell by a factor of eight; kernel launches, 160 all-reduces and the scheduler take as long as before, "
        "and they are most of the step now."
    )


_LONG, _ANSWERS = 16 * _PROMPT, 512


def _long():
    return serving.time_to_first_token(_LLAMA, _LONG) / serving.time_to_first_token(_LLAMA, _PROMPT)


def _why_long(truth):
    return (
        f"{truth:.0f} times. The arithmetic of the weights grows 16 times, but that of the scores 256 times, because "
        "each token attends to all tokens before it. The bound rises from "
        f"{1e3 * serving.time_to_first_token(_LLAMA, _PROMPT):.0f} ms to "
        f"{serving.time_to_first_token(_LLAMA, _LONG):.1f} s."
    )


def _rollouts():
    # Mean of the largest of n exponential lengths, over the mean of one: the harmonic number.
    return sum(1 / k for k in range(1, _ANSWERS + 1))


def _why_rollouts(truth):
    return f"{truth:.1f} times: 1 + 1/2 + … + 1/{_ANSWERS}. The trainer waits for the longest of {_ANSWERS} answers, so in an average step only {100 / truth:.0f} % of the slots are busy."


QUESTIONS = (
    Question(
        "serving.missed",
        "Llama 3 8B in bf16 answers user A alone on an H100 (989 TFLOP/s, 3.35 TB/s). The server processes user "
        "B's prompt of 8,192 tokens in one step before it continues. How many tokens would A have got meanwhile?",
        "tokens", _missed, _why_missed,
    ),
    Question(
        "serving.users",
        "An H100 has 85.5 GB. Llama 3 8B has 16 GB of weights and caches 131 kB a token, for 8 cached heads. If all "
        "32 query heads had their own, how many users of 8,192 tokens would fit?",
        "users", _users, _why_users,
    ),
    Question(
        "serving.pieces",
        "Whole prompts made other users wait. Now a step may have at most 512 tokens, of answers and chunks of "
        "prompts together. Kernels reach half of 989 TFLOP/s; each step adds 2 ms. How many ms is the longest?",
        "ms", _pieces, _why_pieces,
    ),
    Question(
        "serving.reached",
        "There are 61 published measurements of whole H100 servers, for prompts and answers of many lengths. What percentage of the bound does the median measurement reach?",
        "%", _reached, _why_reached,
    ),
    Question(
        "serving.unluckiest",
        "One server takes 1 s for a request, with random lengths, and is busy 90 % of the time. The mean wait before service is 9 s. How many seconds is "
        "the 99th percentile of the wait?",
        "s", _unluckiest, _why_unluckiest,
    ),
    Question(
        "serving.hide",
        "The bf16 weights stay in host memory and come over PCIe 5, 63 GB/s, layer by layer in each step. An H100"
        " computes at 989 TFLOP/s. How many tokens must a step have so that the link doesn't slow it?",
        "tokens", _hide, _why_hide,
    ),
    Question(
        "serving.eight",
        "Four users decode Llama 3.1 70B on two B200 in fp8. The operator moves to eight B200 and fp4, so each chip "
        "reads an eighth as many bytes of weights. How many times as fast did the measured tokens come?",
        "times", _eight, _why_eight,
    ),
    Question(
        "serving.long",
        "At the peak of an H100 the prefill of 8,192 tokens of Llama 3 8B takes 133 ms, 18 of them for attention scores. How many times as long does a "
        "prompt of 16 times the length take?",
        "times", _long, _why_long,
    ),
    Question(
        "serving.rollouts",
        "512 answers are decoded side by side, and their lengths are exponentially distributed. The trainer starts "
        "when the last one is finished. For how many mean answer lengths, in steps, does the pool decode until then?",
        "times", _rollouts, _why_rollouts,
    ),
)  # fmt: skip
