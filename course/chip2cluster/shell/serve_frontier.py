"""Replicas that meet a required TTFT and TPOT: users and throughput for each number of chips."""

from __future__ import annotations

from argparse import Namespace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from . import shared_options
from .answer import Answer, Number
from .assumptions import Assumptions
from .pictures import serving_frontier
from .shared_options import UsageError
from .text_format import format_value

if TYPE_CHECKING:
    from ..reality import Expected
    from ..serving import Deployment
    from ..specs import Accelerator
    from ..transformer import Config

COUNTS = (1, 2, 4, 8)  # the law of a serving step holds inside one fabric
ONE_REPLICA = ("rate", "chips_per_replica")  # options that need a number of chips


class Point(NamedTuple):
    """Largest load of a replica of some chips that meets the requirements."""

    chips: int
    users: int
    token: Expected
    first: Expected

    @property
    def rate(self) -> float:
        """Output tokens per second and chip."""
        return self.users / self.token.seconds / self.chips


def frontier(options: Namespace, question: str, assumed: Assumptions, config: Config, device: Accelerator) -> Answer:
    """Return the frontier of ``serve`` without a number of chips."""
    from .. import serving

    if options.token_within is None and options.first_token_within is None:
        raise UsageError(
            "argument --chips is missing: give it, or --token-within and --first-token-within, for which the fewest are found"
        )
    for name in ONE_REPLICA:
        if getattr(options, name) is not None:
            raise UsageError(f"argument --{name.replace('_', '-')}: needs --chips")
    shared_options.memory(device, assumed)
    kept = assumed.value(
        "memory_share", "share of it for weights and cache", 0.9, "share", "illustrative", "vLLM's default"
    )
    prompt = assumed.value("prompt", "prompt tokens", 1000, "tokens", "illustrative", "a page or two")
    output = assumed.value("output", "output tokens", 500, "tokens", "illustrative", "most of a page")
    wanted = assumed.value("users", "concurrent users of a replica, at least", 1, "users", "illustrative", "the least")
    sizes = {"cache_precision": options.cache_precision, "memory_share": kept, "memory_bytes": device.driver_memory_bytes,
             "attention": options.attention or "tensor", "weight_precision": options.weight_precision}  # fmt: skip
    with shared_options.option_errors("--precision, --cache-precision"):
        least = serving.devices_needed(config, device, prompt + output, precision=options.precision, **sizes)
    points, sweeps = [], {}
    for count in COUNTS:
        if least is not None and count >= least:
            deployment = serving.deploy(config, device, count, options.precision, **sizes)
            sweeps[count] = partial(_sweep, options, deployment, device, prompt, output)
            with shared_options.option_errors("--precision"):
                if point := _largest(options, deployment, device, prompt, output):
                    points.append(point)
    assumed.note("interval", "a requirement is met if nine of ten measured services meet it", "90th percentile", "", "fitted",
                 "reality.expected, kinds serving_step and first_token")  # fmt: skip
    enough = [one for one in points if one.users >= wanted]
    required = ", ".join(
        f"{name} {format_value(limit, 's')}"
        for name, limit in (("TTFT", options.first_token_within), ("TPOT", options.token_within))
        if limit is not None
    )
    if not enough:
        most = max((one.users for one in points), default=0)
        reason = f"the most users are {most:,}" if most else f"not even one user has {required}"
        if least is None or least > COUNTS[-1]:
            reason = f"the model does not fit: {'no number of chips suffices' if least is None else f'at least {least} are needed'}"
        problem = f"no replica of up to {COUNTS[-1]} {device.name} serves {wanted:,} users within {required}: {reason}"
        return Answer(
            command="serve",
            question=question,
            numbers=tuple(_rows(points)),
            assumptions=assumed.rows,
            problems=(problem,),
        )
    fewest, best = enough[0], max(enough, key=lambda one: one.rate)
    says = f"fewest chips with {required}, {wanted:,} user{'s' if wanted > 1 else ''} or more"
    numbers = (
        _number("fewest_chips", says, fewest.chips, "chips", "reality.fewest_chips"),
        _number("best_chips", "chips of the replica with the most tokens per chip", best.chips, "chips", "reality.expected"),
        *_rows(points),
    )  # fmt: skip
    picture = partial(
        serving_frontier,
        sweeps,
        options.token_within,
        f"{shared_options.called(options)}, {device.name}, {options.precision}",
    )
    remarks = (
        "One replica, tensor parallel over its chips, without a queue; more replicas serve more users.",
        *_lacking(fewest.token, device.name, shared_options.called(options)),
    )
    return Answer(
        command="serve", question=question, numbers=numbers, assumptions=assumed.rows, remarks=remarks, picture=picture
    )


def _sweep(
    options: Namespace, deployment: Deployment, device: Accelerator, prompt: int, output: int
) -> list[tuple[float, float]]:
    """Return TPOT in seconds and output tokens/s of a chip for 1, 2, 4 and more users, up to as many as fit."""
    from .. import serving

    most = int(serving.largest_batch(deployment, prompt + output))
    users = [2**power for power in range(most.bit_length()) if 2**power <= most]
    points = [_point(options, deployment, device, prompt, output, count) for count in users]
    return [(float(one.token.seconds), float(one.rate)) for one in points]


def _largest(options: Namespace, deployment: Deployment, device: Accelerator, prompt: int, output: int) -> Point | None:
    """Return the largest load that meets the requirements, by bisection; None if one user is too many."""
    from .. import serving

    def met(one: Point) -> bool:
        return all(
            limit is None or time.high <= limit
            for time, limit in ((one.token, options.token_within), (one.first, options.first_token_within))
        )

    low, high = 0, int(serving.largest_batch(deployment, prompt + output)) + 1
    while high - low > 1:
        middle = (low + high) // 2
        one = _point(options, deployment, device, prompt, output, middle)
        low, high = (middle, high) if met(one) else (low, middle)
    return _point(options, deployment, device, prompt, output, low) if low else None


def _point(
    options: Namespace, deployment: Deployment, device: Accelerator, prompt: int, output: int, users: int
) -> Point:
    """Return the expected times of a replica with some concurrent users."""
    from .. import reality

    given: dict[str, Any] = {
        "chip": device, "model": deployment.config, "precision": options.weight_precision or options.precision, "chips": deployment.devices,
        "prompt_tokens": prompt, "output_tokens": output,
    }  # fmt: skip
    if deployment.attention == "data":
        given["attention_dp"] = deployment.devices

    token, first = (reality.expected(kind, given | {"users": users}) for kind in ("serving_step", "first_token"))
    return Point(deployment.devices, users, token, first)


def _lacking(found: Any, chip: str, model: str) -> list[str]:
    """Return a remark for a chip or a model without measurements, whose interval is that of a first one."""
    says = []
    if found.basis != "chip":
        lender = "its family" if found.basis == "family" else "all measured chips"
        says.append(
            f"No published service on {chip}: its constants are those of {lender}, its interval that of a chip without rows."
        )
    if not found.known_model:
        says.append(f"No published service with {model}: its interval is wider, that of a model without rows.")
    return says


def _rows(points: list[Point]) -> list[Number]:
    rows = []
    for one in points:
        group, key = f"{one.chips} chip{'s' if one.chips > 1 else ''}", f"_{one.chips}"
        rows += [
            _number(f"users{key}", "most users within the requirements", one.users, "users", "serving.largest_batch", group),
            _number(f"token_seconds{key}", "time per output token (TPOT)", one.token, "s", "reality.expected", group),
            _number(f"first_token_seconds{key}", "time to first token (TTFT)", one.first, "s", "reality.expected", group),
            _number(f"tokens_per_second_per_chip{key}", "output throughput of a chip", one.rate, "tokens/s", "reality.expected", group),
        ]  # fmt: skip
    return rows


def _number(name: str, says: str, value: Any, unit: str, function: str, group: str = "") -> Number:
    if hasattr(value, "seconds"):
        return Number(name=name, says=says, value=value.seconds, unit=unit, low=value.low, high=value.high,
                      function=function, topic="serving", group=group)  # fmt: skip
    return Number(name=name, says=says, value=value, unit=unit, function=function, topic="serving", group=group)
