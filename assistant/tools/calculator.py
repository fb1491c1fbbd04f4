"""The tool that calculates, by simpleeval, which walks the parsed expression and never runs it as code.

Every number, on the way too, has at most `MOST_DIGITS` digits, and so every step is quick however the
expression is built: what would be larger is refused before it is worked out.
"""

import ast
import math
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field
from simpleeval import InvalidExpression, SimpleEval

from assistant.tools.definitions import ToolFailed, tool

MOST_CHARACTERS = 500
MOST_DIGITS = 1000
MOST_BITS = int(MOST_DIGITS * math.log2(10))
LARGEST_FACTORIAL = 400

Number = int | float


@tool(idempotent=True)
def calculator(expression: Annotated[str, Field(max_length=MOST_CHARACTERS)]) -> str:
    """Work out an arithmetic expression. Integers are exact, other numbers have 15 significant digits.

    Operators: + - * / // % ** and parentheses. Constants: pi e. Functions: sqrt abs round floor ceil min max
    exp log (natural, or log(x, b)) log2 log10 sin cos tan asin acos atan degrees radians factorial gcd.

    expression: for example (3 + 4) * sqrt(2) / 10 ** 3
    """
    return _shown(_worked_out(_spelled(expression)))


def _spelled(expression: str) -> str:
    for sign, meant in (("^", "**"), ("×", "*"), ("·", "*"), ("÷", "/"), ("−", "-"), ("\n", " ")):
        expression = expression.replace(sign, meant)
    return expression


def _worked_out(expression: str) -> Number:
    try:
        parsed = ast.parse(expression.strip(), mode="eval").body
        return _Arithmetic().eval(expression, previously_parsed=parsed)
    except ToolFailed:
        raise
    except ZeroDivisionError:
        raise ToolFailed("That divides by zero.") from None
    except OverflowError:
        raise _too_large() from None
    except (SyntaxError, InvalidExpression, RecursionError, MemoryError):
        raise ToolFailed("That is no arithmetic expression that this calculator knows.") from None
    except (ValueError, TypeError, ArithmeticError) as error:
        raise ToolFailed(f"That has no result: {error}.") from None


class _Arithmetic(SimpleEval):
    """Numbers, operators, and functions by name; everything else that simpleeval can do is taken away."""

    def __init__(self) -> None:
        super().__init__(operators=_OPERATORS, functions=_FUNCTIONS, names=_CONSTANTS)
        allowed = (ast.Expr, ast.Constant, ast.Name, ast.UnaryOp, ast.BinOp, ast.Call)
        known = self.nodes or {}
        self.nodes = {node: known[node] for node in allowed}

    def _eval(self, node: ast.AST) -> Any:
        return _bounded(super()._eval(node))


def _bounded(value: Any) -> Number:
    if type(value) is int:
        if value.bit_length() > MOST_BITS:
            raise _too_large()
    elif type(value) is not float:
        raise ToolFailed("Only real numbers can be calculated with.")
    elif not math.isfinite(value):
        raise _too_large()
    return value


def _power(base: Number, exponent: Number) -> Number:
    # 1 and -1 stay small, a negative exponent gives a float, and floats overflow by themselves.
    integers = isinstance(base, int) and isinstance(exponent, int) and abs(base) > 1 and exponent > 0
    if integers and int(base).bit_length() * exponent > 2 * MOST_BITS:
        raise _too_large()
    return base**exponent


def _factorial(number: Number) -> int:
    if not isinstance(number, int) or not 0 <= number <= LARGEST_FACTORIAL:
        raise ToolFailed(f"factorial takes an integer from 0 to {LARGEST_FACTORIAL}.")
    return math.factorial(number)


def _round(number: Number, digits: Number = 0) -> Number:
    if not isinstance(digits, int) or abs(digits) > MOST_DIGITS:
        raise ToolFailed("round takes a whole number of digits.")
    return round(number, digits) if digits else round(number)


def _too_large() -> ToolFailed:
    return ToolFailed(f"A number in it is too large: more than {MOST_DIGITS:,} digits, or beyond 1.8e308.")


def _shown(value: Number) -> str:
    return str(value) if isinstance(value, int) else f"{value:.15g}"


_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: _power,
    ast.USub: lambda a: -a,
    ast.UAdd: lambda a: a,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(math, name) for name in ("sqrt", "floor", "ceil", "exp", "log", "log2", "log10")},
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: getattr(math, name) for name in ("degrees", "radians", "gcd")},
    **{"abs": abs, "min": min, "max": max, "round": _round, "factorial": _factorial},
}
_CONSTANTS: dict[str, Any] = {"pi": math.pi, "e": math.e}
