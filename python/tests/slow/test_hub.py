"""Models and data come from a hub: a real client against a server on this machine that answers as the hub does."""

import hashlib
import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading
import urllib.parse

import pytest

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="module")
def endpoint(examples):
    model = {path.name: path.read_bytes() for path in (examples / "tiny-model").iterdir()}
    data = {"train.jsonl": (examples / "data/forget.jsonl").read_bytes()}
    held_out = {"train.jsonl": (examples / "data/holdout.jsonl").read_bytes()}
    repositories = {"models/org/tiny": model, "datasets/org/forget": data, "datasets/org/holdout": held_out}

    class Hub(http.server.BaseHTTPRequestHandler):
        def answer(self, body, status=200, headers=()):
            self.send_response(status)
            for name, value in (("Content-Length", str(len(body))), ("X-Repo-Commit", COMMIT), *headers):
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def do_GET(self):
            path = urllib.parse.unquote(urllib.parse.urlparse(self.path).path).strip("/")
            for repository, files in repositories.items():
                kind, _, name = repository.partition("/")
                if path.startswith(f"api/{kind}/{name}"):
                    rest = path.removeprefix(f"api/{kind}/{name}").strip("/")
                    if rest.startswith(("tree/", "paths-info/")):
                        listed = [{"type": "file", "path": file, "size": len(body), "oid": hashlib.sha1(body).hexdigest()}
                                  for file, body in files.items()]
                        return self.answer(json.dumps(listed).encode(), headers=[("Content-Type", "application/json")])
                    info = {"id": name, "sha": COMMIT, "private": False, "tags": [], "downloads": 0,
                            "siblings": [{"rfilename": file} for file in files]}
                    return self.answer(json.dumps(info).encode(), headers=[("Content-Type", "application/json")])
                prefix = name if kind == "models" else repository
                if path.startswith(f"{prefix}/resolve/"):
                    file = path.removeprefix(f"{prefix}/resolve/").partition("/")[2]
                    if file in files:
                        tag = hashlib.sha256(files[file]).hexdigest()
                        return self.answer(files[file], headers=[("ETag", f'"{tag}"'), ("Accept-Ranges", "none")])
            return self.answer(b"{}", 404, [("X-Error-Code", "RepoNotFound" if path.startswith("api") else "EntryNotFound")])

        do_HEAD = do_GET
        do_POST = do_GET

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def palimpsest(endpoint, home, *arguments):
    environment = {**os.environ, "HF_ENDPOINT": endpoint, "HF_HOME": str(home), "HF_HUB_DISABLE_TELEMETRY": "1"}
    return subprocess.run([sys.executable, "-m", "palimpsest", *map(str, arguments)], capture_output=True, text=True,
                          env=environment)


def test_the_program_takes_models_and_data_from_the_hub(endpoint, examples, tmp_path):
    done = palimpsest(endpoint, tmp_path / "home", "mia", "--model", "org/tiny", "--forget", "hub:org/forget", "--holdout",
                      "hub:org/holdout", "--attacks", "loss", "--out", tmp_path / "hub")
    assert done.returncode == 0, done.stderr
    local = palimpsest(endpoint, tmp_path / "home", "mia", "--model", examples / "tiny-model", "--forget",
                       examples / "data/forget.jsonl", "--holdout", examples / "data/holdout.jsonl", "--attacks", "loss",
                       "--out", tmp_path / "local")
    assert local.returncode == 0, local.stderr
    aucs = [json.loads((tmp_path / name / "mia.json").read_text())["loss"]["auc"] for name in ("hub", "local")]
    assert aucs[0] == aucs[1]


def test_a_model_that_the_hub_does_not_have(endpoint, tmp_path):
    done = palimpsest(endpoint, tmp_path / "home", "mia", "--model", "org/none", "--forget", "a", "--holdout", "b", "--out",
                      tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr.startswith("palimpsest: org/none: it is neither a folder nor a model that the hub gives")
    assert "Traceback" not in done.stderr and not pathlib.Path(tmp_path / "out").exists()
