"""A closer look at a cell before it is run: the values of what its code touches, and its output where that is certain.

The cell's statements are gone through in order, in a scope of their own: names that the cell binds are known here and
nowhere else. After a statement whose effect only a run can tell, values are still told as they are now, but the output
is not.
"""

from __future__ import annotations

import ast
import sys
import types
from typing import Any

from . import safe
from .buffers import clock
from .look_eval import Evaluator
from .look_limits import MISSING, UnknownError
from .look_reads import read_by
from .look_rules import family
from .look_shell import is_busy, is_silenced, quiet, runs_code_plainly
from .look_text import Writer
from .values import Reader

_BUDGET_S = 0.018
_MAX_CODE_CHARS = 20_000
_MAX_VALUES = 24
_MAX_TOTAL_CHARS = 24_000
_MAX_OUTPUT_CHARS = 20_000
_CALLS_PRINT = "print"

Entry = list[Any]
"""One value in the answer: expression, type's name, shown, printed or None, exact."""


def look_closely(shell: Any, code: str, secrets: set[str]) -> dict[str, Any]:
    """Look at what a cell's code touches.

    Parameters
    ----------
    shell
        IPython's shell.
    code
        The cell's source.
    secrets
        Values that are never told.

    Returns
    -------
    dict
        ``values``: entries; ``outputs``: pairs of kind (``stdout``, ``result``) and text, or None; ``receipt``.
    """
    began = clock()
    look = _Look(shell, secrets, began + _BUDGET_S)
    try:
        with quiet(look.is_busy):
            look.take(code)
    except (SyntaxError, ValueError, RecursionError):
        look.certain = False
    return {
        "values": look.entries,
        "outputs": look.outputs if look.certain and not look.evaluator.may_be_stale else None,
        "receipt": {
            "cost_ms": round((clock() - began) * 1000, 3),
            "skipped": look.skipped,
            "out_of_time": int(clock() > look.evaluator.deadline),
        },
    }


class _Look:
    def __init__(self, shell: Any, secrets: set[str], deadline: float) -> None:
        self.is_busy = is_busy()
        self.reader = Reader(secrets)
        self.evaluator = Evaluator(shell.user_ns, deadline, self.reader.blank_named, reading_only=self.is_busy)
        self.writer = Writer(shell, self.evaluator.trust, self.reader)
        self.entries: list[Entry] = []
        self.outputs: list[list[str]] = []
        self.skipped: dict[str, int] = {}
        self.certain = not self.is_busy and runs_code_plainly(shell)
        self.last: ast.stmt | None = None
        self._n_chars = 0
        self._told: set[str] = set()
        self._code = ""
        self._is_repeat = False

    def take(self, code: str) -> None:
        """Go through a cell's statements."""
        if len(code) > _MAX_CODE_CHARS:
            self.certain = False
            return
        self._code = code
        try:
            tree = ast.parse(code)
        except SyntaxError:
            # IPython's own syntax: what is Python in the cell is looked at all the same.
            self.certain = False
            self._code = "\n".join("" if line.lstrip()[:1] in ("%", "!", "?") else line for line in code.split("\n"))
            tree = ast.parse(self._code)
        if tree.body and is_silenced(tree.body[-1], self._code):
            self.last = None
        elif tree.body:
            self.last = tree.body[-1]
        self._body(tree.body)

    def _body(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            try:
                self._statement(statement)
            except UnknownError:
                self._lose(statement)
            except Exception:  # noqa: BLE001 - the run would raise as well
                self._lose(statement)
            if not self._is_repeat:
                self._tell_values(statement)

    def _lose(self, statement: ast.stmt) -> None:
        """Note that only a run can tell what a statement does, and that the names which it binds are unknown."""
        self.certain = False
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
                self.evaluator.scopes[-1][node.id] = MISSING
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                self.evaluator.scopes[-1][node.name] = MISSING
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    self.evaluator.scopes[-1][alias.asname or alias.name.partition(".")[0]] = MISSING

    def _statement(self, node: ast.stmt) -> None:
        method = getattr(self, "_do_" + type(node).__name__.lower(), None)
        if method is None:
            self._evaluate_parts(node)
            raise UnknownError
        method(node)

    def _evaluate_parts(self, node: ast.AST) -> None:
        """Evaluate what a statement's own expressions hold, for the values that are told."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._try(child)
            elif isinstance(child, ast.withitem):
                self._try(child.context_expr)

    def _try(self, node: ast.expr) -> Any:
        try:
            return self.evaluator.evaluate(node)
        except UnknownError:
            return MISSING

    def _do_expr(self, node: ast.Expr) -> None:
        called = node.value
        if isinstance(called, ast.Call) and self._is_print(called.func):
            self._print(called)
            return
        if isinstance(called, ast.Call) and node is not self.last and self._try(called) is MISSING:
            self.evaluator.call_changing(called)
            return
        value = self.evaluator.evaluate(called)
        if node is not self.last or value is None:
            return
        text = self.writer.shown(value)
        if text is None:
            raise UnknownError
        self.outputs.append(["result", text])

    def _is_print(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == _CALLS_PRINT and self.evaluator.lookup(_CALLS_PRINT) is print

    def _print(self, node: ast.Call) -> None:
        values = [self._try(argument) for argument in node.args]
        options = {keyword.arg: self._try(keyword.value) for keyword in node.keywords}
        if not options.keys() <= {"sep", "end", "flush"} or any(value is MISSING for value in values):
            raise UnknownError
        texts = [self.writer.printed(value) for value in values]
        separator, end = options.get("sep", " "), options.get("end", "\n")
        if any(text is None for text in texts) or type(separator) is not str or type(end) is not str:
            raise UnknownError
        text = separator.join(text for text in texts if text is not None) + end
        if self.writer.hides(text) or self._n_chars + len(text) > _MAX_OUTPUT_CHARS:
            raise UnknownError
        self.outputs.append(["stdout", text])

    def _do_assign(self, node: ast.Assign) -> None:
        value = self._try(node.value)
        for target in node.targets:
            if not isinstance(target, (ast.Name, ast.Tuple, ast.List)):
                self._evaluate_parts(target)
        if value is MISSING:
            raise UnknownError
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                self.evaluator.write(target, value)
            else:
                self.evaluator.bind(target, value)

    def _do_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            raise UnknownError
        self.evaluator.bind(node.target, self.evaluator.evaluate(node.value))

    def _do_augassign(self, node: ast.AugAssign) -> None:
        value = self._try(node.value)
        if not isinstance(node.target, ast.Name):
            raise UnknownError
        before = self.evaluator.lookup(node.target.id)
        if type(before) not in (int, float, str, bool, complex) or value is MISSING or family(value) != "scalar":
            raise UnknownError  # it may change an object in place
        both = ast.BinOp(ast.Constant(before), node.op, ast.Constant(value))
        self.evaluator.scopes[-1][node.target.id] = self.evaluator.evaluate(both)

    def _do_pass(self, node: ast.Pass) -> None:
        del node

    def _do_import(self, node: ast.Import) -> None:
        for alias in node.names:
            module = sys.modules.get(alias.name)
            if type(module) is not types.ModuleType:
                raise UnknownError
            if alias.asname is None:
                module = sys.modules.get(alias.name.partition(".")[0])
            self.evaluator.scopes[-1][alias.asname or alias.name.partition(".")[0]] = module

    def _do_importfrom(self, node: ast.ImportFrom) -> None:
        module = sys.modules.get(node.module or "")
        if node.level or type(module) is not types.ModuleType:
            raise UnknownError
        for alias in node.names:
            if alias.name not in module.__dict__:
                raise UnknownError
            self.evaluator.scopes[-1][alias.asname or alias.name] = module.__dict__[alias.name]

    def _do_functiondef(self, node: ast.FunctionDef) -> None:
        if node.decorator_list or node.args.defaults or any(node.args.kw_defaults):
            raise UnknownError
        self.evaluator.scopes[-1][node.name] = MISSING

    def _do_if(self, node: ast.If) -> None:
        self._body(node.body if self.evaluator.truth(node.test) else node.orelse)

    def _do_for(self, node: ast.For) -> None:
        was_repeat = self._is_repeat
        for item in self.evaluator.items(node.iter):
            self.evaluator.bind(node.target, item)
            self.evaluator.known.clear()
            self._body(node.body)
            self._is_repeat = True
            if not self.certain:
                break
        self._is_repeat = was_repeat
        self._body(node.orelse)

    def _tell_values(self, node: ast.AST) -> None:
        """Tell the values of the largest known parts of a statement."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.stmt, ast.Lambda, ast.comprehension)):
                continue
            if isinstance(child, ast.expr) and id(child) in self.evaluator.known:
                value = self.evaluator.known[id(child)]
                if value is not MISSING and self._tell(child, value):
                    continue
            self._tell_values(child)

    def _tell(self, node: ast.expr, value: Any) -> bool:
        """Tell one value; False where there is nothing to tell of it and its parts may say more."""
        if isinstance(node, (ast.Constant, ast.Slice)) or isinstance(getattr(node, "ctx", None), ast.Store):
            return True
        if safe.is_module(value) or safe.is_class(value) or type(value) in _CALLABLES:
            return not isinstance(node, ast.Call)
        if _is_literal(node):
            return True
        source = ast.unparse(node)
        if source in self._told or len(self.entries) >= _MAX_VALUES or self._n_chars > _MAX_TOTAL_CHARS:
            return True
        self._told.add(source)
        entry = self._entry(node, source, value)
        self.entries.append(entry)
        self._n_chars += len(entry[2]) + len(entry[3] or "")
        return True

    def _entry(self, node: ast.expr, source: str, value: Any) -> Entry:
        kind = safe.type_name(type(value))
        shown = printed = None
        if clock() < self.evaluator.deadline:
            shown = self.writer.shown(value)
            printed = self.writer.printed(value)
        if shown is not None:
            return [source[:200], kind, shown, None if printed == shown else printed, True]
        if not family(value):
            self.skipped[kind] = self.skipped.get(kind, 0) + 1
        try:
            summary = self.writer.summary(_name_in(node), value)
        except Exception:  # noqa: BLE001 - the type's name alone is told then
            summary = ""
        return [source[:200], kind, summary, None, False]


_CALLABLES = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type(len))


def _is_literal(node: ast.expr) -> bool:
    return not any(isinstance(part, (ast.Name, ast.Attribute)) for part in ast.walk(node))


def _name_in(node: ast.expr) -> str:
    """Return the name that an expression's value goes by."""
    return read_by(node) or "_"
