#include "palimpsest/kernels/dtype.h"

namespace palimpsest::kernels {

int64_t byte_size(DType dtype) {
  return dtype == DType::kFloat32 ? 4 : 2;
}

std::string_view name_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "float32";
    case DType::kFloat16:
      return "float16";
    case DType::kBFloat16:
      return "bfloat16";
  }
  return "";
}

}  // namespace palimpsest::kernels
