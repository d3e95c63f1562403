// Any bytes as a data file of each kind: records, or an Error with the place.
#include <cstddef>
#include <cstdint>

#include "fuzz/input_file.h"
#include "palimpsest/base/error.h"
#include "palimpsest/data/internal/record_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  for (const char* name : {"data.jsonl", "data.json", "data.csv"}) {
    const auto file = input_folder().write(name, input_text(data, size));
    try {
      for (const data::Record& record : data::read_records(file)) {
        record.find_text("question");
        record.label("answer");
        record.texts("answer");
      }
    } catch (const Error&) {
      // The expected end of most inputs.
    }
  }
  return 0;
}
