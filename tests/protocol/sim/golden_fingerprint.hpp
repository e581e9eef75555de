#pragma once

// The fingerprint of path revision 1, as the scalar code computed it under g++ and clang++. A
// change here is a change of the paths: peers and recordings of before no longer fit.

#include <array>
#include <string_view>

namespace contrail::test {

inline constexpr std::array<std::string_view, 7> k_golden_stages{
    "90106a66292208f2", "53b18bc05714ab51", "6c50bd1a54b4f1bb", "beb1ef0ff64158d9",
    "6ae679b633fb25a5", "c468d6f5f72b0818", "c7606b1f94983ed7"};
inline constexpr std::string_view k_golden_fingerprint = "c52be05b53734c20";

}  // namespace contrail::test
