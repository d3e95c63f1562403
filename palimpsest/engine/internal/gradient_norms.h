// Collects the norms of gradients, an example and a parameter at a time: from a gradient that was
// formed, or, for p = 2, from its squared norm alone.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/model/architecture.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::engine {

class GradientNorms {
 public:
  GradientNorms(const model::Architecture& architecture, std::vector<model::NormOrder> orders,
                int64_t examples);

  // Whether squared 2-norms are all that is asked for.
  bool only_two_norm() const { return only_two_norm_; }
  int64_t parameter(const std::string& name) const;

  // Different examples and parameters may be written at the same time.
  // A piece of a gradient; pieces of one gradient are joined.
  void add(int64_t example, int64_t parameter, std::span<const float> gradient);
  void add_square(int64_t example, int64_t parameter, double square);

  // [order][parameter] of one example.
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
