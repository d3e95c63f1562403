#include "palimpsest/run/internal/team_messages.h"

#include "palimpsest/base/error.h"

namespace palimpsest::run {

std::string team_message(TeamMessageKind kind) {
  std::string bytes;
  put_number(bytes, static_cast<uint64_t>(kind));
  return bytes;
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}

uint64_t TeamMessageReader::number() {
  uint64_t value = 0;
  PALIMPSEST_CHECK(reader_.get(value));
  return value;
}

std::string TeamMessageReader::text() {
  std::string_view part;
  PALIMPSEST_CHECK(reader_.take(number(), part));
  return std::string(part);
}

}  // namespace palimpsest::run
