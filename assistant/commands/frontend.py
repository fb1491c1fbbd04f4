"""The page as built by Reflex: build it when its sources changed, then serve it as it is."""

import hashlib
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from assistant.commands.one_at_a_time import one_at_a_time
from assistant.commands.refusals import CannotStart

ROOT = Path(__file__).parents[2]
BUILT = Path(".web", "build", "client", "index.html")
STAMP = Path(".web", "assistant.stamp")
SOURCES = ("assistant/ui", "assistant/assistant.py", "assets", "reflex.lock", "rxconfig.py")


def is_fresh(root: Path = ROOT) -> bool:
    """Say whether ``root`` holds a page built from the sources as they are now."""
    stamp = root / STAMP
    return (root / BUILT).exists() and stamp.exists() and stamp.read_text() == fingerprint(root)


def fingerprint(root: Path = ROOT) -> str:
    """Return a digest of everything that the built page is made of."""
    digest = hashlib.sha256(version("reflex").encode())
    for source in SOURCES:
        for file in _files_of(root / source):
            digest.update(str(file.relative_to(root)).encode() + b"\0")
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def build_if_stale(root: Path = ROOT) -> None:
    """Build the page unless it is fresh; processes that start together build it once.

    Raises ``CannotStart`` when the build fails; its output has been printed by then.
    """
    if is_fresh(root):
        return
    # A file that is always there and that no build replaces.
    with one_at_a_time(root / "rxconfig.py"):
        if is_fresh(root):
            return
        print("Building the page (seconds; the first time its packages are fetched) ...", flush=True)
        (root / STAMP).unlink(missing_ok=True)
        built = subprocess.run(
            [sys.executable, "-m", "reflex", "export", "--frontend-only", "--no-zip"],
            cwd=root,
            env=build_environment(),
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if built.returncode != 0 or not (root / BUILT).exists():
            raise CannotStart("the page could not be built, see above")
        # After the build, which may itself have written reflex.lock.
        (root / STAMP).write_text(fingerprint(root))


def serve_built_page() -> None:
    """Tell Reflex, before its app is imported, to serve the built page and compile nothing."""
    os.environ["REFLEX_ENV_MODE"] = "prod"
    os.environ["__REFLEX_SKIP_COMPILE"] = "true"
    os.environ["__REFLEX_MOUNT_FRONTEND_COMPILED_APP"] = "true"
    os.environ["REFLEX_TELEMETRY_ENABLED"] = "false"


def build_environment() -> dict[str, str]:
    """Return the environment in which Reflex finds bun and asks the network for packages only.

    The bun of this virtual environment comes first on PATH. A package registry that the user
    chose for npm holds for bun too.
    """
    environment = dict(os.environ)
    environment["PATH"] = os.pathsep.join(
        [str(Path(sys.executable).parent), environment.get("PATH", os.defpath)]
    )
    environment.setdefault("REFLEX_USE_SYSTEM_BUN", "true")
    environment.setdefault("REFLEX_CHECK_LATEST_VERSION", "false")
    environment.setdefault("REFLEX_TELEMETRY_ENABLED", "false")
    if registry := _npm_registry(environment):
        environment["NPM_CONFIG_REGISTRY"] = registry
    return environment


def _npm_registry(environment: dict[str, str]) -> str:
    for name in ("NPM_CONFIG_REGISTRY", "npm_config_registry"):
        if environment.get(name):
            return environment[name]
    return _registry_in(Path.home() / ".npmrc") or _registry_of_npm()


def _registry_in(npmrc: Path) -> str:
    if not npmrc.is_file():
        return ""
    for line in npmrc.read_text(errors="replace").splitlines():
        name, _, value = line.partition("=")
        if name.strip() == "registry":
            return value.strip().strip("\"'")
    return ""


def _registry_of_npm() -> str:
    try:
        asked = subprocess.run(
            ["npm", "config", "get", "registry"],
            capture_output=True,
            text=True,
            timeout=20,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    answer = asked.stdout.strip()
    return answer if asked.returncode == 0 and answer.startswith("http") else ""


def _files_of(source: Path) -> list[Path]:
    if source.is_file():
        return [source]
    return sorted(
        file
        for file in source.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and "external" not in file.parts
    )
