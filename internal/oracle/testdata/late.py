"""Is late, in one of several ways, argv[1]. oracle_test.go runs it."""
import os
import sys
import time

print("late.py", flush=True)
if sys.argv[1] == "answers some bytes":
    sys.stdout.write("so")
if sys.argv[1] == "forgets to flush":
    print(sys.stdin.readline(), end="")
if sys.argv[1] == "does not end":
    os.close(1)
time.sleep(600)
