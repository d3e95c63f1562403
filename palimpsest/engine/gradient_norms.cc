#include "palimpsest/engine/gradient_norms.h"

#include <algorithm>
#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/engine/scorer.h"
#include "palimpsest/kernels/gram.h"

namespace palimpsest::engine {

GradientNorms::GradientNorms(const Architecture& architecture, std::vector<NormOrder> orders,
                             int64_t examples)
    : orders_(std::move(orders)),
      only_two_(std::ranges::all_of(orders_, [](NormOrder o) { return o == NormOrder::kTwo; })) {
  for (const Parameter& parameter : parameters(architecture)) {
    numbers_.emplace(parameter.name, static_cast<int64_t>(numbers_.size()));
  }
  sums_.assign(static_cast<size_t>(examples), std::vector<Sums>(numbers_.size()));
}

int64_t GradientNorms::parameter(const std::string& name) const {
  const auto found = numbers_.find(name);
  PALIMPSEST_CHECK(found != numbers_.end());
  return found->second;
}

bool GradientNorms::asks_for(NormOrder order) const {
  return std::ranges::find(orders_, order) != orders_.end();
}

void GradientNorms::add(int64_t example, int64_t parameter, std::span<const float> gradient) {
  Sums& sums = sums_[static_cast<size_t>(example)][static_cast<size_t>(parameter)];
  const float* data = gradient.data();
  const auto n = static_cast<int64_t>(gradient.size());
  if (asks_for(NormOrder::kOne)) sums.sizes += kernels::sum_of_sizes(data, n);
  if (asks_for(NormOrder::kTwo)) sums.squares += kernels::sum_of_squares(data, n);
  if (asks_for(NormOrder::kInfinity)) {
    const double greatest = kernels::greatest_size(data, n);
    if (greatest > sums.greatest || std::isnan(greatest)) sums.greatest = greatest;
  }
}

void GradientNorms::add_square(int64_t example, int64_t parameter, double square) {
  sums_[static_cast<size_t>(example)][static_cast<size_t>(parameter)].squares += square;
}

std::vector<std::vector<double>> GradientNorms::norms(int64_t example) const {
  std::vector<std::vector<double>> result;
  for (const NormOrder order : orders_) {
    std::vector<double>& row = result.emplace_back();
    for (const Sums& sums : sums_[static_cast<size_t>(example)]) {
      switch (order) {
        case NormOrder::kOne:
          row.push_back(sums.sizes);
          break;
        case NormOrder::kTwo:
          row.push_back(std::sqrt(sums.squares < 0 ? 0 : sums.squares));
          break;
        case NormOrder::kInfinity:
          row.push_back(sums.greatest);
          break;
      }
      check_output(std::isfinite(row.back()));
    }
  }
  return result;
}

}  // namespace palimpsest::engine
