// LOSS (Yeom et al. 2018, "Privacy Risk in Machine Learning"): the average loss itself. It is lower
// for texts that the model was trained on.
//
//   score = avg_loss = (Σ -log p) / (number of labelled positions)
#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

Attack loss_attack() {
  return {.name = "loss",
          .measures = "average negative log-probability of the labelled tokens",
          .cost = kOnePass,
          .use = "always: the baseline that the others must beat",
          .avoid = "use as the only attack: texts that are easy or hard for every model mislead it",
          .paper = "Yeom et al. 2018, arXiv 1709.01604",
          .needs = {needs_loss()},
          .score = [](const trace::Trace& trace, const ParameterValues&) {
            return trace::avg_loss(trace);
          }};
}

}  // namespace palimpsest::attack
