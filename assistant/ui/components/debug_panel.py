"""The debug panel (ASSISTANT_DEBUG_TOOLS): simulate a refresh, and see the eight steps and the tasks."""

from typing import cast

import reflex as rx

from assistant.ui.rows import TaskRow
from assistant.ui.states.page import Page
from assistant.ui.states.simulate import Simulate
from assistant.ui.states.steps import Debug, StepRow
from assistant.ui.states.thread import Running


def debug_panel() -> rx.Component:
    """Nothing, unless the operator switched it on."""
    return rx.cond(
        Page.debug_tools,
        rx.el.aside(
            rx.el.button(
                "Simulate refresh",
                on_click=Simulate.refresh,
                type="button",
                class_name="quiet",
                custom_attrs={"data-testid": "simulate-refresh"},
            ),
            rx.cond(
                Debug.simulated > 0,
                rx.el.p(
                    rx.cond(Debug.differences.length() == 0, "Nothing changed.", ""),
                    rx.foreach(Debug.differences, lambda words: rx.el.span(words, class_name="difference")),
                    custom_attrs={"data-testid": "differences", "data-count": Debug.simulated.to_string()},
                ),
            ),
            rx.el.ol(rx.foreach(Debug.steps, _step), class_name="steps"),
            rx.el.ul(rx.foreach(Running.tasks.items(), _task), class_name="steps"),
            class_name="debug-panel",
            custom_attrs={"data-testid": "debug-panel", "aria-label": "Debug"},
        ),
    )


def _step(row: rx.vars.ObjectVar[StepRow]) -> rx.Component:
    return rx.el.li(
        row["name"],
        rx.el.span(row["ms"].to_string(), " ms"),
        custom_attrs={
            "data-testid": "restore-step",
            "data-name": row["name"],
            "data-ms": row["ms"].to_string(),
        },
    )


def _task(pair: rx.vars.ArrayVar[list[object]]) -> rx.Component:
    task = cast("rx.vars.ObjectVar[TaskRow]", pair[1].to(dict))
    return rx.el.li(
        task["state"].to(str),
        " ",
        task["reason"].to(str),
        rx.el.span("attempt ", task["attempt"].to_string()),
    )
