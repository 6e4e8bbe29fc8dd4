"""Refuses keywords that a function has not, with the one that may be meant."""

from __future__ import annotations

import difflib
import functools
import inspect
from typing import Any, Callable, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Omitted:
    """The value of a keyword that is not given: None and False are values that an assertion refuses."""

    def __repr__(self) -> str:
        return "..."


OMITTED: Any = Omitted()


def checked(**reasons: str) -> Callable[[F], F]:
    """Returns a decorator: a keyword that the function has not is a TypeError, with the nearest one, or the reason given for its name."""
    def decorate(function: F) -> F:
        names = [p.name for p in inspect.signature(function).parameters.values() if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True  # pytest shows the caller's line
            for name in kwargs:
                if name not in names:
                    near = difflib.get_close_matches(name, names, 1)
                    why = reasons.get(name) or (f"did you mean {near[0]}?" if near else "it has " + ", ".join(names))
                    raise TypeError(f"{function.__name__} has no keyword {name}: {why}")
            return function(*args, **kwargs)
        return call  # type: ignore[return-value]
    return decorate
