// The metrics of one folder that the files of two runs have under one name. The first file counts,
// and the results of the others are left out. This remembers which file each result is from, and
// says what was left out. It does not decide whether two results differ.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace palimpsest::report {

class RepeatedMetrics {
 public:
  // All that follows is from this file of the run. A run may have several files: TOFU_EVAL.json and
  // TOFU_SUMMARY.json are of the run "TOFU".
  void begin_file(const std::string& file, const std::string& run);
  // The metric, or "the answer", is taken from the file, or is left out.
  void take(const std::string& metric);
  void leave_out(const std::string& metric);
  // One sentence for each pair of runs, which names a file of each.
  std::vector<std::string> notes() const;

 private:
  struct File {
    std::string name;
    std::string run;
  };

  File current_;
  std::map<std::string, File> taken_from_;
  // The metrics that were left out, by the run that was taken and the run that was not.
  struct LeftOut {
    std::string taken;
    std::string left;
    std::vector<std::string> metrics;
  };
  std::map<std::pair<std::string, std::string>, LeftOut> left_out_;
};

}  // namespace palimpsest::report
