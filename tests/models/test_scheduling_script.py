"""The linter of job scripts: what was tried on a real Slurm, and what the manuals say."""

import pytest

from chip2cluster.scheduling import lint_script
from tests.tables import every_row

GOOD = """#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=8 --time=02:00:00
#SBATCH --signal=B:USR1@300 --requeue --array=0-999%20
save() { kill -USR1 "$step"; wait "$step"; scontrol requeue "$SLURM_JOB_ID"; exit 0; }
trap save USR1
srun python train.py &
step=$!
wait "$step"
"""


def rules(text):
    return {(slip.line, slip.rule) for slip in lint_script(text)}


def test_a_script_that_was_seen_to_work_is_left_alone():
    assert lint_script(GOOD) == ()


@every_row(
    "old, new, found",
    [
        ("srun python train.py &", "srun python train.py", (5, "deaf trap")),
        ('wait "$step"\n', "", (5, "deaf trap")),
        (" --time=02:00:00", "", (0, "no limit")),
        ("02:00:00", "12", (2, "minutes")),
        ("999%20", "999", (3, "stampede")),
        ("trap save USR1\n", "", (3, "nobody listens")),
        ("srun python", "srun torchrun --nproc_per_node=8", (6, "two launchers")),
        ("srun python", "srun mpirun python", (6, "two launchers")),
        ("srun python", "srun ray start --head", (6, "ends with its step")),
        ("srun python", "cp data $SLURM_TMPDIR\nsrun python", (6, "no such folder")),
        ("srun python", "n=$((SLURM_ARRAY_TASK_MAX+1))\nsrun python", (6, "stride")),
        ("train.py &", "train.py \\ \n  --fast &", (6, "blank behind \\")),
        ("--nodes=2", "--nodelist=n[1-2]", (2, "pinned")),
        ("step=$!", "#SBATCH --qos=high", (7, "late option")),
    ],
)
def test_one_change_is_one_finding(old, new, found):
    assert old in GOOD
    text = GOOD.replace(old, new) if old.startswith("wait") is False else GOOD.removesuffix(old)
    assert found in rules(text)


def test_what_is_no_slip():
    assert lint_script(GOOD.replace("999%20", "99")) == ()
    assert lint_script(GOOD.replace("srun python", "cp data ${SLURM_TMPDIR:-/tmp}\nsrun python")) == ()
    one_task = GOOD.replace("--ntasks-per-node=8", "--ntasks-per-node=1").replace("srun python", "srun torchrun")
    assert lint_script(one_task) == ()
    assert "no limit" not in {rule for _, rule in rules("#!/bin/sh\n#SBATCH -t 1:00:00\nsrun a\n")}


@pytest.mark.parametrize("text, error", [(3, TypeError), ("srun a", ValueError), ("", ValueError)])
def test_what_is_no_script(text, error):
    with pytest.raises(error):
        lint_script(text)
