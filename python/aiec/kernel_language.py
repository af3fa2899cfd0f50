"""Functions in Python as MLIR: :func:`kernel` translates loops, slices and arithmetic of arrays into loops over memrefs.

A translated value is one of three: a constant of Python, a :class:`Scalar` (a value of MLIR), or an
:class:`Elements` (an array, or an expression of arrays whose elements are computed when it is stored).
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn, Union

import numpy as np

from . import _aiec
from .findings import AiecError
from .types import Array, Number, f32, i1, i32, i64, number_of


class KernelError(AiecError):
    """A function holds something that a kernel can't."""

    def __init__(self, message: str, filename: str, line: int, source: str) -> None:
        super().__init__(f"{filename}:{line}: {message}\n    {source.strip()}")
        self.message = message
        self.filename = filename
        self.line = line


@dataclass(frozen=True)
class Scalar:
    """A value of MLIR. The type ``None`` is ``index``: a whole number of Python that isn't known yet."""

    name: str
    type: Number | None


Operand = Union[int, float, bool, Scalar]
"""A number: of Python, or of MLIR."""


@dataclass(frozen=True)
class Elements:
    """An array of fixed shape, or an expression of such."""

    type: Array
    load: Callable[[Sequence[str]], Operand]
    """Writes what computes the element at indices, which are values of MLIR of type ``index``."""
    reads: frozenset[str]
    """The arguments and locals that it reads."""
    store: Callable[[Sequence[str], Scalar], None] | None = None
    """Writes what stores an element; of an expression none."""
    base: str | None = None
    """The array that a whole array or a view belongs to."""
    is_whole: bool = False


Value = Union[Operand, Elements]

_INT_OPS: dict[type, str] = {
    ast.Add: "addi",
    ast.Sub: "subi",
    ast.Mult: "muli",
    ast.FloorDiv: "floordivsi",
    ast.BitAnd: "andi",
    ast.BitOr: "ori",
    ast.BitXor: "xori",
    ast.LShift: "shli",
    ast.RShift: "shrsi",
}
_FLOAT_OPS: dict[type, str] = {
    ast.Add: "addf",
    ast.Sub: "subf",
    ast.Mult: "mulf",
    ast.Div: "divf",
}
_COMPARISONS: dict[type, tuple[str, str]] = {
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
    ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"),
}
_SYMBOLS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_MATH: dict[Any, str] = {
    np.exp: "exp",
    np.exp2: "exp2",
    np.log: "log",
    np.log2: "log2",
    np.sqrt: "sqrt",
    np.tanh: "tanh",
    np.floor: "floor",
    np.ceil: "ceil",
}
_REDUCTIONS: dict[Any, str] = {
    np.sum: "sum",
    np.min: "min",
    np.max: "max",
    np.amin: "min",
    np.amax: "max",
}


class KernelFunction:
    """A function that numpy runs and cores too; :func:`kernel` makes it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        translated = _Function(function).translated()
        self.mlir: str = translated.text
        """The function as a ``func.func``."""
        self.parameters: dict[str, Number | Array] = translated.parameters
        """Types of its parameters by name."""
        self.result: Number | None = translated.result
        """The type of its result."""
        self.written: frozenset[str] = translated.written
        """Arrays that it writes."""
        self._read = translated.read

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)

    @property
    def declaration(self) -> str:
        """The function as a design declares it."""
        types = ", ".join(map(str, self.parameters.values()))
        result = f" -> {self.result}" if self.result else ""
        return f"func.func private @{self.__name__}({types}){result}"

    def design(self, device: str, **scalars: int | float) -> str:
        """A design of one core that calls it once: arrays that it writes go to the host, the others come from it.

        ``scalars`` are the parameters that are numbers.
        """
        arrays = {n: t for n, t in self.parameters.items() if isinstance(t, Array)}
        numbers = [n for n, t in self.parameters.items() if not isinstance(t, Array)]
        if sorted(scalars) != sorted(numbers):
            raise TypeError(f"{self.__name__}.design: the numbers are {', '.join(numbers) or 'none'}")
        both = sorted(self.written & self._read)
        if both:
            raise TypeError(
                f"{self.__name__}.design: '{both[0]}' is read before it is written:"
                f" begin with `{both[0]}[...] = 0`, or write a design that fills it"
            )
        place = _aiec.first_worker(device)
        if place is None:
            raise ValueError(f"{self.__name__}.design: no device '{device}': `aiec devices` lists them")
        column, row = place
        ends = {name: name in self.written for name in arrays}
        for name, array in arrays.items():
            if int(np.prod(array.shape)) * array.element.bits % 32:
                raise TypeError(f"{self.__name__}.design: '{name}' isn't a number of words of 32 bits")
        lines = ["module {", f"  aie.device({device}) {{"]
        lines += [f"    %shim = aie.tile({column}, 0)", f"    %worker = aie.tile({column}, {row})"]
        for name, array in arrays.items():
            way = "%worker, {%shim}" if ends[name] else "%shim, {%worker}"
            lines.append(f"    aie.objectfifo @{name}({way}, 1 : i32) : !aie.objectfifo<{array}>")
        lines.append("    aie.core(%worker) {")
        for name, array in arrays.items():
            port = "Produce" if ends[name] else "Consume"
            view = f"!aie.objectfifosubview<{array}>"
            lines.append(f"      %of_{name} = aie.objectfifo.acquire @{name}({port}, 1) : {view}")
            access = f"aie.objectfifo.subview.access %of_{name}[0] : {view} -> {array}"
            lines.append(f"      %{name} = {access}")
        for name in numbers:
            given, number = scalars[name], self.parameters[name]
            assert isinstance(number, Number)
            lines.append(f"      %{name} = arith.constant {_literal(given, number)} : {number}")
        names = ", ".join(f"%{name}" for name in self.parameters)
        types = ", ".join(map(str, self.parameters.values()))
        result = str(self.result) if self.result else "()"
        called = f"func.call @{self.__name__}({names}) : ({types}) -> {result}"
        lines.append(f"      %result = {called}" if self.result else f"      {called}")
        for name in arrays:
            port = "Produce" if ends[name] else "Consume"
            lines.append(f"      aie.objectfifo.release @{name}({port}, 1)")
        lines += ["      aie.end", "    }"]
        flat = {n: f"memref<{int(np.prod(t.shape))}x{t.element}>" for n, t in arrays.items()}
        arguments = ", ".join(f"%{name}: {flat[name]}" for name in arrays)
        lines.append(f"    aie.runtime_sequence({arguments}) {{")
        for number_of_bd, (name, array) in enumerate(arrays.items()):
            count = int(np.prod(array.shape))
            token = ", issue_token = true" if ends[name] else ""
            lines.append(
                f"      aiex.npu.dma_memcpy_nd(%{name}[0, 0, 0, 0][1, 1, 1, {count}][0, 0, 0, 1])"
                f" {{id = {number_of_bd} : i64, metadata = @{name}{token}}} : {flat[name]}"
            )
        for name in arrays:
            if ends[name]:
                lines.append(f"      aiex.npu.dma_wait {{symbol = @{name}}}")
        lines += ["    }", "  }", textwrap.indent(self.mlir, "  ").rstrip(), "}", ""]
        return "\n".join(lines)


def kernel(function: Callable[..., Any]) -> KernelFunction:
    """Makes a function one for cores: its parameters have types of :mod:`aiec.types`.

    >>> @aiec.kernel
    ... def scale(x: i32[1024], y: i32[1024], factor: i32):
    ...     y[:] = x * factor

    Raises:
        KernelError: it holds what a kernel can't, with file and line.
    """
    return KernelFunction(function)


def with_kernels(text: bytes, kernels: Sequence[KernelFunction]) -> bytes:
    """A design with the bodies of functions that it only declares, after all that it has: its lines keep their numbers."""
    for known in kernels:
        declared = rb"func\.func\s+private\s+@" + known.__name__.encode() + rb"\s*\([^\n]*"
        text = re.sub(declared, b"", text)
    bodies = "".join(known.mlir for known in kernels).encode()
    module = re.search(rb"^\s*module\b", text, re.MULTILINE)
    if not bodies or module is None:
        return text + bodies
    end = text.rindex(b"}")
    return text[:end] + bodies + text[end:]


def _literal(value: int | float | bool, number: Number) -> str:
    """A constant of MLIR."""
    if not number.is_float:
        return str(int(value))
    if value != value or value in (float("inf"), float("-inf")):
        # MLIR writes them as their bits; those of bf16 are the upper half of f32's.
        bits = int.from_bytes(np.array(value, f"<f{max(number.bits // 8, 2)}").tobytes(), "little")
        if number.name == "bf16":
            bits = int.from_bytes(np.array(value, "<f4").tobytes()[2:], "little")
        return f"0x{bits:0{number.bits // 4}X}"
    text = repr(float(value))
    return text if "." in text else text.replace("e", ".0e")


@dataclass(frozen=True)
class _Translated:
    text: str
    parameters: dict[str, Number | Array]
    result: Number | None
    written: frozenset[str]
    read: frozenset[str]


@dataclass
class _Function:
    """Translates one function."""

    function: Callable[..., Any]
    lines: list[str] = field(default_factory=list)
    indent: int = 1
    names: dict[str, Value] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)
    result: Scalar | None = None
    has_returned: bool = False
    count: int = 0
    constants: dict[tuple[str, str], str] = field(default_factory=dict)
    head: list[str] = field(default_factory=list)
    node: ast.AST | None = None

    # The function.

    def __post_init__(self) -> None:
        code = getattr(self.function, "__code__", None)
        try:
            self.source = textwrap.dedent(inspect.getsource(self.function))
        except (OSError, TypeError):
            raise AiecError("a kernel is a function whose source is in a file") from None
        self.filename = code.co_filename if code else "?"
        self.first_line = code.co_firstlineno if code else 1
        parsed = ast.parse(self.source).body[0]
        if not isinstance(parsed, ast.FunctionDef):
            raise AiecError("a kernel is a function that begins with `def`")
        self.tree = parsed
        closure = inspect.getclosurevars(self.function)
        self.known: dict[str, Any] = {
            **vars(builtins),
            **self.function.__globals__,
            **closure.nonlocals,
        }

    def fail(self, message: str, node: ast.AST | None = None) -> NoReturn:
        """Ends the translation with the line of a node."""
        line = getattr(node or self.node or self.tree, "lineno", 1)
        text = self.source.splitlines()[line - 1]
        raise KernelError(message, self.filename, self.first_line + line - 1, text)

    def translated(self) -> _Translated:
        """The function as MLIR."""
        arguments = self.tree.args
        odd = arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults
        if odd:
            self.fail("a kernel has parameters without defaults, `*` and `**`", self.tree)
        parameters: dict[str, Number | Array] = {}
        for argument in [*arguments.posonlyargs, *arguments.args]:
            if argument.annotation is None:
                self.fail(f"'{argument.arg}' has no type, such as `i32[64]` of aiec.types", argument)
            number = self.annotation(argument.annotation)
            parameters[argument.arg] = number
            name = f"%{argument.arg}"
            if isinstance(number, Array):
                self.names[argument.arg] = self.memory(argument.arg, name, number)
            else:
                self.names[argument.arg] = Scalar(name, number)
        for statement in self.tree.body:
            self.statement(statement)
        result = self.result.type if self.result else None
        typed = ", ".join(f"%{name}: {number}" for name, number in parameters.items())
        gives = f" -> {result}" if result else ""
        last = f"  return {self.result.name} : {result}" if self.result else "  return"
        body = "\n".join([*self.head, *self.lines, last])
        text = f"func.func @{self.tree.name}({typed}){gives} {{\n{body}\n}}\n"
        return _Translated(
            text, parameters, result, frozenset(self.written), frozenset(self.read)
        )

    def annotation(self, node: ast.expr) -> Number | Array:
        """The type of a parameter."""
        found: object = None
        expression = ast.Expression(node)
        try:
            found = eval(compile(expression, self.filename, "eval"), dict(self.known))
            if isinstance(found, str):
                found = eval(found, dict(self.known))
        except Exception as error:
            self.fail(f"the type of a parameter can't be read: {error}", node)
        if isinstance(found, Array):
            return found
        number = number_of(found)
        if number is None:
            self.fail("the type of a parameter is a number or an array of aiec.types", node)
        return number

    # Lines of MLIR.

    def write(self, line: str) -> None:
        self.lines.append("  " * self.indent + line)

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def make(self, text: str, number: Number | None) -> Scalar:
        """A value that an operation computes."""
        name = self.fresh()
        self.write(f"{name} = {text}")
        return Scalar(name, number)

    def constant(self, value: int | float | bool, number: Number | None) -> Scalar:
        """A constant; all are at the begin of the function."""
        kind = str(number) if number else "index"
        text = _literal(value, number) if number else str(int(value))
        known = self.constants.get((text, kind))
        if known is None:
            known = f"%k{len(self.constants)}"
            self.constants[text, kind] = known
            self.head.append(f"  {known} = arith.constant {text} : {kind}")
        return Scalar(known, number)

    def index(self, value: Operand) -> str:
        """A number as an ``index``."""
        if isinstance(value, Scalar):
            if value.type is None:
                return value.name
            if value.type.is_float:
                self.fail("an index is a whole number")
            return self.make(f"arith.index_cast {value.name} : {value.type} to index", None).name
        if isinstance(value, float):
            self.fail("an index is a whole number")
        return self.constant(value, None).name

    def memory(self, base: str, name: str, array: Array, is_local: bool = False) -> Elements:
        """A memref as an array."""

        def load(indices: Sequence[str]) -> Scalar:
            if not is_local and base not in self.written:
                self.read.add(base)
            place = ", ".join(indices)
            return self.make(f"memref.load {name}[{place}] : {array}", array.element)

        def store(indices: Sequence[str], value: Scalar) -> None:
            if not is_local:
                self.written.add(base)
            self.write(f"memref.store {value.name}, {name}[{', '.join(indices)}] : {array}")

        return Elements(array, load, frozenset([base]), store, base, True)

    @contextmanager
    def loop(self, begin: str, end: str, step: str) -> Iterator[str]:
        """Writes a loop without results around what is written meanwhile; gives its counter."""
        counter = self.fresh()
        self.write(f"scf.for {counter} = {begin} to {end} step {step} {{")
        self.indent += 1
        yield counter
        self.indent -= 1
        self.write("}")

    def over(self, shape: Sequence[int], body: Callable[[list[str]], None]) -> None:
        """Writes loops over all indices of a shape."""
        indices: list[str] = []

        def nested(rest: Sequence[int]) -> None:
            if not rest:
                body(indices)
                return
            zero, one, end = (self.constant(n, None).name for n in (0, 1, rest[0]))
            with self.loop(zero, end, one) as counter:
                indices.append(counter)
                nested(rest[1:])
                indices.pop()

        nested(shape)

    # Statements.

    def statement(self, node: ast.stmt) -> None:
        self.node = node
        if self.has_returned:
            self.fail("nothing follows `return`", node)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return
        if isinstance(node, ast.Pass):
            return
        if isinstance(node, ast.Assign):
            if len(node.targets) != 1:
                self.fail("one assignment has one target", node)
            self.assign(node.targets[0], self.value(node.value))
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.assign(node.target, self.value(node.value))
        elif isinstance(node, ast.AugAssign):
            before = self.value(_loaded(node.target))
            changed = self.binary(node.op, before, self.value(node.value))
            if isinstance(before, Elements) and isinstance(node.target, ast.Name):
                self.store_all(before, changed)
            else:
                self.assign(node.target, changed)
        elif isinstance(node, ast.For):
            self.for_loop(node)
        elif isinstance(node, ast.If):
            self.branch(node)
        elif isinstance(node, ast.Return):
            self.leave(node)
        else:
            self.fail(f"a kernel has no `{_word(node)}`", node)

    def leave(self, node: ast.Return) -> None:
        if self.indent > 1:
            self.fail("`return` is the last line of a kernel, in no loop or branch", node)
        self.has_returned = True
        if node.value is None:
            return
        value = self.value(node.value)
        if isinstance(value, Elements):
            self.fail("a kernel returns a number; arrays are parameters that it writes", node)
        self.result = self.typed(value)

    def assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            known = self.names.get(target.id)
            if isinstance(value, Elements):
                if isinstance(known, Elements) and self.indent > 1:
                    self.fail(f"'{target.id}' is an array already: `{target.id}[...] = ` writes it")
                if value.base is None:
                    value = self.materialised(value)
            elif self.indent > 1 and isinstance(known, Elements):
                self.fail(f"'{target.id}' was an array before")
            self.names[target.id] = value
            return
        if not isinstance(target, ast.Subscript):
            self.fail("what is assigned to is a name, an element or a slice", target)
        array = self.value(target.value)
        if not isinstance(array, Elements) or array.store is None:
            self.fail("only arrays have elements to assign to", target)
        self.store_all(self.subscript(array, target.slice, is_target=True), value)

    def store_all(self, target: Value, value: Value) -> None:
        """Stores a number or an array in all elements of a view."""
        assert isinstance(target, Elements) and target.store is not None
        element = target.type.element
        if not isinstance(value, Elements):
            stored = self.converted(value, element)
            self.over(target.type.shape, lambda at: target.store(at, stored))  # type: ignore[misc]
            return
        self.broadcast_fits(value.type.shape, target.type.shape)
        # An element may be read after another was written there: all are computed before.
        if target.base in value.reads and not (value.is_whole and target.is_whole):
            value = self.materialised(value)
        source = self.broadcast(value, target.type.shape)

        def one(at: list[str]) -> None:
            assert target.store is not None
            target.store(at, self.converted(source.load(at), element))

        self.over(target.type.shape, one)

    def materialised(self, value: Elements) -> Elements:
        """The elements of an expression in memory of the function."""
        name = self.fresh()
        self.head.append(f"  {name} = memref.alloca() : {value.type}")
        local = self.memory(name, name, value.type, is_local=True)

        def one(at: list[str]) -> None:
            assert local.store is not None
            local.store(at, self.converted(value.load(at), value.type.element))

        self.over(value.type.shape, one)
        return local

    def for_loop(self, node: ast.For) -> None:
        call = node.iter
        is_range = isinstance(call, ast.Call) and self.resolved(call.func) is range
        if not is_range or node.orelse or not isinstance(node.target, ast.Name):
            self.fail("a loop is `for i in range(…)`", node)
        assert isinstance(call, ast.Call)
        bounds = [self.value(argument) for argument in call.args]
        if any(isinstance(bound, Elements) for bound in bounds) or call.keywords:
            self.fail("range takes numbers", node)
        numbers: list[Any] = [0, *bounds] if len(bounds) == 1 else list(bounds)
        begin, end, step = [*numbers, 1][:3]
        if not isinstance(step, int) or step == 0:
            self.fail("the step of a loop is a constant", node)
        counter_of: Callable[[str], Scalar]
        if step < 0:
            # Loops of MLIR count upward: begin, begin + step, … are begin - k with k from 0 on.
            first = Scalar(self.index(begin), None)
            distance = self.binary(ast.Sub(), first, Scalar(self.index(end), None))
            assert isinstance(distance, Scalar)
            limits = (self.constant(0, None).name, distance.name, self.constant(-step, None).name)
            counter_of = lambda k: self.make(f"arith.subi {first.name}, {k} : index", None)  # noqa: E731
        else:
            limits = (self.index(begin), self.index(end), self.constant(step, None).name)
            counter_of = lambda k: Scalar(k, None)  # noqa: E731
        carried = self.carried(node.body)
        before = {name: self.typed(self.names[name]) for name in carried}  # type: ignore[arg-type]
        types = [self.mlir_type(value) for value in before.values()]
        name, results = self.fresh(), [self.fresh() for _ in carried]
        inside = [self.fresh() for _ in carried]
        head = f"scf.for {name} = {limits[0]} to {limits[1]} step {limits[2]}"
        if carried:
            pairs = ", ".join(f"{i} = {before[n].name}" for i, n in zip(inside, carried))
            head = f"{', '.join(results)} = {head} iter_args({pairs}) -> ({', '.join(types)})"
        self.write(head + " {")
        outer = dict(self.names)
        self.indent += 1
        for place, variable in zip(inside, carried):
            self.names[variable] = Scalar(place, before[variable].type)
        self.names[node.target.id] = counter_of(name)
        for statement in node.body:
            self.statement(statement)
        if carried:
            ends = [self.same_type(n, before[n], node) for n in carried]
            self.write(f"scf.yield {', '.join(e.name for e in ends)} : {', '.join(types)}")
        self.indent -= 1
        self.write("}")
        self.names = outer
        for place, variable in zip(results, carried):
            self.names[variable] = Scalar(place, before[variable].type)

    def branch(self, node: ast.If) -> None:
        condition = self.value(node.test)
        if isinstance(condition, Elements):
            self.fail("a condition is one number; for arrays there is np.where", node.test)
        if not isinstance(condition, Scalar):
            for statement in node.body if condition else node.orelse:
                self.statement(statement)
            return
        carried = self.carried([*node.body, *node.orelse])
        before = {name: self.typed(self.names[name]) for name in carried}  # type: ignore[arg-type]
        types = ", ".join(self.mlir_type(value) for value in before.values())
        results = [self.fresh() for _ in carried]
        gives = f"{', '.join(results)} = " if carried else ""
        arrow = f" -> ({types})" if carried else ""
        self.write(f"{gives}scf.if {self.truth(condition).name}{arrow} {{")
        outer = dict(self.names)
        for part, statements in enumerate((node.body, node.orelse)):
            if part == 1 and not carried and not statements:
                continue
            if part == 1:
                self.write("} else {")
            self.names = {**outer, **before}
            self.indent += 1
            for statement in statements:
                self.statement(statement)
            if carried:
                ends = [self.same_type(n, before[n], node) for n in carried]
                self.write(f"scf.yield {', '.join(e.name for e in ends)} : {types}")
            self.indent -= 1
        self.write("}")
        self.names = outer
        for place, variable in zip(results, carried):
            self.names[variable] = Scalar(place, before[variable].type)

    def carried(self, body: Sequence[ast.stmt]) -> list[str]:
        """Numbers from outside that a body assigns."""
        found: dict[str, None] = {}
        for statement in body:
            for part in ast.walk(statement):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    known = self.names.get(part.id)
                    if known is not None and not isinstance(known, Elements):
                        found[part.id] = None
        return list(found)

    def same_type(self, name: str, before: Scalar, node: ast.AST) -> Scalar:
        """A number at the end of a body, of the type that it had before."""
        value = self.names[name]
        if isinstance(value, Elements):
            self.fail(f"'{name}' becomes an array", node)
        if not isinstance(value, Scalar) or value.type is None:
            return self.converted(value, before.type) if before.type else Scalar(self.index(value), None)
        if value.type != before.type:
            self.fail(
                f"'{name}' is {self.mlir_type(before)} before and {value.type} after it:"
                f" begin with `{name} = {value.type}(…)`, or convert it",
                node,
            )
        return value

    def mlir_type(self, value: Scalar) -> str:
        return str(value.type) if value.type else "index"

    # Expressions.

    def resolved(self, node: ast.expr) -> Any:
        """The object that a name or `module.name` is outside of the function; None if it is local."""
        if isinstance(node, ast.Name):
            return None if node.id in self.names else self.known.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.resolved(node.value)
            return getattr(owner, node.attr, None) if inspect.ismodule(owner) else None
        return None

    def value(self, node: ast.expr) -> Value:
        previous, self.node = self.node, node
        try:
            return self.expression(node)
        finally:
            self.node = previous

    def expression(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.Name):
            if node.id in self.names:
                return self.names[node.id]
            outside = self.known.get(node.id)
            if isinstance(outside, (int, float, np.integer, np.floating)):
                return outside.item() if isinstance(outside, np.generic) else outside
            self.fail(f"'{node.id}' isn't known here")
        if isinstance(node, ast.BinOp):
            return self.binary(node.op, self.value(node.left), self.value(node.right))
        if isinstance(node, ast.UnaryOp):
            return self.unary(node)
        if isinstance(node, ast.Compare):
            return self.comparisons(node)
        if isinstance(node, ast.BoolOp):
            parts = [self.condition(part) for part in node.values]
            op = "andi" if isinstance(node.op, ast.And) else "ori"
            result = parts[0]
            for part in parts[1:]:
                result = self.make(f"arith.{op} {result.name}, {part.name} : i1", i1)
            return result
        if isinstance(node, ast.IfExp):
            test, a, b = (self.value(part) for part in (node.test, node.body, node.orelse))
            if isinstance(test, Elements) or isinstance(a, Elements) or isinstance(b, Elements):
                self.fail("`if` chooses between numbers; for arrays there is np.where")
            if not isinstance(test, Scalar):
                return a if test else b
            return self.select(test, a, b)
        if isinstance(node, ast.Subscript):
            if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
                return self.size(node.value, node.slice)
            array = self.value(node.value)
            if not isinstance(array, Elements):
                self.fail("only arrays have elements")
            view = self.subscript(array, node.slice, is_target=False)
            return view.load([]) if not view.type.shape else view
        if isinstance(node, ast.Attribute):
            return self.attribute(node)
        if isinstance(node, ast.Call):
            return self.call(node)
        self.fail(f"a kernel has no `{_word(node)}`")

    def size(self, shape: ast.Attribute, place: ast.expr) -> int:
        """`x.shape[0]`."""
        array, dimension = self.value(shape.value), self.value(place)
        if not isinstance(array, Elements) or not isinstance(dimension, int):
            self.fail("a size is `x.shape[0]`")
        rank = len(array.type.shape)
        if not -rank <= dimension < rank:
            self.fail(f"the array has {rank} dimensions")
        return array.type.shape[dimension]

    def attribute(self, node: ast.Attribute) -> Value:
        outside = self.resolved(node)
        if isinstance(outside, (int, float)):
            return outside
        array = self.value(node.value)
        if isinstance(array, Elements):
            if node.attr == "size":
                return int(np.prod(array.type.shape))
            if node.attr == "T":
                return self.transposed(array)
        self.fail(f"`.{node.attr}` isn't known")

    def transposed(self, array: Elements) -> Elements:
        turned = Array(array.type.element, array.type.shape[::-1])
        store = array.store
        return Elements(
            turned,
            lambda at: array.load(list(at)[::-1]),
            array.reads,
            (lambda at, value: store(list(at)[::-1], value)) if store else None,
            array.base,
        )

    def subscript(self, array: Elements, node: ast.expr, *, is_target: bool) -> Elements:
        """A view: each place is a number, a slice or `...`."""
        places = list(node.elts) if isinstance(node, ast.Tuple) else [node]
        rank = len(array.type.shape)
        dots = [i for i, p in enumerate(places) if isinstance(p, ast.Constant) and p.value is ...]
        if len(dots) > 1:
            self.fail("one `...` is enough")
        everything: list[ast.expr] = [ast.Slice()] * (rank - len(places) + len(dots))
        if len(places) - len(dots) > rank:
            self.fail(f"the array has {rank} dimensions")
        at = dots[0] if dots else len(places)
        places = places[:at] + everything + places[at + len(dots) :]
        # Of each dimension: a fixed index, or where the view begins and its step.
        maps: list[tuple[str | None, int, int]] = []
        shape: list[int] = []
        is_whole = True
        for place, size in zip(places, array.type.shape):
            if isinstance(place, ast.Slice):
                bounds = [
                    None if part is None else self.value(part)
                    for part in (place.lower, place.upper, place.step)
                ]
                begin, count, step, moved = self.slice_of(bounds, size, place)
                maps.append((moved, begin, step))
                shape.append(count)
                is_whole &= moved is None and (begin, count, step) == (0, size, 1)
                continue
            index = self.value(place)
            if isinstance(index, Elements):
                self.fail("an index is a number or a slice")
            if isinstance(index, bool) or isinstance(index, float):
                self.fail("an index is a whole number")
            if isinstance(index, int):
                if not -size <= index < size:
                    self.fail(f"index {index} is outside of a dimension of {size}")
                index %= size
            maps.append((self.index(index), 0, 0))
            is_whole = False

        def whole(at: Sequence[str]) -> list[str]:
            rest, indices = list(at), []
            for fixed, begin, step in maps:
                if step == 0:
                    assert fixed is not None
                    indices.append(fixed)
                    continue
                value = Scalar(rest.pop(0), None)
                if step != 1:
                    value = self.number(self.binary(ast.Mult(), value, step))
                if begin != 0:
                    value = self.number(self.binary(ast.Add(), value, begin))
                if fixed is not None:
                    value = self.number(self.binary(ast.Add(), value, Scalar(fixed, None)))
                indices.append(value.name)
            return indices

        store = array.store
        return Elements(
            Array(array.type.element, tuple(shape)) if shape else _no_dimension(array.type.element),
            lambda at: array.load(whole(at)),
            array.reads,
            (lambda at, value: store(whole(at), value)) if store else None,
            array.base,
            array.is_whole and is_whole,
        )

    def number(self, value: Value) -> Scalar:
        assert isinstance(value, Scalar)
        return value

    def slice_of(
        self, bounds: Sequence[Value | None], size: int, node: ast.Slice
    ) -> tuple[int, int, int, str | None]:
        """Begin, count and step of a slice, and the place that it begins at if that isn't constant."""
        lower, upper, step = bounds
        if step is not None and not isinstance(step, int):
            self.fail("the step of a slice is a constant")
        if all(bound is None or isinstance(bound, int) for bound in (lower, upper)):
            # As numpy has it: out of range is cut off.
            found = range(*slice(lower, upper, step).indices(size))
            if not found:
                self.fail("the slice is empty")
            return found.start, len(found), found.step, None
        length = self.slice_length(node)
        if length is None or isinstance(lower, (Elements, float)) or lower is None or step not in (None, 1):
            self.fail("a slice of changing place has a constant length: `x[i:i + 16]`")
        return 0, length, 1, self.index(lower)

    def slice_length(self, node: ast.Slice) -> int | None:
        """The length of ``begin:begin + constant``, whose begins are the same text."""
        upper, lower = node.upper, node.lower
        if not isinstance(upper, ast.BinOp) or not isinstance(upper.op, ast.Add) or lower is None:
            return self.scaled_length(node)
        if ast.dump(upper.left) == ast.dump(lower):
            length = self.value(upper.right)
            return length if isinstance(length, int) and not isinstance(length, bool) and length > 0 else None
        return self.scaled_length(node)

    def scaled_length(self, node: ast.Slice) -> int | None:
        """The length of ``i * 16:(i + 1) * 16``."""
        lower, upper = node.lower, node.upper
        if not (
            isinstance(lower, ast.BinOp)
            and isinstance(upper, ast.BinOp)
            and isinstance(lower.op, ast.Mult)
            and isinstance(upper.op, ast.Mult)
            and isinstance(upper.left, ast.BinOp)
            and isinstance(upper.left.op, ast.Add)
            and ast.dump(upper.left.left) == ast.dump(lower.left)
            and ast.dump(upper.right) == ast.dump(lower.right)
        ):
            return None
        more, unit = self.value(upper.left.right), self.value(upper.right)
        if not isinstance(more, int) or not isinstance(unit, int):
            return None
        return more * unit if more * unit > 0 else None

    # Numbers.

    def typed(self, value: Operand) -> Scalar:
        """A number of Python as a value: whole numbers as ``index``, or what they were assigned as."""
        if isinstance(value, Scalar):
            return value
        if isinstance(value, bool):
            return self.constant(value, i1)
        return self.constant(value, None if isinstance(value, int) else f32)

    def converted(self, value: Operand, to: Number) -> Scalar:
        """A number as one of another type, as numpy stores it."""
        if not isinstance(value, Scalar):
            if not to.is_float and isinstance(value, float):
                value = int(value)
            if not to.is_float and to.bits > 1 and not isinstance(value, bool):
                if not -(1 << (to.bits - 1)) <= value < 1 << to.bits:
                    self.fail(f"{value} doesn't fit {to}")
            return self.constant(value, to)
        if value.type == to:
            return value
        source = value
        if source.type is None:
            if not to.is_float:
                return self.make(f"arith.index_cast {source.name} : index to {to}", to)
            source = self.make(f"arith.index_cast {source.name} : index to i32", i32)
        assert source.type is not None
        of = source.type
        if of.is_float and to.is_float:
            if of.bits == to.bits:
                wide = self.make(f"arith.extf {source.name} : {of} to f32", f32)
                return self.make(f"arith.truncf {wide.name} : f32 to {to}", to)
            op = "extf" if to.bits > of.bits else "truncf"
        elif of.is_float:
            if to == i1:
                zero = self.constant(0.0, of)
                return self.make(f"arith.cmpf une, {source.name}, {zero.name} : {of}", i1)
            op = "fptosi"
        elif to.is_float:
            op = "uitofp" if of == i1 else "sitofp"
        elif to == i1:
            zero = self.constant(0, of)
            return self.make(f"arith.cmpi ne, {source.name}, {zero.name} : {of}", i1)
        else:
            op = "trunci" if to.bits < of.bits else "extui" if of == i1 else "extsi"
        return self.make(f"arith.{op} {source.name} : {of} to {to}", to)

    def truth(self, value: Operand) -> Scalar:
        """A number as a condition."""
        scalar = self.typed(value)
        if scalar.type is None:
            zero = self.constant(0, None)
            return self.make(f"arith.cmpi ne, {scalar.name}, {zero.name} : index", i1)
        return self.converted(scalar, i1)

    def condition(self, node: ast.expr) -> Scalar:
        value = self.value(node)
        if isinstance(value, Elements):
            self.fail("`and`, `or` and `not` take numbers; for arrays there are `&`, `|` and `~`", node)
        return self.truth(value)

    def common(self, a: Number | None, b: Number | None, what: str) -> Number | None:
        """The type that an operation of two has: the wider one; numbers of Python take the other's."""
        if a is None or b is None:
            return a or b
        if a.is_float != b.is_float:
            self.fail(f"`{what}` of {a} and {b}: convert one of them, as numpy would compute in f64")
        if a == b:
            return a
        if a.bits == b.bits:
            return f32
        return a if a.bits > b.bits else b

    def number_type(self, value: Value) -> Number | None:
        if isinstance(value, Elements):
            return value.type.element
        return value.type if isinstance(value, Scalar) else None

    def elementwise(
        self, values: Sequence[Value], element: Number, compute: Callable[[list[Operand]], Operand]
    ) -> Value:
        """An operation of numbers on the elements of arrays; shapes broadcast."""
        arrays = [value for value in values if isinstance(value, Elements)]
        if not arrays:
            return compute([value for value in values if not isinstance(value, Elements)])
        try:
            shape = np.broadcast_shapes(*(array.type.shape for array in arrays))
        except ValueError:
            shapes = " and ".join(str(array.type.shape) for array in arrays)
            self.fail(f"arrays of shapes {shapes} don't fit one another")
        fitted = [self.broadcast(v, shape) if isinstance(v, Elements) else v for v in values]

        def load(at: Sequence[str]) -> Operand:
            return compute([v.load(at) if isinstance(v, Elements) else v for v in fitted])

        reads = frozenset().union(*(array.reads for array in arrays))
        is_whole = all(array.is_whole and array.type.shape == shape for array in arrays)
        return Elements(Array(element, tuple(shape)), load, reads, is_whole=is_whole)

    def broadcast_fits(self, of: Sequence[int], to: Sequence[int]) -> None:
        try:
            fits = np.broadcast_shapes(tuple(of), tuple(to)) == tuple(to)
        except ValueError:
            fits = False
        if not fits:
            self.fail(f"an array of shape {tuple(of)} doesn't fit one of {tuple(to)}")

    def broadcast(self, array: Elements, shape: Sequence[int]) -> Elements:
        """An array seen in a shape that it broadcasts to."""
        if array.type.shape == tuple(shape):
            return array
        skipped = len(shape) - len(array.type.shape)

        def load(at: Sequence[str]) -> Operand:
            zero = self.constant(0, None).name
            own = list(at)[skipped:]
            return array.load([zero if n == 1 else i for i, n in zip(own, array.type.shape)])

        return Elements(Array(array.type.element, tuple(shape)), load, array.reads)

    def binary(self, op: ast.operator, a: Value, b: Value) -> Value:
        symbol = _SYMBOLS[type(op)]
        if isinstance(op, ast.MatMult):
            return self.matmul(a, b, None)
        if not isinstance(a, (Elements, Scalar)) and not isinstance(b, (Elements, Scalar)):
            return self.folded(op, a, b)
        element = self.common(self.number_type(a), self.number_type(b), symbol)
        has_fraction = any(isinstance(value, float) for value in (a, b))
        if has_fraction and (element is None or not element.is_float):
            self.fail(f"`{symbol}` of a whole number and a fraction: convert it, such as `f32(…)`")
        if isinstance(op, ast.Pow):
            if not isinstance(b, int) or isinstance(b, bool) or not 1 <= b <= 8:
                self.fail("a power has a constant whole exponent from 1 to 8")
            result: Value = a
            for _ in range(b - 1):
                result = self.binary(ast.Mult(), result, a)
            return result
        if isinstance(op, ast.Div) and (element is None or not element.is_float):
            self.fail("`/` of whole numbers: numpy would compute in f64; convert them, or use `//`")
        if element is not None and element.is_float and type(op) not in _FLOAT_OPS:
            self.fail(f"`{symbol}` of fractions isn't known")

        def compute(pair: list[Operand]) -> Operand:
            x, y = (self.as_type(value, element) for value in pair)
            kind = str(element) if element else "index"
            if isinstance(op, ast.Mod):
                below = self.make(f"arith.floordivsi {x.name}, {y.name} : {kind}", element)
                all_of = self.make(f"arith.muli {below.name}, {y.name} : {kind}", element)
                return self.make(f"arith.subi {x.name}, {all_of.name} : {kind}", element)
            table = _FLOAT_OPS if element is not None and element.is_float else _INT_OPS
            return self.make(f"arith.{table[type(op)]} {x.name}, {y.name} : {kind}", element)

        return self.elementwise([a, b], element or i64, compute)

    def as_type(self, value: Operand, element: Number | None) -> Scalar:
        return self.converted(value, element) if element else Scalar(self.index(value), None)

    def folded(self, op: ast.operator, a: Any, b: Any) -> Operand:
        expression = ast.Expression(ast.BinOp(ast.Constant(a), op, ast.Constant(b)))
        try:
            result = eval(compile(ast.fix_missing_locations(expression), self.filename, "eval"))
        except Exception as error:
            self.fail(str(error))
        if not isinstance(result, (int, float)):
            self.fail("the constant isn't a number")
        return result

    def unary(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            truth = self.condition(node.operand)
            one = self.constant(True, i1)
            return self.make(f"arith.xori {truth.name}, {one.name} : i1", i1)
        value = self.value(node.operand)
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(node.op, ast.Invert):
            ones: Operand = True if self.number_type(value) == i1 else -1
            return self.binary(ast.BitXor(), value, ones)
        if not isinstance(value, (Scalar, Elements)):
            return -value
        element = self.number_type(value)
        if element is None or not element.is_float:
            return self.binary(ast.Sub(), 0, value)

        def negated(of: list[Operand]) -> Operand:
            return self.make(f"arith.negf {self.as_type(of[0], element).name} : {element}", element)

        return self.elementwise([value], element, negated)

    def comparisons(self, node: ast.Compare) -> Value:
        values = [self.value(part) for part in (node.left, *node.comparators)]
        result: Value | None = None
        for op, a, b in zip(node.ops, values, values[1:]):
            if type(op) not in _COMPARISONS:
                self.fail(f"a kernel has no `{_word(op)}`")
            one = self.compared(op, a, b)
            result = one if result is None else self.binary(ast.BitAnd(), result, one)
        assert result is not None
        return result

    def compared(self, op: ast.cmpop, a: Value, b: Value) -> Value:
        of_ints, of_floats = _COMPARISONS[type(op)]
        if not isinstance(a, (Elements, Scalar)) and not isinstance(b, (Elements, Scalar)):
            known = {"eq": a == b, "ne": a != b, "slt": a < b, "sle": a <= b, "sgt": a > b, "sge": a >= b}
            return known[of_ints]
        element = self.common(self.number_type(a), self.number_type(b), "comparison")
        if any(isinstance(v, float) for v in (a, b)) and (element is None or not element.is_float):
            self.fail("a whole number is compared with a fraction: convert it")

        def compute(pair: list[Operand]) -> Operand:
            x, y = (self.as_type(value, element) for value in pair)
            if element is not None and element.is_float:
                return self.make(f"arith.cmpf {of_floats}, {x.name}, {y.name} : {element}", i1)
            kind = str(element) if element else "index"
            return self.make(f"arith.cmpi {of_ints}, {x.name}, {y.name} : {kind}", i1)

        return self.elementwise([a, b], i1, compute)

    def select(self, test: Value, a: Value, b: Value) -> Value:
        """np.where."""
        element = self.common(self.number_type(a), self.number_type(b), "where")
        if element is None and any(isinstance(v, float) for v in (a, b)):
            element = f32

        def compute(of: list[Operand]) -> Operand:
            truth = self.truth(of[0])
            x, y = (self.as_type(value, element) for value in of[1:])
            kind = str(element) if element else "index"
            return self.make(f"arith.select {truth.name}, {x.name}, {y.name} : {kind}", element)

        return self.elementwise([test, a, b], element or i64, compute)

    def extreme(self, word: str, a: Value, b: Value) -> Value:
        """np.minimum, np.maximum; with NaN where one of two is, as numpy has it."""
        if not isinstance(a, (Elements, Scalar)) and not isinstance(b, (Elements, Scalar)):
            return min(a, b) if word == "min" else max(a, b)
        element = self.common(self.number_type(a), self.number_type(b), f"{word}imum")

        def compute(pair: list[Operand]) -> Operand:
            x, y = (self.as_type(value, element) for value in pair)
            if element is not None and element.is_float:
                return self.make(f"arith.{word}imumf {x.name}, {y.name} : {element}", element)
            kind = str(element) if element else "index"
            return self.make(f"arith.{word}si {x.name}, {y.name} : {kind}", element)

        return self.elementwise([a, b], element or i64, compute)

    # Calls.

    def call(self, node: ast.Call) -> Value:
        function = self.resolved(node.func)
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        if function is None and isinstance(node.func, ast.Attribute):
            return self.method(node.func, node.args, keywords)
        number = number_of(function)
        if number is not None and len(node.args) == 1:
            return self.cast(self.value(node.args[0]), number)
        if function is len and len(node.args) == 1:
            array = self.value(node.args[0])
            if isinstance(array, Elements) and array.type.shape:
                return array.type.shape[0]
        if isinstance(function, KernelFunction):
            self.fail("a kernel calls no other kernel")
        values = [self.value(argument) for argument in node.args]
        if function is np.where and len(values) == 3:
            return self.select(*values)
        for known, word in ((np.minimum, "min"), (np.maximum, "max"), (min, "min"), (max, "max")):
            if function is known and len(values) == 2:
                is_builtin = known in (min, max)
                if is_builtin and any(isinstance(value, Elements) for value in values):
                    self.fail(f"`{word}` of arrays is np.{word}imum")
                return self.extreme(word, *values)
        if function in (np.abs, abs) and len(values) == 1:
            return self.absolute(values[0])
        if function in (np.matmul, np.dot) and len(values) == 2:
            return self.matmul(values[0], values[1], self.dtype(keywords))
        if self.hashable(function) and function in _MATH and len(values) == 1:
            return self.math(_MATH[function], values[0])
        if self.hashable(function) and function in _REDUCTIONS and len(values) == 1:
            return self.reduced(_REDUCTIONS[function], values[0], keywords)
        self.fail(f"`{ast.unparse(node.func)}` isn't known to kernels, or not with these arguments")

    @staticmethod
    def hashable(function: object) -> bool:
        return function is not None and callable(function)

    def method(
        self, node: ast.Attribute, arguments: Sequence[ast.expr], keywords: dict[Any, ast.expr]
    ) -> Value:
        value = self.value(node.value)
        if isinstance(value, (Elements, Scalar)):
            if node.attr == "astype" and len(arguments) == 1:
                number = number_of(self.resolved(arguments[0]))
                if number is not None:
                    return self.cast(value, number)
            if node.attr in ("sum", "min", "max") and not arguments:
                return self.reduced(node.attr, value, keywords)
        self.fail(f"`.{node.attr}(…)` isn't known to kernels, or not with these arguments")

    def dtype(self, keywords: dict[Any, ast.expr]) -> Number | None:
        """The keyword ``dtype``."""
        node = keywords.get("dtype")
        if node is None:
            return None
        number = number_of(self.resolved(node))
        if number is None:
            self.fail("`dtype` is a type of numpy or of aiec.types", node)
        return number

    def cast(self, value: Value, to: Number) -> Value:
        return self.elementwise([value], to, lambda of: self.converted(of[0], to))

    def absolute(self, value: Value) -> Value:
        element = self.number_type(value)
        if not isinstance(value, (Elements, Scalar)):
            return abs(value)
        if element is not None and element.is_float:

            def compute(of: list[Operand]) -> Operand:
                return self.make(f"math.absf {self.as_type(of[0], element).name} : {element}", element)

            return self.elementwise([value], element, compute)
        return self.extreme("max", value, self.binary(ast.Sub(), 0, value))

    def math(self, name: str, value: Value) -> Value:
        element = self.number_type(value)
        if element is None or not element.is_float:
            self.fail(f"`{name}` is of fractions: convert, such as `f32(…)`")

        def compute(of: list[Operand]) -> Operand:
            return self.make(f"math.{name} {self.as_type(of[0], element).name} : {element}", element)

        return self.elementwise([value], element, compute)

    def accumulated(
        self, extents: Sequence[int], first: Scalar, step: Callable[[list[str], Scalar], Scalar]
    ) -> Scalar:
        """Loops over indices that carry one number."""

        def nested(rest: Sequence[int], indices: list[str], sum_: Scalar) -> Scalar:
            if not rest:
                return step(indices, sum_)
            zero, one, end = (self.constant(n, None).name for n in (0, 1, rest[0]))
            counter, inside, result = self.fresh(), self.fresh(), self.fresh()
            kind = self.mlir_type(sum_)
            self.write(
                f"{result} = scf.for {counter} = {zero} to {end} step {one}"
                f" iter_args({inside} = {sum_.name}) -> ({kind}) {{"
            )
            self.indent += 1
            last = nested(rest[1:], [*indices, counter], Scalar(inside, sum_.type))
            self.write(f"scf.yield {last.name} : {kind}")
            self.indent -= 1
            self.write("}")
            return Scalar(result, sum_.type)

        return nested(extents, [], first)

    def reduced(self, word: str, value: Value, keywords: dict[Any, ast.expr]) -> Value:
        """Sum, least or largest of all elements, or along one axis."""
        if not isinstance(value, Elements):
            self.fail(f"`{word}` is of an array")
        element = value.type.element
        dtype = self.dtype(keywords)
        if word == "sum":
            # Sums of whole numbers have 64 bits in numpy.
            wide = element if element.is_float else i64
            value = self.number_array(self.cast(value, dtype or wide))
            element = dtype or wide
        shape = value.type.shape
        axis_node = keywords.get("axis")
        axis = self.value(axis_node) if axis_node is not None else None
        if set(keywords) - {"dtype", "axis"} or (axis_node is not None and not isinstance(axis, int)):
            self.fail(f"`{word}` knows a constant `axis`, and `dtype` for sums")
        if isinstance(axis, int) and not -len(shape) <= axis < len(shape):
            self.fail(f"the array has {len(shape)} dimensions")
        array = value

        def along(at: Sequence[str], axes: Sequence[int]) -> Scalar:
            def indices(inner: Sequence[str]) -> list[str]:
                rest, own = list(inner), list(at)
                return [rest.pop(0) if n in axes else own.pop(0) for n in range(len(shape))]

            zero = self.constant(0, None).name
            if word == "sum":
                first = self.constant(0.0 if element.is_float else 0, element)
            else:
                first = self.converted(array.load(indices([zero] * len(axes))), element)

            def step(inner: list[str], so_far: Scalar) -> Scalar:
                one = self.converted(array.load(indices(inner)), element)
                if word == "sum":
                    return self.number(self.binary(ast.Add(), so_far, one))
                return self.number(self.extreme(word, so_far, one))

            return self.accumulated([shape[n] for n in axes], first, step)

        if axis is None:
            return along([], range(len(shape)))
        assert isinstance(axis, int)
        axis %= len(shape)
        rest = shape[:axis] + shape[axis + 1 :]
        if not rest:
            return along([], [0])
        return Elements(Array(element, rest), lambda at: along(at, [axis]), value.reads)

    def number_array(self, value: Value) -> Elements:
        assert isinstance(value, Elements)
        return value

    def matmul(self, a: Value, b: Value, dtype: Number | None) -> Value:
        """A product of matrices; of a matrix and a vector; of two vectors."""
        if not isinstance(a, Elements) or not isinstance(b, Elements):
            self.fail("`@` is of two arrays")
        element = dtype or self.common(a.type.element, b.type.element, "@")
        assert element is not None
        left, right = a.type.shape, b.type.shape
        if not 1 <= len(left) <= 2 or not 1 <= len(right) <= 2 or left[-1] != right[0]:
            self.fail(f"`@` of shapes {left} and {right}")

        def one(at: Sequence[str]) -> Scalar:
            row = list(at)[: len(left) - 1]
            column = list(at)[len(left) - 1 :]

            def step(inner: list[str], so_far: Scalar) -> Scalar:
                x = self.converted(a.load([*row, *inner]), element)
                y = self.converted(b.load([*inner, *column]), element)
                product = self.binary(ast.Mult(), x, y)
                return self.number(self.binary(ast.Add(), so_far, product))

            zero = self.constant(0.0 if element.is_float else 0, element)
            return self.accumulated([left[-1]], zero, step)

        shape = left[:-1] + right[1:]
        if not shape:
            return one([])
        return Elements(Array(element, shape), one, a.reads | b.reads)


def _no_dimension(element: Number) -> Array:
    """The type of one element of an array."""
    return Array(element, ())


def _loaded(target: ast.expr) -> ast.expr:
    """A target as an expression that is read."""
    if isinstance(target, ast.Subscript):
        read: ast.expr = ast.Subscript(target.value, target.slice, ast.Load())
    elif isinstance(target, ast.Name):
        read = ast.Name(target.id, ast.Load())
    else:
        read = target
    return ast.copy_location(read, target)


def _word(node: ast.AST) -> str:
    """The name of a part of Python's syntax."""
    words = {
        "While": "while",
        "With": "with",
        "Try": "try",
        "FunctionDef": "def",
        "ListComp": "[… for …]",
        "List": "[…]",
        "Dict": "{…}",
        "Tuple": "(…, …)",
        "Lambda": "lambda",
        "In": "in",
        "NotIn": "not in",
        "Is": "is",
        "IsNot": "is not",
    }
    name = type(node).__name__
    return words.get(name, name.lower())
