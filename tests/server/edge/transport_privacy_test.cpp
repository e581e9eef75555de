#include <gtest/gtest.h>

#include "captured_session.hpp"

namespace contrail::server::rig {
namespace {

TEST(TransportPrivacy, no_8_bytes_of_any_record_stand_in_any_datagram) {
  const Capture capture = capture_session();
  EXPECT_GT(capture.records, 100U);
  EXPECT_GT(capture.strings, 10'000U);
  EXPECT_GT(capture.datagrams.size(), 300U);
  EXPECT_EQ(capture.seen, 0U);
  RecordProperty("strings", static_cast<int>(capture.strings));
}

}  // namespace
}  // namespace contrail::server::rig
