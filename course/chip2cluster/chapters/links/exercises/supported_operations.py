"""Exercise on which RDMA transport service supports which operation."""

from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

SERVICES = ("RC", "UC", "RD", "UD")
OPERATIONS = ("send", "rdma write", "rdma read", "atomic")


def supports(service, operation):
    """Whether an InfiniBand service offers an operation."""
    offered = {
        "RC": {"send", "rdma write", "rdma read", "atomic"},
        "UC": {"send", "rdma write"},
        "RD": {"send", "rdma write", "rdma read", "atomic"},
        "UD": {"send"},
    }
    return operation in offered[service]


def _questions(generator):
    pairs = [(service, operation) for service in SERVICES for operation in OPERATIONS]
    # A case that everybody can settle comes first: it is the one that a student sees.
    pairs.remove(("UD", "rdma write"))
    order = [("UD", "rdma write"), *(pairs[place] for place in generator.permutation(len(pairs)))]
    return [{"service": service, "operation": operation} for service, operation in order]


def _table(**offered):
    def wrong(service, operation):
        return operation in offered.get(service, ()) if service in offered else supports(service, operation)

    return wrong


def _meaning():
    return (
        "Only a connection that is reliable does everything: that is why training traffic goes over RC, and why the number of "
        "connections becomes a question, as the next task shows."
    )


SUPPORTS = Exercise(
    id="links.supports",
    title="Which service supports which operation?",
    signature="supports(service, operation)",
    unit="",
    points=2,
    reference=supports,
    groups=(Group("questions", 1.0, _questions),),
    hints=(
        "Ask for each operation: does it need an answer? And: does it need an address in the remote memory?",
        "A read and an atomic bring something back, so they need a reliable service. A write needs no answer, but a "
        "partner that is known: a connection, or a reliable datagram service.",
        "send: all four. rdma write: all but UD. rdma read and atomic: RC and RD.",
    ),
    solution="""
def supports(service, operation):
    reliable = service[0] == "R"
    if operation == "send":
        return True
    if operation == "rdma write":
        return service != "UD"
    return reliable
""",
    explanation=(
        "A read and an atomic return a result, so a lost packet must be noticed: reliable services only. A write needs no "
        "answer, so UC has it. UD has no fixed partner and no order, so it only sends."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "UC does all of RDMA",
            _table(UC=("send", "rdma write", "rdma read")),
            "You let UC read. An RDMA read brings data back, and UC would not notice when it got lost. UC only writes.",
        ),
        Mistake(
            "UC does everything",
            _table(UC=OPERATIONS),
            "You let UC do everything RC does. Without acknowledgements it can send and write, no more.",
        ),
        Mistake(
            "UC does no RDMA",
            _table(UC=("send",)),
            "You refused UC the RDMA write. A write needs a known partner and no answer, so UC has it, too.",
        ),
        Mistake(
            "UC is RC, RDMA everywhere",
            _table(UC=("send", "rdma write", "rdma read"), UD=("send", "rdma write", "rdma read")),
            "RDMA is not in every service: UD only sends, and UC writes but does not read.",
        ),
        Mistake(
            "connections only",
            _table(RD=("send",)),
            "You refused RD all RDMA. Reliable datagram offers the operations of RC, without one connection for each pair.",
        ),
        Mistake(
            "connections only, UC reads",
            lambda service, operation: operation == "send" or service in ("RC", "UC"),
            "You asked for a connection. For reads and atomics reliability decides: RD has them, UC does not.",
        ),
        Mistake(
            "atomics in RC alone",
            _table(RD=("send", "rdma write", "rdma read")),
            "You gave atomics to RC alone. RD has them as well.",
        ),
        Mistake(
            "UD writes",
            _table(UD=("send", "rdma write")),
            "You let UD write into another memory. UD knows no partner: it only sends.",
        ),
        Mistake(
            "RC alone does RDMA",
            lambda service, operation: operation == "send" or service == "RC",
            "You kept RDMA to RC. RD has all of it, too, and UC has the write, which needs no answer.",
        ),
        Mistake(
            "RC alone",
            lambda service, operation: service == "RC",
            "You allowed only RC to do anything. Every service can send, and others do RDMA as well.",
        ),
        Mistake(
            "reliable services alone",
            lambda service, operation: service[0] == "R",
            "You gave the unreliable services nothing. All four send, and UC writes as well: neither needs an answer.",
        ),
        Mistake(
            "UD cannot even send",
            lambda service, operation: service != "UD",
            "You gave UD nothing and the others everything. UD sends; and UC neither reads nor does atomics.",
        ),
        Mistake(
            "UD cannot even send, the rest right",
            lambda service, operation: service != "UD" and supports(service, operation),
            "You gave UD nothing. It does no RDMA, but it sends.",
        ),
        Mistake(
            "the wrong way round",
            lambda service, operation: not supports(service, operation),
            "You swapped True and False.",
        ),
    ),
    mutants=MUTANTS["links.supports"],
)
