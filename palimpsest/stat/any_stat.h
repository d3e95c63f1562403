// A statistic whose type is known only at run time. Metrics return it and files hold it. It behaves
// like the statistic inside. Merging statistics of two different types throws Error. It is
// immutable: copies share the content, and threads may share it.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/statistic.h"

namespace palimpsest::stat {

class AnyStat {
 public:
  // AnyStat itself is excluded. Otherwise the check whether it is a Statistic would depend on
  // itself.
  template <class S>
  // NOLINTNEXTLINE(google-explicit-constructor): any statistic can be used as an AnyStat
  requires(!std::same_as<S, AnyStat>) && Statistic<S> AnyStat(S stat)
      : model_(std::make_shared<const Model<S>>(std::move(stat))) {}

  std::string_view type() const { return model_->type(); }
  AnyStat zero() const { return model_->zero(); }
  AnyStat merge(const AnyStat& other) const { return model_->merge(*other.model_); }
  AnyStat reduce(std::optional<int64_t> axis = 0) const { return model_->reduce(axis); }
  Array result() const { return model_->result(); }
  Fields save() const { return model_->save(); }

  // The statistic inside if it is an S, else null.
  template <Statistic S>
  const S* get() const {
    const auto* model = dynamic_cast<const Model<S>*>(model_.get());
    return model == nullptr ? nullptr : &model->stat;
  }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual std::string_view type() const = 0;
    virtual AnyStat zero() const = 0;
    virtual AnyStat merge(const Interface& other) const = 0;
    virtual AnyStat reduce(std::optional<int64_t> axis) const = 0;
    virtual Array result() const = 0;
    virtual Fields save() const = 0;
  };

  template <Statistic S>
  struct Model final : Interface {
    explicit Model(S s) : stat(std::move(s)) {}
    std::string_view type() const override { return S::kType; }
    AnyStat zero() const override { return stat.zero(); }
    AnyStat merge(const Interface& other) const override {
      const auto* same = dynamic_cast<const Model*>(&other);
      if (same == nullptr) throw_different_types(S::kType, other.type());
      return stat.merge(same->stat);
    }
    AnyStat reduce(std::optional<int64_t> axis) const override {
      if (axis) return stat.reduce(*axis);
      if constexpr (requires { stat.reduce(std::nullopt); }) {
        return stat.reduce(std::nullopt);
      } else {  // a statistic whose result has the axes of its fields
        return reduce_all(stat, stat.result().rank());
      }
    }
    Array result() const override { return stat.result(); }
    Fields save() const override { return stat.save(); }
    S stat;
  };

  [[noreturn]] static void throw_different_types(std::string_view a, std::string_view b);

  std::shared_ptr<const Interface> model_;  // immutable, so copies may share it
};

// A kind of statistic: its name in files, and the function that loads it. The table of kinds is a
// value. A program that adds a statistic copies default_stat_table(), appends its own row and
// passes the copy on.
struct StatKind {
  std::string type;
  std::string summary;
  std::function<AnyStat(const Fields&)> load;
};

using StatTable = std::vector<StatKind>;
const StatTable& default_stat_table();

// Throws Error for a type that the table does not have; the message lists the known types.
AnyStat load_stat(const StatTable& table, std::string_view type, const Fields& fields);

}  // namespace palimpsest::stat
