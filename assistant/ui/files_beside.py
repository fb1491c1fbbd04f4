"""The script and style files beside a component, put where the page's build finds them.

What `rx.asset(name, shared=True)` does, which asks the whole call stack, for each file anew, whose file it
is: 6.4 of the 8.8 seconds of processor time that a start took (Reflex 0.10.1). Here the caller says whose.
"""

import uuid
from pathlib import Path

from reflex.assets import AssetPathStr
from reflex_base import constants
from reflex_base.environment import EnvironmentVariables


def files_beside(module: str, file: str, *names: str) -> dict[str, AssetPathStr]:
    """The files of these names in the folder of `file`, by name, for the module of that `__name__`.

    Raises FileNotFoundError when one is not there.
    """
    place = Path(constants.Dirs.EXTERNAL_APP_ASSETS, *module.split("."))
    if not EnvironmentVariables.REFLEX_BACKEND_ONLY.get():
        for name in names:
            _link(
                Path.cwd() / constants.Dirs.APP_ASSETS / place / name,
                Path(file).with_name(name).resolve(True),
            )
    return {name: AssetPathStr(f"/{place.as_posix()}/{name}") for name in names}


def _link(link: Path, target: Path) -> None:
    """Atomic, since several processes may start at once; a link that is right is left alone, for watchers."""
    if link.is_symlink() and link.readlink() == target:
        return
    link.parent.mkdir(parents=True, exist_ok=True)
    new = link.with_name(f".{uuid.uuid4().hex}.tmp")
    new.symlink_to(target)
    new.replace(link)
