"""Runs a program that the kernel ends when it starts another program or opens a socket.

`python sealed.py PROGRAM [ARGUMENT...]`, on Linux. Threads are let through, and so are pairs of
sockets, which have no name and lead nowhere. Everything else that begins a process, runs a program
or reaches a network ends the whole process with SIGSYS.
"""

import ctypes
import os
import platform
import struct
import sys

# execve, execveat, clone, clone3, and those that end the process: fork, vfork, socket, connect,
# accept, accept4, bind, listen.
MACHINES = {
    "x86_64": (0xC000003E, 59, 322, 56, 435, [57, 58, 41, 42, 43, 288, 49, 50]),
    "aarch64": (0xC00000B7, 221, 281, 220, 435, [198, 203, 202, 242, 200, 201]),
}
LOAD, EQUAL, BITS, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, KILL, ABSENT = 0x7FFF0000, 0x80000000, 0x00050000 | 38
NUMBER, ARCHITECTURE, FIRST_LOW, FIRST_HIGH = 0, 4, 16, 20
CLONE_THREAD = 0x00010000
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2


def is_possible():
    return sys.platform == "linux" and platform.machine() in MACHINES


def rules(program):
    """The filter; `program` is the address of the one path that may be run, which is gone after that."""
    architecture, execve, execveat, clone, clone3, ended = MACHINES[platform.machine()]
    code = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
    ]
    for number in [execveat, *ended]:
        code += [(EQUAL, 0, 1, number), (RETURN, 0, 0, KILL)]
    # The library makes threads the older way when this one is absent; its flags cannot be looked at.
    code += [(EQUAL, 0, 1, clone3), (RETURN, 0, 0, ABSENT)]
    code += [
        (EQUAL, 0, 4, clone),
        (LOAD, 0, 0, FIRST_LOW),
        (BITS, 0, 1, CLONE_THREAD),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, KILL),
    ]
    code += [
        (EQUAL, 0, 6, execve),
        (LOAD, 0, 0, FIRST_LOW),
        (EQUAL, 0, 3, program & 0xFFFFFFFF),
        (LOAD, 0, 0, FIRST_HIGH),
        (EQUAL, 0, 1, program >> 32),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, KILL),
        (RETURN, 0, 0, ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in code), len(code)


def texts(words):
    array = (ctypes.c_char_p * (len(words) + 1))()
    array[: len(words)] = words
    return array


def main(words):
    libc = ctypes.CDLL(None, use_errno=True)
    program = ctypes.create_string_buffer(os.fsencode(words[0]))
    arguments = texts([os.fsencode(word) for word in words])
    variables = texts([os.fsencode(f"{name}={value}") for name, value in os.environ.items()])
    code, n_steps = rules(ctypes.addressof(program))
    steps = ctypes.create_string_buffer(code, len(code))
    # A length, and behind the gap the address of the steps.
    filter_ = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", n_steps, ctypes.addressof(steps)))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        sys.exit("the kernel takes no filters")
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter_, 0, 0) != 0:
        sys.exit("the kernel does not take the filter")
    libc.execve(program, arguments, variables)
    sys.exit(f"cannot run {words[0]}")


if __name__ == "__main__":
    main(sys.argv[1:])
