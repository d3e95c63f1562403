#include "palimpsest/base/internal/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "palimpsest/base/array.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/checked.h"
#include "palimpsest/base/internal/json_events.h"

namespace palimpsest {
namespace {

constexpr int64_t kLengthBytes = 8;
constexpr size_t kMaxRank = 32;
constexpr size_t kMaxDType = 16;
constexpr const char* kDownloadAgain = "download the file again";

struct StoredType {
  std::string_view name;
  int64_t bits;
};

constexpr StoredType kStoredTypes[] = {
    {"F64", 64},    {"F32", 32},    {"F16", 16},    {"BF16", 16},   {"C64", 64},
    {"I64", 64},    {"U64", 64},    {"I32", 32},    {"U32", 32},    {"I16", 16},
    {"U16", 16},    {"I8", 8},      {"U8", 8},      {"BOOL", 8},    {"F8_E4M3", 8},
    {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F4", 4},
};

// A tensor as the header's text has it, before its numbers are believed.
struct Declared {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t begin = 0;  // of its bytes, after the header
  int64_t end = 0;
};

std::string tensor_location(const std::string& where, const std::string& name) {
  return fmt::format("{}: tensor '{}'", where, name);
}

bool is_type_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxDType &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
         });
}

class HeaderReader final : public JsonEvents {
 public:
  explicit HeaderReader(const std::string& where) : where_(where) {}

  std::vector<Declared> take() { return std::move(tensors_); }
  // The texts of __metadata__, with their names. Anything else there is left out.
  std::vector<std::pair<std::string, std::string>> take_metadata() { return std::move(metadata_); }

 private:
  // What the next value is, from how many objects and arrays are open.
  enum Depth { kNothing, kHeader, kTensor, kNumbers };

  void opened(Kind kind) override {
    if (in_metadata_) {
      ++metadata_depth_;
      return;
    }
    const bool right = depth_ <= kHeader ? kind == Kind::kObject
                                         : depth_ == kTensor && kind == Kind::kArray && numbers_;
    if (!right) fail(kind == Kind::kObject ? "an object" : "an array");
    if (depth_ == kTensor) *numbers_ = std::vector<int64_t>();
    depth_ = static_cast<Depth>(depth_ + 1);
  }

  void closed() override {
    if (in_metadata_) {
      in_metadata_ = --metadata_depth_ > 0;
      return;
    }
    if (depth_ == kTensor) finish_tensor();
    depth_ = static_cast<Depth>(depth_ - 1);
  }

  void named(std::string name) override {
    if (in_metadata_) {
      field_ = std::move(name);
      return;
    }
    if (depth_ == kHeader) {
      start_tensor(std::move(name));
      return;
    }
    field_ = std::move(name);
    numbers_ = field_ == "shape" ? &shape_ : field_ == "data_offsets" ? &offsets_ : nullptr;
    if (numbers_ == nullptr && field_ != "dtype") {
      skip_value();
    } else if (numbers_ != nullptr ? numbers_->has_value() : dtype_.has_value()) {
      throw Error({.what = fmt::format("'{}' is given twice", field_), .where = location()});
    }
  }

  void text(std::string value) override {
    if (in_metadata_) {
      if (metadata_depth_ == 1) metadata_.emplace_back(field_, std::move(value));
      in_metadata_ = metadata_depth_ > 0;
      return;
    }
    if (depth_ != kTensor || numbers_ != nullptr) fail("a text");
    if (!is_type_name(value)) throw Error({.what = "the dtype is malformed", .where = location()});
    dtype_ = std::move(value);
  }

  void whole_number(int64_t value) override {
    if (in_metadata_) return other("a number");
    if (depth_ != kNumbers) fail("a number");
    if (value < 0) {
      throw Error({.what = fmt::format("'{}' holds the negative number {}", field_, value),
                   .where = location()});
    }
    if ((*numbers_)->size() == kMaxRank) {
      throw Error({.what = fmt::format("'{}' holds more than {} numbers", field_, kMaxRank),
                   .where = location()});
    }
    (*numbers_)->push_back(value);
  }

  void other(std::string_view what) override {
    if (!in_metadata_) fail(what);
    in_metadata_ = metadata_depth_ > 0;
  }

  void start_tensor(std::string name) {
    if (name == "__metadata__") {
      in_metadata_ = true;
      field_.clear();
      return;
    }
    if (!is_printable_name(name)) {
      throw Error({.what = fmt::format("the name of tensor number {} is too long or holds a "
                                       "control character",
                                       tensors_.size() + 1),
                   .where = where_});
    }
    name_ = std::move(name);
    dtype_.reset();
    shape_.reset();
    offsets_.reset();
  }

  void finish_tensor() {
    const char* missing = !dtype_     ? "dtype"
                          : !shape_   ? "shape"
                          : !offsets_ ? "data_offsets"
                                      : nullptr;
    if (missing != nullptr) {
      throw Error({.what = fmt::format("'{}' is missing", missing), .where = location()});
    }
    if (offsets_->size() != 2) {
      throw Error({.what = "'data_offsets' is malformed",
                   .where = location(),
                   .expected = "two numbers",
                   .found = fmt::format("{}", offsets_->size())});
    }
    tensors_.push_back({.name = name_,
                        .dtype = *dtype_,
                        .shape = *shape_,
                        .begin = (*offsets_)[0],
                        .end = (*offsets_)[1]});
  }

  [[noreturn]] void fail(std::string_view found) const {
    static constexpr std::array kExpected = {"an object of tensors",
                                             "an object with dtype, shape and data_offsets",
                                             "a text", "a whole number"};
    const bool wants_numbers = depth_ == kTensor && numbers_ != nullptr;
    throw Error({.what = depth_ >= kTensor ? fmt::format("'{}' is malformed", field_)
                                           : "the header is malformed",
                 .where = depth_ == kNothing ? where_ : location(),
                 .expected = wants_numbers ? "an array of whole numbers" : kExpected[depth_],
                 .found = std::string(found)});
  }

  std::string location() const { return tensor_location(where_, name_); }

  const std::string& where_;
  Depth depth_ = kNothing;
  std::vector<Declared> tensors_;
  // The tensor that is being read.
  std::string name_;
  std::optional<std::string> dtype_;
  std::optional<std::vector<int64_t>> shape_;
  std::optional<std::vector<int64_t>> offsets_;
  // Its current field, and where that one's numbers go; null for a field that is a text.
  std::string field_;
  std::optional<std::vector<int64_t>>* numbers_ = nullptr;
  // Whether the value that is being read is __metadata__, and how many of its objects and arrays
  // are open.
  bool in_metadata_ = false;
  int64_t metadata_depth_ = 0;
  std::vector<std::pair<std::string, std::string>> metadata_;
};

using Aliases = std::unordered_map<std::string, std::vector<std::string>>;

// The names that stand for a stored tensor, by the name of that tensor. Other entries, such as
// "format", name no tensor.
Aliases aliases_in(const std::vector<std::pair<std::string, std::string>>& metadata) {
  Aliases aliases;
  for (const auto& [name, stored] : metadata) {
    if (!name.empty() && is_printable_name(name)) aliases[stored].push_back(name);
  }
  return aliases;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Throws Error where the file is too short to be one, or is something else.
std::string_view header_of(std::span<const std::byte> file, const std::string& where) {
  if (as_text(file).starts_with("version https://git-lfs")) {
    throw Error({.what = "this is a Git LFS pointer, not the file itself",
                 .where = where,
                 .hint = "fetch the file with: git lfs pull"});
  }
  const auto size = static_cast<int64_t>(file.size());
  if (size < kLengthBytes) {
    throw Error({.what = fmt::format("the file is {} bytes long, too short for safetensors", size),
                 .where = where,
                 .hint = kDownloadAgain});
  }
  uint64_t length = 0;
  for (int64_t i = kLengthBytes - 1; i >= 0; --i) {
    length = length << 8 | std::to_integer<uint64_t>(file[static_cast<size_t>(i)]);
  }
  if (length > static_cast<uint64_t>(kMaxSafetensorsHeader)) {
    throw Error(
        {.what = fmt::format("the header claims {} bytes, more than the {} that are allowed",
                             length, kMaxSafetensorsHeader),
         .where = where,
         .hint = "this is not a safetensors file, or it is damaged: download it again"});
  }
  if (length > static_cast<uint64_t>(size - kLengthBytes)) {
    throw Error({.what = fmt::format("the file is {} bytes, its header alone needs {}", size,
                                     length + kLengthBytes),
                 .where = where,
                 .hint = kDownloadAgain});
  }
  return as_text(file.subspan(kLengthBytes, length));
}

void check_names(const std::vector<Declared>& tensors, const std::string& where) {
  std::unordered_set<std::string_view> names;
  for (const Declared& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      throw Error(
          {.what = fmt::format("the tensor '{}' is declared twice", tensor.name), .where = where});
    }
  }
}

// That the offsets span what dtype and shape need.
void check_extent(const Declared& tensor, const std::string& where) {
  const std::string location = tensor_location(where, tensor.name);
  if (tensor.begin > tensor.end) {
    throw Error(
        {.what = fmt::format("its bytes begin at {} and end at {}", tensor.begin, tensor.end),
         .where = location});
  }
  const auto* const type =
      std::find_if(std::begin(kStoredTypes), std::end(kStoredTypes),
                   [&](const StoredType& t) { return t.name == tensor.dtype; });
  if (type == std::end(kStoredTypes)) return;
  int64_t bits = type->bits;
  try {
    for (const int64_t extent : tensor.shape) bits = checked_mul(bits, extent);
  } catch (const Error&) {
    throw Error({.what = fmt::format("the shape {} is too large", to_string(tensor.shape)),
                 .where = location});
  }
  if (bits % 8 != 0 || bits / 8 != tensor.end - tensor.begin) {
    throw Error({.what = "its length does not fit its shape",
                 .where = location,
                 .expected = fmt::format("{} bytes for {} {}", bits / 8 + (bits % 8 != 0),
                                         tensor.dtype, to_string(tensor.shape)),
                 .found = fmt::format("{} bytes", tensor.end - tensor.begin)});
  }
}

// That the tensors, sorted by their offsets, lie back to back. Returns where the last one ends.
int64_t check_order(const std::vector<Declared>& tensors, const std::string& where) {
  int64_t end = 0;
  std::string_view before;
  for (const Declared& tensor : tensors) {
    if (tensor.begin < end) {
      throw Error({.what = fmt::format("the tensors '{}' and '{}' overlap", before, tensor.name),
                   .where = where});
    }
    if (tensor.begin > end) {
      throw Error({.what = fmt::format("{} bytes before the tensor '{}' belong to no tensor",
                                       tensor.begin - end, tensor.name),
                   .where = where});
    }
    end = tensor.end;
    before = tensor.name;
  }
  return end;
}

// That the file is as long as its header says: `data` bytes before the tensors, `end` of tensors.
void check_length(int64_t file, int64_t data, int64_t end, const std::string& where) {
  if (end > file - data) {
    const uint64_t needed = static_cast<uint64_t>(data) + static_cast<uint64_t>(end);
    throw Error({.what = fmt::format("the file is {} bytes, its header needs {}", file, needed),
                 .where = where,
                 .hint = kDownloadAgain});
  }
  if (end < file - data) {
    throw Error({.what = fmt::format("the last {} bytes belong to no tensor", file - data - end),
                 .where = where,
                 .hint = kDownloadAgain});
  }
}

}  // namespace

std::vector<SafetensorsEntry> parse_safetensors(std::span<const std::byte> file,
                                                const std::string& where) {
  const std::string_view header = header_of(file, where);
  HeaderReader reader(where);
  reader.read(header, where + ": header");
  std::vector<Declared> tensors = reader.take();
  Aliases aliases = aliases_in(reader.take_metadata());
  check_names(tensors, where);
  for (const Declared& tensor : tensors) check_extent(tensor, where);
  // Empty tensors begin where their neighbour does and sort before it.
  std::stable_sort(tensors.begin(), tensors.end(), [](const Declared& a, const Declared& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  const auto data = static_cast<int64_t>(header.size()) + kLengthBytes;
  check_length(static_cast<int64_t>(file.size()), data, check_order(tensors, where), where);
  std::vector<SafetensorsEntry> entries;
  entries.reserve(tensors.size());
  for (Declared& tensor : tensors) {
    const auto other_names = aliases.find(tensor.name);
    entries.push_back({.name = std::move(tensor.name),
                       .dtype = std::move(tensor.dtype),
                       .shape = std::move(tensor.shape),
                       .bytes = file.subspan(static_cast<size_t>(data + tensor.begin),
                                             static_cast<size_t>(tensor.end - tensor.begin))});
    if (other_names != aliases.end()) entries.back().aliases = std::move(other_names->second);
  }
  return entries;
}

std::map<std::string, std::string> safetensors_metadata(std::span<const std::byte> file,
                                                        const std::string& where) {
  HeaderReader reader(where);
  reader.read(header_of(file, where), where + ": header");
  std::map<std::string, std::string> texts;
  for (auto& [name, text] : reader.take_metadata()) texts[name] = std::move(text);
  return texts;
}

}  // namespace palimpsest
