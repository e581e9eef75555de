#include <gtest/gtest.h>

#include <contrail/sim/assert.hpp>
#include <string>

namespace contrail::sim {
namespace {

TEST(AssertTest, a_broken_contract_names_itself_and_its_place) {
  const int line = __LINE__ + 2;
  try {
    require(1 + 1 == 3, "one and one are three");
    FAIL() << "nothing was thrown";
  } catch (const AssertionFailure& failure) {
    const std::string text = failure.what();
    EXPECT_NE(text.find("expected that one and one are three"), std::string::npos) << text;
    EXPECT_NE(text.find("assert_test.cpp:" + std::to_string(line)), std::string::npos) << text;
  }
}

TEST(AssertTest, a_kept_contract_costs_nothing_visible) {
  EXPECT_NO_THROW(require(true, "nothing"));
}

TEST(AssertDeathTest, an_uncaught_failure_ends_the_process_with_its_message) {
  EXPECT_DEATH([]() noexcept { require(false, "the process ends here"); }(),
               "the process ends here");
}

}  // namespace
}  // namespace contrail::sim
