"""The debug panel (ASSISTANT_DEBUG_TOOLS): simulate a refresh, and see the eight steps and the tasks."""

from typing import cast

import reflex as rx

from assistant.ui.rows import TaskRow
from assistant.ui.states.page import Page
from assistant.ui.states.simulate import Simulate
from assistant.ui.states.steps import Debug, StepRow
from assistant.ui.states.thread import Running
from assistant.ui.words import filled, word


def debug_panel() -> rx.Component:
    """Nothing, unless the operator switched it on."""
    return rx.cond(
        Page.debug_tools,
        rx.el.aside(
            rx.el.button(
                word("debug.simulate"),
                on_click=Simulate.refresh,
                type="button",
                class_name="quiet",
                custom_attrs={"data-testid": "simulate-refresh"},
            ),
            rx.cond(
                Debug.simulated > 0,
                rx.el.p(
                    rx.cond(Debug.differences.length() == 0, word("debug.unchanged"), ""),
                    rx.foreach(Debug.differences, lambda name: rx.el.code(name, class_name="difference")),
                    custom_attrs={"data-testid": "differences", "data-count": Debug.simulated.to_string()},
                ),
            ),
            rx.el.ol(rx.foreach(Debug.steps, _step), class_name="steps"),
            rx.el.ul(rx.foreach(Running.tasks.items(), _task), class_name="steps"),
            class_name="debug-panel",
            custom_attrs={"data-testid": "debug-panel", "aria-label": word("debug.title")},
        ),
    )


def _step(row: rx.vars.ObjectVar[StepRow]) -> rx.Component:
    return rx.el.li(
        rx.el.code(row["name"]),
        rx.el.span(filled("debug.took", ms=row["ms"].to_string())),
        custom_attrs={
            "data-testid": "restore-step",
            "data-name": row["name"],
            "data-ms": row["ms"].to_string(),
        },
    )


def _task(pair: rx.vars.ArrayVar[list[object]]) -> rx.Component:
    task = cast("rx.vars.ObjectVar[TaskRow]", pair[1].to(dict))
    return rx.el.li(
        rx.el.code(task["state"].to(str), " ", task["reason"].to(str)),
        rx.el.span(filled("debug.attempt", number=task["attempt"].to_string())),
    )
