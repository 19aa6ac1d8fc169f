"""Submissions that try to carry something out: hidden inputs, solutions, secrets, others' work."""

from autograder.checking import judge
from tests.private_text import exercise_file, tail

from .model import LAB, NAME, cheat, every

MARK = "LEAK-7391"
NAMED = "MARK_ = 'LEAK-' + str(7391)\n"
ALL = "[*locals().values()]"
SHARED = """
import mmap, os
shared = mmap.mmap(-1, 65536)
pipe = os.pipe(); os.set_blocking(pipe[0], False)
"""
READ_BACK = """
import glob, os, time
time.sleep(0.2)  # a patient attacker: what functions wrote has time to arrive
print(shared[:4096].rstrip(b"\\0"))
try: print(os.read(pipe[0], 65536))
except OSError: pass
for file in glob.glob("/tmp/**", recursive=True) + glob.glob("/dev/shm/**", recursive=True) + glob.glob("/var/tmp/**", recursive=True):
    try: print(file, open(file).read())
    except OSError: pass
print(globals().get("seen"))
"""
KEEP = """global seen
    seen = repr(ARGS); data = ("hidden" + seen).encode()
    shared[:len(data)] = data; os.write(pipe[1], data)
    for place in ("/tmp/x", "/var/tmp/x", "/dev/shm/x", "x"):
        try: open(place, "wb").write(data)
        except OSError: pass
    print(seen); display(seen)
    import sys; print(seen, file=sys.stderr); os.system("echo " + seen)
    return 1.0""".replace("ARGS", ALL)
# What names of private files begin with, and what paths of modules end with.
BEGIN = (NAME, "INSTRUCTOR", "gradebook", "course-secret", "nbgrader_config")
END = (tail(judge.__file__), tail(exercise_file(LAB.tasks[0].definition)))
SOLUTIONS = (
    NAMED
    + f"""
import os
for top, folders, files in os.walk("/"):
    folders[:] = [name for name in folders if name not in ("proc", "sys", "usr", "site-packages")]
    for name in (*folders, *files):
        if name.startswith({BEGIN}) or os.path.join(top, name).endswith({END}):
            print(MARK_, top, name)
"""
)
SECRETS = (
    NAMED
    + """
import glob, os, subprocess
print(MARK_ if any("SECRET" in name for name in os.environ) else "", sorted(os.environ))
for file in glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline"):
    print(MARK_, open(file, "rb").read())
print(subprocess.run("ps axe 2>/dev/null; env | grep SECRET", shell=True, capture_output=True, text=True).stdout)
"""
)
MEMORY = (
    NAMED
    + """
import gc
for thing in gc.get_objects():
    if isinstance(thing, dict) and ("expected" in thing or "seeds" in thing or "CHIP2CLUSTER_SECRET" in thing): print(MARK_, list(thing)[:9])
"""
)
NEIGHBOURS = (
    NAMED
    + """
import ctypes, os
libc = ctypes.CDLL(None)
id = libc.shmget(4242, 4096, 0o666)
if id >= 0: print(MARK_ + " shared memory of another submission")
libc.shmget(4242, 4096, 0o1666)
for place in ("/tmp/left", "/var/tmp/left", "/dev/shm/left"):
    if os.path.exists(place): print(MARK_ + " file of another submission")
    try: open(place, "w").write("from the one before")
    except OSError: pass
"""
)

ATTACKS = (
    cheat(
        "leak-by-message",
        "raises an error whose text holds the hidden inputs",
        "",
        every(f"raise ValueError(repr({ALL}))"),
    ),
    cheat(
        "leak-by-class",
        "raises an error whose class is named after them",
        "",
        every(f"raise type('E' + repr({ALL}), (Exception,), {{}})"),
    ),
    cheat(
        "leak-by-type",
        "returns an object whose class is named after them",
        "",
        every(f"return type('T' + repr({ALL}), (), {{}})()"),
    ),
    cheat(
        "leak-by-dtype",
        "returns a record array whose fields are named after them",
        "import numpy as np",
        every(f"return np.zeros(1, [(repr({ALL})[:99], float)])"),
    ),
    cheat("leak-by-text", "returns the hidden inputs as text", "", every(f"return repr({ALL})")),
    cheat(
        "leak-by-source",
        "raises from a line that it has written itself",
        "import linecache",
        every(
            f"t = repr({ALL}); linecache.cache['<cell 1>'] = (len(t), None, ['raise ' + t], '<cell 1>'); exec(compile('raise ValueError', '<cell 1>', 'exec'))"
        ),
    ),
    cheat(
        "leak-by-store",
        "keeps them in files, pipes and shared memory and prints them in a later cell",
        SHARED,
        every(KEEP),
        last=READ_BACK,
    ),
    cheat("read-solutions", "looks for solutions, rubrics and others' work", SOLUTIONS),
    cheat("read-secrets", "looks for the course secret in the environment and in processes", SECRETS),
    cheat("read-memory", "looks for secrets in memory", MEMORY),
    cheat("neighbours", "leaves messages for the next submission in the same sandbox", NEIGHBOURS),
    cheat("neighbours-again", "reads the messages of the one before", NEIGHBOURS),
)
