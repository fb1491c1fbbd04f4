"""``python -m assistant serve | worker | migrate | doctor | dev | stop-valkey``."""

import argparse
import os
import sys

from assistant import bootstrap, settings
from assistant.commands import dev, doctor, logs, migrate, serve, worker
from assistant.commands.refusals import REFUSED, explained

WRONG_SETTINGS = 2
NEEDS_STREAMS = ("serve", "worker", "dev", "doctor")


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code: 2 for settings that cannot be used."""
    chosen = _parser().parse_args(arguments)
    try:
        configured = settings.load()
    except settings.SettingsError as refusal:
        print(refusal, file=sys.stderr)
        return WRONG_SETTINGS
    logs.configure(as_json=configured.log_json)
    for warning in (*settings.unknown(), *configured.doubts()):
        logs.log.warning(warning)
    try:
        configured.make_data_dir()
        if chosen.command in NEEDS_STREAMS:
            configured = bootstrap.with_local_server(configured)
            # Reflex's configuration reads the environment for itself.
            os.environ["ASSISTANT_REDIS_URL"] = configured.redis_url
        match chosen.command:
            case "serve":
                return serve.run(configured, host=chosen.host, port=chosen.port)
            case "worker":
                return worker.run(configured)
            case "migrate":
                return migrate.run(configured)
            case "dev":
                return dev.run(configured)
            case "stop-valkey":
                print("stopped" if bootstrap.stop_local_server(configured) else "none runs")
                return 0
            case _:
                return doctor.run(configured)
    except REFUSED as refusal:
        print(explained(refusal), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m assistant")
    commands = parser.add_subparsers(dest="command", required=True)
    serving = commands.add_parser("serve", help="serve page and API; embedded, the worker too")
    serving.add_argument("--port", type=int, help="default: ASSISTANT_PORT, else 8000")
    serving.add_argument("--host", help="default: ASSISTANT_HOST, else 127.0.0.1")
    commands.add_parser("worker", help="run tasks for the web processes on the same Redis")
    commands.add_parser("migrate", help="bring the database to the newest schema")
    commands.add_parser("doctor", help="say what is configured and what can be reached")
    commands.add_parser("stop-valkey", help="end the server that ASSISTANT_REDIS_URL=local:// started")
    commands.add_parser("dev", help="serve page and API on two ports, with hot reload")
    return parser


if __name__ == "__main__":
    sys.exit(main())
