"""Utilization, speed and time: properties, inverses, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import utilization
from chip2cluster.utilization import DAY, HOUR, hfu, mfu
from tests.tables import every_row

RATES, WORK, PEAKS = st.floats(1, 1e9), st.floats(1e6, 1e14), st.floats(1e12, 1e16)
DEVICES, FRACTIONS = st.integers(1, 10**6), st.floats(1e-6, 1)
RUN = dict(tokens_per_second=1e5, flops_per_token=5e10, devices=64, peak_flops_dense=312e12)


@settings(deadline=None)
@given(FRACTIONS, WORK, DEVICES, PEAKS)
def test_throughput_is_the_inverse_of_mfu(fraction, work, devices, peak):
    rate = utilization.throughput_at(fraction, work, devices, peak)
    assert mfu(rate, work, devices, peak) == pytest.approx(fraction, rel=1e-12)


@settings(deadline=None)
@given(RATES, WORK, DEVICES, PEAKS)
def test_mfu_depends_on_the_product_only(rate, work, devices, peak):
    used = mfu(rate, work, devices, peak)
    assert mfu(2 * rate, work, 2 * devices, peak) == pytest.approx(used, rel=1e-12)
    assert mfu(rate, 2 * work, devices, 2 * peak) == pytest.approx(used, rel=1e-12)
    assert mfu(2 * rate, work, devices, peak) == pytest.approx(2 * used, rel=1e-12)
    per_device = utilization.achieved_flops_per_device(rate, work, devices)
    assert utilization.utilization_of_rate(per_device, peak) == pytest.approx(used, rel=1e-12)
    hour = utilization.device_time(devices, HOUR)
    assert utilization.average_mfu(rate * HOUR * work, hour, peak) == pytest.approx(used, rel=1e-12)


@settings(deadline=None)
@given(RATES, WORK, DEVICES, PEAKS, FRACTIONS)
def test_hfu_is_never_below_mfu(rate, work, devices, peak, share):
    run = (rate, work, devices, peak)
    used = mfu(*run)
    assert hfu(*run, recompute="none") == used
    assert hfu(*run, recompute="full") == pytest.approx(4 / 3 * used, rel=1e-12)
    some = hfu(*run, recompute="selective", recomputed_flops_per_token=share * work)
    assert some == pytest.approx((1 + share) * used, rel=1e-12)
    assert hfu(*run, recompute="full", recomputed_flops_per_token=share * work) == some
    assert hfu(*run, recompute="selective", recomputed_flops_per_token=0) == used


def test_recomputing_with_a_larger_batch_can_raise_mfu():
    """Freed memory pays for itself where the step gets faster for each token."""
    before, after = mfu(100e3, 1e11, 64, 312e12), mfu(110e3, 1e11, 64, 312e12)
    assert after > before
    assert hfu(110e3, 1e11, 64, 312e12, recompute="full") > after


@settings(deadline=None)
@given(st.floats(1, 1e9), st.floats(1e-3, 1e5))
def test_steps_and_speed_are_inverse(tokens, seconds):
    rate = utilization.tokens_per_second(tokens, seconds)
    assert utilization.step_time(tokens, rate) == pytest.approx(seconds, rel=1e-12)
    assert utilization.training_time(1000 * tokens, rate) == pytest.approx(1000 * seconds, rel=1e-12)


@settings(deadline=None)
@given(WORK, st.floats(1, 1e13), DEVICES, PEAKS, FRACTIONS)
def test_two_ways_to_the_same_time(work, tokens, devices, peak, fraction):
    rate = utilization.throughput_at(fraction, work, devices, peak)
    by_speed = utilization.training_time(tokens, rate)
    assert utilization.training_time_at(work * tokens, devices, peak, fraction) == pytest.approx(by_speed, rel=1e-12)


@settings(deadline=None)
@given(RATES, DEVICES, RATES, DEVICES, WORK, PEAKS)
def test_scaling_efficiency_is_the_ratio_of_utilizations(rate, devices, base_rate, base_devices, work, peak):
    efficiency = utilization.scaling_efficiency(rate, devices, base_rate, base_devices)
    ratio = mfu(rate, work, devices, peak) / mfu(base_rate, work, base_devices, peak)
    assert efficiency == pytest.approx(ratio, rel=1e-9)
    assert utilization.scaling_efficiency(rate, devices, rate, devices) == 1
    back = utilization.scaling_efficiency(base_rate, base_devices, rate, devices)
    assert efficiency * back == pytest.approx(1, rel=1e-12)


FUNCTIONS = {
    utilization.cluster_peak: (64, 312e12),
    mfu: (1e5, 5e10, 64, 312e12),
    utilization.achieved_flops_per_device: (1e5, 5e10, 64),
    utilization.utilization_of_rate: (1e14, 312e12),
    utilization.scaling_efficiency: (1e6, 64, 2e4, 1),
    utilization.average_mfu: (1e20, 1e6, 312e12),
    utilization.tokens_per_second: (4e6, 2.5),
    utilization.step_time: (4e6, 1e5),
    utilization.throughput_at: (0.5, 5e10, 64, 312e12),
    utilization.training_time: (1e12, 1e5),
    utilization.training_time_at: (1e20, 64, 312e12, 0.5),
    utilization.device_time: (64, 100.0),
}
IDS = [function.__name__ for function in FUNCTIONS]
CASES = [(function, place) for function, given_ in FUNCTIONS.items() for place in range(len(given_))]


@every_row("function, arguments", FUNCTIONS.items())
def test_scalars_arrays_and_numpy_scalars(function, arguments):
    scalar = function(*arguments)
    assert type(scalar) is float
    assert function(*(np.float64(value) for value in arguments)) == scalar
    assert type(function(*(np.float32(value) for value in arguments))) is float
    for place, value in enumerate(arguments):
        many = function(*arguments[:place], np.array([[value], [value]]), *arguments[place + 1 :])
        assert many.shape == (2, 1) and (many == scalar).all()


@every_row("function, place", CASES)
def test_bad_arguments_are_named(function, place):
    arguments = list(FUNCTIONS[function])
    name = function.__code__.co_varnames[place]
    for value in (-1, float("nan"), float("inf"), [1.0, -1.0]):
        arguments[place] = value
        with pytest.raises(ValueError, match=name):
            function(*arguments)
    for value in (True, "1", None, [True]):
        arguments[place] = value
        with pytest.raises(TypeError, match=name):
            function(*arguments)


@every_row("function, place", CASES)
def test_zero_only_where_it_means_something(function, place):
    arguments = list(FUNCTIONS[function])
    name = function.__code__.co_varnames[place]
    arguments[place] = 0
    stands_still = (mfu, 0), (utilization.achieved_flops_per_device, 0), (utilization.utilization_of_rate, 0)
    if (function, place) in (*stands_still, (utilization.device_time, 1)):
        assert function(*arguments) == 0
    else:
        with pytest.raises(ValueError, match=name):
            function(*arguments)


@pytest.mark.parametrize("function", [mfu, utilization.cluster_peak, utilization.device_time])
def test_half_a_device_does_not_exist(function):
    arguments = list(FUNCTIONS[function])
    place = function.__code__.co_varnames.index("devices")
    arguments[place] = 1.5
    with pytest.raises(ValueError, match="devices must be a whole number, got 1.5"):
        function(*arguments)


@pytest.mark.parametrize("percent", [1.01, 46.2, [0.5, 46.2]])
def test_a_utilization_is_not_a_percentage(percent):
    for call in (
        lambda: utilization.throughput_at(percent, 5e10, 64, 312e12),
        lambda: utilization.training_time_at(1e20, 64, 312e12, percent),
    ):
        with pytest.raises(ValueError, match="utilization must be at most 1"):
            call()


def test_hfu_options():
    with pytest.raises(TypeError, match="recompute"):
        hfu(**RUN)
    with pytest.raises(ValueError, match="'none', 'selective', 'full', got 'half'"):
        hfu(**RUN, recompute="half")
    with pytest.raises(ValueError, match="needs recomputed_flops_per_token"):
        hfu(**RUN, recompute="selective")
    with pytest.raises(ValueError, match="leaves no recomputed_flops_per_token"):
        hfu(**RUN, recompute="none", recomputed_flops_per_token=1e9)
    with pytest.raises(ValueError, match="recomputed_flops_per_token"):
        hfu(**RUN, recompute="full", recomputed_flops_per_token=-1)
    for name in RUN:
        with pytest.raises(ValueError, match=name):
            hfu(**{**RUN, name: -1}, recompute="full")
    many = hfu(**{**RUN, "tokens_per_second": np.array([1e5, 2e5])}, recompute="full")
    assert many.tolist() == [hfu(**{**RUN, "tokens_per_second": rate}, recompute="full") for rate in (1e5, 2e5)]


def test_units_of_time():
    assert (DAY, HOUR, utilization.MINUTE) == (24 * HOUR, 60 * utilization.MINUTE, 60.0)


@settings(deadline=None)
@given(st.floats(1e18, 1e26), st.floats(3600, 3e8), st.floats(1e13, 1e16), st.floats(0.05, 1))
def test_devices_for_a_deadline_are_just_enough(work, seconds, peak, fraction):
    count = utilization.devices_needed(work, seconds, peak, fraction)
    assert type(count) is int and count >= 1
    assert utilization.training_time_at(work, count, peak, fraction) <= seconds * (1 + 1e-12)
    if count > 1:
        assert utilization.training_time_at(work, count - 1, peak, fraction) > seconds * (1 - 1e-12)


def test_devices_for_many_deadlines():
    counts = utilization.devices_needed(6.3e24, np.array([15, 30]) * utilization.DAY, 989.5e12, 0.4)
    assert counts.dtype.kind == "i" and counts.tolist() == [12282, 6141]
    with pytest.raises(ValueError, match="seconds"):
        utilization.devices_needed(1e20, 0, 1e15, 0.4)
    with pytest.raises(ValueError, match="utilization must be at most 1"):
        utilization.devices_needed(1e20, 1, 1e15, 1.4)
