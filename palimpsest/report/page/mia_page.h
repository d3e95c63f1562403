// Makes the page of an audit, which `palimpsest mia --out` writes as report.html. The headline is
// the audit's answer (attack/mia/answer.h). The AUC below it, the results by group of examples and
// the order of the examples belong to one attack. It is the attack that the answer names or, if it
// names none, the attack with the highest AUC.
#pragma once

#include <cstdint>
#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/report/page/page_data.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

// How much of the examples a page holds. A page must stay small enough to open and to send. So for
// large audits the middle of the ranking is left out, and long texts are cut.
struct ExampleLimits {
  int64_t rows = 40'000;   // largest number of rows; half are the most, half the least remembered
  int64_t detailed = 500;  // number of examples at each end that keep their tokens
  // The number of bytes of text in all rows together. Each text gets an equal part of it, but at
  // least least_text and at most most_text bytes.
  int64_t text_bytes = 20'000'000;
  int64_t least_text = 200;
  int64_t most_text = kMaxLoggedText;
  int64_t tokens = 1'000'000;  // the same limits for the number of tokens
  int64_t least_tokens = 100;
  int64_t most_tokens = 2'000;
};

// The examples of the page: with their scores, and with their texts and tokens from the traces.
struct MiaExampleOptions {
  trace::BothSets<trace::TraceInput> traces;  // if empty, there are no texts and no tokens
  // Whether the examples of each set are all the traces of its file, in the same order.
  bool in_file_order = false;
  ExampleLimits limits = {};
};

struct MiaPageOptions {
  MiaExampleOptions examples;
  std::vector<PageEntry> run = {};  // the record of the audit: files, options, version
};

// Throws Error if a trace file is not valid.
PageData mia_page(const attack::MiaReport& report, const MiaPageOptions& options);

}  // namespace palimpsest::report
