#include "palimpsest/tokenizer/internal/classes.h"

#include <algorithm>
#include <utility>

namespace palimpsest::tokenizer {
namespace {

using ClassTokens = decltype(TokenizerClass::special_tokens);

constexpr std::string_view kEnd = "<|endoftext|>";
constexpr ClassTokens kNone = {"", "", "", "", "", "", ""};
constexpr ClassTokens kGpt2 = {kEnd, kEnd, kEnd, "", "", "", ""};
constexpr ClassTokens kQwen2 = {"", kEnd, kEnd, "", kEnd, "", ""};
constexpr ClassTokens kLlama = {"<s>", "</s>", "<unk>", "", "", "", ""};
constexpr ClassTokens kGemma = {"<bos>", "<eos>", "<unk>", "", "<pad>", "", ""};
constexpr ClassTokens kCohere = {"<BOS_TOKEN>", "<|END_OF_TURN_TOKEN|>", "<UNK>", "", "", "", ""};
constexpr ClassTokens kT5 = {"", "</s>", "<unk>", "", "<pad>", "", ""};
constexpr ClassTokens kBloom = {"<s>", "</s>", "<unk>", "", "<pad>", "", ""};
constexpr ClassTokens kBert = {"", "", "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"};
constexpr ClassTokens kRoberta = {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"};

constexpr TokenizerClass kClasses[] = {
    {.name = "PreTrainedTokenizer", .special_tokens = kNone},
    {.name = "GPT2Tokenizer", .special_tokens = kGpt2, .sets_prefix_space = true},
    {.name = "CodeGenTokenizer", .special_tokens = kGpt2, .sets_prefix_space = true},
    {.name = "GPTNeoXTokenizer",
     .special_tokens = kGpt2,
     .rebuilds_post_processor = true,
     .sets_prefix_space = true},
    {.name = "LlamaTokenizer",
     .special_tokens = kLlama,
     .rebuilds_post_processor = true,
     .adds_bos = true},
    {.name = "GemmaTokenizer",
     .special_tokens = kGemma,
     .rebuilds_post_processor = true,
     .adds_bos = true},
    {.name = "CohereTokenizer",
     .special_tokens = kCohere,
     .rebuilds_post_processor = true,
     .adds_bos = true,
     .sets_prefix_space = true},
    {.name = "Qwen2Tokenizer", .special_tokens = kQwen2},
    {.name = "BloomTokenizer", .special_tokens = kBloom},
    {.name = "T5Tokenizer", .special_tokens = kT5, .adds_extra_ids = true},
    {.name = "BertTokenizer", .special_tokens = kBert, .sets_bert_normalizer = true},
    {.name = "DistilBertTokenizer", .special_tokens = kBert, .sets_bert_normalizer = true},
    {.name = "ElectraTokenizer", .special_tokens = kBert, .sets_bert_normalizer = true},
    {.name = "BartTokenizer", .special_tokens = kRoberta, .sets_prefix_space = true},
    {.name = "RobertaTokenizer", .special_tokens = kRoberta, .sets_prefix_space = true},
    {.name = "XLMRobertaTokenizer", .special_tokens = kRoberta},
};

}  // namespace

const TokenizerClass* find_tokenizer_class(std::string_view name) {
  const auto* found = std::ranges::find(kClasses, name, &TokenizerClass::name);
  return found == std::end(kClasses) ? nullptr : found;
}

std::string tokenizer_class_of_model(std::string_view model_type) {
  static constexpr std::pair<std::string_view, std::string_view> kClassOfModel[] = {
      {"gpt2", "GPT2Tokenizer"},
      {"gpt_neo", "GPT2Tokenizer"},
      {"gptj", "GPT2Tokenizer"},
      {"gpt_bigcode", "GPT2Tokenizer"},
      {"opt", "GPT2Tokenizer"},
      {"starcoder2", "GPT2Tokenizer"},
      {"gpt_neox", "GPTNeoXTokenizer"},
      {"olmo", "GPTNeoXTokenizer"},
      {"olmoe", "GPTNeoXTokenizer"},
      {"stablelm", "GPTNeoXTokenizer"},
      {"mpt", "GPTNeoXTokenizer"},
      {"mamba", "GPTNeoXTokenizer"},
      {"mamba2", "GPTNeoXTokenizer"},
      {"rwkv", "GPTNeoXTokenizer"},
      {"codegen", "CodeGenTokenizer"},
      {"phi", "CodeGenTokenizer"},
      {"llama", "LlamaTokenizer"},
      {"mistral", "LlamaTokenizer"},
      {"mixtral", "LlamaTokenizer"},
      {"phi3", "LlamaTokenizer"},
      {"persimmon", "LlamaTokenizer"},
      {"jamba", "LlamaTokenizer"},
      {"gemma", "GemmaTokenizer"},
      {"gemma2", "GemmaTokenizer"},
      {"recurrent_gemma", "GemmaTokenizer"},
      {"qwen2", "Qwen2Tokenizer"},
      {"qwen2_moe", "Qwen2Tokenizer"},
      {"falcon", "PreTrainedTokenizer"},
      {"bloom", "BloomTokenizer"},
      {"t5", "T5Tokenizer"},
      {"mt5", "T5Tokenizer"},
      {"bert", "BertTokenizer"},
      {"distilbert", "DistilBertTokenizer"},
      {"electra", "ElectraTokenizer"},
      {"roberta", "RobertaTokenizer"},
      {"xlm-roberta", "XLMRobertaTokenizer"},
  };
  for (const auto& [type, name] : kClassOfModel) {
    if (type == model_type) return std::string(name);
  }
  return {};
}

}  // namespace palimpsest::tokenizer
