// Collects the norms of gradients, per example and parameter. They come from a gradient that was
// formed or, for p = 2, from its squared norm alone.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/model/internal/architecture.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::engine {

class GradientNorms {
 public:
  GradientNorms(const model::Architecture& architecture, std::vector<model::NormOrder> orders,
                int64_t examples);

  // Whether only 2-norms are requested.
  bool only_two_norm() const { return only_two_norm_; }
  // The number of the parameter with this name.
  int64_t parameter(const std::string& name) const;

  // Add a piece of a gradient, or its squared norm; several pieces of one gradient are combined.
  // Threads may call these functions at the same time for different examples or parameters.
  void add(int64_t example, int64_t parameter, std::span<const float> gradient);
  void add_square(int64_t example, int64_t parameter, double square);

  // The norms of one example: [order][parameter].
  std::vector<std::vector<double>> norms(int64_t example) const;

 private:
  struct Sums {
    double absolutes = 0;
    double squares = 0;
    double max = 0;
  };
  bool asks_for(model::NormOrder order) const;

  std::map<std::string, int64_t> numbers_;
  std::vector<model::NormOrder> orders_;
  bool only_two_norm_;
  std::vector<std::vector<Sums>> sums_;  // [example][parameter]
};

}  // namespace palimpsest::engine
