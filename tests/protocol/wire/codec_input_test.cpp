#include <string>

#include <contrail_generated.h>
#include <gmock/gmock.h>
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
  EXPECT_EQ(answer({}), "a field is missing: commands");
  EXPECT_EQ(answer(std::vector<fb::Fire>(k_max_commands + 1)),
            "more elements than the limit: fires");
}

template <class Add>
std::string answer_table(Add&& add) {
  flatbuffers::FlatBufferBuilder b;
  add(b);
  std::vector<Command> out;
  const CodecResult result = decode_commands({b.GetBufferPointer(), b.GetSize()}, out);
  return std::string(describe(result.error)) + ": " + result.field;
}

std::string answer(const fb::Steer& steer) {
  return answer_table([&](flatbuffers::FlatBufferBuilder& b) {
    const auto vector = b.CreateVectorOfStructs(&steer, 1);
    b.Finish(fb::CreateCommands(b, 0, vector));
  });
}
std::string answer(const fb::Drive& drive) {
  return answer_table([&](flatbuffers::FlatBufferBuilder& b) {
    const auto vector = b.CreateVectorOfStructs(&drive, 1);
    b.Finish(fb::CreateCommands(b, 0, 0, 0, 0, vector));
  });
}

TEST(CodecInput, EveryRangeOfTheOtherKindsIsChecked) {
  const fb::Vec3 none(0, 0, 0);
  const fb::Vec3 far(0, (1 << 30) + 1, 0);
  EXPECT_EQ(answer(fb::Steer(1, 5, 0, fb::Vec3(1, 2, 3), 7, 3, 0)), "no error: ");
  EXPECT_EQ(answer(fb::Steer(1, 5, 0, none, 7, 0, 0)), "no error: ");
  EXPECT_EQ(answer(fb::Steer(1, 5, 0, fb::Vec3(1, 2, 3), 7, 0, 0)),
            "a value out of range: steer.value");
  EXPECT_EQ(answer(fb::Steer(1, 5, 0, far, 7, 1, 0)), "a value out of range: steer.value");
  EXPECT_EQ(answer(fb::Steer(1, 5, 0, none, 7, 4, 0)), "a value out of range: steer.kind");
  EXPECT_EQ(answer(fb::Steer(1, 5, 0, none, 65535, 1, 0)), "a value out of range: steer.entity");
  EXPECT_EQ(answer(fb::Steer(1, 5, 0x4001, none, 7, 1, 0)), "a value out of range: steer.at");
  EXPECT_EQ(answer(fb::Steer(1, 5, 0, none, 7, 1, 1)),
            "a reserved bit that is not 0: steer.reserved");
  EXPECT_EQ(answer(fb::Drive(1, 5, 0, none, none, 7, 0)), "no error: ");
  EXPECT_EQ(answer(fb::Drive(1, 5, 0, far, none, 7, 0)), "a value out of range: drive.position");
  EXPECT_EQ(answer(fb::Drive(1, 5, 0, none, far, 7, 0)), "a value out of range: drive.velocity");
  EXPECT_EQ(answer(fb::Drive(1, 5, 0, none, none, 65535, 0)), "a value out of range: drive.entity");
}

TEST(CodecInput, AnIdStandsOnceInAMessageWhateverTheKind) {
  const fb::Release release(4, 5, 0, 7, 0);
  const fb::SelfDestruct salvo(4, 5, 0, 9);
  EXPECT_EQ(answer_table([&](flatbuffers::FlatBufferBuilder& b) {
              const auto releases = b.CreateVectorOfStructs(&release, 1);
              const auto salvos = b.CreateVectorOfStructs(&salvo, 1);
              b.Finish(fb::CreateCommands(b, 0, 0, releases, salvos));
            }),
            "elements out of order: commands");
}

TEST(CodecInput, AnInputHoldsExactlyOneCommand) {
  const fb::Release release(4, 5, 0, 7, 0);
  const fb::HostDespawn despawn(4, 9, 0);
  const auto read = [&](bool first, bool second) {
    flatbuffers::FlatBufferBuilder b;
    fb::InputBuilder table(b);
    if (first) table.add_release(&release);
    if (second) table.add_despawn(&despawn);
    table.add_tick(3);
    b.Finish(table.Finish(), "CTIN");
    Input out;
    const CodecResult result = decode_input({b.GetBufferPointer(), b.GetSize()}, out);
    return std::string(describe(result.error)) + ": " + result.field;
  };
  EXPECT_EQ(read(false, false), "a field is missing: command");
  EXPECT_EQ(read(true, true), "more elements than the limit: command");
  EXPECT_THAT(read(true, false), testing::Not(testing::HasSubstr("command")));
}

TEST(CodecInput, TheHostsCommandsTravelInNoMessage) {
  Command despawn;
  despawn.id = 1;
  despawn.kind = CommandKind::despawn;
  EXPECT_NO_THROW(encode_input({1, k_host_client, despawn}));
  EXPECT_THROW(encode_commands(std::vector<Command>{despawn}), sim::AssertionFailure);
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
