// The variants of norms and activations that differ between model families.
#pragma once

namespace palimpsest::kernels {

enum class NormKind {
  kRms,      // x / rms(x) · w
  kRmsPlus,  // x / rms(x) · (1 + w)
  kLayer,    // (x - mean) / sd(x) · w + b
};

enum class Activation { kSilu, kGelu, kGeluTanh, kRelu };

}  // namespace palimpsest::kernels
