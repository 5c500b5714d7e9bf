# SPDX-License-Identifier: GPL-3.0-or-later
"""Plugin of mypy that adapts the stubs of Blender (fake-bpy-module) to Blender's habits.

Names and numbers of arguments are checked as in the stubs. Some types are `Any`, as they depend on
data: the data of an object, the kind of a node, modifier or socket, and values of enumerations.
Attributes that may be None in theory count as present.
"""

from collections.abc import Callable

from mypy.erasetype import erase_typevars
from mypy.nodes import ARG_POS, MDEF, Argument, AssignmentStmt, NameExpr, SymbolTableNode, Var
from mypy.plugin import (
    AttributeContext,
    ClassDefContext,
    FunctionContext,
    FunctionSigContext,
    MethodContext,
    MethodSigContext,
    Plugin,
)
from mypy.plugins.common import add_method_to_class
from mypy.types import (
    AnyType,
    CallableType,
    FunctionLike,
    Instance,
    LiteralType,
    NoneType,
    Type,
    TypeOfAny,
    UnionType,
    get_proper_type,
)

BLENDER = (
    *("bpy.", "bpy_types.", "_bpy_types.", "bpy_extras.", "mathutils.", "bmesh."),
    *("gpu.", "gpu_extras.", "idprop.", "blf."),
)
"""First part of the names in Blender's modules."""

ADDITIONS = {
    # Registered by the extension
    "bpy.types.Object": ("erosion",),
    "bpy.types.Scene": ("erosion_brush", "node_tree"),  # the latter before Blender 5.0
    # Missing or wrong in the stubs
    "_bpy_types._GenericUI": ("append", "prepend", "remove"),
    "bpy_types._GenericUI": ("append", "prepend", "remove"),
    "bpy.types.bpy_struct": ("__contains__", "__getitem__", "__setitem__"),
    "bpy.ops._BPyOpsSubModOp": ("get_rna_type", "poll"),
    "bpy.types.BlenderRNA": ("functions",),
    "bpy.types.ContextTempOverride": ("__enter__", "__exit__"),
    "bpy.types.ToolSettings": ("unified_paint_settings",),  # before Blender 5.0
    "gpu.types.OffScreenStackContext": ("__enter__", "__exit__"),
    "gpu.types.MatrixStackContext": ("__enter__", "__exit__"),
    "idprop.types.IDPropertyGroup": ("__getitem__", "__len__"),
    "mathutils.Matrix": ("__iter__", "__matmul__"),
    "mathutils.Quaternion": ("__matmul__",),
    "mathutils.Vector": ("__getitem__", "__iter__"),
}
"""Attributes by class."""

RELAXATIONS = {
    "bpy.types.Operator": ("execute", "invoke", "modal"),
    "bpy.types.UIList": ("draw_item",),
}
"""Methods by class that the extension overrides with fewer arguments or a set of any words."""

BASES = {
    f"bpy.types.{name}"
    for name in (
        "Attribute",
        "bpy_prop_array",
        "Modifier",
        "Node",
        "NodeSocket",
        "NodesModifierProperties",
        "NodeTreeInterfaceItem",
        "Property",
        "Space",
    )
} | {"mathutils.MatrixAccess"}
"""Base classes whose objects have the attributes of one of their subclasses."""

ANY = AnyType(TypeOfAny.special_form)


def loose(declared: Type) -> Type:
    """Type of a value in the code, by the type in the stubs."""
    kind = get_proper_type(declared)
    if isinstance(kind, UnionType):
        kinds = [
            item for item in map(get_proper_type, kind.items) if not isinstance(item, NoneType)
        ]
        return loose(kinds[0]) if len(kinds) == 1 else ANY
    if isinstance(kind, NoneType):
        return ANY  # settings of Cycles, for one
    if isinstance(kind, LiteralType):
        return kind.fallback
    if isinstance(kind, Instance):
        if kind.type.fullname in BASES:
            return ANY
        return kind.copy_modified(args=[loose(argument) for argument in kind.args])
    return declared


def _value(context: AttributeContext) -> Type:
    return ANY if context.is_lvalue else loose(context.default_attr_type)


def _result(context: FunctionContext | MethodContext) -> Type:
    return loose(context.default_return_type)


def _signature(context: FunctionSigContext | MethodSigContext) -> FunctionLike:
    """Signature with any types of arguments; their names and number stay."""
    declared = erase_typevars(context.default_signature)
    if not isinstance(declared, CallableType):
        return context.default_signature
    return declared.copy_modified(arg_types=[ANY] * len(declared.arg_types), variables=[])


def _complete(context: ClassDefContext) -> None:
    """Add what the stubs lack, and properties that a class computes in `__annotations__`."""
    for name in ADDITIONS.get(context.cls.fullname, ()):
        attribute = Var(name, ANY)
        attribute.info = context.cls.info
        context.cls.info.names[name] = SymbolTableNode(MDEF, attribute, plugin_generated=True)
    if context.cls.fullname in BASES:
        _accept_any_attribute(context)
    for statement in context.cls.defs.body:
        if isinstance(statement, AssignmentStmt) and any(
            isinstance(target, NameExpr) and target.name == "__annotations__"
            for target in statement.lvalues
        ):
            _accept_any_attribute(context)


def _relax(context: ClassDefContext) -> None:
    """Take methods that Blender only calls out of the bases of a class."""
    for base in context.cls.info.mro:
        for name in RELAXATIONS.get(base.fullname, ()):
            base.names.pop(name, None)


def _accept_any_attribute(context: ClassDefContext) -> None:
    text = context.api.named_type("builtins.str")
    name = Argument(Var("name", text), text, None, ARG_POS)
    add_method_to_class(context.api, context.cls, "__getattr__", [name], ANY)


class Blender(Plugin):
    """Hooks for names of Blender's modules."""

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        return _value if fullname.startswith(BLENDER) else None

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        return _result if fullname.startswith(BLENDER) else None

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        return _result if fullname.startswith(BLENDER) else None

    def get_function_signature_hook(
        self, fullname: str
    ) -> Callable[[FunctionSigContext], FunctionLike] | None:
        return _signature if fullname.startswith(BLENDER) else None

    def get_method_signature_hook(
        self, fullname: str
    ) -> Callable[[MethodSigContext], FunctionLike] | None:
        return _signature if fullname.startswith(BLENDER) else None

    def get_base_class_hook(self, fullname: str) -> Callable[[ClassDefContext], None] | None:
        return _relax

    def get_customize_class_mro_hook(
        self, fullname: str
    ) -> Callable[[ClassDefContext], None] | None:
        return _complete if fullname.startswith(("erosion_addon.", *BLENDER)) else None


def plugin(version: str) -> type[Plugin]:
    """Entry point of mypy."""
    return Blender
