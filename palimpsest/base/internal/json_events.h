// Reads JSON as a stream of events, for files that may have a million members. A tree of Json is
// not suitable: it looks up members one after the other, so building it takes quadratic time, and
// it keeps only the last of two members with the same name. This header is for source files only,
// because it uses nlohmann's types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "palimpsest/base/internal/json.h"

namespace palimpsest {

// The base class of readers. Every function may throw Error, which ends the reading.
class JsonEvents : private nlohmann::json_sax<Json> {
 public:
  // Reads one document. Throws Error if it is not JSON, and passes on exceptions from the events.
  void read(std::string_view text, const std::string& where);

 protected:
  enum class Kind { kObject, kArray };

  virtual void opened(Kind kind) = 0;
  virtual void closed() = 0;
  virtual void named(std::string name) = 0;  // the name of the member that follows
  virtual void text(std::string value) = 0;
  virtual void whole_number(int64_t value) = 0;
  // Any other value: null, true, 1.5, or a number beyond int64_t. `what` describes it for messages.
  virtual void other(std::string_view what) = 0;

  // May be called in named(): the value that follows then causes no events.
  void skip_value() { skipping_ = true; }

 private:
  bool null() final;
  bool boolean(bool value) final;
  bool number_integer(int64_t value) final;
  bool number_unsigned(uint64_t value) final;
  bool number_float(double value, const std::string& spelling) final;
  bool string(std::string& value) final;
  bool binary(Json::binary_t& value) final;
  bool start_object(size_t) final { return open(Kind::kObject); }
  bool key(std::string& name) final;
  bool end_object() final { return close(); }
  bool start_array(size_t) final { return open(Kind::kArray); }
  bool end_array() final { return close(); }
  bool parse_error(size_t position, const std::string& token,
                   const nlohmann::detail::exception& reason) final;

  bool skips_scalar();
  bool open(Kind kind);
  bool close();

  bool skipping_ = false;
  int64_t skipped_depth_ = 0;  // nesting depth inside the skipped value
  std::string where_;
};

// Whether a name from a file can be shown in messages and on terminals: it is not too long and has
// no control characters.
bool is_printable_name(std::string_view name);

}  // namespace palimpsest
