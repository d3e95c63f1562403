// The attacks, each in its own source file, which begins with the attack's formula and its paper.
// default_attack_table() lists them. The scores are those of one example.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

Attack loss_attack();
Attack min_k_attack();
Attack min_k_plus_plus_attack();
Attack zlib_attack();
Attack surp_attack();
Attack gradnorm_attack();
// Those that compare with a reference model.
Attack reference_attack();
Attack ratio_attack();
Attack wbc_attack();
Attack ez_mia_attack();

std::optional<double> loss_score(const trace::Trace& trace);
std::optional<double> min_k_score(const trace::Trace& trace, double k);
std::optional<double> min_k_plus_plus_score(const trace::Trace& trace, double k);
std::optional<double> zlib_score(const trace::Trace& trace);
// k is the share of the lowest tokens, in (0, 1]. entropy is e, in nats, > 0.
std::optional<double> surp_score(const trace::Trace& trace, double k, double entropy);
std::optional<double> gradnorm_score(const trace::Trace& trace, double p);
std::optional<double> reference_score(const trace::Trace& trace, const trace::Trace& reference);
std::optional<double> ratio_score(const trace::Trace& trace, const trace::Trace& reference);
std::optional<double> wbc_score(const trace::Trace& trace, const trace::Trace& reference);
std::optional<double> ez_mia_score(const trace::Trace& trace, const trace::Trace& reference);

// The parameter k of Min-K, which Min-K++ shares.
AttackParameter min_k_parameter();
// The key of Trace::grad_norm: "1", "2" or "inf".
std::string grad_norm_key(double p);
// The size of these bytes after compression at zlib's default level.
int64_t compressed_size(std::string_view bytes);

}  // namespace palimpsest::attack
