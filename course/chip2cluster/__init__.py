"""Models, data and explorers for a course on AI accelerators and their networks.

Every model is a pure function or a frozen dataclass over NumPy. All signatures
use SI base units: FLOP, FLOP/s, bytes, bytes/s, seconds, watts. Submodules load
when first touched, so ``import chip2cluster`` stays light.

>>> from chip2cluster import roofline
>>> roofline.ridge_point(peak_flops=312e12, memory_bandwidth=2.0e12)
156.0
"""

from importlib import import_module
from pkgutil import iter_modules

__version__ = "0.1.0"
# Every folder here is a subject of its own; of the single files only the units are meant for readers.
__all__ = sorted([*(module.name for module in iter_modules(__path__) if module.ispkg), "units"])


def __getattr__(name):
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__():
    return sorted([*globals(), *__all__])
