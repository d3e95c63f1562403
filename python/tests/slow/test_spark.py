"""Statistics merge over the partitions of a real local Spark."""

import runpy



def test_statistics_merge_over_partitions(source, capsys):
    runpy.run_path(str(source / "examples/spark/merge.py"), run_name="__main__")
    printed = capsys.readouterr().out
    over, _, at_once = printed.splitlines()[0].removeprefix("accuracy over partitions: ").partition(" at once: ")
    assert float(over) == float(at_once)
    assert "remembered" in printed
