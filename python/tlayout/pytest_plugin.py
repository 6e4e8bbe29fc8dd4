"""Plugin of pytest: fails a test marked channels_last at the operator that lost the format, and explains what fails because of a layout."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .watching import watch


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "channels_last: fail if an operator of PyTorch loses channels_last")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: Any) -> None:
    if item.get_closest_marker("channels_last"):
        item.runtest = functools.partial(_watched, item.runtest)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    outcome = yield
    report = outcome.get_result()
    if not report.failed or call.excinfo is None or isinstance(call.excinfo.value, pytest.fail.Exception):
        return
    try:
        from .complaint import why
        answer = why(call.excinfo.value)
    except Exception:  # a test fails by its own reason, whatever this package meets
        return
    if answer:
        report.sections.append(("tlayout why", answer))


def _watched(test: Any) -> None:
    __tracebackhide__ = True
    from .watching import watch
    with watch() as watched:
        test()
    if watched.lost:
        pytest.fail(_explained(watched), pytrace=False)
    if not watched.operators:
        pytest.fail("no operator kept channels_last: its inputs have it not", pytrace=False)


def _explained(watched: watch) -> str:
    """Returns the operator that lost channels_last, and the report if there is one."""
    try:
        return f"{watched.lost}\n\n{watched.report()}"
    except ValueError as e:
        return f"{watched.lost}\n\n{e}"
