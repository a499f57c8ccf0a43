"""Run every benchmark of this folder, or one by name with its arguments."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks


def main() -> int:
    """Each module's `main()` under a heading; a name that is none is an error with the names there are."""
    names = sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name != "__main__")
    wanted = sys.argv[1:2] or names
    if wanted[0] not in names:
        print(f"no benchmark is called {wanted[0]}; there are: {', '.join(names)}", file=sys.stderr)
        return 2
    for name in wanted:
        print(f"\n## {name}\n", flush=True)
        sys.argv = [name, *sys.argv[2:]]
        importlib.import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
