"""After which steps of a save a crash leaves nothing to restart from."""

from chip2cluster import reliability
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .slips import played


def fatal(steps):
    """1 for each step after which a crash can be fatal, 0 for the others."""
    return reliability.fatal_crashes(steps)


def _save(generator, beside=None, over=None):
    """A save with its faults: syncs left out, the old checkpoint deleted too soon, the manifest first or written in place."""
    beside = (
        generator.random() < 0.5 if beside is None else beside
    )  # the checkpoint is written under another name first
    over = generator.random() < 0.3 if over is None else over  # the manifest is written over the old one
    kept = lambda step, chance=0.65: [step] if generator.random() < chance else []
    part = ["write ckpt-2.tmp", *kept("sync ckpt-2.tmp"), "rename ckpt-2.tmp ckpt-2"] if beside else ["write ckpt-2", *kept("sync ckpt-2")]  # fmt: skip
    part += kept("sync .")
    note = ["write latest ckpt-2", *kept("sync latest")] if over else ["write latest.tmp ckpt-2", *kept("sync latest.tmp"), "rename latest.tmp latest"]  # fmt: skip
    note += kept("sync .")
    old, late = ["delete ckpt-1"], generator.random()
    if late < 0.15:
        return [*part, *old, *note]
    steps = [*note, *part] if late > 0.85 else [*part, *note]
    return steps + (old if generator.random() < 0.7 else [])


SAFE = [
    "write ckpt-2", "sync ckpt-2", "sync .", "write latest.tmp ckpt-2", "sync latest.tmp", "rename latest.tmp latest",
    "sync .", "delete ckpt-1",
]  # fmt: skip


def _saves(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    hand = ["write ckpt-2", "sync ckpt-2", "sync .", "write latest ckpt-2", "sync latest"]
    # The old checkpoint is deleted while the manifest still names it: even programs see that.
    rash = ["write ckpt-2", "sync ckpt-2", "delete ckpt-1", "write latest.tmp ckpt-2", "rename latest.tmp latest"]
    # Written in place and synced; a rename that is not synced yet; two manifests in a row without a sync between.
    in_place = [*hand, "delete ckpt-1"]
    early = [*SAFE[:-2], "delete ckpt-1", "sync ."]
    notes = [f"{verb} {name}" for name in ("a", "b") for verb in ("write", "sync")]
    twice = [
        *SAFE[:2], *(f"{note} ckpt-2" if note.startswith("write") else note for note in notes), "sync .",
        "rename a latest", "rename b latest", "delete ckpt-1",
    ]  # fmt: skip
    # A manifest that is out of the way for a moment; and one whose file is synced, but not its new name.
    aside = [*SAFE[:5], "rename latest latest.old", "rename latest.tmp latest", "sync ."]
    half = [*SAFE[:6], "sync latest", "delete ckpt-1"]
    return [hand, rash, in_place, early, twice, aside, half, *(_save(generator) for _ in range(8))]


def _cases(generator):
    return [{"steps": steps} for steps in _saves(generator)]


def _edges(generator):
    less = [step for step in SAFE if not step.startswith("delete")]
    cut = int(generator.integers(4, 7))
    return [{"steps": SAFE}, {"steps": less[:cut]}, {"steps": ["sync .", *SAFE[:-2], "delete ckpt-1"]}]


CRASH = Exercise(
    id="storage.fatal",
    title="A crash at any step",
    signature="fatal(steps)",
    unit="",
    points=5,
    reference=fatal,
    shows=(fatal, reliability.fatal_crashes),
    groups=(
        Group("saves", 0.8, _cases),
        Group(
            "safe and cut short", 0.2, _edges, v.VALUE, advice="A save that is safe at every step gives zeros alone."
        ),
    ),
    hints=(
        "Keep two things apart: what programs see now, and for each name everything that it may stand for after a crash.",
        "A file carries two marks: is it surely whole, and which checkpoint does it name. Writing clears the first; syncing the file sets "
        "it; syncing the directory leaves each name with what programs see.",
        "After each step go through all that `latest` may stand for; each must be there, whole, and name a checkpoint, and everything that "
        "*this* name may stand for must be there and whole. If one is not: 1.",
    ),
    solution="""
def fatal(steps):
    now = {"ckpt-1": {"whole": True}, "latest": {"whole": True, "names": "ckpt-1"}}
    after = {name: [file] for name, file in now.items()}  # what each name may stand for after a crash
    found = []
    for step in steps:
        verb, name, *rest = step.split()
        if verb == "write":
            if name not in now:
                now[name] = {}
                after[name] = [*after.get(name, [None]), now[name]]
            now[name].update(whole=False, names=rest[0] if rest else None)
        elif name == ".":
            after = {name: [file] for name, file in now.items()}
        elif verb == "sync":
            now[name]["whole"] = True
        else:
            file = now.pop(name)
            after[name] = [*after.get(name, [None]), None]
            if verb == "rename":
                now[rest[0]] = file
                after[rest[0]] = [*after.get(rest[0], [None]), file]
        fine = all(
            note and note["whole"] and note["names"]
            and all(file and file["whole"] for file in after.get(note["names"], [None]))
            for note in after["latest"]
        )
        found.append(0 if fine else 1)
    return found
""",
    explanation=(
        "A save is safe when at every moment everything that the manifest may be leads to a whole checkpoint. So the new "
        "checkpoint is whole and has its name for good before any manifest can speak of it; the new manifest is whole before it "
        "takes the old one's name; and the old checkpoint goes last, when no manifest can lead to it any more."
    ),
    meaning=lambda: (
        f"The safe order has {len(SAFE)} steps, of which {sum(step.startswith('sync') for step in SAFE)} are syncs; leave one of "
        "them out and there is a moment to die in. Such moments are short, and a run of 54 days with a save every 19 minutes passes "
        f"through {54 * 86400 / (19 * 60):,.0f} of them."
    ),
    mistakes=(
        Mistake(
            "written is whole",
            played(torn=False),
            "You take what was written for whole. Until the file is synced a crash may leave half of it, or nothing.",
        ),
        Mistake(
            "names at once",
            played(late=False),
            "You take every name for what programs see. Until the directory is synced a crash may leave the name as it was.",
        ),
        Mistake(
            "what programs see",
            played(torn=False, late=False),
            "You look at what programs see. A crash takes back what was not synced: the bytes of files, and the names.",
        ),
        Mistake(
            "rename makes whole",
            played(rename_syncs=True),
            "Your rename syncs the file. It moves a name and nothing else: a torn file is torn under its new name.",
        ),
        Mistake(
            "a rename lasts",
            played(rename_lasts=True),
            "Your rename lasts at once. Atomic means whole, not lasting: until 'sync .' the name may stand for what it was.",
        ),
        Mistake(
            "a write makes a new file",
            played(writes_new=True),
            "Your write to a name that exists makes another file beside the old one. It empties the file that is there.",
        ),
        Mistake(
            "the last change alone",
            played(short=True),
            "You remember two things for each name. It may stand for anything that it has stood for since the directory was synced.",
        ),
        Mistake(
            "a file's sync keeps its name",
            played(file_syncs_name=True),
            "Your sync of a file keeps its name, too. The name lies in the directory, and has a sync of its own: 'sync .'.",
        ),
        Mistake(
            "the directory's sync makes whole",
            played(directory_syncs_files=True),
            "Your 'sync .' makes the files whole. It keeps names; the bytes of a file have a sync of their own.",
        ),
        Mistake(
            "a new name is never nothing",
            played(nothing=False),
            "You let a name that was just made stand for its file alone. Until 'sync .' it may as well stand for nothing.",
        ),
        Mistake(
            "names fall back together",
            played(together=True),
            "Your names fall back together, to one moment. Here each name may fall back alone.",
        ),
        Mistake(
            "a gap in the rename",
            played(gap=True),
            "Your rename has a moment without either file. It has none: the name stands for the old file or for the new one.",
        ),
        Mistake(
            "the old manifest stays",
            played(kept=True),
            "You keep the old manifest while a new one is written over it. Opening a file for writing empties it.",
        ),
        Mistake(
            "any checkpoint will do",
            played(manifest=False),
            "You ask whether some checkpoint is whole. A restart loads the one that the manifest names, and needs the manifest.",
        ),
        Mistake(
            "the manifest alone",
            played(checkpoint=False),
            "You look at the manifest alone. What it names must be there and whole as well.",
        ),
        Mistake(
            "with luck",
            played(pick=any),
            "You count a crash as harmless when *some* outcome of it is. Every outcome must lead to a whole checkpoint.",
        ),
        Mistake(
            "before the step",
            played(before=True),
            "You crash before each step. Its number stands for a crash right after it.",
        ),
        Mistake(
            "the other way round",
            lambda steps: 1 - fatal(steps),
            "Your ones and zeros are exchanged: 1 where a crash can be fatal.",
        ),
    ),
    mutants=MUTANTS["storage.fatal"],
)
