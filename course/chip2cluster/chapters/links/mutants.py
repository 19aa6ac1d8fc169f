"""Answers that the doctor grades, with the verdict that each must get, by the id of their exercise."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Mutant

MUTANTS = {
    "links.best_pairs": (
        Mutant(
            source="""
def best_pairs(text):
    lines = text.splitlines()
    rows = {l.split()[0]: l.split()[1:] for l in lines[1:] if l.split()}
    gpus = [n for n in lines[0].split() if n in rows and n.startswith('GPU')]
    links = {a + '-' + b: rows[a][j] for i, a in enumerate(gpus) for j, b in enumerate(gpus) if i < j}
    nv = {p: l for p, l in links.items() if l.startswith('NV')}
    return [p for p in nv if nv[p] == max(nv.values())]
""",
            verdict=v.VALUE,
            says="by the dozen",
            share=0.9,
        ),
        Mutant(
            source="""
def best_pairs(text):
    lines = text.splitlines()
    header, rows = lines[0].split(), {l.split()[0]: l.split()[1:] for l in lines[1:] if l.split()}
    gpus = [n for n in header if n.startswith('GPU')]
    links = {a + '-' + b: rows[a][header.index(b)] for i, a in enumerate(gpus) for b in gpus[i + 1:]}
    count = {p: int(l[2:]) if l.startswith('NV') else 0 for p, l in links.items()}
    return [p for p in count if count[p] == max(count.values()) > 0]
""",
            verdict=v.RAISES,
            says="a digit after it",
            share=0.7,
        ),
        Mutant(
            source="""
def best_pairs(text):
    return 'GPU1-GPU2'
""",
            verdict=v.TYPE,
            says="a list of texts",
        ),
    ),
    "links.completions": (
        Mutant(
            source="""
def completions(region_bytes, steps):
    return ['success' for step in steps if step[0] != 'receive']
""",
            verdict=v.VALUE,
            says="doesn't match a known mistake",
        ),
        Mutant(
            source="""
def completions(region_bytes, steps):
    return 'success'
""",
            verdict=v.TYPE,
            says="a list of texts",
        ),
    ),
    "links.connection": (
        Mutant(
            source="""
def connection(text, one, other):
    lines = [line.split('\\t') for line in text.splitlines()]
    row = next(line for line in lines[1:] if line[0] == one)
    return row[lines[0].index(other)].strip()
""",
            verdict=v.RAISES,
            says="handles only tabs",
            share=0.8,
        ),
        Mutant(
            source="""
def connection(text, one, other):
    rows = {l.split()[0]: l.split()[1:] for l in text.splitlines()[1:]}
    return rows[one][text.split().index(other)]
""",
            verdict=v.RAISES,
            says="legend",
            share=0.8,
        ),
        Mutant(
            source="""
def connection(text, one, other):
    return 'SYS'
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "links.crossing": (
        Mutant(
            source="""
def crossing(g, n, b):
    return g * n * b / 2 / 8
""",
            verdict=v.UNIT,
            says="bytes were taken for bits",
        ),
    ),
    "links.diagnose": (
        Mutant(
            source="""
def diagnose(matrix, table, log, healthy):
    return "adapter"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "links.effective": (
        Mutant(
            source="""
def effective(n, b, a):
    if isinstance(n, float):
        return n / (a + n / b)
    return b
""",
            verdict=v.EDGES,
            says="array of sizes",
            share=0.8,
        ),
    ),
    "links.one_way": (
        Mutant(
            source="""
def one_way(p, u, c):
    return p
""",
            verdict=v.REFUSED,
            says="hands back its own argument",
        ),
    ),
    "links.pcie": (
        Mutant(
            source="""
def pcie(t, n, u, s):
    return n * t * u / s / 8 / 1e9
""",
            verdict=v.UNIT,
            says="a prefix",
        ),
    ),
    "links.pieces": (
        Mutant(
            source="""
def pieces(n, b, a):
    return round((n / (8 * a * b))**0.5) or 1
""",
            verdict=v.VALUE,
            says="one case by hand",
        ),
    ),
    "links.supports": (
        Mutant(
            source="""
def supports(s, o):
    return True
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
        Mutant(
            source="""
def supports(s, o):
    return 'yes' if o == 'send' else 'no'
""",
            verdict=v.TYPE,
            says="a truth value",
        ),
    ),
    "lab.links.fit_link": (
        Mutant(
            source="""
def fit_link(n, t, m, u):
    return (m - n) / (u - t)
""",
            verdict=v.TYPE,
            says="you returned a number",
        ),
        Mutant(
            source="""
def fit_link(n, t, m, u):
    b = (m - n) / (u - t)
    return [t - n / b if n else 0.0, b]
""",
            verdict=v.EDGES,
            says="0 bytes",
            share=0.8,
        ),
    ),
    "lab.links.message_for": (
        Mutant(
            source="""
def message_for(s, a, b):
    return a * b * s / (1 - s)
""",
            verdict=v.EDGES,
            says="math.inf",
            share=0.8,
        ),
    ),
    "lab.links.nearest_nics": (
        Mutant(
            source="""
def nearest_nics(text, gpu):
    return gpu
""",
            verdict=v.TYPE,
            says="a list of texts",
        ),
    ),
    "lab.links.path_time": (
        Mutant(
            source="""
def path_time(n, bs, ls):
    return sum(ls) + n / min(bs) if n else 0.0
""",
            verdict=v.EDGES,
            says="empty message",
            share=0.8,
        ),
    ),
    "lab.links.pick_group": (
        Mutant(
            source="""
def pick_group(text, size):
    return 'GPU0'
""",
            verdict=v.TYPE,
            says="a list of texts",
        ),
    ),
}
