#include "palimpsest/engine/internal/head_gradient.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "palimpsest/engine/internal/matmul_tasks.h"
#include "palimpsest/kernels/internal/rows.h"
#include "palimpsest/kernels/internal/tile.h"
#include "palimpsest/kernels/internal/widen.h"

namespace palimpsest::engine {

HeadGradient::HeadGradient(Decoder& decoder, Head& head, WorkerPool& pool, const LabelledRows& rows,
                           GradientNorms& norms)
    : decoder_(decoder),
      head_(head),
      pool_(pool),
      rows_(rows),
      norms_(norms),
      inverse_cap_(static_cast<float>(
          decoder.architecture().logit_softcap ? 1 / *decoder.architecture().logit_softcap : 0)),
      states_(rows.labels.size()),
      examples_(rows.examples.size()),
      mixed_(host_zeros(rows.normed.rows(), rows.normed.columns())),
      label_weights_(host_matrix(rows.normed.rows(), rows.normed.columns())),
      scratch_(static_cast<size_t>(pool.size())),
      matmul_(pool) {}

void HeadGradient::run(const std::vector<std::span<const int64_t>>& ids) {
  for (size_t e = 0; e < examples_.size() && norms_.only_two_norm(); ++e) {
    const ExampleRows& rows = rows_.examples[e];
    Example& example = examples_[e];
    const auto first = rows_.labels.begin() + rows.begin;
    example.columns.assign(first, first + rows.count());
    if (!decoder_.architecture().head) {
      example.columns.insert(example.columns.end(), ids[e].begin(), ids[e].end());
    }
    std::ranges::sort(example.columns);
    example.columns.erase(std::unique(example.columns.begin(), example.columns.end()),
                          example.columns.end());
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      example.label_column.push_back(
          std::ranges::lower_bound(example.columns, rows_.labels[static_cast<size_t>(row)]) -
          example.columns.begin());
    }
    example.kept.resize(example.columns.size() * static_cast<size_t>(rows.count()));
    example.gram.assign(
        static_cast<size_t>(rows.count() * kernels::round_up_to_panel(rows.count())), 0.0F);
  }
  head_.for_each_tile(rows_.normed, [&](int64_t first, const Matrix& weights, const Matrix& tile) {
    accumulate_tile(first, weights, tile);
  });
  finish_kept();
}

void HeadGradient::accumulate_tile(int64_t first, const Matrix& weights, const Matrix& tile) {
  pool_.run(static_cast<int64_t>(examples_.size()), [&](int64_t e, int worker) {
    accumulate_rows(static_cast<size_t>(e), first, tile, weights);
    if (!norms_.only_two_norm()) return;
    const ExampleRows& rows = rows_.examples[static_cast<size_t>(e)];
    const int64_t n = tile.columns();
    kernels::gram_matrix(tile.data() + rows.begin * n, n, rows.count(), n,
                         examples_[static_cast<size_t>(e)].gram, true,
                         scratch_[static_cast<size_t>(worker)]);
  });
  kernels::MatmulTask task = backward_matmul(tile, weights, mixed_);
  task.accumulate = true;
  matmul_.run(task);
}

// The rows of example e: keeps the logits that are needed later, turns the tile into u without
// labels and brings what was summed before to the new maximum.
void HeadGradient::accumulate_rows(size_t e, int64_t first, const Matrix& tile,
                                   const Matrix& weights) {
  const ExampleRows& rows = rows_.examples[e];
  Example& example = examples_[e];
  const int64_t n = tile.columns();
  const int64_t width = rows_.normed.columns();
  const auto begin = std::ranges::lower_bound(example.columns, first);
  const auto end = std::ranges::lower_bound(example.columns, first + n);
  std::vector<float> factors(static_cast<size_t>(rows.count()));
  for (int64_t i = 0; i < rows.count(); ++i) {
    const auto row = static_cast<size_t>(rows.begin + i);
    float* logits = tile.data() + (rows.begin + i) * n;
    float* kept = example.kept.data() + static_cast<size_t>(i) * example.columns.size();
    for (auto column = begin; column != end; ++column) {
      kept[column - example.columns.begin()] = logits[*column - first];
    }
    const int64_t label = rows_.labels[row];
    if (label >= first && label < first + n) {
      kernels::widen(weights.dtype(),
                     weights.bytes() +
                         (label - first) * weights.stride() * kernels::byte_size(weights.dtype()),
                     width, label_weights_.row(rows.begin + i));
    }
    const float factor = kernels::accumulate_tile(states_[row], logits, first, n, label,
                                                  {.keep = true, .inverse_cap = inverse_cap_});
    factors[static_cast<size_t>(i)] = factor;
    if (factor != 1) {
      kernels::scale(mixed_.data() + (rows.begin + i) * width, factor, width);
    }
    if (rows_.weights[row] == 0) std::fill_n(logits, n, 0.0F);
  }
  if (example.gram.empty() || std::ranges::all_of(factors, [](float f) { return f == 1; })) return;
  const int64_t stride = kernels::round_up_to_panel(rows.count());
  for (int64_t i = 0; i < rows.count(); ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      example.gram[static_cast<size_t>(i * stride + j)] *=
          factors[static_cast<size_t>(i)] * factors[static_cast<size_t>(j)];
    }
  }
}

double HeadGradient::label_slope(size_t row) const {
  const double t = static_cast<double>(states_[row].label_logit * inverse_cap_);
  return 1 - t * t;
}

// Kept logits become u: e^d times the soft cap's slope, in the label's place minus the others' sum.
void HeadGradient::finish_kept() {
  for (size_t e = 0; e < examples_.size(); ++e) {
    Example& example = examples_[e];
    for (size_t i = 0; i < example.label_column.size(); ++i) {
      const size_t row = static_cast<size_t>(rows_.examples[e].begin) + i;
      float* kept = example.kept.data() + i * example.columns.size();
      for (size_t c = 0; c < example.columns.size(); ++c) {
        const double t = static_cast<double>(kept[c] * inverse_cap_);
        const double d = static_cast<double>(kept[c]) - static_cast<double>(states_[row].max);
        kept[c] = static_cast<float>(std::exp(d) * (1 - t * t));
      }
      kept[example.label_column[i]] = static_cast<float>(-states_[row].others * label_slope(row));
    }
  }
}

Matrix HeadGradient::normed_gradient() const {
  Matrix gradient = host_copy(mixed_);
  const int64_t width = gradient.columns();
  pool_.for_ranges(gradient.rows(), 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto row = static_cast<size_t>(i);
      float* out = gradient.data() + i * width;
      kernels::add_scaled(out, label_weights_.data() + i * width,
                          static_cast<float>(-states_[row].others * label_slope(row)), width);
      kernels::scale(out, rows_.weights[row] / static_cast<float>(states_[row].sum()), width);
    }
  });
  return gradient;
}

// u_i · u_j over all classes, from the sum without labels.
double HeadGradient::logit_gram(const Example& example, int64_t begin, int64_t i, int64_t j) const {
  const auto column = [&](int64_t row) { return example.label_column[static_cast<size_t>(row)]; };
  const auto kept = [&](int64_t row, int64_t at) {
    return static_cast<double>(
        example.kept[static_cast<size_t>(row) * example.columns.size() + static_cast<size_t>(at)]);
  };
  const int64_t stride =
      kernels::round_up_to_panel(static_cast<int64_t>(example.label_column.size()));
  double product = static_cast<double>(example.gram[static_cast<size_t>(i * stride + j)]);
  const double own_i = kept(i, column(i));
  const double own_j = kept(j, column(j));
  if (rows_.labels[static_cast<size_t>(begin + i)] ==
      rows_.labels[static_cast<size_t>(begin + j)]) {
    product += own_i * own_j;
  } else {
    product += own_i * kept(j, column(i)) + own_j * kept(i, column(j));
  }
  return product;
}

std::vector<float> HeadGradient::embedded_sums(const EmbeddedRows& embedded,
                                               std::vector<int64_t>& ids) const {
  const int64_t width = rows_.normed.columns();
  const std::optional<int64_t> padding = decoder_.architecture().padding_index;
  std::map<int64_t, size_t> first_rows;
  std::vector<float> sums;
  for (size_t t = 0; t < embedded.ids.size(); ++t) {
    if (embedded.ids[t] == padding) continue;
    const auto [found, fresh] = first_rows.try_emplace(embedded.ids[t], ids.size());
    if (fresh) {
      ids.push_back(embedded.ids[t]);
      sums.resize(sums.size() + static_cast<size_t>(width));
    }
    kernels::add(sums.data() + found->second * static_cast<size_t>(width),
                 embedded.gradient + static_cast<int64_t>(t) * width, width);
  }
  return sums;
}

void HeadGradient::input_norms(size_t e, const EmbeddedRows& embedded) {
  std::vector<int64_t> ids;
  norms_.add(rows_.examples[e].example, norms_.parameter(decoder_.architecture().embedding),
             embedded_sums(embedded, ids));
}

void HeadGradient::norms_by_gram(size_t e, const EmbeddedRows& embedded) {
  const model::Architecture& a = decoder_.architecture();
  const ExampleRows& rows = rows_.examples[e];
  const Example& example = examples_[e];
  const int64_t width = rows_.normed.columns();
  const auto factor = [&](int64_t i) {
    const auto row = static_cast<size_t>(rows.begin + i);
    return static_cast<double>(rows_.weights[row]) / states_[row].sum();
  };
  const auto normed = [&](int64_t i) { return rows_.normed.data() + (rows.begin + i) * width; };
  double weight = 0;
  double bias = 0;
  for (int64_t i = 0; i < rows.count(); ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const double both = factor(i) * factor(j);
      if (both == 0) continue;
      const double product = (i == j ? 1 : 2) * both * logit_gram(example, rows.begin, i, j);
      weight += product * static_cast<double>(kernels::dot(normed(i), normed(j), width));
      bias += product;
    }
  }
  if (a.head_bias) norms_.add_square(rows.example, norms_.parameter(*a.head_bias), bias);
  if (a.head) {
    norms_.add_square(rows.example, norms_.parameter(*a.head), weight);
    return;
  }
  // Tied: twice the inner product of both sides' gradients comes on top.
  std::vector<int64_t> ids;
  const std::vector<float> sums = embedded_sums(embedded, ids);
  for (size_t k = 0; k < ids.size(); ++k) {
    const auto column = static_cast<size_t>(std::ranges::lower_bound(example.columns, ids[k]) -
                                            example.columns.begin());
    for (int64_t i = 0; i < rows.count(); ++i) {
      const auto u = static_cast<double>(
          example.kept[static_cast<size_t>(i) * example.columns.size() + column]);
      if (u == 0 || factor(i) == 0) continue;
      weight += 2 * factor(i) * u *
                static_cast<double>(
                    kernels::dot(normed(i), sums.data() + k * static_cast<size_t>(width), width));
    }
  }
  norms_.add_square(rows.example, norms_.parameter(a.embedding), weight);
}

// Rows [first, …) of one example's gradient of the head: uᵀ · normed, and, tied, the input side.
void HeadGradient::form_tile(size_t e, int64_t first, const Matrix& tile,
                             const EmbeddedRows& embedded, const Matrix& gradient) {
  const model::Architecture& a = decoder_.architecture();
  const ExampleRows& rows = rows_.examples[e];
  const int64_t n = tile.columns();
  const int64_t width = rows_.normed.columns();
  const Matrix back = tile.slice(rows.begin, rows.count());
  matmul_.run(weight_gradient_matmul(rows_.normed.slice(rows.begin, rows.count()), back, gradient));
  if (!a.head) {
    for (size_t t = 0; t < embedded.ids.size(); ++t) {
      const int64_t id = embedded.ids[t];
      if (id < first || id >= first + n || id == a.padding_index) continue;
      kernels::add(gradient.data() + (id - first) * width,
                   embedded.gradient + static_cast<int64_t>(t) * width, width);
    }
  }
  norms_.add(rows.example, norms_.parameter(a.head.value_or(a.embedding)),
             {gradient.data(), static_cast<size_t>(n * width)});
  if (a.head_bias) {
    std::vector<float> sum(static_cast<size_t>(n));
    for (int64_t i = 0; i < rows.count(); ++i) {
      kernels::add(sum.data(), back.data() + i * n, n);
    }
    norms_.add(rows.example, norms_.parameter(*a.head_bias), sum);
  }
}

void HeadGradient::norms_by_forming(const std::vector<EmbeddedRows>& embedded) {
  const int64_t width = rows_.normed.columns();
  head_.for_each_tile(rows_.normed, [&](int64_t first, const Matrix&, const Matrix& tile) {
    const int64_t n = tile.columns();
    pool_.for_ranges(tile.rows(), 8, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto row = static_cast<size_t>(i);
        const kernels::VocabularyState& state = states_[row];
        float* logits = tile.data() + i * n;
        const double factor = static_cast<double>(rows_.weights[row]) / state.sum();
        kernels::VocabularyState at_maximum{.max = state.max};
        const int64_t label = rows_.labels[row];
        kernels::accumulate_tile(at_maximum, logits, first, n, label,
                                 {.keep = true, .inverse_cap = inverse_cap_});
        if (label >= first && label < first + n) {
          logits[label - first] = static_cast<float>(-state.others * label_slope(row));
        }
        kernels::scale(logits, static_cast<float>(factor), n);
      }
    });
    const Matrix gradient = host_matrix(n, width);
    for (size_t e = 0; e < examples_.size(); ++e) {
      form_tile(e, first, tile, embedded[e], gradient);
    }
  });
}

void HeadGradient::add_norms(const std::vector<EmbeddedRows>& embedded) {
  const bool tied = !decoder_.architecture().head.has_value();
  if (!norms_.only_two_norm()) norms_by_forming(embedded);
  pool_.run(static_cast<int64_t>(examples_.size()), [&](int64_t unit, int) {
    const auto e = static_cast<size_t>(unit);
    if (norms_.only_two_norm()) norms_by_gram(e, embedded[e]);
    if (norms_.only_two_norm() || !tied) input_norms(e, embedded[e]);
  });
}

}  // namespace palimpsest::engine
