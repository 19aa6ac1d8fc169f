"""Port counters of a leaf switch under each cause of a slow exchange; evidence for `diagnosis`."""

import numpy as np

CAUSES = ("thin spine", "hash", "in-cast", "broken link", "nothing")
HOSTS, UPLINKS = 12, 4
FULL = 0.97, 1.0  # of a port's speed


def leaf(cause, generator, *, at="lower", besides=""):
    """The counters of a leaf switch with this ``cause``, as text.

    ``at`` says what a broken uplink does: it came up at a "lower" speed, or is "down". ``besides`` adds what misleads: an
    uplink that is "full inwards" or "nearly full", "old drops" at ports with room, "no drops" at full ones, or an "in-cast".
    """
    host, uplink = (int(speed) for speed in generator.choice([(200, 400), (400, 800)]))
    speeds, hot = np.array([uplink] * UPLINKS), int(generator.integers(UPLINKS))
    up = generator.uniform(0.3, 0.6, UPLINKS) * uplink  # out of the rack, Gb/s
    down = generator.uniform(0.2, 0.4, UPLINKS) * uplink  # into it
    jammed = []  # uplinks that send as fast as they can
    if cause == "thin spine":
        jammed = [*range(UPLINKS)]
    elif cause == "hash":
        jammed = [hot] if generator.random() < 0.5 else [hot, (hot + 1) % UPLINKS]
        up = generator.uniform(0.0, 0.4, UPLINKS) * uplink
    elif cause == "broken link":
        speeds[hot] = uplink // 4 if at == "lower" else 0
        jammed = [hot] if at == "lower" else [port for port in range(UPLINKS) if port != hot]
        down[hot] = speeds[hot] * generator.uniform(0.3, 0.6)
        up[hot] = 0.0
    if besides == "full inwards":
        down[hot] = speeds[hot] * generator.uniform(*FULL)
    elif besides == "nearly full":
        up[hot] = speeds[hot] * generator.uniform(0.91, 0.94)
    up[jammed] = speeds[jammed] * generator.uniform(*FULL, len(jammed))
    # Some hosts send all that their links carry, whatever is wrong behind the switch.
    low, high = (0.6, 0.8) if cause == "thin spine" else (0.35, 0.5)
    sent = host * generator.uniform(low, high, HOSTS)
    sent[generator.permutation(HOSTS)[:3]] = host * generator.uniform(*FULL, 3)
    # What comes in goes out: to other racks, or to a host of this one.
    shares = generator.uniform(0.85, 1.15, HOSTS)
    given = np.zeros(HOSTS)
    wanted = -1
    if "in-cast" in (cause, besides):
        wanted = int(generator.integers(HOSTS))
        given[wanted], shares[wanted] = host * generator.uniform(*FULL), 0.0
    given += (sent.sum() - up.sum() + down.sum() - given.sum()) * shares / shares.sum()
    dropping = [wanted, *(HOSTS + port for port in jammed)]
    if besides == "old drops":
        dropping = [int(generator.integers(HOSTS)), HOSTS + hot]
    elif besides == "no drops":
        dropping = []
    busy = np.column_stack([np.r_[sent, down], np.r_[given, up]])
    return {"counters": _printed([host] * HOSTS + speeds.tolist(), busy, dropping, generator)}


def _printed(speeds, busy, dropping, generator):
    lines = [
        "port      to        speed      in     out     drops",
        "                   (Gb/s)  (Gb/s)  (Gb/s)    (out)",
    ]
    for number, (speed, (came, left)) in enumerate(zip(speeds, busy.tolist(), strict=True)):
        name = f"host{number + 1:02d}" if number < HOSTS else f"spine{number - HOSTS + 1}"
        # A few packets are lost everywhere in a week; a full port mostly loses many.
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
