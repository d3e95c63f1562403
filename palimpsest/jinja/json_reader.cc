#include "palimpsest/jinja/internal/json_reader.h"

#include <fmt/format.h>

#include <vector>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/jinja/internal/dict.h"

namespace palimpsest::jinja {
namespace {

// Builds values from the parser's events; unlike a document tree it sees how numbers are spelled.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  Builder(const std::string& where, Budget* budget) : where_(where), budget_(budget) {}

  Value finish() { return std::move(result_); }

  bool null() override { return add(Value::none()); }
  bool boolean(bool value) override { return add(Value::boolean(value)); }
  bool number_integer(number_integer_t value) override { return add(Value::integer(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<uint64_t>(INT64_MAX)) fail_number(std::to_string(value));
    return add(Value::integer(static_cast<int64_t>(value)));
  }
  bool number_float(number_float_t value, const string_t& spelling) override {
    if (spelling.find_first_of(".eE") == string_t::npos) fail_number(spelling);
    return add(Value::real(value));
  }
  bool string(string_t& value) override { return add(make_string(std::move(value), budget_)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(true); }
  bool start_array(std::size_t) override { return open(false); }
  bool key(string_t& value) override {
    open_.back().key = make_string(std::move(value), budget_);
    return true;
  }
  bool end_object() override {
    std::vector<DictObject::Entry> entries = std::move(open_.back().entries);
    open_.pop_back();
    return add(make_dict(std::move(entries), budget_));
  }
  bool end_array() override {
    Values items = std::move(open_.back().items);
    open_.pop_back();
    return add(make_list(std::move(items), budget_));
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& failure) override {
    const std::string message = failure.what();
    const size_t prefix = message.find("] ");
    throw Error({.what = "this is not valid JSON: " +
                         (prefix == std::string::npos ? message : message.substr(prefix + 2)),
                 .where = where_});
  }

 private:
  struct Container {
    bool is_object = false;
    Value key = {};
    Values items = {};
    std::vector<DictObject::Entry> entries = {};
  };

  bool open(bool is_object) {
    if (open_.size() >= kMaxNesting) {
      throw Error({.what = fmt::format("the JSON is nested more than {} deep", kMaxNesting),
                   .where = where_});
    }
    open_.push_back({.is_object = is_object});
    return true;
  }

  bool add(Value value) {
    if (open_.empty()) {
      result_ = std::move(value);
    } else if (open_.back().is_object) {
      open_.back().entries.emplace_back(std::move(open_.back().key), std::move(value));
    } else {
      open_.back().items.push_back(std::move(value));
    }
    return true;
  }

  [[noreturn]] void fail_number(const std::string& spelling) const {
    throw Error(
        {.what = "an integer does not fit into 64 bits", .where = where_, .found = spelling});
  }

  const std::string& where_;
  Budget* budget_;
  std::vector<Container> open_;
  Value result_;
};

}  // namespace

Value parse_json_value(std::string_view text, const std::string& where, Budget* budget) {
  require_no_zero_byte(text, where);
  Builder builder(where, budget);
  Json::sax_parse(text, &builder);
  return builder.finish();
}

}  // namespace palimpsest::jinja
