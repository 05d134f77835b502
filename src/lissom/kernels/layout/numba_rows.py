"""Type of a row for Numba: an address, and where the array is not contiguous its stride.

An attribute is typed by a look into its declaration, and lowered to its loads or stores.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_builtin, lower_getattr_generic, lower_setattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, type_callable
from numba.np.arrayobj import populate_array

from .rows import POSITIVE, NamedRow, size_of


class RowType(types.Type):
    """Row of a layout in an array."""

    def __init__(self, layout: type[NamedRow], array: Any) -> None:
        self.layout, self.array, self.number = layout, array, array.dtype
        self.contiguous = array.layout == "C"
        super().__init__(f"{layout.__name__}({array})")


@register_default(RowType)
class _Model(models.StructModel):
    def __init__(self, manager: Any, row: RowType) -> None:
        members: list[tuple[str, Any]] = [("address", types.CPointer(row.number))]
        if not row.contiguous:
            members.append(("stride", types.intp))
        super().__init__(manager, row, members)


@infer_getattr
class _Attributes(AttributeTemplate):
    key = RowType

    def generic_resolve(self, row: Any, name: str) -> Any:  # type: ignore[override]
        kind = row.layout.kinds.get(name)
        if not isinstance(kind, str):
            return kind and RowType(kind, row.array)
        n = size_of(kind)
        return row.number if n == 1 else types.UniTuple(row.number, n)


def register(layout: type[NamedRow]) -> None:
    """Let kernels make rows of a layout."""

    @type_callable(layout)
    def _type(context: Any) -> Any:
        def typer(array: Any, start: Any, k: Any = types.intp) -> RowType | None:
            whole = isinstance(start, types.Integer) and isinstance(k, types.Integer)
            return RowType(layout, array) if isinstance(array, types.Array) and whole else None

        return typer

    lower_builtin(layout, types.Array, types.Integer)(_make)
    lower_builtin(layout, types.Array, types.Integer, types.Integer)(_make)


def _make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """The row at array[start + k size]."""
    kind, row = signature.args[0], signature.return_type
    place = context.cast(builder, arguments[1], signature.args[1], types.intp)
    if len(arguments) == 3:
        k = context.cast(builder, arguments[2], signature.args[2], types.intp)
        size = ir.Constant(k.type, row.layout.size)
        place = builder.add(place, builder.mul(k, size, flags=["nsw"]), flags=["nsw"])
    array = context.make_array(kind)(context, builder, arguments[0])
    value = cgutils.create_struct_proxy(row)(context, builder)
    if row.contiguous:
        value.address = builder.gep(array.data, [place], inbounds=True)
    else:
        value.stride = builder.extract_value(array.strides, 0)
        value.address = cgutils.pointer_add(builder, array.data, builder.mul(place, value.stride))
    return value._getvalue()


def _address(context: Any, builder: Any, row: RowType, value: Any, place: int) -> Any:
    """Where a number of a row is."""
    parts = cgutils.create_struct_proxy(row)(context, builder, value=value)
    step = ir.Constant(ir.IntType(64), place)
    if row.contiguous:
        return builder.gep(parts.address, [step], inbounds=True)
    return cgutils.pointer_add(builder, parts.address, builder.mul(step, parts.stride))


@lower_getattr_generic(RowType)
def _read(context: Any, builder: Any, row: RowType, value: Any, name: str) -> Any:
    kind, place = row.layout.kinds[name], row.layout.places[name]
    if not isinstance(kind, str):
        inner = cgutils.create_struct_proxy(RowType(kind, row.array))(context, builder)
        inner.address = _address(context, builder, row, value, place)
        if not row.contiguous:
            inner.stride = builder.extract_value(value, 1)
        return inner._getvalue()
    numbers = [
        builder.load(_address(context, builder, row, value, place + k))
        for k in range(size_of(kind))
    ]
    if kind == "Offset":
        return builder.and_(numbers[0], ir.Constant(numbers[0].type, POSITIVE))
    if len(numbers) == 1:
        return numbers[0]
    return context.make_tuple(builder, types.UniTuple(row.number, len(numbers)), numbers)


@lower_setattr_generic(RowType)
def _write(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
    row, place = signature.args[0], signature.args[0].layout.places[name]
    n = size_of(row.layout.kinds[name])
    parts = [arguments[1]] if n == 1 else cgutils.unpack_tuple(builder, arguments[1])
    for k, part in enumerate(parts):
        builder.store(part, _address(context, builder, row, arguments[0], place + k))


def cut_array(cls: Any, array: Any, places: RowType) -> Any:
    """Signature and code of `pieces`: arrays that begin at the places of a row."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        starts = [_read(context, builder, places, arguments[1], x) for x in places.layout.kinds]
        whole = context.make_array(array)(context, builder, arguments[0])
        stride, views = builder.extract_value(whole.strides, 0), []
        for start, end in pairwise(starts):
            view = context.make_array(array)(context, builder)
            if array.layout == "C":
                data = builder.gep(whole.data, [start], inbounds=True)
            else:
                data = cgutils.pointer_add(builder, whole.data, builder.mul(start, stride))
            populate_array(
                view, data, [builder.sub(end, start, flags=["nsw"])], [stride], whole.itemsize, None
            )
            views.append(view._getvalue())
        return context.make_tuple(builder, signature.return_type, views)

    n = len(places.layout.kinds) - 1
    return types.NamedUniTuple(array, n, cls)(array, places), code
