"""Service of a reader: a model on chips, and the fractions of the datasheet's rates that its kernels reach."""

from collections.abc import Sequence
from dataclasses import replace

from .. import serving, specs, transformer
from .controls import Slider
from .custom_model import named_config

# Medians of the services in `serving.measured_table` are 20 to 53 % of the arithmetic bound; 70 % is an ordinary memory copy.
REACHED = serving.Efficiency(compute=0.5, memory=0.7, link=0.7, overhead_seconds=2e-3)
MOST_REQUESTS = 10_000  # custom rate, requests a second
SPEEDS = {"measured kernels": REACHED, "datasheet rates": None}
REACHED_WORDS = "50 % of the peak, 70 % of the memory bandwidth, 2 ms between steps"


def named_deployment(
    model: str | transformer.Config,
    chip: str | specs.Accelerator,
    devices: int = 1,
    precision: str = "bf16",
    attention: str = "tensor",
) -> tuple[str, serving.Deployment]:
    """Return the name and the `serving.Deployment` of a model on chips, from the arguments of `serving.deploy`.

    >>> name, deployment = named_deployment("Llama 3 8B", "H100 SXM")
    >>> name, deployment.devices
    ('Llama 3 8B on H100 SXM', 1)
    """
    name, config = named_config(model)
    device = specs.accelerator(chip)
    many = "" if devices == 1 else f"{devices} × "
    return f"{name} on {many}{device.name}", serving.deploy(config, device, devices, precision, attention=attention)


def request_rates(
    deployment: serving.Deployment, prompt: int, output: int, fractions: Sequence[float]
) -> tuple[float, ...]:
    """Return request rates, to two digits, that are these fractions of the most that kernels can carry, requests/s.

    >>> request_rates(named_deployment("Llama 3 8B", "H100 SXM")[1], 1000, 100, (0.1, 0.5, 1.0))
    (3.1, 16.0, 31.0)
    """
    most = REACHED.compute * serving.throughput_bound(deployment, prompt, output) / output
    return tuple(dict.fromkeys(float(f"{fraction * most:.2g}") for fraction in fractions))


def rate_slider(slider: Slider, rates: tuple[float, ...], start: float, custom: float | None = None) -> Slider:
    """Return the slider with these request rates, and with the reader's own rate among them if there is one."""
    if custom is not None and custom not in rates:
        if isinstance(custom, bool) or not isinstance(custom, (int, float)) or not 0 < custom <= MOST_REQUESTS:
            raise ValueError(
                f"rate must be a number of requests a second, above 0 and up to {MOST_REQUESTS:,}; got {custom!r}"
            )
        rates = tuple(sorted({*rates, custom}))
    return replace(slider, options=rates, default=start)
