"""Filter of system calls, run by a BPF interpreter: what the kernel would do with each call."""

import errno
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.sandbox.inside import filters

X86, ARM, I386, ARM32 = 0xC000003E, 0xC00000B7, 0x40000003, 0x40000028  # AUDIT_ARCH_*, linux/audit.h
MACHINES = {"x86_64": X86, "aarch64": ARM}
ALLOW, KILL = "allow", "kill"
ROWS = [
    row.split()
    for row in (Path(__file__).parent / "data" / "syscalls.txt").read_text().splitlines()
    if not row.startswith("#")
]
NUMBERS = {
    "x86_64": {name: int(x86) for name, x86, _, _ in ROWS if x86 != "-"},
    "aarch64": {name: int(arm) for name, _, arm, _ in ROWS if arm != "-"},
}
# Calls that even a container may make, and no page needs.
STRICTER = """
    io_uring_setup io_uring_enter io_uring_register io_setup io_submit io_cancel io_destroy io_getevents io_pgetevents
    memfd_create memfd_secret shmget shmat shmctl semget semop semtimedop semctl msgget msgsnd msgrcv msgctl mq_open
    mq_unlink splice tee vmsplice setxattr lsetxattr fsetxattr
    ptrace process_vm_readv process_vm_writev process_mrelease seccomp name_to_handle_at fanotify_mark inotify_init
    inotify_init1 modify_ldt adjtimex clock_adjtime sync syncfs
    landlock_create_ruleset landlock_add_rule landlock_restrict_self
    fadvise64 flock preadv2 mincore
"""
NEVER = {*STRICTER.split()} | {name for name, *_, container in ROWS if container == "no"}
ARGUED = {"clone", "socket", "socketpair", "setsockopt", "fcntl", "ioctl", "prctl", "personality", "mmap", "madvise"}
word = st.integers(0, 2**64 - 1)
arguments = st.lists(word, min_size=6, max_size=6)
machines = pytest.mark.parametrize("machine", MACHINES)


def verdict(code, arch, number, arguments=(0,) * 6):
    """Return what the kernel does with one call: classic BPF over struct seccomp_data, little-endian."""
    data = [number, arch, 0, 0, *(half for one in arguments for half in (one & 0xFFFFFFFF, one >> 32))]
    at, value = 0, 0
    while True:
        operation, true, false, operand = code[at]
        at += 1
        match operation:
            case 0x20:  # BPF_LD | BPF_W | BPF_ABS
                assert operand % 4 == 0
                value = data[operand // 4]
            case 0x54:  # BPF_ALU | BPF_AND | BPF_K
                value &= operand
            case 0x15:  # BPF_JMP | BPF_JEQ | BPF_K
                at += true if value == operand else false
            case 0x35:  # BPF_JMP | BPF_JGE | BPF_K
                at += true if value >= operand else false
            case 0x06:  # BPF_RET | BPF_K
                if operand & 0xFFFF0000 == 0x00050000:
                    return operand & 0xFFFF
                return {0x7FFF0000: ALLOW, 0x80000000: KILL}[operand]
            case _:
                raise AssertionError(f"no operation of this filter: {operation:#x}")


def refused(machine, name, *first):
    given_ = (*first, *(0,) * (6 - len(first)))
    return verdict(filters.build_program(machine), MACHINES[machine], NUMBERS[machine][name], given_)


@machines
def test_filter_is_a_valid_bpf_program(machine):
    code = filters.build_program(machine)
    assert len(code) <= 4096 and all(0 <= jump < 256 for _, *jumps, _ in code for jump in jumps)


@machines
@given(st.data(), arguments)
def test_filter_refuses_the_listed_calls_only(machine, data, arguments):
    code, numbers = filters.build_program(machine), NUMBERS[machine]
    assert len(numbers) > 300
    for name, number in numbers.items():
        if name not in ARGUED and name != "clone3":
            found = verdict(code, MACHINES[machine], number, arguments)
            wanted = name in NEVER
            assert (found != ALLOW) == wanted and found != KILL, (name, found)


@machines
@given(arguments)
def test_new_calls_are_reported_as_missing_to_the_c_library(machine, arguments):
    code = filters.build_program(machine)
    newest = max(NUMBERS[machine].values())
    for number in (NUMBERS[machine]["clone3"], *range(newest + 1, newest + 200), 2**30 - 1):
        assert verdict(code, MACHINES[machine], number, arguments) == errno.ENOSYS


@machines
@given(arch=st.integers(0, 2**32 - 1) | st.sampled_from([X86, ARM, I386, ARM32]), number=word, arguments=arguments)
def test_filter_kills_calls_of_another_architecture(machine, arch, number, arguments):
    code = filters.build_program(machine)
    number %= 2**32
    found = verdict(code, arch, number, arguments)
    if arch != MACHINES[machine]:
        assert found == KILL
    elif number >= 2**30:
        # With this bit x86-64 makes x32 calls; arm64 has none.
        assert found == (KILL if machine == "x86_64" else errno.ENOSYS)


NAMESPACES = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)  # linux/sched.h
THREAD, FORK = 0x3D0F00, 0x1200011  # flags of pthread_create and fork


@machines
@given(flags=word, high=st.integers(0, 2**32 - 1))
def test_filter_allows_fork_and_refuses_namespaces(machine, flags, high):
    for honest in (THREAD, FORK, 0x4111):  # the last is vfork's
        assert refused(machine, "clone", honest) == ALLOW
        for one in NAMESPACES:
            assert refused(machine, "clone", high << 32 | honest | one) == errno.EPERM
    wanted = errno.EPERM if any(flags & one for one in NAMESPACES) else ALLOW
    assert refused(machine, "clone", flags) == wanted


@machines
@given(family=st.integers(0, 2**32 - 1) | st.integers(0, 50), kind=st.integers(0, 15), high=st.integers(0, 2**32 - 1))
def test_filter_allows_only_unix_stream_sockets(machine, family, kind, high):
    for name in ("socket", "socketpair"):
        for flags in (0, 0x800, 0x80000, 0x80800):  # SOCK_NONBLOCK, SOCK_CLOEXEC
            found = refused(machine, name, high << 32 | family, high << 32 | kind | flags)
            assert (found == ALLOW) == (family == 1 and kind == 1)


@machines
@pytest.mark.parametrize(
    "name, arguments, wanted",
    [
        ("ioctl", (0, 0x5412), errno.EPERM),  # TIOCSTI
        ("ioctl", (0, 0xFFFFFFFF_00005412), errno.EPERM),  # the kernel reads 32 bits of it
        ("ioctl", (0, 0x541C), errno.EPERM),  # TIOCLINUX
        ("ioctl", (0, 0x5423), errno.EPERM),  # TIOCSETD
        ("ioctl", (0x5412, 0x5413), ALLOW),  # TIOCGWINSZ
        ("ioctl", (0, 0x5401), ALLOW),  # TCGETS: is it a terminal?
        ("prctl", (22, 2), errno.EPERM),  # PR_SET_SECCOMP
        ("prctl", (15, 22), ALLOW),  # PR_SET_NAME
        ("prctl", (0x53564D41, 0), errno.EPERM),  # PR_SET_VMA_ANON_NAME
        ("personality", (0xFFFFFFFF,), ALLOW),
        ("personality", (0,), ALLOW),
        ("personality", (0x0400000,), errno.EPERM),  # READ_IMPLIES_EXEC
        ("fcntl", (3, 1031, 1 << 20), errno.EPERM),  # F_SETPIPE_SZ
        ("fcntl", (1031, 2, 1), ALLOW),  # F_SETFD
        ("fcntl", (3, 6), 0),  # F_SETLK, as SQLite does: reported as done
        ("fcntl", (3, 38), 0),  # F_OFD_SETLKW
        ("fcntl", (3, 5), ALLOW),  # F_GETLK
        ("setsockopt", (3, 1, 7), errno.EPERM),  # SO_SNDBUF
        ("setsockopt", (3, 1, 8), errno.EPERM),  # SO_RCVBUF
        ("setsockopt", (3, 1, 2), ALLOW),  # SO_REUSEADDR
        ("madvise", (0, 4096, 4), ALLOW),  # MADV_DONTNEED, of the C library
        ("madvise", (0, 4096, 14), ALLOW),  # MADV_HUGEPAGE, of NumPy
        ("madvise", (0, 4096, 21), errno.EPERM),  # MADV_PAGEOUT
    ],
)
def test_filter_refuses_calls_by_argument(machine, name, arguments, wanted):
    assert refused(machine, name, *arguments) == wanted


@machines
@given(length=word | st.integers(-9, 9).map(lambda n: (32 << 20) + n), protection=st.integers(0, 7), flags=word)
def test_filter_limits_shared_memory_segments(machine, length, protection, flags):
    for kind, large in ((1, errno.ENOMEM), (3, errno.ENOMEM), (2, ALLOW)):  # MAP_SHARED, _SHARED_VALIDATE, _PRIVATE
        wanted = large if length > 32 << 20 else ALLOW
        assert refused(machine, "mmap", 0, length, protection, flags & ~0xF | kind, 2**64 - 1, 0) == wanted


@pytest.mark.parametrize("machine", ["riscv64", "i686", "armv7l", ""])
def test_filter_refuses_an_unknown_architecture(machine):
    with pytest.raises(OSError, match="not known"):
        filters.build_program(machine)
