"""The calculator is right, and hostile expressions end quickly, in words."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.domain.tools import ToolOutcome, ToolResult
from assistant.tools.calculator import calculator
from assistant.tools.registry import ToolRegistry
from tests.unit.tools.running import run

REGISTRY = ToolRegistry([calculator])


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("0.1 + 0.2", "0.3"),
        ("2 ^ 10", "1024"),
        ("2 * 3 ^ 2", "18"),
        ("7 / 2", "3.5"),
        ("-7 // 2", "-4"),
        ("7 % 3", "1"),
        ("6 × 7 ÷ 2 − 1", "20"),
        ("2 ** 200", str(2**200)),
        ("2 ** -5000", "0"),
        ("sqrt(16) + abs(-3)", "7"),
        ("round(2.567, 2)", "2.57"),
        ("round(1234, -2)", "1200"),
        ("max(1, 2.5)", "2.5"),
        ("log(8, 2)", "3"),
        ("cos(pi)", "-1"),
        ("factorial(20)", "2432902008176640000"),
        ("gcd(12, 18)", "6"),
        (" 1 +\n 1 ", "2"),
    ],
)
def test_an_expression_is_worked_out(expression: str, result: str) -> None:
    assert run(REGISTRY, "calculator", expression=expression) == ToolResult(result)


@pytest.mark.parametrize(
    "expression",
    [
        *(
            "9**9**9",
            "9**9**9**9",
            "(10**999)**999",
            "10**999 * 10**999",
            "factorial(10**9)",
            "factorial(-1)",
        ),
        *("1e308 * 10", "exp(1000)", "1 / 0", "1 // 0.0", "0 ** -1", "(-8) ** 0.5", "sqrt(-1)", "log(0)"),
        *(
            "factorial(400) ** 400",
            "round(1.5, 10**9)",
            "round(1, -10**9)",
            "2 ** 1e300",
            "1e999",
            "1e999 - 1e999",
        ),
        *("(" * 500, "-" * 499 + "1", "1+" * 249 + "1)", "[" * 250, "~" * 99 + "1", "1" + "**9" * 160),
        *(
            "",
            "x",
            "1; 2",
            "1, 2",
            "1\x002",
            "'a' * 9",
            "[1] * 9",
            "'%d' % 1",
            "1j",
            "True",
            "None",
            "f'{1}'",
        ),
        *(
            "__import__('os')",
            "(1).__class__",
            "open('x')",
            "lambda: 1",
            "[x for x in (1,)]",
            "a := 1",
            "a = 1",
        ),
        *("1 << 9999999999", "1 if 1 else 2", "1 < 2", "round(1.5, ndigits=1)", "max(*(1, 2))", "sqrt(sqrt)"),
    ],
)
def test_what_cannot_be_worked_out_ends_quickly_in_words(expression: str) -> None:
    begun = time.process_time()
    result = run(REGISTRY, "calculator", expression=expression)
    assert time.process_time() - begun < 1
    assert result.outcome is ToolOutcome.FAILED
    assert "error of its own" not in result.text


def test_a_long_expression_is_refused_before_it_is_read() -> None:
    assert run(REGISTRY, "calculator", expression="1" * 501).outcome is ToolOutcome.FAILED


PIECES = st.sampled_from(
    ["9", "**", "*", "(", ")", "-", "/", "%", "1e300", "factorial(", "round(", ",", "0.5", "pi"]
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_no_expression_breaks_it_or_takes_long(expression: str) -> None:
    begun = time.process_time()
    result = run(REGISTRY, "calculator", expression=expression)
    assert time.process_time() - begun < 1
    assert "error of its own" not in result.text
    assert len(result.text) <= 1001
