"""Plugin of pytest: fails a test marked channels_last at the operator that lost the format."""

from __future__ import annotations

import functools
from typing import Any

import pytest


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "channels_last: fail if an operator of PyTorch loses channels_last")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> None:
    if pyfuncitem.get_closest_marker("channels_last"):
        pyfuncitem.obj = functools.partial(_watched, pyfuncitem.obj)


def _watched(test: Any, **fixtures: Any) -> None:
    __tracebackhide__ = True
    from .follow import watch
    with watch() as watched:
        test(**fixtures)
    if watched.lost:
        pytest.fail(watched.lost, pytrace=False)
