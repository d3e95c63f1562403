#!/usr/bin/env python3
"""Makes tests/golden/metric/metric.json: what fedjax.metrics gives on random cases.

    python3 -m venv venv
    venv/bin/pip install "jax[cpu]==0.10.2" fedjax==0.0.17
    venv/bin/python tools/golden/metric.py tests/golden/metric/metric.json

Every metric, with and without a mask, for each position, by domain, with logits masks, tied logits,
other masked values, dense targets, float64 and float32. Where Palimpsest defines a value otherwise
than fedjax (docs/definitions.md lists the differences), the golden holds ours; the manifest in the file lists these
corrections.
"""

import importlib.metadata
import json
import math
import platform
import sys

import fedjax
import jax
import jax.numpy as jnp
import numpy as np
from fedjax import metrics

SEED = 20250117
BATCH, LENGTH, CLASSES, DOMAINS = 5, 4, 5, 3
CORRECTIONS = [
    'the result of a mean of weight 0 is null; fedjax says 0',
    'the out-of-vocabulary rate with several values adds fedjax\'s statistics for one value each '
    '(a token equals at most one of them); fedjax multiplies the comparisons',
    'losses of rows with a -infinite logit are left out: fedjax multiplies 0 by infinity there',
    'a negative k is left out: fedjax slices from the back there, against its own description',
    'masked, by domain and for each position at once: fedjax cannot broadcast that and was given '
    'the examples that the mask keeps',
]

rng = np.random.default_rng(SEED)


def nested(array):
    """Nested lists of Python numbers; what is undefined becomes null."""
    array = np.asarray(array, dtype=np.float64)
    if array.ndim == 0:
        value = float(array)
        return None if math.isnan(value) else value
    return [nested(row) for row in array]


def short(array, dtype):
    """Numbers with few digits, so that the file stays small; exact in the given type."""
    return np.round(array, 3).astype(dtype)


def random_logits(shape, dtype, ties):
    if ties:
        return rng.integers(-2, 3, shape).astype(dtype) / dtype(2)
    scale = rng.choice([0.5, 3.0, 40.0])
    return short(rng.normal(size=shape) * scale, dtype)


def random_targets(sequence):
    return rng.integers(0, CLASSES, (BATCH, LENGTH) if sequence else (BATCH,))


def spec_of(name, args):
    def text(value):
        if isinstance(value, bool):
            return 'true' if value else 'false'
        if isinstance(value, tuple):
            return '[' + ','.join(text(item) for item in value) + ']'
        if isinstance(value, float):
            return '-inf' if value == -math.inf else repr(value)
        return str(value)
    return name + (':' if args else '') + ','.join(f'{key}={text(value)}' for key, value in args)


def evaluate(metric, example, prediction, mask):
    by_domain = isinstance(metric, metrics.PerDomainMetric)
    if mask is not None and by_domain and getattr(metric.base, 'per_position', False):
        example = {key: value[mask] for key, value in example.items()}
        prediction, mask = prediction[mask], None
    return metrics.evaluate_batch(metric, example, prediction, mask)


def evaluate_oov(args, wrap, example, prediction, mask):
    """The sum over the values, each of them alone."""
    args = dict(args)
    values = args.pop('oov_target_values')
    stats = [evaluate(wrap(metrics.SequenceTokenOOVRate(oov_target_values=(value,), **args)),
                      example, prediction, mask) for value in values]
    return metrics.MeanStat(sum(stat.accum for stat in stats), stats[0].weight)


def stat_to_json(stat):
    accum = np.asarray(stat.accum, dtype=np.float64)
    if isinstance(stat, metrics.SumStat):
        return {'type': 'sum', 'accum': nested(accum)}, nested(accum)
    weight = np.broadcast_to(np.asarray(stat.weight, dtype=np.float64), accum.shape)
    with np.errstate(invalid='ignore'):
        result = np.where(weight > 0, accum / weight, np.nan)
    return {'type': 'mean', 'accum': nested(accum), 'weight': nested(weight)}, nested(result)


def make_case(name, factory, args, *, dtype, ties=False, masked=False, domains=False):
    sequence = name.startswith('sequence_')
    logits_shape = ((BATCH, LENGTH) if sequence else (BATCH,)) + (CLASSES,)
    targets = random_targets(sequence)
    logits = random_logits(logits_shape, dtype, ties)
    mask = rng.integers(0, 2, BATCH).astype(bool) if masked else None
    if masked:
        mask[rng.integers(BATCH)] = True  # a batch of nothing has no positions
    ids = rng.integers(0, DOMAINS, BATCH)
    example = {'y': jnp.array(targets), 'domain_id': jnp.array(ids)}
    wrap = (lambda base: metrics.PerDomainMetric(base, DOMAINS)) if domains else lambda base: base
    given = (example, jnp.array(logits), None if mask is None else jnp.array(mask))
    assert given[1].dtype == dtype
    if factory is metrics.SequenceTokenOOVRate:
        stat = evaluate_oov(args, wrap, *given)
    else:
        stat = evaluate(wrap(factory(**dict(args))), *given)
    saved, result = stat_to_json(stat)
    case = {'spec': spec_of(name, args), 'dtype': np.dtype(dtype).name, 'y': targets.tolist(),
            'pred': nested(logits)}
    if mask is not None:
        case['mask'] = mask.astype(int).tolist()
    if domains:
        case['num_domains'], case['domain_id'] = DOMAINS, ids.tolist()
    return case | {'stat': saved, 'result': result}


def arguments_of(name):
    """Lists of arguments worth trying: pairs (name, value) beside the defaults."""
    no_3 = (0.0, 0.0, 0.0, -math.inf, 0.0)
    shift = (0.5, -1.0, 0.25, 0.0, 2.0)
    masks = [[], [('masked_target_values', (0, 2))], [('masked_target_values', ())]]
    positions = [[('per_position', True)],
                 [('masked_target_values', (1, 3)), ('per_position', True)]]
    logits = [[('logits_mask', no_3)], [('logits_mask', shift), ('per_position', True)]]
    return {
        'cross_entropy_loss': [[]],
        'accuracy': [[]],
        'top_k_accuracy': [[('k', k)] for k in (0, 1, 2, 3, 5, 9)],
        'confusion_matrix': [[('num_classes', CLASSES)]],
        'sequence_token_cross_entropy_loss': masks + positions,
        'sequence_cross_entropy_loss': masks,
        'sequence_token_accuracy': masks + positions + logits,
        'sequence_token_top_k_accuracy':
            [[('k', k)] + rest for k, rest in zip((1, 2, 3, 2, 0, 3, 5),
                                                  masks + positions + logits)],
        'sequence_token_count': masks,
        'sequence_count': masks,
        'sequence_truncation_rate': [[('eos_target_value', 3)] + rest for rest in masks],
        'sequence_token_oov_rate':
            [[('oov_target_values', (1,))] + rest for rest in masks + positions] +
            [[('oov_target_values', (1, 4))] + rest for rest in masks[:1] + positions[:1]],
        'sequence_length': masks,
    }[name]


FACTORIES = {
    'cross_entropy_loss': metrics.CrossEntropyLoss,
    'accuracy': metrics.Accuracy,
    'top_k_accuracy': metrics.TopKAccuracy,
    'confusion_matrix': metrics.ConfusionMatrix,
    'sequence_token_cross_entropy_loss': metrics.SequenceTokenCrossEntropyLoss,
    'sequence_cross_entropy_loss': metrics.SequenceCrossEntropyLoss,
    'sequence_token_accuracy': metrics.SequenceTokenAccuracy,
    'sequence_token_top_k_accuracy': metrics.SequenceTokenTopKAccuracy,
    'sequence_token_count': metrics.SequenceTokenCount,
    'sequence_count': metrics.SequenceCount,
    'sequence_truncation_rate': metrics.SequenceTruncationRate,
    'sequence_token_oov_rate': metrics.SequenceTokenOOVRate,
    'sequence_length': metrics.SequenceLength,
}


def metric_cases():
    for name, factory in FACTORIES.items():
        for args in arguments_of(name):
            for setting in ({}, {'masked': True}, {'domains': True},
                            {'ties': True, 'masked': True, 'domains': True}):
                with jax.enable_x64(True):
                    yield make_case(name, factory, args, dtype=np.float64, **setting)
            with jax.enable_x64(False):
                yield make_case(name, factory, args, dtype=np.float32)


def loss_cases():
    for dtype in (np.float64, np.float32):
        for shape in ((CLASSES,), (3, CLASSES), (2, 3, CLASSES)):
            for sparse in (True, False):
                with jax.enable_x64(dtype is np.float64):
                    preds = random_logits(shape, dtype, False)
                    targets = (rng.integers(0, CLASSES, shape[:-1]) if sparse else
                               short(rng.dirichlet(np.ones(CLASSES), shape[:-1]), dtype))
                    losses = metrics.unreduced_cross_entropy_loss(
                        jnp.array(targets), jnp.array(preds), is_sparse_targets=sparse)
                yield {'dtype': np.dtype(dtype).name, 'is_sparse_targets': sparse,
                       'targets': nested(targets), 'preds': nested(preds), 'losses': nested(losses)}


def model_case():
    """evaluate_model over padded batches: the mask is a feature of the batch there."""
    with jax.enable_x64(True):
        batches = []
        for _ in range(3):
            batches.append({'y': random_targets(False),
                            'x': random_logits((BATCH, CLASSES), np.float64, False),
                            '__mask__': rng.integers(0, 2, BATCH).astype(bool)})
        model = fedjax.Model(
            init=lambda _: None, apply_for_train=lambda *_: None,
            apply_for_eval=lambda _, batch: 2 * batch['x'], train_loss=lambda *_: None,
            eval_metrics={'accuracy': metrics.Accuracy(),
                          'cross_entropy_loss': metrics.CrossEntropyLoss()})
        results = fedjax.evaluate_model(model, None, batches)
        return {'batches': [{'y': batch['y'].tolist(), 'x': nested(batch['x']),
                             'mask': batch['__mask__'].astype(int).tolist()} for batch in batches],
                'results': {name: nested(result) for name, result in results.items()}}


def rows(items):
    return '[\n' + ',\n'.join(json.dumps(item, separators=(',', ':')) for item in items) + '\n]'


def main(path):
    packages = {name: importlib.metadata.version(name) for name in ('fedjax', 'jax', 'numpy')}
    manifest = {'script': 'tools/golden/metric.py', 'seed': SEED,
                'packages': packages | {'python': platform.python_version()},
                'corrections': CORRECTIONS}
    text = ('{"manifest": ' + json.dumps(manifest, indent=1) +
            ',\n"cases": ' + rows(metric_cases()) +
            ',\n"losses": ' + rows(loss_cases()) +
            ',\n"model": ' + json.dumps(model_case()) + '}\n')
    json.loads(text)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
