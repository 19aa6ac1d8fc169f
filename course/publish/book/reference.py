"""The package's reference: one page a module, written from the docstrings when the book is built.

Nothing is listed by hand. A module is public when ``chip2cluster.__all__`` names it, a name when its module's
``__all__`` does; the learner's own names come from ``autograder``.
"""

import inspect
import re
from importlib import import_module
from textwrap import indent
from types import FunctionType, ModuleType

from numpydoc.docscrape import NumpyDocString

import autograder
import chip2cluster

from .crossrefs import pages_that_use
from .sources import REFERENCE, BrokenReference

LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns")
PROSE = ("Warnings", "Notes", "References", "Examples")
KINDS = {
    "Functions": "function",
    "Classes": "class",
    "Errors": "exception",
    "Constants": "data",
    "Modules": "module",
}
INDENT = "   "
SHORT = 100  # characters of a constant's value
ANSWERS = "Ten answers\n-----------\n"  # where what readers look for begins
OPENING = """
The package
===========

Whatever a page of this course computes, it computes with ``chip2cluster``. Every public name stands here, with its
units, its limits, its source, and most with an example that is tested. Units are SI base units throughout: FLOP, bytes,
seconds, watts.
"""


def modules():
    """Every public module of the package, and the learner's names, by full name."""
    return [autograder.__name__, *(f"{chip2cluster.__name__}.{name}" for name in chip2cluster.__all__)]


def page(module):
    """The page of a module.

    >>> page("chip2cluster.roofline"), page("autograder")
    ('api_roofline', 'api_autograder')
    """
    return f"{REFERENCE}_{module.rpartition('.')[2]}"


def write(folder, books):
    """Write the reference into a folder of sources; ``books`` are the notebooks that may use them, by name."""
    users = pages_that_use(books, {module: import_module(module).__all__ for module in modules()})
    lines = [OPENING, ".. toctree::", "   :hidden:", ""]
    lines += [f"   {module.rpartition('.')[2]} <{page(module)}>" for module in modules()]
    lines += ["", answers()]
    for module in modules():
        (folder / f"{page(module)}.rst").write_text(_module(module, users), encoding="utf-8")
        home = import_module(module)
        names = " · ".join(f"`{name} <{_address(module, name)}>`__" for name in home.__all__)
        lines += ["", _heading(f"``{module}``", "-"), _summary(home), "", names]
    (folder / f"{REFERENCE}.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")


def answers():
    """What the package's own docstring answers in a line each, as it stands there: it is written as a page."""
    _, heading, text = inspect.getdoc(chip2cluster).partition(ANSWERS)
    if not heading:
        raise BrokenReference(f"the docstring of chip2cluster has no heading {ANSWERS.strip()!r}")
    return f"{ANSWERS}{text}"


def _module(module, users):
    home = import_module(module)
    summary, _, more = inspect.getdoc(home).partition("\n")
    parts = [_heading(f"``{module}``", "="), f".. py:module:: {module}", summary, more]
    parts += [f"Import: ``{_import(module)}``. {_used('Used in', users, module)}", _overview(home)]
    parts += [f".. py:currentmodule:: {module.rpartition('.')[0] or module}"]
    entries = {kind: [] for kind in KINDS}
    for name in home.__all__:
        entries[_kind(getattr(home, name))].append(_entry(module, name, users))
    for kind, written in entries.items():
        if written:
            parts += [_heading(kind, "-"), *written]
    return "\n\n".join(parts) + "\n"


def _import(module):
    package, _, name = module.rpartition(".")
    return f"from {package or module} import {name if package else ', '.join(import_module(module).__all__)}"


def _overview(home):
    """The table of contents: every name with one sentence."""
    items = [f"``{name}``\n{INDENT}{_summary(getattr(home, name))}" for name in home.__all__]
    return "\n".join([".. rst-class:: names", "", *items])


def _address(module, name):
    kind = "module-" if isinstance(getattr(import_module(module), name), ModuleType) else ""
    return f"{page(module)}.html#{kind}{module}.{name}"


def _shown(module, name):
    """A name as a page of the course writes it: the learner's names stand alone."""
    package, _, home = module.rpartition(".")
    return f"{home}.{name}" if package else name


def _kind(thing):
    if isinstance(thing, ModuleType):
        return "Modules"
    if inspect.isclass(thing):
        return "Errors" if issubclass(thing, Exception) else "Classes"
    return "Functions" if callable(thing) else "Constants"


def _entry(module, name, users):
    """One public name with all that its docstring says, and the pages that use it."""
    home = import_module(module)
    thing, shown = getattr(home, name), _shown(module, name)
    kind, own = _kind(thing), getattr(thing, "__name__", name)
    if kind == "Modules":
        head, body = f".. py:module:: {thing.__name__}", [inspect.getdoc(thing)]
    elif kind == "Constants":
        head, body = f".. py:data:: {shown}\n   :value: {_value(thing)}", []
    elif own != name and own in home.__all__ and getattr(home, own) is thing:
        head, body = f".. py:{KINDS[kind]}:: {shown}", [f"Another name of ``{_shown(module, own)}``."]
    else:
        head, body = f".. py:{KINDS[kind]}:: {shown}{_signature(thing)}", [_described(thing, home.__all__)]
        body += _members(thing, home) if inspect.isclass(thing) else []
    return _block(head, *body, _used("On the pages", users, module, name))


def _members(owner, home):
    """Methods and properties that say what they are; those of a base that has an entry of its own stand there."""
    public = [getattr(home, name) for name in home.__all__ if inspect.isclass(getattr(home, name))]
    above = [base for base in public if base is not owner and issubclass(owner, base)]
    listed = {item.name for item in NumpyDocString(inspect.getdoc(owner))["Attributes"]}
    members = {}
    package = home.__name__.partition(".")[0]
    for base in owner.__mro__:
        if base.__module__.partition(".")[0] != package or any(issubclass(entry, base) for entry in above):
            continue
        for name, member in vars(base).items():
            if isinstance(member, FunctionType | property | classmethod | staticmethod) and not name.startswith("_"):
                members.setdefault(name, member)
    return [_member(name, member) for name, member in members.items() if member.__doc__ and name not in listed]


def _member(name, member):
    if isinstance(member, property):
        head = f".. py:property:: {name}"
    else:
        call = inspect.unwrap(getattr(member, "__func__", member))
        bound = not isinstance(member, staticmethod)
        head = f".. py:method:: {name}{_signature(call, bound)}"
    return _block(head, _described(member))


def _signature(call, bound=False):
    """Names and defaults; types stand in the docstring. What only the package makes has none."""
    if inspect.isclass(call) and issubclass(call, Exception):
        return ""
    signature = inspect.signature(call)
    given = list(signature.parameters.values())[bound:]
    if any(parameter.name.startswith("_") for parameter in given):
        return ""
    bare = [parameter.replace(annotation=inspect.Parameter.empty, default=_default(parameter)) for parameter in given]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def _default(parameter):
    """The default; of a function, which Python would show by its place in memory, the name where it is a public one."""
    name = getattr(parameter.default, "__name__", None)
    if name is None or inspect.isclass(parameter.default):
        return parameter.default
    return _Written("..." if name.startswith(("_", "<")) else name)


class _Written(str):
    """Stands in a signature as it is."""

    def __repr__(self):
        return str(self)


def _value(constant):
    text = repr(constant)
    return text if len(text) <= SHORT else f"{type(constant).__name__} of {len(constant)}"


def _doc(thing):
    """The docstring; not one that Python made up from the signature, or that a constant has from its type."""
    if _kind(thing) == "Constants" and not isinstance(thing, property | classmethod | staticmethod):
        return ""
    written = inspect.getdoc(thing) or ""
    return "" if written.startswith(f"{getattr(thing, '__name__', '')}(") else written


def _summary(thing):
    if _kind(thing) == "Constants":
        return f"``{_value(thing)}``"
    return " ".join(NumpyDocString(_doc(thing))["Summary"])


def _described(thing, names=()):
    """A docstring as reStructuredText."""
    parsed = NumpyDocString(_doc(thing))
    parts = ["\n".join(parsed["Summary"]), "\n".join(parsed["Extended Summary"])]
    parts += [_list(section, parsed[section], names) for section in LISTS if parsed[section]]
    for section in PROSE:
        if parsed[section]:
            parts += [f".. rubric:: {section}", "\n".join(parsed[section])]
    opening = ("Signature", "Summary", "Extended Summary")
    if lost := [section for section in parsed if parsed[section] and section not in (*opening, *LISTS, *PROSE)]:
        raise BrokenReference(
            f"{getattr(thing, '__qualname__', thing)}: the reference cannot show the section {', '.join(lost)}"
        )
    return "\n\n".join(parts)


def _list(section, items, names):
    return f":{section}:\n" + "\n".join(_block("", _item(item, names)) for item in items)


def _item(item, names):
    """A parameter or what is returned, as a term with its definition; choices are code, classes of this module links."""
    code = lambda word: f"``{word[0]}``" if word[0] in names or word[0][0] == "{" else word[0]
    label, kind = item.name.replace("*", r"\*"), re.sub(r"\{[^}]*\}|\b[A-Z]\w+", code, item.type)
    term = " : ".join(part for part in (label and f"**{label}**", kind) if part)
    about = "\n".join(item.desc) or ".."
    return f"{term}\n{indent(about, INDENT)}"


def _used(words, users, *name):
    pages = ", ".join(f"`{title} <{address}>`__" for address, title in users.get(name, {}).items())
    return f"{words}: {pages}." if pages else ""


def _heading(text, line):
    return f"{text}\n{line * len(text)}"


def _block(head, *parts):
    """A directive or a field with what stands in it."""
    body = "\n\n".join(filter(None, parts))
    return f"{head}\n\n{indent(body, INDENT)}"
