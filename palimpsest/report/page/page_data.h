// The content of a report page as plain values. Code that has results fills it (mia_page.h does so
// for an audit), and page.h turns it into one HTML file. All texts are plain text in UTF-8. Nothing
// in them is ever interpreted as HTML, and invalid UTF-8 becomes replacement characters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/report/figures/figure.h"
#include "palimpsest/report/result_table.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::report {

// How good or bad a finding is. The page shows it as a colour, always next to words that say the
// same.
enum class PageTone { kNeutral, kGood, kCaution, kBad };

// The answer to the page's question. The value, if there is one, is drawn on a scale from 0 to 1
// whose middle is the goal, as for an AUC.
struct PageHeadline {
  std::string question;         // "Does the model still remember what it was asked to forget?"
  std::string answer;           // in plain words, short: it is set in large type
  std::string certainty = {};   // how sure the answer is; may be empty
  std::string statistics = {};  // the numbers behind the answer in one sentence; may be empty
  std::string detects = {};     // what would have been detected; may be empty
  std::string misses = {};      // what would not have been detected; may be empty
  std::string action = {};      // advice: what to know or to do; may be empty
  std::vector<std::string> reasons = {};  // the reasons for the answer, one or two sentences each
  PageTone tone = PageTone::kNeutral;
  std::string value_name;  // "AUC of min_k"
  std::optional<double> value;
  std::optional<stat::Interval> interval;
};

// A warning that a reader must know before believing the headline.
struct PageFlag {
  PageTone tone = PageTone::kCaution;
  std::string title;
  std::string text;
  std::string model = {};  // the other model that it is about; empty: the model in question
};

// A short title and a longer text: key numbers ("Holdout examples", "120"), method notes, the
// record of the run.
struct PageEntry {
  std::string title;
  std::string text;
};

struct PageToken {
  std::string text;
  double logprob = 0;
  bool is_lowest = false;  // whether it is in the lowest share that Min-K uses
};

enum class PageSet { kForget, kHoldout };

struct PageExample {
  std::string index;
  PageSet set = PageSet::kForget;
  std::optional<std::string> question;
  std::optional<std::string> answer;          // the true answer
  std::optional<std::string> generation;      // the model's answer
  std::vector<std::optional<double>> scores;  // one per attack; higher means less familiar
  std::optional<double> q_value;              // from the test of this record (attack::RecordTests)
  bool is_recognised = false;     // whether its q-value is at most the false discovery rate
  std::vector<PageToken> tokens;  // empty if they are not kept for this example
  int64_t tokens_left_out = 0;    // number of tokens cut from the end of a long example
};

struct PageExamples {
  std::vector<std::string> attacks;
  size_t ranking = 0;  // position of the attack that ranks the rows
  std::vector<PageExample> rows;
  double lowest_share = 0.2;  // share of the tokens that is marked: Min-K's k
  std::string note;           // which examples were left out; may be empty
  // Which records are recognised one by one, in words. Empty: no record was tested, and the page
  // shows no such column.
  std::string recognised;
};

struct PageData {
  std::string title;
  PageHeadline headline;
  std::vector<PageEntry> key_numbers;  // a few, such as the sizes of the sets, and the model
  std::vector<PageFlag> flags;
  std::vector<std::string> notes;
  std::vector<std::string> limits;  // what the answer does not say, one or two sentences each
  std::vector<ResultTable> tables;
  std::vector<Figure> charts;
  PageExamples examples;
  std::vector<PageEntry> methods;
  std::vector<PageEntry> run;  // the record of the run
  // Where the results come from, with time and command line. It stands in one marked element of the
  // page, <section id="provenance">, and nowhere else.
  std::vector<PageEntry> provenance = {};
};

}  // namespace palimpsest::report
