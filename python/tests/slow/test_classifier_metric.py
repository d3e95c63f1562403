"""The example of a metric handler, with a real (tiny, random) sequence-classification model."""

import runpy

import pytest
import torch
import transformers

import palimpsest


def test_the_example(source, examples, tmp_path):
    torch.manual_seed(0)
    tokenizer = transformers.AutoTokenizer.from_pretrained(examples / "tiny-model")
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    config = transformers.LlamaConfig(vocab_size=len(tokenizer), hidden_size=32, intermediate_size=48, num_hidden_layers=1,
                                      num_attention_heads=4, num_labels=3, pad_token_id=tokenizer.pad_token_id)
    classifier = transformers.LlamaForSequenceClassification(config).eval()
    classifier.save_pretrained(tmp_path / "classifier")
    tokenizer.save_pretrained(tmp_path / "classifier")
    (tmp_path / "main.yaml").write_text(f"""\
model:
  model_args: {{pretrained_model_name_or_path: {examples / 'tiny-model'}}}
  tokenizer_args: {{pretrained_model_name_or_path: {examples / 'tiny-model'}}}
  template_args: {{apply_chat_template: true}}
seed: 0
eval:
  own:
    handler: TOFUEvaluator
    output_dir: out
    independent: true
    metrics:
      gibberish:
        handler: classifier_prob
        classifier: {tmp_path / 'classifier'}
        class_id: 2
        generation_args: {{max_new_tokens: 5, do_sample: false}}
        datasets:
          data:
            handler: QADataset
            args:
              hf_args: {{path: {examples / 'data/forget.jsonl'}}}
              question_key: question
              answer_key: answer
              max_length: 64
""")
    example = runpy.run_path(str(source / "examples/classifier-metric/classifier_prob.py"))
    done, = palimpsest.evaluate(config_dir=tmp_path, config_name="main.yaml", out=tmp_path / "out",
                                handlers=[example["classifier_prob"]])
    values = done.to_dict()["gibberish"]["value_by_index"]
    assert len(values) == 24
    value = values["0"]
    with torch.no_grad():
        logits = classifier(**{k: v for k, v in tokenizer(value["generation"], return_tensors="pt").items()
                               if k != "token_type_ids"}).logits
    assert value["score"] == pytest.approx(float(logits.softmax(-1)[0, 2]), abs=1e-5)
    assert done["gibberish"] == pytest.approx(sum(v["score"] for v in values.values()) / 24)
