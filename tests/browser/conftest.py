"""One real Chromium for the tests of pages: widths, colour schemes, axe-core, requests, pictures."""

from __future__ import annotations

import base64
import json
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LOCAL = ("127.0.0.1", "localhost")
OWN_SCHEMES = ("about", "blob", "chrome", "data", "devtools")
"""Addresses that the browser answers by itself."""


class Browser:
    """A driven Chromium; `driver` is selenium's."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, address: str | Path, *, width: int = 1280, height: int = 900, scheme: str = "light") -> None:
        """Open an address or a file in a window of exactly this width, in a light or dark colour scheme.

        What was recorded of the page before is forgotten.
        """
        self.resize(width, height)
        self.set_scheme(scheme)
        self.driver.get("about:blank")
        self.requests()
        self.driver.get_log("browser")
        self.driver.get(address.resolve().as_uri() if isinstance(address, Path) else address)

    def resize(self, width: int, height: int = 900) -> None:
        """Set the size of the page in CSS pixels; a phone's width too, which no window has."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def set_scheme(self, scheme: str) -> None:
        """Prefer `light` or `dark`."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a script in the page and return its value, such as `return document.title`."""
        return self.driver.execute_script(script, *arguments)

    def wait(self, script: str, *arguments: Any, seconds: float = 20) -> Any:
        """Wait until a script returns something true, and return that."""
        from selenium.webdriver.support.ui import WebDriverWait

        waiting = WebDriverWait(self.driver, seconds, poll_frequency=0.02)
        return waiting.until(lambda driver: driver.execute_script(script, *arguments), message=script)

    def press(self, *keys: str) -> None:
        """Press keys one after another in the element that has the focus."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    def requests(self) -> list[str]:
        """Return the addresses that were requested since the page was opened, or since the last call."""
        entries = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [
            entry["params"]["request"]["url"] for entry in entries if entry["method"] == "Network.requestWillBeSent"
        ] + [entry["params"]["url"] for entry in entries if entry["method"] == "Network.webSocketCreated"]

    def requests_elsewhere(self) -> list[str]:
        """Return those of `requests` that are neither files nor addresses of this machine."""
        parts = {address: urlsplit(address) for address in self.requests()}
        return [
            address
            for address, part in parts.items()
            if part.scheme not in (*OWN_SCHEMES, "file") and part.hostname not in LOCAL
        ]

    def errors(self) -> list[str]:
        """Return the errors of the page's console, such as an exception or a breach of its policy."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def serious_problems(self) -> list[str]:
        """Return what axe-core finds serious or critical in the page as it is now: rule, element, reason."""
        self.driver.execute_script(_axe())
        found = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run(document, {resultTypes: ['violations']})"
            ".then((found) => done(found.violations), (problem) => done(String(problem)));"
        )
        assert isinstance(found, list), found
        return [
            f"{rule['id']}: {node['html'][:200]} ({' '.join(str(node['failureSummary']).split())[:300]})"
            for rule in found
            if rule["impact"] in ("serious", "critical")
            for node in rule["nodes"]
        ]

    def sideways(self) -> int:
        """Return by how many pixels the page is wider than its window."""
        return int(self.run("const e = document.documentElement; return e.scrollWidth - e.clientWidth"))

    def screenshot(self, path: Path, *, whole: bool = False) -> Path:
        """Write a PNG of what the window shows, or of the whole page, and return its path."""
        taken = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": whole})
        path.write_bytes(base64.b64decode(taken["data"]))
        return path


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A browser that all tests of a process share; `open` starts afresh."""
    for program, package in (("chromium", "chromium"), ("chromedriver", "chromium-driver")):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed (Debian: {package}): pages cannot be opened in a browser")
    pytest.importorskip("selenium", reason="selenium is not installed: pages cannot be opened in a browser")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_page_load_timeout(60)
    driver.set_script_timeout(60)
    try:
        yield Browser(driver)
    finally:
        driver.quit()


def _axe() -> str:
    spec = find_spec("axe_core_python")
    if spec is None or spec.origin is None:
        pytest.skip("axe-core-python is not installed: the page cannot be checked for accessibility")
    return (Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8")
