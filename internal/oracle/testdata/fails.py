"""Raises the exception argv[1] with the text argv[2] before it says anything. oracle_test.go runs it."""
import builtins
import sys

raise getattr(builtins, sys.argv[1])(sys.argv[2])
