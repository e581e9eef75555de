#pragma once

// The fingerprint of path revision 1, as the scalar code computed it under g++ and clang++. A
// change here is a change of the paths: peers and recordings of before no longer fit.

#include <array>
#include <string_view>

namespace contrail::test {

inline constexpr std::array<std::string_view, 9> k_golden_stages{
    "21d96eab4d47ec72", "53b18bc05714ab51", "07cb0ca473d8a833",
    "d8516174869b0020", "3cbfe427945f5f4e", "c468d6f5f72b0818",
    "c7606b1f94983ed7", "11ab3ec48713a557", "13f9a99bbdc695ed"};
inline constexpr std::string_view k_golden_fingerprint = "5fe1ec85a8ddb12b";

}  // namespace contrail::test
