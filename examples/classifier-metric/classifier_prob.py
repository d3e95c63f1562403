"""A metric handler in Python: the probability that a classifier gives to one class of the model's own texts.

open-unlearning has such a metric to find models that answer with gibberish. A configuration names the handler and the
classifier, a sequence-classification model of transformers (a folder or a hub id):

    metrics:
      gibberish:
        handler: classifier_prob
        classifier: org/gibberish-detector
        class_id: 0
        generation_args: {max_new_tokens: 200, do_sample: false}
        datasets: …

    palimpsest.evaluate(…, handlers=[classifier_prob])
"""

import torch
import transformers

import palimpsest


@palimpsest.unlearning_metric(name="classifier_prob", generates=True, orientation="0 to 1, higher: more like the class")
def classifier_prob(inputs, *, classifier, class_id=0, batch_size=32, max_length=512):
    """The probability that a classifier gives to one class, mean over the model's own texts."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(classifier)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(classifier).eval()
    texts = inputs.generations()
    values = {}
    for start in range(0, len(texts), batch_size):
        batch = texts[start:start + batch_size]
        encoded = tokenizer([text["generation"] for text in batch], padding=True, truncation=True, max_length=max_length,
                            return_tensors="pt")
        encoded.pop("token_type_ids", None)
        with torch.no_grad():
            probabilities = model(**encoded).logits.softmax(dim=-1)[:, class_id]
        for text, probability in zip(batch, probabilities.tolist()):
            values[text["index"]] = {"score": probability, "generation": text["generation"]}
    scores = [value["score"] for value in values.values()]
    return {"agg_value": sum(scores) / len(scores) if scores else None, "value_by_index": values}
