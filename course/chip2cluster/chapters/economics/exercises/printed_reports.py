"""Energy figures as papers print them, correct or with one planted slip; data of `energy_audit`."""

TRACES = {"kilo": 1000.0, "days": 24.0, "nodes": 8.0}


def paper(generator, *, at="tonnes", factor=1.0, slip=1.0, named=True, hours=True, energy=True):
    """What is printed of a run, ``factor`` times too much in its energy or its tonnes; 0 for what is not printed.

    The tonnes follow from the energy as it is printed. ``slip`` is what rounding does to them.
    """
    spent = {
        "gpu_hours": round(float(generator.uniform(2e4, 5e6)), -2),
        "watts": float(generator.integers(230, 700)),
        "pue": round(float(generator.uniform(1.12, 1.45)), 2),
        "grams_per_kwh": float(generator.integers(60, 700)),
    }
    true = spent["gpu_hours"] * spent["watts"] * (spent["pue"] if named else 1.0) / 1e6
    mwh = true * (factor if at == "energy" else 1.0)
    tonnes = mwh * spent["grams_per_kwh"] / 1e3 * (factor if at == "tonnes" else 1.0)
    rounding = float(generator.uniform(0.996, 1.004))
    if at == "energy":
        mwh, tonnes = mwh * slip, tonnes * slip * rounding
    else:
        mwh, tonnes = mwh * rounding, tonnes * rounding * slip
    printed = {**spent, "mwh": float(f"{mwh:.5g}"), "tonnes": float(f"{tonnes:.5g}")}
    if not named:
        printed["pue"] = 0.0
    if not hours:
        printed["gpu_hours"] = printed["watts"] = 0.0
    if not energy:
        printed["mwh"] = 0.0
    return {name: printed[name] for name in ("gpu_hours", "watts", "pue", "mwh", "grams_per_kwh", "tonnes")}


def planted(kind, generator, *, at="tonnes", up=True, slip=1.0, named=True, odd=1.6, **rest):
    """A paper with this slip in it; near ``odd`` where it is no trace of anything."""
    if kind == "not disclosed":
        # No grid, and nothing to compute the energy from: hours or watts are missing.
        printed = paper(generator, **rest)
        return {**printed, "grams_per_kwh": 0.0, "watts": 0.0}
    if kind == "nothing":
        return paper(generator, **rest)
    if kind == "unexplained":
        factor = odd * float(generator.uniform(0.97, 1.03))
        return paper(generator, at=at, factor=factor if up else 1 / factor, slip=slip, named=named, **rest)
    if kind == "pue":
        return _pue(generator, at, up, slip, named, **rest)
    factor = TRACES[kind]
    return paper(generator, at=at, factor=factor if up else 1 / factor, slip=slip, named=named, **rest)


def _pue(generator, at, up, slip, named, **rest):
    state = generator.bit_generator.state
    pue = paper(generator)["pue"]
    generator.bit_generator.state = state  # the same paper again, now with the slip
    return paper(generator, at=at, factor=pue if up else 1 / pue, slip=slip, named=named, **rest)
