// The tables behind unicode.h, with the answers of the `tokenizers` package for every code point.
// tools/golden/unicode_tables.py generates the sources. Ranges are closed, sorted and disjoint.
#pragma once

#include <cstddef>
#include <cstdint>

namespace palimpsest::tokenizer {

struct CodePointRange {
  uint32_t first;
  uint32_t last;
};

struct ScriptRange {
  uint32_t first;
  uint32_t last;
  uint8_t script;  // from 1
};

extern const CodePointRange kWord[];
extern const size_t kWordSize;
extern const CodePointRange kPunctuation[];
extern const size_t kPunctuationSize;
extern const CodePointRange kMark[];
extern const size_t kMarkSize;
extern const CodePointRange kNonspacingMark[];
extern const size_t kNonspacingMarkSize;
extern const CodePointRange kOther[];
extern const size_t kOtherSize;
extern const ScriptRange kScripts[];
extern const size_t kScriptsSize;

}  // namespace palimpsest::tokenizer
