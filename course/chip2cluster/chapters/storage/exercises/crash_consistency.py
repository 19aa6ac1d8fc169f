"""Exercise on the steps of a checkpoint after which a crash leaves nothing to restart from."""

from chip2cluster import reliability
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .checkpoint_mistakes import played


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
            "safe and cut short", 0.2, _edges, v.VALUE, advice="A sequence that is safe at every step gives only zeros."
        ),
    ),
    hints=(
        "Track two things separately: what programs see now, and, for each name, every file that it may point to after a crash.",
        "Store two things for each file: whether it is certainly complete, and which checkpoint it names. Writing clears the first; syncing "
        "the file sets it; syncing the directory leaves each name with only the file that programs see.",
        "After each step go through every file that `latest` may point to. Each must exist, be complete and name a checkpoint, and every file "
        "that *this* name may point to must exist and be complete. If one doesn't, return 1 for the step.",
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
        "A sequence is safe if, at every moment, every file that `latest` may point to leads to a complete checkpoint. So the new "
        "checkpoint must be complete, and its name durable, before any manifest names it. The new manifest must be complete before it "
        "takes the old one's name. And the old checkpoint is deleted last, when no manifest can lead to it any more."
    ),
    meaning=lambda: (
        f"The safe order has {len(SAFE)} steps, of which {sum(step.startswith('sync') for step in SAFE)} are syncs. Leave one of "
        "them out, and there is a moment at which a crash is fatal. Such moments are short, but a run of 54 days with a checkpoint "
        f"every 19 minutes goes through {54 * 86400 / (19 * 60):,.0f} of them."
    ),
    mistakes=(
        Mistake(
            "written is whole",
            played(torn=False),
            "You treat a written file as complete. Until it is synced a crash may leave half of it, or nothing.",
        ),
        Mistake(
            "names at once",
            played(late=False),
            "You treat every name as programs see it. Until the directory is synced a crash may leave the name as it was.",
        ),
        Mistake(
            "what programs see",
            played(torn=False, late=False),
            "You used what programs see. A crash can undo everything that was not synced: the bytes of files, and the names.",
        ),
        Mistake(
            "rename makes whole",
            played(rename_syncs=True),
            "Your rename syncs the file. A rename only moves a name: an incomplete file is still incomplete under its new name.",
        ),
        Mistake(
            "a rename lasts",
            played(rename_lasts=True),
            "Your rename is durable at once. Atomic doesn't mean durable: until 'sync .' the name may point to the old file.",
        ),
        Mistake(
            "a write makes a new file",
            played(writes_new=True),
            "Your write to an existing name makes a second file. It empties the existing file instead.",
        ),
        Mistake(
            "the last change alone",
            played(short=True),
            "You remember only two files for each name. It may point to any file that it has pointed to since the directory was synced.",
        ),
        Mistake(
            "a file's sync keeps its name",
            played(file_syncs_name=True),
            "Your sync of a file also makes its name durable. The name is in the directory, which needs its own sync: 'sync .'.",
        ),
        Mistake(
            "the directory's sync makes whole",
            played(directory_syncs_files=True),
            "Your 'sync .' makes the files complete. It makes only names durable; each file needs its own sync for its bytes.",
        ),
        Mistake(
            "a new name is never nothing",
            played(nothing=False),
            "Your new names point only to their new file. Until 'sync .' a new name may also point to nothing.",
        ),
        Mistake(
            "names fall back together",
            played(together=True),
            "Your names all go back to the same moment. Here each name may go back independently.",
        ),
        Mistake(
            "a gap in the rename",
            played(gap=True),
            "Your rename has a moment without either file. A rename is atomic: the name points to the old file or to the new one.",
        ),
        Mistake(
            "the old manifest stays",
            played(kept=True),
            "You keep the old manifest while a new one overwrites it. Opening a file for writing empties it.",
        ),
        Mistake(
            "any checkpoint will do",
            played(manifest=False),
            "You check whether any checkpoint is complete. A restart needs the manifest, and loads the checkpoint that it names.",
        ),
        Mistake(
            "the manifest alone",
            played(checkpoint=False),
            "You check only the manifest. The checkpoint that it names must exist and be complete as well.",
        ),
        Mistake(
            "with luck",
            played(pick=any),
            "You count a crash as harmless if *some* outcome of it is. Every outcome must lead to a complete checkpoint.",
        ),
        Mistake(
            "before the step",
            played(before=True),
            "Your crash comes before each step. The number is for a crash right after the step.",
        ),
        Mistake(
            "no step is fatal",
            lambda steps: 0 * fatal(steps),
            "You found no step fatal. Play a crash after each step: a manifest that is being overwritten is empty until it is synced.",
        ),
        Mistake(
            "the other way round",
            lambda steps: 1 - fatal(steps),
            "Your ones and zeros are swapped: return 1 where a crash can be fatal.",
        ),
    ),
    mutants=MUTANTS["storage.fatal"],
)
