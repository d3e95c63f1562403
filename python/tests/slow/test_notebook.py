"""The notebook runs, and shows tables and charts."""

import nbclient
import nbformat


def test_the_notebook_runs(source):
    notebook = nbformat.read(source / "examples/audit.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(source)}}).execute()
    shown = [output["data"]["text/html"] for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
             if "text/html" in output.get("data", {})]
    assert "<svg" in shown[0] and "<table>" in shown[0]
    assert len(shown) >= 4
