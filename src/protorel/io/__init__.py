"""Files and messages about them: atomic writes, locks, errors for users, text that is safe for a terminal."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.io.array_cache import ArrayCache, CachedArrays
    from protorel.io.display import kind, printable, safe_text, short_value, shown
    from protorel.io.errors import BadInput, Interrupted, WorkFailed, disk_errors, error_number, explained
    from protorel.io.file_lock import claimed, holder
    from protorel.io.files import (
        cache_root,
        check_file_target,
        check_folder_target,
        in_the_making,
        made_folder,
        read_json,
        remove_leftovers,
        sha256,
        write_json,
        write_text,
        written_whole,
    )
    from protorel.io.inputs import (
        as_path,
        check_count,
        check_source,
        check_type,
        is_folder,
        is_there,
        open_source,
        read_source,
        read_text,
    )
    from protorel.io.json_models import READ_BACK, Sha256, checked, first_problem, read_model
    from protorel.io.json_text import no_constant, no_name_twice, parse_json
    from protorel.io.stopwatch import NowAndThen, Stopwatch
    from protorel.io.yaml_text import parse_yaml

__all__ = [
    "ArrayCache",
    "BadInput",
    "CachedArrays",
    "Interrupted",
    "NowAndThen",
    "READ_BACK",
    "Sha256",
    "Stopwatch",
    "WorkFailed",
    "as_path",
    "cache_root",
    "check_count",
    "check_file_target",
    "check_folder_target",
    "check_source",
    "check_type",
    "checked",
    "claimed",
    "disk_errors",
    "error_number",
    "explained",
    "first_problem",
    "holder",
    "in_the_making",
    "is_folder",
    "is_there",
    "kind",
    "made_folder",
    "no_constant",
    "no_name_twice",
    "open_source",
    "parse_json",
    "parse_yaml",
    "printable",
    "read_json",
    "read_model",
    "read_source",
    "read_text",
    "remove_leftovers",
    "safe_text",
    "sha256",
    "short_value",
    "shown",
    "write_json",
    "write_text",
    "written_whole",
]

__getattr__ = lazy_names(__name__)
