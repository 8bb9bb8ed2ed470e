"""Lets mkdocs read the repository as its pages link to it, and checks that the site loads nothing from elsewhere.

Pages link to each other and to `results/`, `PAPER.md` and source files by relative paths that work in the repository.
Here every file of the site has its path in the repository as its name, so mkdocs resolves and checks those links.
A folder becomes a page that lists its files, a source file a page that shows it.
"""

from __future__ import annotations

import logging
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
DOCS = "docs/"
LANGUAGES = {".py": "python", ".sql": "sql", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml", ".sh": "sh", "": "text"}
LINK = re.compile(
    r"\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)|^\[[^\]]+\]:\s*(\S+)|<(?:img|source|a)\b[^>]*?\b(?:src|srcset|href)=\"([^\"]+)\"",
    re.M,
)
RAW = re.compile(r"(<(?:img|source|a)\b[^>]*?\b(?:src|srcset|href)=\")([^\"#:]+)((?:#[^\"]*)?\")")
BADGE = re.compile(r"\[?!\[[^\]]*\]\(https?://[^)]*\)(?:\]\([^)]*\))?|<img\b[^>]*src=\"https?://[^>]*>")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
LOADED = re.compile(r"<(?:link|script|img|iframe|source)\b[^>]*?\b(?:src|srcset|href)=[\"']?(?:https?:)?//[^>]*>")
log = logging.getLogger("mkdocs.hooks.protorel")


class ShownFile(File):
    """A folder or a source file that the site shows as a page of its own."""

    def is_documentation_page(self) -> bool:
        """Return True: mkdocs goes by the suffix `.md`."""
        return True


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Name the files of docs/ by their path in the repository, and add all that they and the nav link to."""
    found = Files([])
    for file in files:
        if file.src_dir != config.docs_dir:
            found.append(file)  # the theme's
    start = [DOCS + file.src_uri for file in files if file.src_dir == config.docs_dir and not _is_code(file.src_uri)]
    waiting = list(dict.fromkeys([*start, *_paths(config.nav or [])]))
    seen = set(waiting)
    while waiting:
        name = waiting.pop(0)
        if not (ROOT / name).exists():
            continue  # mkdocs reports the link or the entry of the nav
        file = _site_file(name, config)
        found.append(file)
        if file.is_documentation_page() and not _is_code(name):
            linked = [one for one in _targets(name, file.content_string) if one not in seen]
            seen.update(linked)
            waiting += dict.fromkeys(linked)
    return found


def on_page_markdown(markdown: str, page: Page, files: Files, **_: object) -> str:
    """Lead the links of raw HTML to the site's files, and leave out the README's badges, which come from elsewhere."""

    def relative(match: re.Match[str]) -> str:
        target = files.get_file_from_path(_resolved(page.file.src_uri, match[2]))
        if target is None:
            log.warning("%s: %s leads nowhere", page.file.src_uri, match[0])
            return match[0]
        return match[1] + target.url_relative_to(page.file) + match[3]

    parts = FENCED.split(BADGE.sub("", markdown) if page.file.src_uri == "README.md" else markdown)
    return "".join(part if number % 2 else RAW.sub(relative, part) for number, part in enumerate(parts))


def on_post_build(config: MkDocsConfig) -> None:
    """Fail if a page loads a font, a script, a style or a picture from another place."""
    for path in Path(config.site_dir).rglob("*.html"):
        if loaded := LOADED.search(path.read_text(encoding="utf-8")):
            raise PluginError(f"{path}: expected no file from elsewhere, got {loaded[0]}")


def _is_code(name: str) -> bool:
    return posixpath.splitext(name)[1] in (*LANGUAGES, ".pyc") and not (ROOT / name).is_dir()


def _paths(nav: object) -> Iterator[str]:
    """Yield the paths of a nav, which nests lists and one-entry mappings."""
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, list | dict):
        for entry in nav.values() if isinstance(nav, dict) else nav:
            yield from _paths(entry)


def _targets(page: str, text: str) -> Iterator[str]:
    """Yield the files and folders of the repository that a page links to."""
    for groups in LINK.findall(text):
        [target] = [one for one in groups if one]
        path = target.partition("#")[0]
        if not path or re.match(r"[a-z]+:|/", path):
            continue
        name = _resolved(page, path)
        if not name.startswith("..") and (ROOT / name).exists():
            yield name


def _resolved(page: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path))


def _site_file(name: str, config: MkDocsConfig) -> File:
    """Return a file of the repository as mkdocs takes it."""
    path = ROOT / name
    if path.is_dir():
        names = sorted(one.name + "/" * one.is_dir() for one in path.iterdir() if not one.name.startswith((".", "__")))
        lines = [f"- [{one}]({posixpath.join(posixpath.basename(name), one)})" for one in names]
        return _shown(name, "\n".join(lines), f"{name}/index.html", config)
    if _is_code(name):
        language = LANGUAGES[path.suffix]
        return _shown(name, f"``````{language}\n{path.read_text(encoding='utf-8')}\n``````", f"{name}.html", config)
    file = File(name, str(ROOT), config.site_dir, config.use_directory_urls)
    if name == "README.md":  # the index is docs/index.md
        file.dest_uri = "README.html"
    file.dest_uri = file.dest_uri.removeprefix(DOCS)
    if not name.startswith(DOCS) and name not in _paths(config.nav or []):
        file.inclusion = InclusionLevel.NOT_IN_NAV
    return file


def _shown(name: str, content: str, target: str, config: MkDocsConfig) -> File:
    file = ShownFile(name, None, config.site_dir, config.use_directory_urls, dest_uri=target)
    file.generated_by = "docs/hooks.py"
    file.content_string = f"---\nsearch:\n  exclude: true\n---\n\n# `{name}`\n\n{content}\n"
    file.inclusion = InclusionLevel.NOT_IN_NAV
    return file
