// Checks a pack, which is a folder of results with its provenance.json: every file against its
// SHA-256, and the results of an audit by computing them again from the traces. It finds accidents
// (a file that was changed, lost or added, a result that does not belong to its traces). It does
// not find forgery: whoever changes a file on purpose can change the hashes as well. Forgery shows
// only if the digest (PackCheck::digest) was signed or deposited elsewhere.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/base/progress.h"

namespace palimpsest::evidence {

struct VerifyContext {
  attack::AttackTable attacks = attack::default_attack_table();
  int threads = 0;  // 0: one per core
  std::stop_token stop = {};
  ProgressDisplay* display = nullptr;
};

// A file, or a part of one, that was computed again.
struct Recomputed {
  std::string what;  // "mia.json"
  bool equal = false;
};

struct PackCheck {
  // The SHA-256 of provenance.json, which holds the hashes of all other files. Empty if
  // provenance.json itself was changed.
  std::string digest;
  size_t files = 0;  // the number of files that provenance.json names
  std::vector<std::string> changed;
  std::vector<std::string> missing;
  std::vector<std::string> added;
  std::vector<Recomputed> recomputed;
  // What should have been computed again and could not be, because of a fault: one sentence each.
  std::vector<std::string> failures;
  // What this check does not compute again, and why: one sentence each. These are not faults.
  std::vector<std::string> not_recomputed;

  // Whether the pack is intact: there is a digest, nothing was changed, lost or added, everything
  // that was computed again is equal, and there were no failures. not_recomputed does not count.
  bool matches() const;
};

// Writes nothing. Throws Error if the folder has no provenance.json, and Stopped if the stop token
// requested it.
PackCheck verify_pack(const std::filesystem::path& folder, const VerifyContext& context = {});

// For people: what was found, the digest, and what the check cannot find. Ends with a line break.
std::string check_to_text(const PackCheck& check, const std::string& folder);
std::string check_to_json(const PackCheck& check, const std::string& folder);

}  // namespace palimpsest::evidence
