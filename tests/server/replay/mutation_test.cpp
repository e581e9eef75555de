// Recordings whose CRCs are all right and whose payloads are not what any server wrote.

#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <map>
#include <random>

#include <contrail/replay/info.hpp>
#include <contrail/replay/state_at.hpp>
#include <contrail/replay/verify.hpp>

#include "sample_session.hpp"

namespace contrail::server {
namespace {

using support::RecordedEntry;

// Changes one to three bytes of one payload, or cuts or lengthens it.
void mutate(std::vector<RecordedEntry>& entries, std::mt19937_64& random) {
  // Every second time the session header, where references and sizes are.
  RecordedEntry& entry = entries[random() % 2 == 0 ? 0 : random() % entries.size()];
  std::vector<std::uint8_t>& payload = entry.payload;
  const std::uint64_t how = random() % 8;
  if (payload.empty() || how == 0) {
    payload.resize(random() % 64);
  } else if (how == 1) {
    payload.resize(random() % payload.size());
  } else {
    for (std::uint64_t i = 0; i <= random() % 3; ++i) {
      payload[random() % payload.size()] = static_cast<std::uint8_t>(random());
    }
  }
}

TEST(MutatedPayloads, AreAnsweredAndNeverBringTheReplayDown) {
  const std::uint64_t seed = 0x5EED0A11;
  std::printf("seed=%#" PRIx64 "\n", seed);
  std::mt19937_64 random(seed);
  const SampleSession sample = record_sample_session(120);
  std::map<int, int> outcomes;
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    const auto file = support::rewrite_recording(
        sample.file, [&](std::vector<RecordedEntry>& entries) { mutate(entries, random); });
    RecordedSession session;
    if (!session.open_bytes(file, "mutated.mcap")) {
      ++refused;
      EXPECT_FALSE(session.error().empty());
      continue;
    }
    const VerifyResult verified = verify(session);
    EXPECT_FALSE(verified.message.empty());
    ++outcomes[static_cast<int>(verified.exit_code)];
    (void)state_at(session, session.reader().last_tick());
    (void)state_at(session, 60, false);
    (void)info(session, true);
  }
  std::printf("refused=%d equal=%d failed=%d different=%d\n", refused, outcomes[0], outcomes[1],
              outcomes[4]);
  EXPECT_GT(refused, 50);
  EXPECT_GT(outcomes[1] + outcomes[4], 50);
}

}  // namespace
}  // namespace contrail::server
