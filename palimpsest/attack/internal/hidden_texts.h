// Takes the texts out of traces, for results that are published or given away. What the attacks
// need stays: the log-probabilities with their moments, and the size of the compressed text (for
// the attack zlib). What people could read goes: prompt, text, tokens, and the ids of tokens, which
// are the text in another form. Where it matters whether two texts or two groups are the same, a
// salted hash takes the place of the text. Without the salt nobody can find out by guessing which
// text a hash stands for.
#pragma once

#include <string>

#include "palimpsest/trace/trace.h"

namespace palimpsest::attack {

// 16 hexadecimal digits of the SHA-256 of salt and text.
std::string salted_hash(const std::string& salt, const std::string& text);

// Values of groups may be names of people, so they become hashes, too. The attack ez_mia and the
// groups "common" and "rare" (mia/subgroups.h) need token ids, so they cannot be computed from the
// result.
void hide_texts(const std::string& salt, trace::Trace& trace);

}  // namespace palimpsest::attack
