#include <string>

#include <contrail_generated.h>
#include <gtest/gtest.h>
#include <contrail/sim/assert.hpp>

#include "codec_samples.hpp"

namespace contrail::wire {
namespace {

using samples::Dice;

TEST(CodecInput, RandomInputsComeBackEqual) {
  const std::uint64_t seed = samples::test_seed(20'007);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  for (int i = 0; i < samples::repetitions(1'000); ++i) {
    const Input input = samples::random_input(dice);
    Input back;
    ASSERT_TRUE(decode_input(encode_input(input), back));
    ASSERT_EQ(back, input);
  }
}

TEST(CodecInput, RandomCommandMessagesComeBackEqual) {
  const std::uint64_t seed = samples::test_seed(20'008);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  for (int i = 0; i < samples::repetitions(1'000); ++i) {
    const std::vector<Command> commands = samples::random_commands(dice);
    std::vector<Command> back;
    ASSERT_TRUE(decode_commands(encode_commands(commands), back));
    ASSERT_EQ(back, commands);
  }
}

std::string answer(const std::vector<fb::Fire>& fires) {
  flatbuffers::FlatBufferBuilder b;
  const auto vector = b.CreateVectorOfStructs(fires.data(), fires.size());
  b.Finish(fb::CreateCommands(b, vector));
  std::vector<Command> out;
  const CodecResult result = decode_commands({b.GetBufferPointer(), b.GetSize()}, out);
  return std::string(describe(result.error)) + ": " + result.field;
}

TEST(CodecInput, EveryRangeOfACommandIsChecked) {
  EXPECT_EQ(answer({fb::Fire(1, 5, 0, 1, 2, 255, 0, 0)}), "no error: ");
  EXPECT_EQ(answer({fb::Fire(1, 5, 0x4001, 1, 2, 0, 0, 0)}), "a value out of range: fire.at");
  EXPECT_EQ(answer({fb::Fire(1, 5, 0xFFFF'FFFF, 1, 2, 0, 0, 0)}), "a value out of range: fire.at");
  EXPECT_EQ(answer({fb::Fire(1, 5, 0, 65535, 2, 0, 0, 0)}), "a value out of range: fire.entity");
  EXPECT_EQ(answer({fb::Fire(1, 5, 0, 1, 65535, 0, 0, 0)}), "a value out of range: fire.target");
  EXPECT_EQ(answer({fb::Fire(1, 5, 0, 1, 2, 0, 1, 0)}),
            "a reserved bit that is not 0: fire.reserved");
  EXPECT_EQ(answer({fb::Fire(2, 5, 0, 1, 2, 0, 0, 0), fb::Fire(2, 5, 0, 1, 2, 0, 0, 0)}),
            "elements out of order: fires");
  EXPECT_EQ(answer({}), "a field is missing: fires");
  EXPECT_EQ(answer(std::vector<fb::Fire>(k_max_commands + 1)),
            "more elements than the limit: fires");
}

TEST(CodecInput, TheEncoderAssertsItsCommands) {
  Command good{1, CommandKind::fire, {1, 2, 0, 100}};
  Command bad = good;
  bad.fire.at = -1;
  EXPECT_NO_THROW(encode_commands(std::vector<Command>{good}));
  EXPECT_THROW(encode_commands(std::vector<Command>{bad}), sim::AssertionFailure);
  EXPECT_THROW(encode_commands(std::vector<Command>{good, good}), sim::AssertionFailure);
  EXPECT_THROW(encode_commands(std::vector<Command>{}), sim::AssertionFailure);
  EXPECT_THROW(encode_input({0, 1, good}), sim::AssertionFailure);
}

}  // namespace
}  // namespace contrail::wire
