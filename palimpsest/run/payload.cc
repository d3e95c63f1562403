#include "palimpsest/run/internal/payload.h"

namespace palimpsest::run {
namespace {

template <class T>
void put_all(std::string& out, const std::vector<T>& values) {
  static_assert(sizeof(T) == 8);
  put_number(out, values.size());
  for (const T& value : values) put_number(out, std::bit_cast<uint64_t>(value));
}

bool get_one(PayloadReader& reader, model::SequenceScores& scores) {
  return reader.get_all(scores.logprob) && reader.get_all(scores.mean) &&
         reader.get_all(scores.var) && reader.get_all(scores.argmax) &&
         reader.get_all(scores.gradient_norms);
}

bool get_one(PayloadReader& reader, model::Generation& generation) {
  uint64_t stopped = 0;
  uint64_t forward = 0;
  if (!reader.get_all(generation.ids) || !reader.get(stopped) || !reader.get(forward)) return false;
  generation.stopped = stopped != 0;
  generation.forward_tokens = static_cast<int64_t>(forward);
  return true;
}

template <class T>
bool get_list(std::string_view payload, std::vector<T>& list) {
  PayloadReader reader(payload);
  uint64_t count = 0;
  if (!reader.get(count) || count > payload.size()) return false;
  list.resize(count);
  for (T& one : list) {
    if (!get_one(reader, one)) return false;
  }
  return reader.left() == 0;
}

}  // namespace

void put_number(std::string& out, uint64_t number) {
  for (int i = 0; i < 8; ++i) out += static_cast<char>(number >> (8 * i) & 0xffU);
}

bool PayloadReader::get(uint64_t& number) {
  if (bytes_.size() < 8) return false;
  number = 0;
  for (int i = 0; i < 8; ++i) {
    number |= uint64_t{static_cast<unsigned char>(bytes_[static_cast<size_t>(i)])} << (8 * i);
  }
  bytes_.remove_prefix(8);
  return true;
}

bool PayloadReader::take(uint64_t count, std::string_view& part) {
  if (count > bytes_.size()) return false;
  part = bytes_.substr(0, count);
  bytes_.remove_prefix(count);
  return true;
}

std::string to_payload(const std::vector<model::SequenceScores>& scores) {
  std::string out;
  put_number(out, scores.size());
  for (const model::SequenceScores& one : scores) {
    put_all(out, one.logprob);
    put_all(out, one.mean);
    put_all(out, one.var);
    put_all(out, one.argmax);
    put_all(out, one.gradient_norms);
  }
  return out;
}

std::string to_payload(const std::vector<model::Generation>& generations) {
  std::string out;
  put_number(out, generations.size());
  for (const model::Generation& one : generations) {
    put_all(out, one.ids);
    put_number(out, one.stopped ? 1 : 0);
    put_number(out, static_cast<uint64_t>(one.forward_tokens));
  }
  return out;
}

bool from_payload(std::string_view payload, std::vector<model::SequenceScores>& scores) {
  return get_list(payload, scores);
}

bool from_payload(std::string_view payload, std::vector<model::Generation>& generations) {
  return get_list(payload, generations);
}

}  // namespace palimpsest::run
