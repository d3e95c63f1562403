#include "palimpsest/attack/mia/verdict.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "palimpsest/base/error.h"

namespace palimpsest {
namespace {

using Level = VerdictLevel;
using Direction = VerdictDirection;

constexpr std::string_view kOverForgotten =
    "check for over-forgetting: the model may avoid the forget set instead of not knowing it";

constexpr Verdict kVerdicts[] = {
    {Level::kIndistinguishable, Direction::kNone, "indistinguishable", "nothing to do"},
    {Level::kInconclusive, Direction::kNone, "inconclusive",
     "audit more examples: these cannot decide"},
    {Level::kWeak, Direction::kRemembered, "weak", "watch the other metrics"},
    {Level::kWeak, Direction::kOverForgotten, "weak", kOverForgotten},
    {Level::kModerate, Direction::kRemembered, "moderate",
     "fine-tune the parameters of the unlearning"},
    {Level::kModerate, Direction::kOverForgotten, "moderate", kOverForgotten},
    {Level::kStrong, Direction::kRemembered, "strong", "strengthen the unlearning"},
    {Level::kStrong, Direction::kOverForgotten, "strong", kOverForgotten},
    {Level::kPlain, Direction::kRemembered, "plain", "retrain with other settings"},
    {Level::kPlain, Direction::kOverForgotten, "plain", kOverForgotten},
};

struct Bound {
  double distance;  // the largest |AUC - ½| of the level
  Level if_excluded;
  Level if_contained;  // where the interval contains ½
};

constexpr Bound kBounds[] = {
    {0.05, Level::kWeak, Level::kIndistinguishable},
    {0.10, Level::kWeak, Level::kInconclusive},
    {0.25, Level::kModerate, Level::kInconclusive},
    {0.45, Level::kStrong, Level::kInconclusive},
    {std::numeric_limits<double>::infinity(), Level::kPlain, Level::kInconclusive},
};

}  // namespace

std::string Verdict::words() const {
  if (direction == Direction::kNone) return std::string(name);
  return fmt::format("{}, {}", name,
                     direction == Direction::kRemembered ? "still remembered" : "over-forgotten");
}

std::span<const Verdict> all_verdicts() {
  return kVerdicts;
}

Verdict verdict_of(double auc, const Interval& interval) {
  PALIMPSEST_CHECK(auc >= 0 && auc <= 1);
  constexpr double kRounding = 1e-9;  // 0.55 - 0.5 is a little more than 0.05
  const double distance = std::abs(auc - 0.5);
  const Bound* bound = kBounds;
  while (distance > bound->distance + kRounding) ++bound;
  const Level level = interval.contains(0.5) ? bound->if_contained : bound->if_excluded;
  for (const Verdict& verdict : kVerdicts) {
    if (verdict.level != level) continue;
    const Direction direction = auc < 0.5 ? Direction::kOverForgotten : Direction::kRemembered;
    if (verdict.direction == Direction::kNone || verdict.direction == direction) return verdict;
  }
  PALIMPSEST_CHECK(false);
  return {};
}

}  // namespace palimpsest
