"""Runs a command without its output and prints its seconds, and its maximum of anonymous and of resident memory in KiB.

    timed.py COMMAND [ARGUMENT...]

Linux alone. It starts the latter at this program's own.
"""

import os
import select
import sys
import time

POLL_EVERY = 2  # milliseconds between looks at the memory: long enough not to slow the command down


def anonymous(pid):
    """KiB of anonymous memory now."""
    with open(f"/proc/{pid}/status") as status:
        return next((int(line.split()[1]) for line in status if line.startswith("RssAnon:")), 0)


def main():
    command = sys.argv[1:] or sys.exit("timed.py: no command")
    null = os.open(os.devnull, os.O_WRONLY)
    start = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
    ended = select.poll()
    ended.register(os.pidfd_open(pid), select.POLLIN)
    most = 0
    while not ended.poll(POLL_EVERY):
        most = max(most, anonymous(pid))
    seconds = time.perf_counter() - start
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"{' '.join(command)}: exit code {os.waitstatus_to_exitcode(status)}")
    print(f"{seconds:.6f} {most} {usage.ru_maxrss}")


if __name__ == "__main__":
    main()
