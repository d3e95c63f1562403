#include "palimpsest/attack/internal/mia/soundness.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "palimpsest/attack/internal/mia/collapse.h"
#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/attack/internal/mia/overlap.h"
#include "palimpsest/base/error.h"
#include "palimpsest/stat/clustered_auc.h"

namespace palimpsest::attack {
namespace {

std::string blind_figures(const BlindBaseline& blind) {
  return fmt::format("AUC {:.3f}, p = {:.3f}; by chance {:.3f} to {:.3f}", blind.auc, blind.p_value,
                     blind.null_range.low, blind.null_range.high);
}

// "'author', 'born in' (forget); 'city', more than 120 bytes (holdout)"
std::string informative_words(const BlindBaseline& blind) {
  std::vector<std::string> parts;
  for (const char* side : {"forget", "holdout"}) {
    std::vector<std::string> names;
    for (const InformativeFeature& feature : blind.informative) {
      if (feature.side == side)
        names.push_back(feature.is_word ? "'" + feature.name + "'" : feature.name);
    }
    if (!names.empty()) parts.push_back(fmt::format("{} ({})", fmt::join(names, ", "), side));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

void judge_texts(const SoundnessOptions& options, Soundness& result) {
  if (!options.blind_baseline) return;
  if (!result.blind) {
    result.notes.push_back(fmt::format(
        "no blind baseline: it needs at least {} different texts of each set in the traces",
        kMinBlindTexts));
    return;
  }
  const BlindBaseline& blind = *result.blind;
  const std::string words = informative_words(blind);
  const std::string by = words.empty() ? "" : " What gives them away most: " + words + ".";
  if (blind.separates(options.margin)) {
    result.void_reasons.push_back(
        {"texts_differ",
         fmt::format(
             "The texts alone tell the sets apart: a classifier that never saw the model "
             "does it with {}.{} Take a holdout set from the same source as the forget set.",
             blind_figures(blind), by)});
  } else if (blind.notable(options.margin)) {
    result.notes.push_back(
        fmt::format("the texts alone tell the sets apart a little, within the margin ({}).{}",
                    blind_figures(blind), by));
  }
}

void judge_overlap(const SoundnessOptions& options, Soundness& result) {
  const Overlap& overlap = result.overlap;
  if (overlap.shared_holdout == 0) return;
  if (overlap.share >= kOverlapRefused) refuse_equal_sets();
  const std::string counts = fmt::format(
      "{} holdout and {} forget examples ({:.0f}% of a set) are in both sets; no attack can tell "
      "those apart",
      overlap.shared_holdout, overlap.shared_forget, 100 * overlap.share);
  if (overlap.share > kOverlapVoid && !options.allow_overlap) {
    result.void_reasons.push_back(
        {"overlap", fmt::format("The sets overlap: {}. Remove them from one of the sets, or give "
                                "--allow-overlap.",
                                counts)});
  } else {
    result.notes.push_back(counts);
  }
}

}  // namespace

void refuse_equal_sets() {
  throw Error({.what = "every text of one set is also in the other one, so no attack can tell them "
                       "apart",
               .hint = "give a holdout set that the model never saw"});
}

Soundness check_soundness(const TraceScores& forget, const TraceScores& holdout,
                          const ExampleClusters& clusters, const SoundnessOptions& options) {
  Soundness result;
  result.overlap = find_overlap(forget.facts, holdout.facts);
  judge_overlap(options, result);
  if (options.blind_baseline) {
    result.blind =
        blind_baseline(forget, holdout, clusters,
                       {.seed = options.seed, .threads = options.threads, .stop = options.stop});
    if (result.blind && !options.quotes_words)
      std::erase_if(result.blind->informative, &InformativeFeature::is_word);
  }
  judge_texts(options, result);
  const Collapse collapse = detect_collapse(forget, holdout);
  if (collapse.collapsed()) {
    result.void_reasons.push_back(
        {"collapsed",
         collapse.evidence() +
             " Such a model forgets nothing in particular; look at what it generates."});
  }
  return result;
}

std::optional<RecognisingReference> recognising_reference(const ScoreColumns& reference_losses,
                                                          const ExampleClusters& clusters,
                                                          double margin) {
  const stat::ClusteredScores scored = to_clustered(reference_losses, clusters);
  const std::optional<stat::ClusteredAuc> estimate =
      stat::clustered_auc(scored.scores, scored.clusters);
  if (!estimate) return std::nullopt;
  const stat::Interval interval = stat::auc_interval(*estimate);
  if (interval.low <= 0.5 && estimate->auc < 0.5 + margin) return std::nullopt;
  return RecognisingReference{estimate->auc, interval};
}

std::optional<std::string> recognising_reference(const TraceScores& forget,
                                                 const TraceScores& holdout,
                                                 const ExampleClusters& clusters, double margin) {
  if (forget.reference_loss.empty() || holdout.reference_loss.empty()) return std::nullopt;
  const std::optional<RecognisingReference> found =
      recognising_reference({forget.reference_loss, holdout.reference_loss}, clusters, margin);
  if (!found) return std::nullopt;
  return fmt::format(
      "the reference model itself tells the forget set from the holdout set (AUC {:.3f}, {:.3f} to "
      "{:.3f}), so it has most likely seen it, and the AUC against it falls as the model forgets. "
      "Such a score shows what unlearning did to each record, not whether the record is remembered",
      found->auc, found->interval.low, found->interval.high);
}

}  // namespace palimpsest::attack
