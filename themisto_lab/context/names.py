"""What a cell's code reads, binds and changes, read off its syntax tree. Nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from IPython.core.inputtransformer2 import TransformerManager

# Calls of these methods change the object that they are called on.
_CHANGING_METHODS = frozenset({"append", "extend", "insert", "update", "add", "fit", "drop_duplicates", "sort"})


@dataclass(frozen=True, slots=True)
class Names:
    """What a cell does with names at its top level.

    Attributes
    ----------
    reads
        Names that it needs from before.
    binds
        Names that it binds without having read them: their old value plays no part.
    changes
        Names whose value it needs and changes: ``df["x"] = 1``, ``n += 1``, ``model.fit(...)``.
    imports
        Those of `binds` that an import binds: to bind them anew changes nothing.
    """

    reads: frozenset[str] = frozenset()
    binds: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()


def names_of(code: str) -> Names:
    """Read off a cell's code what it needs and what it makes; magics are read as IPython would.

    Code that is not Python needs and makes nothing.
    """
    tree = _parse(code)
    if tree is None:
        return Names()
    visitor = _Visitor()
    for statement in tree.body:
        visitor.visit(statement)
    binds = visitor.bound - visitor.reads
    return Names(
        reads=frozenset(visitor.reads),
        binds=frozenset(binds),
        changes=frozenset((visitor.changes | visitor.bound) - binds),
        imports=frozenset(visitor.imports & binds),
    )


def _parse(code: str) -> ast.Module | None:
    """Parse a cell; only what is not plain Python goes through IPython's transformer, which takes far longer."""
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        pass
    try:
        return ast.parse(str(TransformerManager().transform_cell(code)))
    except (SyntaxError, ValueError, RecursionError):
        return None


class _Visitor(ast.NodeVisitor):
    """Walks a cell from top to bottom and notes names in the order in which they are read and bound."""

    def __init__(self) -> None:
        self.reads: set[str] = set()
        self.bound: set[str] = set()
        self.changes: set[str] = set()
        self.imports: set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:
        """Note a name that is read or bound."""
        if isinstance(node.ctx, ast.Load):
            if node.id not in self.bound:
                self.reads.add(node.id)
        else:
            self.bound.add(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Read the value before the targets are bound."""
        self.visit(node.value)
        for target in node.targets:
            self._store(target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Read the value before the target is bound; an annotation alone binds nothing."""
        if node.value is not None:
            self.visit(node.value)
            self._store(node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Note that an addition in place needs the old value."""
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            if node.target.id not in self.bound:
                self.reads.add(node.target.id)
                self.changes.add(node.target.id)
        else:
            self._store(node.target)

    def visit_Import(self, node: ast.Import) -> None:
        """Note the name that an import binds."""
        self._import((alias.asname or alias.name).partition(".")[0] for alias in node.names)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Note the names that an import binds."""
        self._import(alias.asname or alias.name for alias in node.names)

    def visit_For(self, node: ast.For) -> None:
        """Read what is gone through before the target is bound."""
        self.visit(node.iter)
        self._store(node.target)
        for statement in [*node.body, *node.orelse]:
            self.visit(statement)

    def visit_Call(self, node: ast.Call) -> None:
        """Note a method that changes what it is called on, by its name or by ``inplace=True``."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute):
            in_place = any(
                keyword.arg == "inplace" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
                for keyword in node.keywords
            )
            if in_place or node.func.attr in _CHANGING_METHODS:
                self._changed(node.func.value)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Bind the function's name; what its body reads from outside is needed."""
        for part in [*node.decorator_list, *node.args.defaults, *(d for d in node.args.kw_defaults if d)]:
            self.visit(part)
        arguments = node.args
        own = {a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
        own |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}
        self._scope(node.body, own)
        self.bound.add(node.name)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        """Treat it as any function."""
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Note what a lambda's body reads from outside."""
        self._scope([node.body], {a.arg for a in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]})

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Bind the class's name; what its body reads from outside is needed."""
        for part in [*node.bases, *node.decorator_list]:
            self.visit(part)
        self._scope(node.body, set())
        self.bound.add(node.name)

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        """Keep a comprehension's own names inside it."""
        self._comprehension(node.generators, [node.elt])

    def visit_SetComp(self, node: ast.SetComp) -> None:
        """Treat it as a list's."""
        self.visit_ListComp(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        """Treat it as a list's."""
        self.visit_ListComp(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        """Keep a comprehension's own names inside it."""
        self._comprehension(node.generators, [node.key, node.value])

    def _import(self, names: Iterable[str]) -> None:
        for name in names:
            self.bound.add(name)
            self.imports.add(name)

    def _comprehension(self, generators: list[ast.comprehension], parts: list[ast.expr]) -> None:
        own = {n.id for g in generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        inside: list[ast.AST] = [*(g.iter for g in generators), *(test for g in generators for test in g.ifs), *parts]
        self._scope(inside, own)

    def _scope(self, body: list[ast.stmt] | list[ast.expr] | list[ast.AST], own: set[str]) -> None:
        inner = _Visitor()
        inner.bound |= own
        for node in body:
            inner.visit(node)
        self.reads |= inner.reads - self.bound
        self.changes |= inner.changes - inner.bound - self.bound

    def _store(self, target: ast.expr) -> None:
        """Bind a target; one that is a part of something changes that."""
        if isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self._store(part)
        elif isinstance(target, ast.Starred):
            self._store(target.value)
        elif isinstance(target, ast.Name):
            self.bound.add(target.id)
        else:
            self.visit(target)
            self._changed(target)

    def _changed(self, node: ast.expr) -> None:
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        if isinstance(node, ast.Name) and node.id not in self.bound:
            self.reads.add(node.id)
            self.changes.add(node.id)
