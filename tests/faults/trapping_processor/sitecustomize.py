"""A processor that announces bf16 and traps on it: with this folder in PYTHONPATH, bf16 kills the process.

`make test-trapping` runs the whole suite so; tests of the probe start children with it.
"""

import os
import signal
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.util import find_spec

UNLESS = os.environ.get("TRAPS_UNLESS")
"""The limit on oneDNN's instructions under which nothing traps, if there is one."""


class TrapsOnceLoaded(MetaPathFinder, Loader):
    """Loads torch as it is, then has it trap where a product would be rounded to bfloat16."""

    def find_spec(self, name, _path=None, _target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        self.loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        module.__spec__.loader = self.loader
        enter, mm = module.autocast.__enter__, module.mm

        def trap() -> None:
            if not UNLESS or os.environ.get("ONEDNN_MAX_CPU_ISA") != UNLESS:
                os.kill(os.getpid(), signal.SIGILL)

        def trapping_enter(autocast):
            if autocast._enabled and autocast.fast_dtype == module.bfloat16 and autocast.device == "cpu":
                trap()
            return enter(autocast)

        def trapping_mm(left, right, **others):
            if left.dtype == module.bfloat16:
                trap()
            return mm(left, right, **others)

        module.autocast.__enter__, module.mm = trapping_enter, trapping_mm


sys.meta_path.insert(0, TrapsOnceLoaded())
