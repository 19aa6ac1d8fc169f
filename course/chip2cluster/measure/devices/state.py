"""Clock, power, temperature and throttle reasons of an NVIDIA GPU, by the management library of its driver."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from functools import cache
from typing import Any

# Bits of NVML that lower the clock under load; 1 (idle), 2 (a chosen clock) and 16 (sync boost) do not.
THROTTLE_BITS = {
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "power brake",
}
_SM_CLOCK, _TEMPERATURE = 1, 0  # enumerations of nvml.h


@dataclass(frozen=True)
class DeviceState:
    """State of a device at one moment; None where the driver has no value.

    Attributes
    ----------
    clock_hz, max_clock_hz : float, optional
        Clock of the SMs and its maximum, hertz.
    power_watts, power_limit_watts : float, optional
        Power of the board, a mean over about a second on most cards, and its limit, watts.
    temperature_celsius : float, optional
        Temperature of the chip.
    throttle : tuple of str
        Reasons why the clock is lower than it could be; empty if there are none.
    driver : str
        Version of the driver.
    """

    clock_hz: float | None = None
    max_clock_hz: float | None = None
    power_watts: float | None = None
    power_limit_watts: float | None = None
    temperature_celsius: float | None = None
    throttle: tuple[str, ...] = ()
    driver: str = ""


def device_state(index: int = 0) -> DeviceState:
    """Read the state of a GPU.

    Parameters
    ----------
    index : int
        Number of the GPU among the visible ones.

    Returns
    -------
    DeviceState
        State; empty on a machine without the driver's management library.

    Notes
    -----
    A read takes less than a millisecond. Ignores GPUs of other vendors and MIG slices. Source: NVIDIA, NVML API reference.

    Examples
    --------
    >>> device_state().throttle
    ()
    """
    library = _library()
    if library is None or (handle := _handle(library, index)) is None:
        return DeviceState()

    def unsigned(function: str, *arguments: Any, kind: Any = ctypes.c_uint) -> int | None:
        value = kind()
        code = getattr(library, function)(handle, *arguments, ctypes.byref(value))
        return None if code else int(value.value)

    def scaled(value: int | None, factor: float) -> float | None:
        return None if value is None else factor * value

    bits = unsigned("nvmlDeviceGetCurrentClocksThrottleReasons", kind=ctypes.c_ulonglong) or 0
    name = ctypes.create_string_buffer(81)
    library.nvmlSystemGetDriverVersion(name, 80)
    return DeviceState(
        scaled(unsigned("nvmlDeviceGetClockInfo", _SM_CLOCK), 1e6),
        scaled(unsigned("nvmlDeviceGetMaxClockInfo", _SM_CLOCK), 1e6),
        scaled(unsigned("nvmlDeviceGetPowerUsage"), 1e-3),
        scaled(unsigned("nvmlDeviceGetEnforcedPowerLimit"), 1e-3),
        scaled(unsigned("nvmlDeviceGetTemperature", _TEMPERATURE), 1.0),
        throttle_reasons(bits),
        name.value.decode(errors="replace"),
    )


def throttle_reasons(bits: int) -> tuple[str, ...]:
    """Name the reasons of NVML's bit mask that lower the clock under load.

    >>> throttle_reasons(0x25)
    ('power cap', 'software thermal slowdown')
    """
    return tuple(text for bit, text in THROTTLE_BITS.items() if bits & bit)


@cache
def _library() -> Any:
    for name in ("libnvidia-ml.so.1", "nvml.dll"):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        return None if library.nvmlInit_v2() else library
    return None


@cache
def _handle(library: Any, index: int) -> Any:
    handle = ctypes.c_void_p()
    visible = [word.strip() for word in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if word.strip()]
    chosen = visible[index] if index < len(visible) else str(index)
    if chosen.isdigit():
        code = library.nvmlDeviceGetHandleByIndex_v2(ctypes.c_uint(int(chosen)), ctypes.byref(handle))
    else:
        code = library.nvmlDeviceGetHandleByUUID(chosen.encode(), ctypes.byref(handle))
    return None if code else handle
