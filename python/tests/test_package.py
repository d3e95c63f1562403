"""The package as pip installs it."""

import importlib.metadata
import importlib.resources
import pickle
import subprocess
import sys

import palimpsest
from palimpsest import _core


def test_it_is_the_installed_package_that_is_tested():
    assert "site-packages" in palimpsest.__file__


def test_the_version_is_that_of_the_library():
    assert _core.version_and_commit().startswith(palimpsest.__version__ + ", commit ")
    assert importlib.metadata.version("palimpsest") == palimpsest.__version__


def test_it_is_typed():
    files = importlib.resources.files("palimpsest")
    assert (files / "py.typed").is_file()
    stub = (files / "_core.pyi").read_text()
    assert "def auc(" in stub


def test_an_error_is_a_value_error_that_can_be_pickled():
    assert issubclass(palimpsest.Error, ValueError)
    error = pickle.loads(pickle.dumps(palimpsest.Error("what")))
    assert type(error) is palimpsest.Error and str(error) == "what"


def test_importing_it_does_not_import_heavy_packages():
    code = "import sys, palimpsest; print([m for m in ('numpy', 'torch', 'transformers', 'pandas') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "[]\n"


def test_parts_are_imported_when_they_are_used():
    assert palimpsest.metrics.Accuracy().zero() == palimpsest.metrics.MeanStat.new(0, 0)


def test_licences_of_what_is_linked_in_are_in_the_package():
    names = {path.name for path in (importlib.resources.files("palimpsest") / "licences").iterdir()}
    assert {"nanobind.txt", "robin-map.txt"} <= names
