"""Filter of system calls (seccomp) for student code; the kernel applies it. Runs inside the sandbox.

The calls that Python and its packages make change with each version of the C library. Therefore every call is allowed
that is not refused, and whole classes that no page needs are refused: access to rarely used parts of the kernel, to
other processes, to keys, and to memory that no process holds. A call newer than this list is reported as missing;
every library then falls back to another call, as on an older kernel.
"""

import ctypes
import errno
import platform
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    """The kernel's number of an architecture, and its column in the tables below."""

    audit: int
    column: int


ARCHITECTURES = {"x86_64": Architecture(0xC000003E, 0), "aarch64": Architecture(0xC00000B7, 1)}
NEWEST = 450  # last call of Linux 5.17 to 6.4
X32 = 0x40000000  # x86-64's calls with 32-bit addresses

# Each call with its number on x86-64 and on arm64; a dash if it does not exist there.
REFUSED = {
    errno.EPERM: """
        unshare:272:97 setns:308:268 mount:165:40 umount2:166:39 pivot_root:155:41 chroot:161:51 open_tree:428:428
        move_mount:429:429 fsopen:430:430 fsconfig:431:431 fsmount:432:432 fspick:433:433 mount_setattr:442:442
        ptrace:101:117 process_vm_readv:310:270 process_vm_writev:311:271 kcmp:312:272 pidfd_getfd:438:438
        process_madvise:440:440 process_mrelease:448:448 get_mempolicy:239:236 set_mempolicy:238:237 mbind:237:235
        migrate_pages:256:238 move_pages:279:239 set_mempolicy_home_node:450:450
        add_key:248:217 request_key:249:218 keyctl:250:219
        bpf:321:280 perf_event_open:298:241 userfaultfd:323:282 seccomp:317:277
        io_uring_setup:425:425 io_uring_enter:426:426 io_uring_register:427:427
        io_setup:206:0 io_submit:209:2 io_cancel:210:3 io_destroy:207:1 io_getevents:208:4 io_pgetevents:333:292
        inotify_init:253:- inotify_init1:294:26 name_to_handle_at:303:264 open_by_handle_at:304:265 lookup_dcookie:212:18 fanotify_init:300:262
        fanotify_mark:301:263 quotactl:179:60 quotactl_fd:443:443 nfsservctl:180:42
        memfd_create:319:279 memfd_secret:447:447 shmget:29:194 shmat:30:196 shmctl:31:195 semget:64:190 semop:65:193
        semctl:66:191 semtimedop:220:192 msgget:68:186 msgsnd:69:189 msgrcv:70:188 msgctl:71:187 mq_open:240:180
        mq_unlink:241:181
        acct:163:89 settimeofday:164:170 clock_settime:227:112 clock_adjtime:305:266 adjtimex:159:171 swapon:167:224
        swapoff:168:225 reboot:169:142 sethostname:170:161 setdomainname:171:162 syslog:103:116 vhangup:153:58
        kexec_load:246:104 kexec_file_load:320:294 init_module:175:105 finit_module:313:273 delete_module:176:106
        create_module:174:- query_module:178:- get_kernel_syms:177:- uselib:134:- iopl:172:- ioperm:173:-
        modify_ldt:154:- sysfs:139:- _sysctl:156:-
        sync:162:81 syncfs:306:267 ustat:136:- getpmsg:181:- putpmsg:182:- afs_syscall:183:- tuxcall:184:- security:185:-
        vserver:236:-
    """,
    # Reported as done: code that could evict a page of a file from the page cache could leave messages there, and a lock
    # on a file of the interpreter is visible to every submission that runs at the same time.
    0: "fadvise64:221:223 flock:73:32",
    # Pages in a pipe belong to no process, and access control lists do not count as a file's size. Landlock rules of a
    # process are kernel memory without a limit. The last two calls report which pages of a file are in the page cache,
    # and so what another submission has read.
    errno.ENOSYS: """
        clone3:435:435 splice:275:76 tee:276:77 vmsplice:278:75
        landlock_create_ruleset:444:444 landlock_add_rule:445:445 landlock_restrict_self:446:446
        preadv2:327:286 mincore:27:232
    """,
    errno.EOPNOTSUPP: "setxattr:188:5 lsetxattr:189:6 fsetxattr:190:7",
}


@dataclass(frozen=True)
class ArgumentRule:
    """Refuse a call because of one argument (its lower 32 bits, which is all that the kernel reads of these).

    The call is refused if the argument, masked with ``mask``, is in ``values``; with ``others``, if it is not.
    """

    call: str
    argument: int
    values: tuple[int, ...]
    others: bool = False
    mask: int = 0xFFFFFFFF
    error: int = errno.EPERM


CLONE, SOCKET, SOCKETPAIR, PERSONALITY = "clone:56:220", "socket:41:198", "socketpair:53:199", "personality:135:92"
IOCTL, PRCTL, FCNTL, SETSOCKOPT = "ioctl:16:29", "prctl:157:167", "fcntl:72:25", "setsockopt:54:208"
MMAP, MADVISE = "mmap:9:222", "madvise:28:233"
NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET
TIOCSTI, TIOCLINUX, TIOCSETD = 0x5412, 0x541C, 0x5423
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_SET_VMA, SECCOMP_MODE_FILTER = 38, 22, 0x53564D41, 2
F_SETPIPE_SZ = 1031
F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW = 6, 7, 37, 38
AF_UNIX, SOCK_STREAM = 1, 1  # Python on Windows, which has to say why it refuses, lacks a name
SO_SNDBUF, SO_RCVBUF = 7, 8
MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT = 12, 20, 21
MAP_SHARED = 1
LARGEST_SHARED = 32 << 20  # bytes of one segment of shared memory

RULES = (
    ArgumentRule(CLONE, 0, (0,), others=True, mask=NEW_NAMESPACES),
    # Processes communicate by pairs of stream sockets. Other families are rarely used parts of the kernel; the ports and
    # counters of the loopback would last from one submission to the next, and datagrams hold memory that is not counted.
    ArgumentRule(SOCKET, 0, (AF_UNIX,), others=True, error=errno.EAFNOSUPPORT),
    ArgumentRule(SOCKETPAIR, 0, (AF_UNIX,), others=True, error=errno.EAFNOSUPPORT),
    ArgumentRule(SOCKET, 1, (SOCK_STREAM,), others=True, mask=0xF, error=errno.EPROTONOSUPPORT),
    ArgumentRule(SOCKETPAIR, 1, (SOCK_STREAM,), others=True, mask=0xF, error=errno.EPROTONOSUPPORT),
    # The grader counts each buffer with its default size.
    ArgumentRule(SETSOCKOPT, 2, (SO_SNDBUF, SO_RCVBUF)),
    ArgumentRule(FCNTL, 1, (F_SETPIPE_SZ,)),
    # A lock on each byte of a file is memory that is not counted. All locks are reported as granted, because SQLite
    # needs them.
    ArgumentRule(FCNTL, 1, (F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW), error=0),
    # Memory that would not be counted.
    ArgumentRule(MADVISE, 2, (MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT)),
    # Input into a terminal, and its rarely used drivers.
    ArgumentRule(IOCTL, 1, (TIOCSTI, TIOCLINUX, TIOCSETD)),
    # A custom name would hide shared memory from the grader's measurement.
    ArgumentRule(PRCTL, 0, (PR_SET_SECCOMP, PR_SET_VMA)),
    ArgumentRule(PERSONALITY, 0, (0, 0xFFFFFFFF), others=True),
)

_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in the kernel's struct seccomp_data

Instruction = tuple[int, int, int, int]


def unavailable_reason() -> str:
    """Return why no filter can be loaded on this machine; empty if one can."""
    if sys.platform != "linux":
        return "the filter of system calls needs Linux"
    if platform.machine() not in ARCHITECTURES:
        return f"the filter of system calls knows {' and '.join(ARCHITECTURES)}, not {platform.machine()}"
    # The kernel looks at the filter, and finds none, only if it supports this mode.
    if _libc().prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, None, 0, 0) == 0 or ctypes.get_errno() != errno.EFAULT:
        return "this kernel takes no filter of system calls (seccomp)"
    return ""


def load() -> None:
    """Apply the filter permanently to this process, which has one thread, and to all its children.

    Raises
    ------
    OSError
        If the kernel refuses the filter.
    """
    code = build_program(platform.machine())
    libc = _libc()

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]

    packed = b"".join(struct.pack("=HBBI", *instruction) for instruction in code)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or libc.prctl(
        PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(Program(len(code), packed)), 0, 0
    ):
        raise OSError(ctypes.get_errno(), "the filter of system calls was not taken")


def build_program(machine: str) -> list[Instruction]:
    """Return the filter as BPF instructions (code, jump if true, jump if false, operand).

    Parameters
    ----------
    machine : str
        Architecture, from `platform.machine`.

    Raises
    ------
    OSError
        If the calls of the architecture are not known.
    """
    if machine not in ARCHITECTURES:
        raise OSError(errno.ENOSYS, f"the calls of {machine} are not known")
    audit, column = ARCHITECTURES[machine].audit, ARCHITECTURES[machine].column
    code: list[Instruction] = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, audit), (_RETURN, 0, 0, _KILL)]
    code.append((_LOAD, 0, 0, _NUMBER))
    if machine == "x86_64":
        code += [(_AT_LEAST, 0, 1, X32), (_RETURN, 0, 0, _KILL)]
    code += [(_AT_LEAST, 0, 1, NEWEST + 1), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    for error, calls in REFUSED.items():
        for call in calls.split():
            if (number := _number(call, column)) is not None:
                code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | error)]
    for rule in RULES:
        body = list(_arguments(rule))
        code += [(_EQUAL, 0, len(body), _number(rule.call, column) or 0), *body]
    return [*code, *_shared_memory(_number(MMAP, column) or 0), (_RETURN, 0, 0, _ALLOW)]


def _arguments(rule: ArgumentRule) -> Iterator[Instruction]:
    """Yield the instructions that test one argument, then load the number of the call again."""
    yield (_LOAD, 0, 0, _ARGUMENTS + 8 * rule.argument)
    yield (_AND, 0, 0, rule.mask)
    refuse = (_RETURN, 0, 0, _ERRNO | rule.error)
    for left, value in zip(range(len(rule.values) - 1, -1, -1), rule.values, strict=True):
        # Jump over the other values, and over the refusal or to it.
        yield (_EQUAL, left + rule.others, 0 if left else 1 - rule.others, value)
    yield refuse
    yield (_LOAD, 0, 0, _NUMBER)


def _shared_memory(call: int) -> list[Instruction]:
    """Refuse to map a large shared segment: all of it stays allocated while any process has one page mapped."""
    length, flags = _ARGUMENTS + 8, _ARGUMENTS + 24
    return [
        (_EQUAL, 0, 8, call),
        (_LOAD, 0, 0, flags),
        (_AND, 0, 0, MAP_SHARED),
        (_EQUAL, 0, 5, MAP_SHARED),
        (_LOAD, 0, 0, length + 4),
        (_EQUAL, 0, 2, 0),
        (_LOAD, 0, 0, length),
        (_AT_LEAST, 0, 1, LARGEST_SHARED + 1),
        (_RETURN, 0, 0, _ERRNO | errno.ENOMEM),
    ]


def call_number(name: str, machine: str) -> int | None:
    """Return the number of a call in the tables; None if the architecture does not have it."""
    texts = (*REFUSED.values(), *(rule.call for rule in RULES))
    call = next(call for text in texts for call in text.split() if call.startswith(f"{name}:"))
    return _number(call, ARCHITECTURES[machine].column)


def _number(call: str, column: int) -> int | None:
    digits = call.split(":")[1 + column]
    return None if digits == "-" else int(digits)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
