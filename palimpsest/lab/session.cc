#include "palimpsest/lab/internal/session.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/engine/internal/guarded.h"

namespace palimpsest::lab {
namespace {

// OUT.last-good, or OUT.last-good.1, .2 … where these names are taken: what is there may be the
// user's, or of an earlier run.
std::filesystem::path unused_name(const std::filesystem::path& out) {
  const std::string first = without_last_slash(out).string() + ".last-good";
  std::filesystem::path name = first;
  for (int64_t i = 1; is_listed(name); ++i) name = fmt::format("{}.{}", first, i);
  return name;
}

}  // namespace

Session::Session(const model::Architecture& architecture, engine::ModelWeights weights,
                 const ModelTexts& texts, const AdamWOptions& optimizer, WorkerPool& pool,
                 const SessionOptions& options)
    : architecture_(architecture),
      texts_(texts),
      pool_(pool),
      out_(options.out),
      trainer_(architecture, std::move(weights), pool, {.max_rows = options.micro_batch}),
      optimizer_(optimizer, trainer_.weights(), trainer_.gradients()) {}

double Session::step(double rate, const std::function<double()>& body) {
  ++steps_;
  const double loss = engine::guarded(body);
  const double length = std::isfinite(loss) ? optimizer_.step(rate, pool_) : loss;
  if (!std::isfinite(length)) stop(loss);
  trainer_.clear_gradients();
  return loss;
}

void Session::stop(double loss) {
  const char* what = std::isfinite(loss) ? "gradient" : "loss";
  std::string found = fmt::format("after {} good steps", steps_ - 1);
  if (steps_ > 1) {
    const std::filesystem::path kept = unused_name(out_);
    make_folder(kept);
    write_model(kept, texts_, architecture_, trainer_.weights());
    found += fmt::format("; the model as it was then is in {}", kept.string());
  }
  throw Error({.what = fmt::format("the {} of step {} is not finite", what, steps_),
               .found = found,
               .hint = "lower the learning rate or the number of epochs"});
}

}  // namespace palimpsest::lab
