# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that may not reach a network (Linux, seccomp).

The kernel kills the process, or the one of its children, that asks for a socket other than one to
programs of the same machine (AF_UNIX, as a window or a sound device has), or for io_uring, which
can open sockets.
"""

import ctypes
import os
import platform
import struct
import sys

CALLS = {"x86_64": (0xC000003E, 41, 425, 317), "aarch64": (0xC00000B7, 198, 425, 277)}
"""Machine -> its number in audit.h, and the numbers of the calls socket, io_uring_setup and
seccomp.
"""

AF_UNIX = 1
ALLOW = 0x7FFF0000
KILL = 0x80000000
LOAD = 0x20  # BPF: load a word, jump if equal, return
EQUAL = 0x15
RETURN = 0x06
NUMBER = 0  # places in struct seccomp_data
MACHINE = 4
FIRST = 16
NO_NEW_PRIVILEGES = 38
SET_FILTER = 1
ALL_THREADS = 1


def possible() -> bool:
    """Whether this system and machine are known here."""
    return sys.platform == "linux" and platform.machine() in CALLS


def forbid() -> None:
    """Forbid the network to this process and all that it starts, for good; OSError where the system
    refuses.
    """
    machine, socket, io_uring, seccomp = CALLS[platform.machine()]
    program = [
        (LOAD, 0, 0, MACHINE),
        (EQUAL, 0, 5, machine),
        (LOAD, 0, 0, NUMBER),
        (EQUAL, 3, 0, io_uring),
        (EQUAL, 0, 3, socket),
        (LOAD, 0, 0, FIRST),
        (EQUAL, 1, 0, AF_UNIX),
        (RETURN, 0, 0, KILL),
        (RETURN, 0, 0, ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
    given = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    )
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or library.syscall(
        seccomp, SET_FILTER, ALL_THREADS, given
    ):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
