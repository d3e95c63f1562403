#include "palimpsest/attack/internal/mia/plain_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "palimpsest/base/internal/table.h"
#include "palimpsest/stat/internal/normal.h"

namespace palimpsest::attack {
namespace {

int64_t of_hundred(double share) {
  return std::llround(100 * share);
}

std::string with_minus(int64_t number) {
  return number < 0 ? fmt::format("−{}", -number) : std::to_string(number);
}

// "more than chance", or what else the number is compared with.
std::string compared(const Answer& answer) {
  return answer.against_baseline ? "more than from a model that never saw them"
                                 : "more than chance";
}

std::string pick_sentence(const Answer& answer) {
  return fmt::format("Of 100 records to be forgotten, an observer could pick out about {} {}.",
                     of_hundred(answer.picked_out->excess), compared(answer));
}

bool picks_some(const Answer& answer) {
  return answer.picked_out && of_hundred(answer.picked_out->excess) >= 1;
}

bool has_reason(const Answer& answer, std::string_view code) {
  return std::ranges::find(answer.reasons, code, &AnswerReason::code) != answer.reasons.end();
}

// What opens the headline; empty if the headline needs no such word.
std::string_view verdict_word(AnswerVerdict verdict) {
  switch (verdict) {
    case AnswerVerdict::kRemembered:
      return "Remembered. ";
    case AnswerVerdict::kOverForgotten:
      return "Over-forgotten. ";
    case AnswerVerdict::kNotDecided:
      return "Not decided. ";
    case AnswerVerdict::kVoid:
      return "Void. ";
    default:
      return "";
  }
}

// The headline without the verdict's word.
std::string plain_words(const Answer& answer) {
  const std::string margin = fmt::format("the margin of {:g} that was asked for", answer.margin);
  switch (answer.verdict) {
    case AnswerVerdict::kRemembered:
      if (picks_some(answer)) return pick_sentence(answer);
      return has_reason(answer, "auc")
                 ? "The records to be forgotten can still be told from text that the model never "
                   "saw."
                 : "Some of the records to be forgotten are still recognised.";
    case AnswerVerdict::kOverForgotten:
      return picks_some(answer) ? pick_sentence(answer) : "The records to be forgotten stand out.";
    case AnswerVerdict::kDetectableWithinMargin:
      return fmt::format("A trace is left. It is smaller than {}.", margin);
    case AnswerVerdict::kEquivalent:
      return fmt::format("No memory was found beyond {}.", margin);
    case AnswerVerdict::kNotDecided:
      return "These records cannot answer the question.";
    case AnswerVerdict::kVoid:
      return "This audit cannot answer the question.";
  }
  return "";
}

// The answer's sentence without an opening that only repeats the verdict. Answers in files may have
// the words of earlier versions.
std::string_view statistics_of(const Answer& answer) {
  std::string_view sentence = answer.sentence;
  for (const std::string_view opening :
       {"Not decided. ", "Void: this audit cannot answer. ", "Void, this audit cannot answer. "}) {
    if (sentence.starts_with(opening)) sentence.remove_prefix(opening.size());
  }
  return sentence;
}

// "The 95% interval of this number is 13 to 45; it was measured on 60 forget and 60 holdout
// records."
std::string pick_certainty(const Answer& answer) {
  const PickedOut& picked = *answer.picked_out;
  const std::string measured = fmt::format(
      "The observer chose the attack ({}) and its threshold on other records", picked.attack);
  const std::string size =
      fmt::format("on {} forget and {} holdout records", picked.forget, picked.holdout);
  if (!picked.interval)
    return fmt::format("The number was measured {} and has no interval. {}.", size, measured);
  std::string text =
      fmt::format("The {:g}% interval of this number is {} to {}, measured {}. {}.",
                  100 * picked.confidence, with_minus(of_hundred(picked.interval->low)),
                  with_minus(of_hundred(picked.interval->high)), size, measured);
  if (picked.interval->low <= 0)
    text += " The verdict rests on all records and is more certain than this number.";
  return text;
}

std::string error_of_alarm(const Answer& answer) {
  return fmt::format(
      "The verdict itself is wrong in at most {:g} of 100 audits of a model that treats these "
      "records like text that it never saw.",
      100 * answer.level);
}

std::string certainty_of(const Answer& answer) {
  switch (answer.verdict) {
    case AnswerVerdict::kRemembered:
    case AnswerVerdict::kOverForgotten: {
      std::string text;
      if (answer.verdict == AnswerVerdict::kOverForgotten)
        text =
            "The model knows these records less than text that it never saw, which gives them away "
            "as well. ";
      if (picks_some(answer)) text += pick_certainty(answer) + " ";
      return text + error_of_alarm(answer);
    }
    case AnswerVerdict::kDetectableWithinMargin:
      return picks_some(answer) ? pick_sentence(answer) + " " + pick_certainty(answer) : "";
    case AnswerVerdict::kEquivalent:
      return "A model that lies just on the margin would pass in at most 5 of 100 audits. This is "
             "no proof that nothing is remembered.";
    case AnswerVerdict::kNotDecided:  // the answer's own sentence says what is missing
    case AnswerVerdict::kVoid:
      return "";
  }
  return "";
}

std::string detects(const Answer& answer) {
  if (!answer.would_detect || answer.verdict == AnswerVerdict::kVoid) return "";
  const double auc = answer.would_detect.value();
  const double excess = answer.against_baseline
                            ? excess_at_auc(std::clamp(0.5 + auc, 0.5, 1 - 1e-9))
                            : excess_at_auc(std::clamp(auc, 0.5, 1 - 1e-9));
  return fmt::format(
      "With probability 80%, memory by which an observer picks out about {} of 100 records {} ({} "
      "of {:.3f} or more).",
      of_hundred(excess), compared(answer),
      answer.against_baseline ? "a difference of AUCs" : "an AUC", auc);
}

std::string misses(const Answer& answer) {
  if (answer.verdict == AnswerVerdict::kVoid) return "";
  std::string text;
  if (answer.would_detect) text = "Weaker memory than that, in more than 20 of 100 audits. ";
  if (has_reason(answer, "tail_not_tested"))
    text +=
        "A few plainly remembered records among many forgotten ones: the holdout set is too "
        "small to test for them. ";
  return text +
         "Memory that shows only under other prompts, other attacks or further training, and "
         "memory of texts that are not in the forget set.";
}

}  // namespace

double excess_at_auc(double auc) {
  return 2 * stat::normal_cdf(stat::normal_quantile(auc) / std::numbers::sqrt2) - 1;
}

PlainAnswer plain_answer(const Answer& answer) {
  return {.headline = std::string(verdict_word(answer.verdict)) + plain_words(answer),
          .certainty = certainty_of(answer),
          .detects = detects(answer),
          .misses = misses(answer)};
}

std::string answer_to_text(const Answer& answer, size_t width) {
  std::string verdict(name_of(answer.verdict));
  for (char& c : verdict) c = c == '_' ? ' ' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  std::string text = wrapped(fmt::format("{}. {}", verdict, plain_words(answer)), width, 2);
  text += wrapped(fmt::format("- {}", statistics_of(answer)), width, 2);
  for (const AnswerReason& reason : answer.reasons) {
    // What the sentence says already is not said again.
    if (answer.sentence.find(reason.text) != std::string::npos) continue;
    text += wrapped("- " + reason.text, width, 2);
  }
  return text;
}

}  // namespace palimpsest::attack
