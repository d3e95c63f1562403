#include "palimpsest/kernels/dtype.h"

#include <gtest/gtest.h>

namespace palimpsest::kernels {
namespace {

TEST(DTypeTest, SizesAndNames) {
  EXPECT_EQ(byte_size(DType::kFloat32), 4);
  EXPECT_EQ(byte_size(DType::kFloat16), 2);
  EXPECT_EQ(byte_size(DType::kBFloat16), 2);
  EXPECT_EQ(name_of(DType::kFloat32), "float32");
  EXPECT_EQ(name_of(DType::kFloat16), "float16");
  EXPECT_EQ(name_of(DType::kBFloat16), "bfloat16");
}

}  // namespace
}  // namespace palimpsest::kernels
