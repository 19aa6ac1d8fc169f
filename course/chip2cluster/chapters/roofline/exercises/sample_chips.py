"""Random chips and operations for the inputs of the exercises."""


def draw_chips(generator, count):
    """Peaks and bandwidths with ridges from about 50 to 1000 FLOP/byte."""
    bandwidth = generator.uniform(0.5e12, 9e12, count).round(-9)
    ridge = generator.uniform(50, 1000, count)
    return (bandwidth * ridge).round(-9), bandwidth


def draw_operations(generator):
    """Nine operations on both sides of their chip's ridge, none close to it."""
    peak, bandwidth = draw_chips(generator, 6)
    relative = generator.permutation([*generator.uniform(0.003, 0.8, 3), *generator.uniform(1.3, 20, 3)])
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [
        (50.0, 300e12, 2e12),
        *zip(relative * peak / bandwidth, peak, bandwidth, strict=True),
        (400.0, 300e12, 2e12),
    ]
    # Just left of a high ridge, where many a lower one would call it compute-bound.
    rows.append((300.0, 800e12, 2e12))
    return [{"intensity": i, "peak_flops": p, "memory_bandwidth": b} for i, p, b in rows]
