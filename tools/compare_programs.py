"""Do two programs give the same bytes? Runs both over the golden checkpoints and compares everything they print and write.

    tools/compare_programs.py build/release/bin/palimpsest build/dist/bin/palimpsest

Three families, each with an audit by every attack, traces with norms of gradients and generations (greedy and drawn); made-up
data, a tiny model trained on it and one made to forget. Once with one thread, once with two. Ends with 1 if anything differs.
"""

import pathlib
import subprocess
import sys
import tempfile

MIA = pathlib.Path(__file__).resolve().parents[1] / "tests" / "golden" / "mia"
TAGS = ("--template", "tags", "--max-length", "64")


def calls():
    """The arguments of every run; what they write goes into the folder in which they run."""
    for family in ("llama", "gpt2", "phi"):
        model = ("--model", MIA / family)
        yield ("mia", *model, "--reference", MIA / f"{family}_reference", "--forget", MIA / "qa_forget.json",
               "--holdout", MIA / "qa_holdout.json", *TAGS, "--out", f"mia-{family}")
        for p in ("1", "2", "inf"):
            yield ("trace", *model, "--data", MIA / "qa_forget.json", *TAGS, "--grad-norm", p,
                   "--out", f"trace-{family}-{p}.jsonl")
        prompts = ("--prompt", "Where was the author born?", "--prompt", "In a", "--max-new-tokens", "24")
        yield ("generate", *model, *prompts, "--out", f"greedy-{family}.jsonl")
        yield ("generate", *model, *prompts, "--sample", "--seed", "7", "--out", f"drawn-{family}.jsonl")
    training = ("--tokenizer", "data/tokenizer", "--layers", "2", "--width", "32", "--mlp", "64")
    yield ("lab", "data", "--authors", "20", "--vocab-size", "400", "--out", "data")
    yield ("lab", "train", "--data", "data/full.json", *training, "--epochs", "2", "--out", "trained")
    yield ("lab", "unlearn", "--model", "trained", "--forget", "data/forget10.json", "--retain", "data/retain90.json",
           "--method", "npo", "--epochs", "2", "--out", "unlearned")


def outputs(program, folder, threads):
    """What every run prints and every file that it writes: name → bytes."""
    found = {}
    for call in calls():
        arguments = [str(argument) for argument in call]
        if arguments[:2] != ["lab", "data"]:
            arguments += ["--threads", str(threads)]
        done = subprocess.run([program, "--quiet", *arguments], cwd=folder, capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{program} {' '.join(arguments)}: {done.stderr.decode()}")
        found[" ".join(arguments)] = done.stdout
    for path in folder.rglob("*"):
        if path.is_file():
            found[f"{path.relative_to(folder)}, {threads} threads"] = path.read_bytes()
    return found


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    first, second = {}, {}
    for threads in (1, 2):
        for program, found in zip(sys.argv[1:], (first, second)):
            with tempfile.TemporaryDirectory() as folder:
                found.update(outputs(pathlib.Path(program).resolve(), pathlib.Path(folder), threads))
    different = [name for name in sorted(first.keys() | second.keys()) if first.get(name) != second.get(name)]
    for name in different:
        print(f"differs: {name}")
    print(f"{len(first)} outputs and files, {sum(map(len, first.values())):,} bytes; {len(different)} differ")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
