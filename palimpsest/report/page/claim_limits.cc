#include "palimpsest/report/internal/page/claim_limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace palimpsest::report {
namespace {

std::string about_records(const ClaimFacts& facts) {
  const std::string sets =
      facts.forget > 0 && facts.holdout > 0
          ? fmt::format("these {} records to be forgotten, compared with {} records", facts.forget,
                        facts.holdout)
          : "the records in the files that were audited, compared with records";
  return fmt::format(
      "The answer is about one model and {} that the model is said never to have seen. Whether it "
      "really never saw them was not checked here.",
      sets);
}

std::string about_attacks(const ClaimFacts& facts) {
  return fmt::format(
      "It holds for the attacks that were run ({}). A stronger attack, another prompt or further "
      "training may show more.",
      fmt::join(facts.attacks, ", "));
}

std::string about_clusters(const attack::AnswerClusters& clusters) {
  return clusters.key.empty()
             ? "Every record counts as independent of the others. If some belong together, such as "
               "several records of one person, the intervals are too narrow."
             : fmt::format(
                   "Records that belong together ({}) count as one. The forget set and the holdout "
                   "set are taken for samples of the same kind; if the forget set was chosen in "
                   "some other way, the intervals do not account for it.",
                   clusters.key);
}

std::string about_texts(const std::optional<double>& p_value) {
  if (!p_value)
    return "If the texts of the two sets differ even without a model, in topic, style or date, the "
           "attacks may have read that and not memory.";
  return fmt::format(
      "Whether the texts differ even without a model was tested with their words and lengths alone "
      "(p {}). A difference of another kind, such as their date, may remain.",
      *p_value < 0.001 ? "< 0.001" : fmt::format("= {:.3f}", *p_value));
}

}  // namespace

std::vector<std::string> claim_limits(const ClaimFacts& facts) {
  if (facts.attacks.empty()) return {};
  std::vector<std::string> limits = {about_records(facts), about_attacks(facts)};
  limits.push_back(
      "It is about the set as a whole. It does not say of a single record or person whether the "
      "model remembers them; a record that is not recognised is not thereby forgotten.");
  if (facts.answer) {
    limits.push_back(about_clusters(facts.answer->clusters));
    if (facts.answer->against_baseline)
      limits.push_back(
          "It compares two models as they are. Another training run of either could give another "
          "result; this variation is not in the intervals.");
  }
  limits.push_back(about_texts(facts.texts_p_value));
  return limits;
}

}  // namespace palimpsest::report
