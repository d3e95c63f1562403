#!/usr/bin/env python3
"""What a run costs on many machines: the formula, a simulation of the hand-out, and the tables of docs/scale.md.

    bench/scale_model.py tables          prints the tables as Markdown
    bench/scale_model.py check PAGE      status 1 if PAGE shows other tables
    bench/scale_model.py write PAGE      puts the tables into PAGE

A table of a page stands between the lines <!-- scale_model: NAME --> and <!-- end -->. The constants are measurements on
one machine, kept in bench/scale_runs.json, which bench/scale_measure.py writes. docs/scale.md explains the formula.
"""

import dataclasses
import heapq
import json
import math
import pathlib
import random
import re
import sys

RUNS = pathlib.Path(__file__).resolve().parent / "scale_runs.json"
BATCH_TOKENS = 16384
GIB = 2 ** 30


@dataclasses.dataclass(frozen=True)
class Model:
    """A decoder with a gated feed-forward network, as Llama's."""
    name: str
    layers: int
    hidden: int
    heads: int
    key_value_heads: int
    head_size: int
    feed_forward: int
    vocabulary: int
    tied: bool

    @property
    def layer_weights(self):
        """Weights of the matrices of all layers, each of which every token is multiplied with."""
        attention = self.hidden * self.head_size * (2 * self.heads + 2 * self.key_value_heads)
        return self.layers * (attention + 3 * self.hidden * self.feed_forward)

    @property
    def parameters(self):
        embeddings = self.hidden * self.vocabulary * (1 if self.tied else 2)
        return self.layer_weights + embeddings + self.hidden * (2 * self.layers + 1)

    def operations(self, tokens, labels):
        """Multiplications and additions to score a text of so many tokens, of which so many are labelled."""
        layers = 2 * self.layer_weights * tokens
        attention = 2 * tokens * (tokens + 1) * self.heads * self.head_size * self.layers
        head = 2 * labels * self.hidden * self.vocabulary
        return layers + attention + head


MEASURED_MODEL = Model("110 million", 12, 768, 12, 12, 64, 2048, 32000, True)
CALIBRATION_MODEL = Model("35 million", 6, 512, 8, 8, 64, 1408, 32000, True)
MODELS = [MEASURED_MODEL,
          Model("1 billion", 16, 2048, 32, 8, 64, 8192, 128256, True),
          Model("8 billion", 32, 4096, 32, 8, 128, 14336, 128256, False),
          Model("70 billion", 80, 8192, 64, 8, 128, 28672, 128256, False)]


@dataclasses.dataclass(frozen=True)
class Work:
    examples: int
    tokens: int  # per example
    labels: int  # per example

    @property
    def all_tokens(self):
        return self.examples * self.tokens


@dataclasses.dataclass(frozen=True)
class Constants:
    """Of a machine, as scale_measure.py finds them."""
    rate: list[float]            # useful operations per second and core, with 1, 2, … cores busy
    start: float                 # seconds per byte of the checkpoint, once per process
    plan: float                  # seconds per token: reading, tokenizing, planning, in every process
    output: float                # seconds per token: collecting the results and writing traces, in one process
    statistics: float            # seconds per example: attacks and intervals over the traces, in one process
    plan_bytes: float            # memory per token for examples and plan, in every process
    result_bytes: float          # memory per token for the results, in one process

    def rate_of(self, busy):
        return self.rate[min(busy, len(self.rate)) - 1]


@dataclasses.dataclass(frozen=True)
class Cluster:
    """Equal ranks, one process each. A rank of shards and a rank of MPI cost the same."""
    ranks: int
    threads: int           # per rank
    busy: int              # cores of a machine that compute at once
    read: float = math.inf  # bytes per second at which a rank reads weights, if they are streamed


def batch_seconds(model, tokens, labels, texts, constants, cluster):
    """One batch of `texts` equal texts on one rank."""
    seconds = texts * model.operations(tokens, labels) / (constants.rate_of(cluster.busy) * cluster.threads)
    return seconds + 2 * model.parameters / cluster.read  # 16-bit weights, read once per batch


def batches_of(model, work, constants, cluster):
    """Seconds of each batch, the longest first."""
    per_batch = max(1, BATCH_TOKENS // work.tokens)
    full, rest = divmod(work.examples, per_batch)
    one = batch_seconds(model, work.tokens, work.labels, per_batch, constants, cluster)
    last = [batch_seconds(model, work.tokens, work.labels, rest, constants, cluster)] if rest else []
    return [one] * full + last


@dataclasses.dataclass(frozen=True)
class Prediction:
    """Seconds of the parts of a run."""
    start: float
    plan: float
    compute: float
    output: float
    statistics: float = 0.0

    @property
    def total(self):
        return self.start + self.plan + self.compute + self.output + self.statistics


def predict(model, work, constants, cluster, audits=False, checkpoint_bytes=4):
    """A run over `work`: with `audits` also the statistics of an audit."""
    per_batch = max(1, BATCH_TOKENS // work.tokens)
    batches = math.ceil(work.examples / per_batch)
    longest = batch_seconds(model, work.tokens, work.labels, min(per_batch, work.examples), constants, cluster)
    if batches <= 10 ** 6:
        compute = makespan(batches_of(model, work, constants, cluster), cluster.ranks)
    else:  # equal batches, in rounds
        compute = longest * math.ceil(batches / cluster.ranks)
    return Prediction(start=constants.start * model.parameters * checkpoint_bytes, plan=constants.plan * work.all_tokens,
                      compute=compute, output=constants.output * work.all_tokens,
                      statistics=constants.statistics * work.examples if audits else 0.0)


def makespan(seconds, ranks):
    """The hand-out, simulated: each batch goes to the rank that is free first. Seconds until the last one is done."""
    free = [0.0] * min(ranks, len(seconds))
    heapq.heapify(free)
    for batch in seconds:
        heapq.heapreplace(free, free[0] + batch)
    return max(free)


def even_shares(seconds, ranks):
    """Shards, simulated: each batch goes to the share with the least work so far, whoever is slow. The shares."""
    loads = [(0.0, share, []) for share in range(min(ranks, len(seconds)))]
    for batch in seconds:
        load, share, batches = loads[0]
        batches.append(batch)
        heapq.heapreplace(loads, (load + batch, share, batches))
    return [batches for _, _, batches in loads]


# ---- tables

SERVER = {"cores": 64, "threads": 8, "memory": 512 * GIB, "read": 2e9, "network": 1.25e9}
AUDIT = Work(examples=0, tokens=100, labels=80)


def constants():
    return Constants(**json.loads(RUNS.read_text(encoding="utf-8"))["constants"])


def duration(seconds):
    for size, unit in ((365.25 * 86400, "years"), (86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{number(seconds / size)} {unit}"
    return f"{number(seconds)} seconds"


def number(value):
    """Two digits, and whole numbers from 10 on."""
    if value >= 10:
        digits = 10 ** max(0, math.floor(math.log10(value)) - 1)
        return f"{round(value / digits) * digits:,}"
    return f"{value:.2g}"


def table(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]).replace(" --- ", "---")


def servers(model, count):
    """Ranks on so many servers: of 8 threads if each may have its own weights in 16 bits, otherwise one per server."""
    ranks = SERVER["cores"] // SERVER["threads"]
    fits = ranks * 2 * model.parameters <= 0.9 * SERVER["memory"]
    if fits:
        return Cluster(ranks * count, SERVER["threads"], SERVER["cores"])
    return Cluster(count, SERVER["cores"], SERVER["cores"])


def measured_table():
    """Runs of scale_runs.json beside their prediction."""
    rows = []
    for run in json.loads(RUNS.read_text(encoding="utf-8"))["runs"]:
        found = predict(MEASURED_MODEL, Work(**run["work"]), constants(), Cluster(**run["cluster"])).total
        rows.append([run["what"], f"{run['work']['examples'] * run['work']['tokens']:,}", f"{found:.1f}", f"{run['seconds']:.1f}",
                     f"{found / run['seconds']:.2f}"])
    return table(["run", "tokens", "predicted, seconds", "measured, seconds", "predicted / measured"], rows)


def cost_table():
    """What each part of a run costs."""
    found = constants()
    rows = [["rate of a core that scores, one core busy", f"{found.rate[0] / 1e9:.0f} billion operations per second"],
            ["the same, all cores busy", f"{found.rate[-1] / 1e9:.0f} billion operations per second"],
            ["start, per GB of checkpoint, in every process", f"{found.start * 1e9:.2f} seconds"],
            ["reading, tokenizing and planning a million tokens, in every process", f"{found.plan * 1e6:.2f} seconds"],
            ["collecting results and writing traces of a million tokens, in one process", f"{found.output * 1e6:.2f} seconds"],
            ["statistics of an audit of 10,000 examples, in one process", f"{found.statistics * 1e4:.2f} seconds"],
            ["memory for data and plan of a million tokens, in every process", f"{found.plan_bytes * 1e6 / 2 ** 20:.0f} MiB"],
            ["memory for the results of a million tokens, in one process", f"{found.result_bytes * 1e6 / 2 ** 20:.0f} MiB"]]
    return table(["what", "measured"], rows)


SERVERS = (1, 10, 100, 1000)
MILLION = dataclasses.replace(AUDIT, examples=10 ** 6)


def audit(model, count):
    """An audit of a million examples on so many servers."""
    return predict(model, MILLION, constants(), servers(model, count), audits=True, checkpoint_bytes=2)


def time_table(head, durations, rest):
    """One line per model; `durations` has seconds per number of servers, `rest` a share for the last column."""
    rows = [[model.name, f"{number(model.operations(AUDIT.tokens, AUDIT.labels) / AUDIT.tokens / 1e9)} billion",
             *(duration(seconds) for seconds in durations(model)), f"{rest(model):.0%}"] for model in MODELS]
    heads = [f"{count:,} server{'s' if count > 1 else ''}" for count in SERVERS]
    return table(["model", "operations per token", *heads, head], rows)


def overhead(run):
    """The share of a run in which no rank scores."""
    return 1 - run.compute / run.total


def million_table():
    """One run over a million examples, by all servers together."""
    return time_table("not scoring, 1,000 servers", lambda model: [audit(model, count).total for count in SERVERS],
                      lambda model: overhead(audit(model, SERVERS[-1])))


def billion_table():
    """A thousand runs over a million examples each, every one by a single server."""
    return time_table("not scoring", lambda model: [1000 // count * audit(model, 1).total for count in SERVERS],
                      lambda model: overhead(audit(model, 1)))


def serial_table():
    """What one process does alone, and how much memory it takes."""
    found = constants()
    rows = []
    for examples in (10 ** 4, 10 ** 6, 10 ** 9):
        work = dataclasses.replace(AUDIT, examples=examples)
        batches = math.ceil(examples / (BATCH_TOKENS // work.tokens))
        memory = (found.plan_bytes + found.result_bytes) * work.all_tokens / GIB
        rows.append([f"{examples:,}", f"{batches:,}", duration(found.plan * work.all_tokens),
                     duration(found.output * work.all_tokens + found.statistics * examples), f"{number(memory)} GiB"])
    return table(["examples", "batches (= largest useful number of processes)", "plan, in every process",
                  "results and statistics, in one", "memory of that one"], rows)


def memory_table():
    """Memory and traffic of one rank."""
    found = constants()
    rows = []
    for model in MODELS:
        batch = batch_seconds(model, 128, 102, BATCH_TOKENS // 128, found, Cluster(1, SERVER["cores"], SERVER["cores"]))
        read = 2 * model.parameters / SERVER["read"]
        boundary = BATCH_TOKENS * model.hidden * 4
        rows.append([model.name, *(f"{number(size * model.parameters / GIB)} GiB" for size in (4, 2)), duration(batch),
                     f"{duration(read)} ({number(100 * read / batch)}%)",
                     f"{number(boundary / 2 ** 20)} MiB, {duration(boundary / SERVER['network'])}"])
    return table(["model", "weights as float32", "as stored, 16 bits", "a batch on 64 cores", "reading the weights for it",
                  "hidden states at a boundary"], rows)


def made_up_batches():
    """Batches of 100,000 texts with lengths as of answers and articles: median 100 tokens, some of thousands."""
    draw = random.Random(1)
    lengths = sorted((min(4096, max(8, int(draw.lognormvariate(math.log(100), 1)))) for _ in range(100_000)), reverse=True)
    model, batches, tokens = MODELS[2], [], BATCH_TOKENS + 1
    for length in lengths:
        if tokens + length > BATCH_TOKENS:
            batches.append(0.0)
            tokens = 0
        tokens += length
        batches[-1] += model.operations(length, length)
    return batches


def simulation_table():
    """Hand-out and shards against the bound, with equal ranks and with ranks of different speed."""
    work = sorted(made_up_batches(), reverse=True)
    total, longest = sum(work), max(work)
    draw = random.Random(2)
    rows = []
    for ranks in (2, 8, 32, 128, 512, 1024):
        even = max(total / ranks, longest)
        speeds = [draw.uniform(0.8, 1.0) for _ in range(ranks)]
        best = max(total / sum(speeds), longest / max(speeds))
        shards = max(sum(share) / speed for share, speed in zip(even_shares(work, ranks), speeds))
        rows.append([f"{ranks:,}", f"{len(work) / ranks:.1f}", f"{makespan(work, ranks) / even:.3f}",
                     f"{makespan_of_speeds(work, speeds) / best:.3f}", f"{shards / best:.3f}"])
    return table(["processes", "batches per process", "dynamic (MPI), equal speeds", "dynamic (MPI), 20% spread of speeds",
                  "static (shards), 20% spread of speeds"], rows)


def makespan_of_speeds(work, speeds):
    """As makespan(), on ranks that do so much work per second."""
    free = [(0.0, rank) for rank in range(len(speeds))]
    end = 0.0
    for batch in work:
        time, rank = free[0]
        heapq.heapreplace(free, (time + batch / speeds[rank], rank))
        end = max(end, time + batch / speeds[rank])
    return end


TABLES = {"measured": measured_table, "costs": cost_table, "million": million_table, "billion": billion_table,
          "serial": serial_table, "memory": memory_table, "handout": simulation_table}
PLACE = re.compile(r"(<!-- scale_model: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def filled(page):
    """The page with the tables of today; every table must have a place."""
    names = [name for _, name, _, _ in PLACE.findall(page)]
    if sorted(names) != sorted(TABLES):
        sys.exit(f"the page has places for {sorted(names)}, not for {sorted(TABLES)}")
    return PLACE.sub(lambda place: f"{place[1]}\n{TABLES[place[2]]()}\n\n{place[4]}", page)


def main():
    match sys.argv[1:]:
        case ["tables"]:
            for name, make in TABLES.items():
                print(f"## {name}\n\n{make()}\n")
        case ["check", name]:
            page = pathlib.Path(name).read_text(encoding="utf-8")
            if filled(page) != page:
                sys.exit(f"{name} shows other tables; bench/scale_model.py write {name} puts those of today there")
        case ["write", name]:
            path = pathlib.Path(name)
            path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
        case _:
            sys.exit("usage: bench/scale_model.py tables | check PAGE | write PAGE")


if __name__ == "__main__":
    main()
