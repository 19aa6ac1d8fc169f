"""What a leaf switch counts at its ports when one of its hosts' exchanges is slow."""

import numpy as np

CAUSES = ("thin spine", "hash", "in-cast", "broken link", "nothing")
HOSTS, UPLINKS = 8, 4
FULL = 0.97, 1.0  # of a port's speed


def leaf(cause, generator, *, at="lower"):
    """The counters of a leaf switch with this ``cause``, as text.

    ``at`` says what a broken uplink does: it came up at a "lower" speed, or is "down".
    """
    host, uplink = (int(speed) for speed in generator.choice([(200, 400), (400, 800), (100, 400)]))
    speeds = [host] * HOSTS + [uplink] * UPLINKS
    busy = generator.uniform(0.3, 0.6, (HOSTS + UPLINKS, 2)) * np.array(speeds)[:, None]  # Gb/s, in and out
    hot = HOSTS + int(generator.integers(UPLINKS))
    # Hosts that send as fast as they can fill what comes in at their ports, whatever is wrong behind.
    for port in generator.permutation(HOSTS)[:3]:
        busy[port, 0] = host * generator.uniform(*FULL)
    dropping = []
    if cause == "thin spine":
        dropping = [*range(HOSTS, HOSTS + UPLINKS)]
    elif cause == "hash":
        dropping = [hot] if generator.random() < 0.5 else [hot, HOSTS + (hot - HOSTS + 1) % UPLINKS]
        for port in {*range(HOSTS, HOSTS + UPLINKS)} - {*dropping}:
            busy[port, 1] = uplink * generator.uniform(0.0, 0.4)
    elif cause == "in-cast":
        dropping = [int(generator.integers(HOSTS))]
    elif cause == "broken link":
        speeds[hot] = uplink // 4 if at == "lower" else 0
        dropping = [hot] if at == "lower" else [port for port in range(HOSTS, HOSTS + UPLINKS) if port != hot]
        busy[hot] = speeds[hot] * generator.uniform(0.3, 0.6)
    for port in dropping:
        busy[port, 1] = speeds[port] * generator.uniform(*FULL)
    return {"counters": _printed(speeds, busy, dropping, generator)}


def _printed(speeds, busy, dropping, generator):
    lines = [
        "port      to        speed      in     out     drops",
        "                   (Gb/s)  (Gb/s)  (Gb/s)    (out)",
    ]
    for number, (speed, (came, left)) in enumerate(zip(speeds, busy.tolist(), strict=True)):
        name = f"host{number + 1:02d}" if number < HOSTS else f"spine{number - HOSTS + 1}"
        # A few packets are lost everywhere in a week; a full port loses many.
        drops = int(generator.integers(20_000, 900_000) if number in dropping else generator.integers(0, 40))
        shown = f"{speed:d}" if speed else "down"
        lines.append(f"Eth1/{number + 1:<4d} {name:8s}{shown:>7s}{came:8.1f}{left:8.1f}{drops:10d}")
    return "\n".join(lines) + "\n"


def ports(counters):
    """Of each port: what it leads to, its speed (0 where it is down), what comes in and what goes out, Gb/s, and drops."""
    rows = [line.split() for line in counters.splitlines() if line.startswith("Eth")]
    return [
        (to, 0.0 if speed == "down" else float(speed), float(i), float(o), int(d)) for _, to, speed, i, o, d in rows
    ]
