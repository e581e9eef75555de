// The committed corpus through every target, in every build; and the tools of the targets, which
// must see what is wrong.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include <contrail/fuzz/target.hpp>

#include "seeds.hpp"

namespace contrail::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t k_most_bytes = 300'000;
const fs::path k_corpus = CONTRAIL_CORPUS_DIR;

Bytes read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> files_of(const Target& target) {
  std::vector<fs::path> files;
  const fs::path folder = k_corpus / target.name;
  if (fs::is_directory(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, every_file_holds_what_its_name_says) {
  const Target& target = GetParam();
  std::size_t accepted = 0;
  const std::vector<fs::path> files = files_of(target);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename().string());
    const std::string name = file.stem().string();
    Outcome outcome;
    ASSERT_NO_THROW(outcome = target.run(read_file(file)));
    accepted += outcome.accepted ? 1 : 0;
    const bool refused = name.starts_with("refused") && name.starts_with(word_of(outcome));
    EXPECT_TRUE(outcome.accepted ? !name.starts_with("refused") : refused)
        << "it is " << word_of(outcome);
  }
  EXPECT_GE(files.size(), 3U);
  EXPECT_GE(accepted, 1U);
}

INSTANTIATE_TEST_SUITE_P(Targets, Corpus, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const testing::TestParamInfo<Target>& target) {
                           return std::string(target.param.name);
                         });

TEST(CorpusFolder, is_small_and_belongs_to_targets) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(k_corpus)) {
    if (entry.is_regular_file()) {
      bytes += entry.file_size();
    } else {
      EXPECT_NE(find_target(entry.path().filename().string()), nullptr) << entry.path();
    }
  }
  EXPECT_LT(bytes, k_most_bytes);
}

/// With CONTRAIL_WRITE_CORPUS set, writes them.
TEST(CorpusFolder, holds_the_seeds_as_they_are_made_today) {
  const bool write = std::getenv("CONTRAIL_WRITE_CORPUS") != nullptr;
  std::set<fs::path> paths;
  for (const Seed& seed : seeds()) {
    const fs::path path = k_corpus / seed.target / (seed.name + ".bin");
    EXPECT_TRUE(paths.insert(path).second) << path << " is made twice";
    ASSERT_NE(find_target(seed.target), nullptr) << seed.target;
    if (write) {
      fs::create_directories(path.parent_path());
      std::ofstream(path, std::ios::binary)
          .write(reinterpret_cast<const char*>(seed.bytes.data()),
                 static_cast<std::streamsize>(seed.bytes.size()));
    }
    EXPECT_TRUE(fs::exists(path) && read_file(path) == seed.bytes)
        << path << " is not what seeds.cpp makes; CONTRAIL_WRITE_CORPUS=1 writes it";
  }
}

TEST(FuzzTargets, weights_are_thousandths) {
  int sum = 0;
  for (const Target& target : targets()) sum += target.weight;
  EXPECT_EQ(sum, 1000);
}

// ---- negative controls: decoders that do wrong
// ---------------------------------------------------

struct Value {
  int number = 0;
  bool operator==(const Value&) const = default;
};
constexpr Value k_sentinel{77};
const Bytes k_bytes{1, 2, 3};

Outcome check_decoder(wire::CodecResult (*decode)(ByteView, Value&), const Bytes& encoded) {
  Value out;
  return check_canonical(
      k_bytes, k_sentinel, decode, [&](const Value&) { return encoded; }, out);
}
wire::CodecResult refuse() {
  return {wire::CodecError::malformed, "message"};
}

TEST(FuzzTargets, a_right_decoder_passes) {
  const auto read = [](ByteView bytes, Value& out) {
    out.number = bytes[0];
    return wire::CodecResult{};
  };
  EXPECT_EQ(word_of(check_decoder(read, k_bytes)), "accepted");
  const auto no = [](ByteView, Value&) { return refuse(); };
  EXPECT_EQ(word_of(check_decoder(no, k_bytes)).substr(0, 8), "refused_");
}

TEST(FuzzTargets, negative_control_an_output_changed_by_refused_bytes_is_seen) {
  const auto faulty = [](ByteView, Value& out) {
    out.number = 1;
    return refuse();
  };
  EXPECT_THROW(check_decoder(faulty, k_bytes), Violation);
}

TEST(FuzzTargets, negative_control_other_bytes_for_what_was_accepted_are_seen) {
  const auto read = [](ByteView, Value&) { return wire::CodecResult{}; };
  EXPECT_THROW(check_decoder(read, {1, 2, 4}), Violation);
  EXPECT_THROW(check_decoder(read, {1, 2}), Violation);
  EXPECT_THROW(check_decoder(read, {1, 2, 3, 0}), Violation);
}

TEST(FuzzTargets, negative_control_an_answer_that_depends_on_alignment_is_seen) {
  const auto faulty = [](ByteView bytes, Value& out) {
    out.number = static_cast<int>(reinterpret_cast<std::uintptr_t>(bytes.data()) % 2);
    return wire::CodecResult{};
  };
  EXPECT_THROW(check_decoder(faulty, k_bytes), Violation);
}

}  // namespace
}  // namespace contrail::fuzz
