"""What is public by its name, and the object at a dotted path."""

from __future__ import annotations

import importlib
import inspect
from functools import cached_property
from types import FunctionType, ModuleType

import lissom

MODULES = {
    name: getattr(lissom, name)
    for name in lissom.__all__
    if isinstance(getattr(lissom, name), ModuleType)
}
PUBLIC = {name: getattr(lissom, name, None) for name in lissom.__all__} | {
    f"{module}.{name}": getattr(value, name)
    for module, value in MODULES.items()
    for name in value.__all__
}
CALLABLES = {name: value for name, value in PUBLIC.items() if callable(value)}
METHOD_KINDS = (FunctionType, classmethod, staticmethod, property, cached_property)
METHODS = {
    f"{name}.{attribute}": inspect.getattr_static(value, attribute)
    for name, value in PUBLIC.items()
    if inspect.isclass(value) and not issubclass(value, BaseException)
    for attribute, member in vars(value).items()
    if not attribute.startswith("_") and isinstance(member, METHOD_KINDS)
}


def resolve(path: str) -> object:
    """The object at a dotted path; the annotation of a field counts as the field."""
    parts = path.split(".")
    for n in range(len(parts), 0, -1):
        try:
            value: object = importlib.import_module(".".join(parts[:n]))
        except ModuleNotFoundError:
            continue
        for part in parts[n:]:
            if hasattr(value, part):
                value = getattr(value, part)
            elif part in getattr(value, "__annotations__", {}):
                value = value.__annotations__[part]
            else:
                raise AttributeError(f"{path}: {value!r} has no {part!r}")
        return value
    raise ModuleNotFoundError(path)
