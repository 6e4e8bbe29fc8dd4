"""Plugin of pytest: fails a test marked channels_last at the operator that lost the format."""

from __future__ import annotations

import functools
from typing import Any

import pytest


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "channels_last: fail if an operator of PyTorch loses channels_last")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: Any) -> None:
    if item.get_closest_marker("channels_last"):
        item.runtest = functools.partial(_watched, item.runtest)


def _watched(test: Any) -> None:
    __tracebackhide__ = True
    from .follow import watch
    with watch() as watched:
        test()
    if watched.lost or not watched.operators:
        pytest.fail(watched.lost or "no operator kept channels_last: its inputs have it not", pytrace=False)
