"""What the arguments of public functions may be: their annotations are the table, and `checked` asks it at each call.

Where only True and False, or a few words, are meant, nothing else is taken. Numbers, lists and objects are looked at by
the functions themselves, which know their limits; where one fails in a way that says nothing, the argument that is not
what its annotation says is named. `Any` is what no annotation can tell, such as X and y.
"""

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

import numpy as np

__all__ = ["checked"]

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

_UNTOLD: tuple[Any, ...] = (Any, object, np.ndarray)  # lists are taken as arrays, too
_FEW = ("True or False", "one of ", "None")  # how kinds begin that take a few values only
_PLAIN = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_Kind = tuple[str, Callable[[object], bool]]  # what is said of a value, and whether it is one


def checked(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """The function, which refuses arguments that its annotations do not allow, by their names.

    >>> @checked
    ... def half(x: float, rounded: bool = False) -> float:
    ...     return x // 2 if rounded else x / 2
    >>> half(3, True), half(3)
    (1, 1.5)
    >>> half(3, rounded="no")
    Traceback (most recent call last):
    ...
    TypeError: rounded must be True or False; it is 'no'.
    """

    @cache
    def table() -> tuple[inspect.Signature, dict[str, list[_Kind]], list[str]]:
        signature = inspect.signature(function)
        kinds = {name: _kinds(one.annotation) for name, one in signature.parameters.items()}
        plain = all(one.kind in _PLAIN for one in signature.parameters.values())
        placed = [name for name, one in signature.parameters.items() if plain and one.kind is not one.KEYWORD_ONLY]
        return signature, {name: found for name, found in kinds.items() if found}, placed

    @wraps(function)
    def call(*arguments: Given.args, **options: Given.kwargs) -> Answer:
        signature, kinds, placed = table()
        given: dict[str, Any] = dict(zip(placed, arguments, strict=False)) | options
        if len(given) < len(arguments) + len(options) or not given.keys() <= signature.parameters.keys():
            try:
                given = signature.bind(*arguments, **options).arguments
            except TypeError:
                return function(*arguments, **options)  # Python says what is missing, or unknown
        wrong = [
            (name, kinds[name])
            for name, value in given.items()
            if name in kinds
            and value is not signature.parameters[name].default
            and not any(fits(value) for _, fits in kinds[name])
        ]
        for name, known in wrong:
            if all(words.startswith(_FEW) for words, _ in known):
                raise _not_as_annotated(name, given[name], known)
        try:
            return function(*arguments, **options)
        except (ValueError, TypeError, OSError, ImportError, MemoryError):
            raise
        except Exception as error:
            for name, known in wrong:
                raise _not_as_annotated(name, given[name], known) from error
            raise

    return call


def _not_as_annotated(name: str, value: object, kinds: list[_Kind]) -> TypeError | ValueError:
    *first, last = (words for words, _ in kinds)
    what = f"{', '.join(first)} or {last}" if first else last
    shown = repr(value)
    shown = shown if len(shown) <= 60 else f"{type(value).__name__} {shown[:50]}…"
    is_word = isinstance(value, str) and what.startswith("one of")
    return (ValueError if is_word else TypeError)(f"{name} must be {what}; it is {shown}.")


def _kinds(annotation: object) -> list[_Kind]:
    """What the parts of an annotation allow; nothing where one of them allows anything."""
    parts = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    kinds = [_kind(part) for part in parts]
    return [one for one in kinds if one is not None] if None not in kinds else []


def _kind(part: object) -> _Kind | None:
    origin = get_origin(part) or part
    plain: dict[Any, _Kind] = {
        bool: ("True or False", _is_truth),
        int: ("a whole number", lambda v: isinstance(v, Integral) and not _is_truth(v)),
        float: ("a number", _is_real),
        str: ("a text", lambda v: isinstance(v, str)),
        NoneType: ("None", lambda v: v is None),
        os.PathLike: ("a path", lambda v: isinstance(v, os.PathLike)),
        Mapping: ("a dictionary", lambda v: isinstance(v, Mapping)),
    }
    if part is None or origin in plain:
        return plain[NoneType if part is None else origin]
    if origin is Literal:
        choices = get_args(part)
        return f"one of {', '.join(choices)}", lambda v: isinstance(v, str) and v in choices
    if origin in (Sequence, Iterable, list, tuple):
        return "several, in a list", _is_list
    if origin is Callable or getattr(origin, "__name__", "") == "Callable":
        return "a function", callable
    if (
        isinstance(origin, type)
        and origin not in (Any, object, np.ndarray)
        and not getattr(origin, "_is_protocol", False)
    ):
        return f"a {origin.__name__}", lambda v: isinstance(v, origin)
    return None


def _is_truth(value: object) -> bool:
    return isinstance(value, (bool, np.bool_))


def _is_real(value: object) -> bool:
    return isinstance(value, Real) and not _is_truth(value) and bool(value == value)


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
