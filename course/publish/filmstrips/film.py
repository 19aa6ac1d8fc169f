"""States of an explorer that a reader of the book can reach, and the frame of each."""

from dataclasses import dataclass, field

from chip2cluster.explore.controls import idle_reason

from .strips import ALL, strip_of


@dataclass
class Film:
    """States of an explorer within its strip.

    ``options`` has the controls that work in the book, in the order of the explorer, with all their values. A *key*
    holds the index of the current value of each. ``menus`` maps every key to the indices offered there. ``turns`` has
    requests that the other controls do not allow: for each control, the requested key, the key shown instead, and the
    note that explains it.
    """

    explorer: object
    options: dict
    start: tuple
    menus: dict = field(default_factory=dict)
    turns: dict = field(default_factory=dict)

    @property
    def controls(self):
        """Controls that work in the book."""
        return [control for control in self.explorer.controls if control.name in self.options]

    def values(self, key):
        """Return the values of a state by name, fixed controls excluded."""
        return {name: values[index] for (name, values), index in zip(self.options.items(), key, strict=True)}

    def idle_reasons(self, key):
        """Return why controls change nothing in a state: for the number of each such control, the reason."""
        values = {**self.explorer.values, **self.values(key)}
        reasons = ((index, idle_reason(control, values)) for index, control in enumerate(self.controls))
        return {index: found["idle"] for index, found in reasons if found}

    def frames(self):
        """Yield every key and the explorer's own content there, wide and narrow, drawn as it is asked for."""
        for key in sorted(self.menus):
            explorer = self.explorer.set(**self.values(key))
            yield key, *explorer.both_widths(self._offered(key))

    def _offered(self, key):
        """Return the numbers, among all options of the explorer, of those on each menu of a state."""
        offered = {}
        for (name, known), control, menu in zip(self.options.items(), self.controls, self.menus[key], strict=True):
            choices = list(control.choices(self.explorer.values))
            offered[name] = [choices.index(known[index]) for index in menu]
        return offered


def film(explorer, whole=True):
    """Find the states of the strip of an explorer, which starts as the explorer stands; if not whole, that one alone."""
    explorer = explorer.twin()  # the caller's own stays as it is
    declared = strip_of(explorer).options if whole else {}
    if unknown := declared.keys() - explorer.values.keys():
        raise LookupError(f"{type(explorer).__name__} has no control {', '.join(sorted(unknown))}")
    start = explorer.values
    # Start values, and values to which another control falls back, are kept too.
    known = {name: {start[name]} | set(declared[name] or ()) for name in start if name in declared}
    while True:
        result = _explore_states(
            explorer, start, {name: ALL if declared[name] is ALL else known[name] for name in known}
        )
        reached = {name: known[name] | set(values) for name, values in result.options.items()}
        if all(declared[name] is ALL or reached[name] == known[name] for name in known):
            explorer.set(**start)
            return result
        known = reached


def _explore_states(explorer, start, allowed):
    """Go from state to state by every option of every control."""
    options = {name: [] for name in allowed}
    controls = {control.name: control for control in explorer.controls if control.name in allowed}
    result = Film(explorer, options, (), turns={name: {} for name in allowed})

    def number(name, value):
        if value not in options[name]:
            options[name].append(value)
        return options[name].index(value)

    def key_of(values):
        return tuple(number(name, values[name]) for name in allowed)

    result.start = key_of(start)
    waiting, seen, asked_before = [result.start], {result.start}, set()
    while waiting:
        key = waiting.pop()
        values = {**start, **result.values(key)}
        menu = result.menus[key] = []
        for place, (name, control) in enumerate(controls.items()):
            offered = [choice for choice in control.choices(values) if allowed[name] is ALL or choice in allowed[name]]
            menu.append(tuple(number(name, choice) for choice in offered))
            for choice, index in zip(offered, menu[-1], strict=True):
                asked = (*key[:place], index, *key[place + 1 :])
                # The result depends on the requested key and the control, not on the previous state.
                if (name, asked) in asked_before:
                    continue
                asked_before.add((name, asked))
                explorer.set(**values).set(**{name: choice})
                target = key_of(explorer.values)
                if (target, explorer.note) != (asked, ""):
                    result.turns[name][asked] = target, explorer.note
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
    return result
