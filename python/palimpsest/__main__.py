"""The command line: `palimpsest …` after pip install, or `python -m palimpsest …`."""

import pathlib
import signal
import sys
import tempfile

from palimpsest import _core, devices, hub


def _run(arguments: list[str]) -> int:
    configs = pathlib.Path(__file__).parent / "configs"
    if not any(hub.is_data_name(part) or "/" in part for part in arguments):
        return _core.run_program(arguments, configs, devices)
    with tempfile.TemporaryDirectory(prefix="palimpsest-") as scratch:
        try:
            localised = hub.localised(arguments, pathlib.Path(scratch))
        except _core.Error as error:
            print(f"palimpsest: {error}", file=sys.stderr)
            return 2
        return _core.run_program(localised, configs, devices)


def main() -> int:
    """Runs the program with the arguments of the process. Returns its exit status."""
    # Commands that cannot stop half-way end at once on Ctrl-C, as programs do; the others install handlers of their own.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.flush()
    return _run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
