"""lint_script on scripts that were tested on a real Slurm, and on rules of the manuals."""

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
    return {(finding.line, finding.rule) for finding in lint_script(text)}


def test_working_script_has_no_findings():
    assert lint_script(GOOD) == ()


@every_row(
    "old, new, found",
    [
        ("srun python train.py &", "srun python train.py", (5, "delayed trap")),
        ('wait "$step"\n', "", (5, "delayed trap")),
        (" --time=02:00:00", "", (0, "no limit")),
        ("02:00:00", "12", (2, "minutes")),
        ("999%20", "999", (3, "no array limit")),
        ("trap save USR1\n", "", (3, "missing trap")),
        ("srun python", "srun torchrun --nproc_per_node=8", (6, "two launchers")),
        ("srun python", "srun mpirun python", (6, "two launchers")),
        ("srun python", "srun ray start --head", (6, "step ends early")),
        ("srun python", "cp data $SLURM_TMPDIR\nsrun python", (6, "unset SLURM_TMPDIR")),
        ("srun python", "n=$((SLURM_ARRAY_TASK_MAX+1))\nsrun python", (6, "task count")),
        ("train.py &", "train.py \\ \n  --fast &", (6, "space after \\")),
        ("--nodes=2", "--nodelist=n[1-2]", (2, "fixed nodes")),
        ("step=$!", "#SBATCH --qos=high", (7, "late option")),
        ("--nodes=2", "--nodes=2 --cpus-per-task=8", (6, "cores not inherited")),
        ("--nodes=2", "--nodes=2 -c 8", (6, "cores not inherited")),
    ],
)
def test_one_mistake_gives_one_finding(old, new, found):
    assert old in GOOD
    text = GOOD.replace(old, new) if old.startswith("wait") is False else GOOD.removesuffix(old)
    assert found in rules(text)


def test_valid_variants_have_no_findings():
    assert lint_script(GOOD.replace("999%20", "99")) == ()
    assert lint_script(GOOD.replace("srun python", "cp data ${SLURM_TMPDIR:-/tmp}\nsrun python")) == ()
    one_task = GOOD.replace("--ntasks-per-node=8", "--ntasks-per-node=1").replace("srun python", "srun torchrun")
    assert lint_script(one_task) == ()
    cores = GOOD.replace("--nodes=2", "--nodes=2 --cpus-per-task=8")
    assert lint_script(cores.replace("srun python", "srun --cpus-per-task=8 python")) == ()
    assert lint_script(cores.replace("srun python", "srun -c8 python -u")) == ()
    assert lint_script(cores.replace("srun python", "export SRUN_CPUS_PER_TASK=8\nsrun python")) == ()
    assert lint_script(cores.replace("task=8", "task=1")) == ()
    assert lint_script(cores.replace("srun python", "srun python -c 'print(1)'")) != ()
    assert "no limit" not in {rule for _, rule in rules("#!/bin/sh\n#SBATCH -t 1:00:00\nsrun a\n")}


@pytest.mark.parametrize("text, error", [(3, TypeError), ("srun a", ValueError), ("", ValueError)])
def test_lint_script_errors(text, error):
    with pytest.raises(error):
        lint_script(text)
