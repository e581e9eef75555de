#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "worked_numbers.hpp"

namespace contrail::spec {
namespace {

std::string committed() {
  std::ifstream file(CONTRAIL_SPECIFICATION);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// CONTRAIL_REWRITE_GOLDEN=1 writes the numbers into the specification instead of complaining.
TEST(SpecTest, the_worked_numbers_are_those_the_code_computes) {
  if (std::getenv("CONTRAIL_REWRITE_GOLDEN") != nullptr) {
    const std::string updated = with_examples(committed(), worked_numbers());
    std::ofstream(CONTRAIL_SPECIFICATION) << updated;
  }
  const std::vector<Example> stated = examples_in(committed());
  const std::vector<Example> computed = worked_numbers();
  ASSERT_EQ(stated.size(), computed.size());
  for (std::size_t i = 0; i < computed.size(); ++i) {
    EXPECT_EQ(stated[i].name, computed[i].name);
    EXPECT_EQ(stated[i].text, computed[i].text) << "worked " << computed[i].name;
  }
}

TEST(SpecTest, control_one_digit_changed_is_noticed) {
  std::string text = committed();
  const std::size_t fence = text.find("```worked ");
  ASSERT_NE(fence, std::string::npos);
  const std::size_t digit = text.find_first_of("0123456789", text.find('\n', fence));
  ASSERT_NE(digit, std::string::npos);
  text[digit] = text[digit] == '9' ? '0' : static_cast<char>(text[digit] + 1);
  EXPECT_NE(examples_in(text), worked_numbers());
  EXPECT_EQ(examples_in(with_examples(text, worked_numbers())), worked_numbers());
}

}  // namespace
}  // namespace contrail::spec
