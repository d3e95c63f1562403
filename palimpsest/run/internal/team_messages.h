// The messages by which the ranks of a team (team.h) work together: a kind, then numbers and texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "palimpsest/run/internal/payload.h"

namespace palimpsest::run {

enum class TeamMessageKind : uint64_t {
  // To the leader.
  kHello,   // whether layers are split, host, fingerprint, then names and values: I am at this pass
  kResult,  // batch, payload
  kFailed,  // exit status, sentence
  kBye,     // the last message
  // To a follower.
  kTell,     // text
  kBatch,    // batch
  kBatches,  // all batches of the pass, if layers are split
  kDone,     // the pass
  kOver,     // all
  kLeave,    // nobody sends any more
};

std::string team_message(TeamMessageKind kind);
void put_text(std::string& out, std::string_view text);

// Reads a message of this program, so that a wrong one is a bug.
class TeamMessageReader {
 public:
  explicit TeamMessageReader(const std::string& bytes) : reader_(bytes) {}
  uint64_t number();
  TeamMessageKind kind() { return static_cast<TeamMessageKind>(number()); }
  std::string text();
  bool has_more() const { return reader_.left() > 0; }

 private:
  PayloadReader reader_;
};

}  // namespace palimpsest::run
