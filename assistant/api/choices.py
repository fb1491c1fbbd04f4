"""What a session can be set to: the models and the tools that this server has."""

from fastapi import APIRouter

from assistant.api import wire_choices
from assistant.api.asked import TheServices
from assistant.api.owner import AnOwner

router = APIRouter(prefix="/api", tags=["choices"])


@router.get("/models", summary="The models to choose from")
async def models(_: AnOwner, services: TheServices) -> wire_choices.Models:
    """The first one answers in a session that names none."""
    names = list(services.choices.models())
    return wire_choices.Models(models=[wire_choices.Model(name=name) for name in names], default=names[0])


@router.get("/tools", summary="The tools that a model may be allowed")
async def tools(_: AnOwner, services: TheServices) -> wire_choices.Tools:
    """`parameters.tools` of a session names those that its model may ask for."""
    chosen = services.choices.tools or ()
    specs = [spec for spec in services.tools.specs() if spec.name in chosen]
    return wire_choices.Tools(
        tools=[
            wire_choices.Tool(
                name=spec.name, description=spec.description, needs_decision=spec.needs_decision
            )
            for spec in specs
        ]
    )
