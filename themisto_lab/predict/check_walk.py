"""Walks a cell from top to bottom and notes the columns, keys and attributes that it asks for in vain (pure)."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from themisto_lab.predict.check_known import Known

# Methods of a frame that take the names of columns, and the parameters in which; 0 is the first.
_COLUMN_PARAMETERS: dict[str, tuple[int | str, ...]] = {
    "set_index": (0, "keys"),
    "dropna": ("subset",),
    "drop_duplicates": (0, "subset"),
    "drop": ("columns",),
    "nlargest": (1, "columns"),
    "nsmallest": (1, "columns"),
}
# Of functions that are given a frame by ``data=``: seaborn's and plotly's names for columns.
_DATA_PARAMETERS = frozenset({"x", "y", "hue", "style", "col", "row"})
# After a call of one of these, what is known of a frame's columns may be wrong.
_CHANGING = frozenset({"insert", "pop", "update", "setdefault", "clear", "popitem"})


@dataclass(frozen=True, slots=True)
class Miss:
    """Something that a cell asks for and that is not there; ``there`` is what is."""

    kind: Literal["column", "key", "attribute"]
    name: str
    variable: str
    there: frozenset[str]


def find_misses(tree: ast.Module, known: Mapping[str, Known]) -> list[Miss]:
    """Return what a cell asks for in vain, in the order in which it would be run."""
    walker = _Walker(known)
    for statement in tree.body:
        walker.visit(statement)
    return walker.misses


class _Walker(ast.NodeVisitor):
    """Visits what surely runs.

    Functions, comprehensions and the branches of ``if`` and ``try`` are left alone: whether they run, and with which
    names, is not known.
    """

    def __init__(self, known: Mapping[str, Known]) -> None:
        self._known = dict(known)
        self.misses: list[Miss] = []

    def visit(self, node: ast.AST) -> None:
        """Visit a node; of a comprehension only the first sequence, which is read outside of it."""
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            self.visit(node.generators[0].iter)
        else:
            super().visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Read the value before the targets change."""
        self.visit(node.value)
        for target in node.targets:
            self._store(target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Read a part that is changed in place, and the value."""
        self.visit(node.value)
        if isinstance(node.target, ast.Subscript):
            self._read_subscript(node.target)
        elif isinstance(node.target, ast.Name):
            self._known.pop(node.target.id, None)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Treat it as an assignment."""
        if node.value is not None:
            self.visit(node.value)
        self._store(node.target)

    def visit_For(self, node: ast.For) -> None:
        """Read what is gone through; what the body changes may already have been changed by the round before."""
        self.visit(node.iter)
        self._store(node.target)
        self._forget_changed(node.body)
        for statement in [*node.body, *node.orelse]:
            self.visit(statement)

    def visit_While(self, node: ast.While) -> None:
        """Treat it as any loop."""
        self._forget_changed(node.body)
        for statement in node.body:
            self.visit(statement)

    def visit_Try(self, node: ast.Try) -> None:
        """Leave a ``try`` alone: it expects to fail."""
        self._forget_changed([node])

    def visit_If(self, node: ast.If) -> None:
        """Read the test; the branches may be there just because something is missing."""
        self.visit(node.test)
        self._forget_changed([*node.body, *node.orelse])

    def visit_Delete(self, node: ast.Delete) -> None:
        """Forget what is deleted, whole or in part."""
        for target in node.targets:
            self._forget(target)

    def visit_Name(self, node: ast.Name) -> None:
        """Forget a name that is bound anew, however that is done."""
        if not isinstance(node.ctx, ast.Load):
            self._known.pop(node.id, None)

    def visit_alias(self, node: ast.alias) -> None:
        """Forget a name that an import binds."""
        self._known.pop((node.asname or node.name).partition(".")[0], None)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Look for the attribute of a variable."""
        found = self._of(node.value)
        if found and found[1].attributes is not None and not node.attr.startswith("_"):
            name, known = found
            if node.attr not in (known.attributes or ()):
                self._miss("attribute", node.attr, name, known.attributes)
        self.visit(node.value)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Look for the columns or the key in a variable."""
        self._read_subscript(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Look for columns that a method is given, or that stand beside ``data=``; then see what the call changes."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute):
            found = self._of(node.func.value)
            if found:
                self._columns(found, _arguments(node, _COLUMN_PARAMETERS.get(node.func.attr, ())))
                if _changes(node.func.attr, node):
                    self._known.pop(found[0], None)
        data = next((keyword.value for keyword in node.keywords if keyword.arg == "data"), None)
        found = self._of(data)
        if found:
            self._columns(found, [k.value for k in node.keywords if k.arg in _DATA_PARAMETERS])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Leave a function alone."""
        self._known.pop(node.name, None)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        """Leave a function alone."""
        self._known.pop(node.name, None)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Leave a class alone."""
        self._known.pop(node.name, None)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Leave a function alone."""

    def _of(self, node: ast.expr | None) -> tuple[str, Known] | None:
        if isinstance(node, ast.Name) and node.id in self._known:
            return node.id, self._known[node.id]
        return None

    def _read_subscript(self, node: ast.Subscript) -> None:
        self.visit(node.slice)
        found = self._of(node.value)
        if found:
            name, known = found
            if known.columns is not None:
                self._columns(found, [node.slice])
            key = _text(node.slice)
            if known.keys is not None and key is not None and key not in known.keys:
                self._miss("key", key, name, known.keys)
        elif isinstance(node.value, ast.Attribute) and node.value.attr == "loc" and isinstance(node.slice, ast.Tuple):
            found = self._of(node.value.value)
            if found and len(node.slice.elts) == 2:
                self._columns(found, [node.slice.elts[1]])
        self.visit(node.value)

    def _columns(self, found: tuple[str, Known], named: Iterable[ast.expr]) -> None:
        name, known = found
        for node in named:
            for text in _texts(node):
                if known.columns is not None and text not in known.columns:
                    self._miss("column", text, name, known.columns)

    def _miss(
        self, kind: Literal["column", "key", "attribute"], name: str, variable: str, there: frozenset[str] | None
    ) -> None:
        self.misses.append(Miss(kind, name, variable, there or frozenset()))

    def _store(self, target: ast.expr) -> None:
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            found, text = self._of(target.value), _text(target.slice)
            self.visit(target.slice)
            if found and text is not None:
                self._known[found[0]] = _with(found[1], text)
            elif found:
                self._known.pop(found[0])
        elif isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self._store(part)
        else:
            self._forget(target)

    def _forget(self, target: ast.AST) -> None:
        while isinstance(target, ast.Attribute | ast.Subscript | ast.Starred):
            target = target.value
        if isinstance(target, ast.Name):
            self._known.pop(target.id, None)

    def _forget_changed(self, statements: Iterable[ast.stmt]) -> None:
        """Forget every variable that statements may change: those that they name at all, but to read."""
        for statement in statements:
            for node in ast.walk(statement):
                if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete | ast.For):
                    targets = getattr(node, "targets", None) or [node.target]  # type: ignore[union-attr]
                    for target in targets:
                        self._forget(target)
                elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                    self._known.pop(node.id, None)
                elif (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and _changes(node.func.attr, node)
                ):
                    self._forget(node.func.value)


def _changes(method: str, node: ast.Call) -> bool:
    """Tell whether a call may change which columns or keys there are."""
    return method in _CHANGING or any(keyword.arg in ("inplace", None) for keyword in node.keywords)


def _with(known: Known, name: str) -> Known:
    return replace(
        known,
        columns=None if known.columns is None else known.columns | {name},
        keys=None if known.keys is None else known.keys | {name},
        attributes=None if known.attributes is None else known.attributes | {name},
    )


def _arguments(node: ast.Call, wanted: tuple[int | str, ...]) -> list[ast.expr]:
    found = [node.args[place] for place in wanted if isinstance(place, int) and place < len(node.args)]
    return found + [keyword.value for keyword in node.keywords if keyword.arg in wanted]


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _texts(node: ast.expr) -> list[str]:
    parts = node.elts if isinstance(node, ast.List) else [node]
    return [text for part in parts if (text := _text(part)) is not None]
