"""A service that a reader brings along: a model on chips, and what is left of the rates of their sheet."""

from .. import serving, specs
from .model_given import a_model

# Medians of what `serving.measured_table` lists lie between 20 and 53 % of the arithmetic bound; 70 % is an ordinary memory copy.
REACHED = serving.Efficiency(compute=0.5, memory=0.7, link=0.7, overhead_seconds=2e-3)
SPEEDS = {"as kernels run": REACHED, "the sheet's": None}
REACHED_WORDS = "50 % of the peak, 70 % of the memory's rate, 2 ms between steps"


def a_service(model, chip, devices=1, precision="bf16", attention="tensor"):
    """Name and `serving.Deployment` of a model on chips, all of them as `serving.deploy` takes them.

    >>> name, deployment = a_service("Llama 3 8B", "H100 SXM")
    >>> name, deployment.devices
    ('Llama 3 8B on H100 SXM', 1)
    """
    name, config = a_model(model)
    device = specs.accelerator(chip)
    many = "" if devices == 1 else f"{devices} × "
    return f"{name} on {many}{device.name}", serving.deploy(config, device, devices, precision, attention=attention)


def load(deployment, prompt, output, shares):
    """Rates of requests a second, to two digits, that are these shares of what kernels can carry at most.

    >>> load(a_service("Llama 3 8B", "H100 SXM")[1], 1000, 100, (0.1, 0.5, 1.0))
    (3.1, 16.0, 31.0)
    """
    most = REACHED.compute * serving.throughput_bound(deployment, prompt, output) / output
    return tuple(dict.fromkeys(float(f"{share * most:.2g}") for share in shares))
