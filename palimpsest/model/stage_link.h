// Pipeline parallelism: the layers of a model are divided among several processes, for models that
// are too large for any one machine. Each process is a stage: it has a contiguous part of the
// layers, takes the hidden states of the stage before it, and gives its own to the stage after it.
// All stages are asked to score the same sequences in the same order. Only the last one has the
// results (see LanguageModel::score()).
//
// A StageLink carries the hidden states from one process to the next. palimpsest/run has a link
// between the processes of a team (run/team.h).
#pragma once

#include <cstdint>
#include <span>

namespace palimpsest::model {

// The connection of a stage to its two neighbours. Blocks arrive in the order in which they were
// sent. Both functions are called only by the thread that called LanguageModel::score(). They throw
// if the run has ended in another process. The exception then ends it in this one as well
// (LeaderEnded of run/team.h).
class StageLink {
 public:
  virtual ~StageLink() = default;
  // Gives a block to the next stage. Waits only if too many blocks are on their way.
  virtual void send(std::span<const float> block) = 0;
  // Waits for a block of the stage before this one, which must have the size of `block`.
  virtual void receive(std::span<float> block) = 0;
};

struct Stage {
  int64_t index = 0;          // from 0, the stage with the embedding and the first layers
  int64_t count = 1;          // the last stage also has the final norm and the head
  StageLink* link = nullptr;  // must outlive the model

  bool is_last() const { return index + 1 == count; }
};

}  // namespace palimpsest::model
