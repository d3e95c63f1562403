"""What the tests share: where the repository's examples and golden data are."""

import pathlib

import pytest


@pytest.fixture(scope="session")
def source() -> pathlib.Path:
    return pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def examples(source) -> pathlib.Path:
    return source / "examples"
