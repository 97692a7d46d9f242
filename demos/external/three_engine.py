"""A three.js game in a browser as an engine, through the WebSocket gateway.

    npm install three
    python -m demos.external.three_engine ipc:///tmp/paintover.sock --three node_modules/three --browser chromium

Without ``--browser`` it prints the page's address for a browser of your own.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from demos.bridge.options import DEFAULT_ADDRESS
from demos.ends import INTERRUPTED, stoppable
from render_bridge.errors import BridgeError
from render_bridge.gateways.websocket import Gateway, GatewayPlan

PAGES = Path(__file__).parent / "three"
HEADLESS = (
    "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--disable-background-timer-throttling", "--no-first-run",
)  # fmt: skip
"""Software GL, no window; the sandbox needs rights that containers do not give."""


def main(argv: Sequence[str] | None = None) -> int:
    """Serve the page; open it in a headless browser if one is named."""
    parser = argparse.ArgumentParser(description="three.js on the frame protocol")
    parser.add_argument("address", nargs="?", default=DEFAULT_ADDRESS, help=f"default {DEFAULT_ADDRESS}")
    parser.add_argument("--three", type=Path, required=True, help="folder of the npm package three")
    parser.add_argument("--browser", help="a Chromium to run without a window")
    parser.add_argument("--port", type=int, default=0, help="of the page (default: a free one)")
    parser.add_argument("--seconds", type=float, default=10.0, help="default 10")
    args = parser.parse_args(argv)
    build = args.three / "build"
    if not (build / "three.module.js").is_file():
        print(f"{build} has no three.module.js: npm install three, and name node_modules/three")
        return 2
    try:
        with (
            stoppable(),
            Gateway(GatewayPlan(args.address, port=args.port, pages=(PAGES, build)), say=print) as gateway,
        ):
            print(gateway.url, flush=True)
            run(gateway.url, args.browser, args.seconds)
    except BridgeError as error:
        print(error)
        return 2
    except KeyboardInterrupt:
        print("stopped")
        return INTERRUPTED
    return 0


def run(url: str, browser: str | None, seconds: float) -> None:
    """Wait, with a headless browser on the page if there is one."""
    if browser is None:
        time.sleep(seconds)
        return
    profile = tempfile.mkdtemp(prefix="three-")
    words = [browser, *HEADLESS, f"--user-data-dir={profile}", "--remote-debugging-port=0", url]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(seconds)
    finally:
        process.terminate()
        process.wait(10)
        shutil.rmtree(profile, ignore_errors=True)


if __name__ == "__main__":
    raise SystemExit(main())
