"""The command line: `palimpsest …` after pip install, or `python -m palimpsest …`."""

import pathlib
import signal
import sys

from palimpsest import _core, devices


def main() -> int:
    # Commands that cannot stop half-way end at once on Ctrl-C, as programs do; the others install handlers of their own.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.flush()
    return _core.run_program(sys.argv[1:], pathlib.Path(__file__).parent / "configs", devices)


if __name__ == "__main__":
    sys.exit(main())
