"""Backends that run and time work on a GPU: PyTorch or CuPy, whichever is installed.

A backend is one file ``NAME_backend.py`` with a subclass of `Backend` called ``DeviceBackend``; `find_backend` finds it.
"""

from .backend import Backend, NoDevice, NotSupported, find_backend
from .state import DeviceState, device_state

__all__ = ["Backend", "DeviceState", "NoDevice", "NotSupported", "device_state", "find_backend"]
