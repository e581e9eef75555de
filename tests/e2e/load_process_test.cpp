// Floods and crowds over real sockets against a running server. Only with CONTRAIL_TEST_LONG.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <contrail/support/process.hpp>

namespace contrail {
namespace {

using nlohmann::json;
using support::last_line;
using support::Process;

class LoadProcess : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("CONTRAIL_TEST_LONG") == nullptr) GTEST_SKIP() << "takes CONTRAIL_TEST_LONG";
  }
};

int port_of(const Process& server) {
  return json::parse(server.first_line(), nullptr, false).value("port", 0);
}

/// Resident memory in KiB; 0: unknown.
long resident(const Process& process) {
  std::ifstream in("/proc/" + std::to_string(process.pid()) + "/status");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::atol(line.c_str() + 6);
  }
  return 0;
}

/// `per_source` datagrams from each of so many addresses of 127.0.0.0/8; how many were sent.
int flood(int port, int sources, int per_source) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::vector<std::uint8_t> bytes(1200);
  int sent = 0;
  for (int i = 0; i < sources; ++i) {
    const int one = ::socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in from{};
    from.sin_family = AF_INET;
    from.sin_addr.s_addr = htonl(0x7F010000U + static_cast<std::uint32_t>(i));
    if (::bind(one, reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0) {
      for (int j = 0; j < per_source; ++j) {
        for (std::size_t k = 0; k < bytes.size(); k += 7) {
          bytes[k] = static_cast<std::uint8_t>(static_cast<std::size_t>(i * 31 + j) + k);
        }
        bytes[0] = static_cast<std::uint8_t>(j % 16);  // every type of packet
        sent += ::sendto(one, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&to),
                         sizeof to) > 0;
      }
    }
    ::close(one);
  }
  return sent;
}

TEST_F(LoadProcess, case_G10_ten_thousand_addresses_leave_no_memory_behind_and_a_client_unharmed) {
  Process server({CONTRAIL_SERVER_BINARY, "--insecure", "--listen", "127.0.0.1:0", "--json"});
  const int port = port_of(server);
  Process client({CONTRAIL_CLIENT_BINARY, "--server", "127.0.0.1:" + std::to_string(port), "--json",
                  "--quiet", "--duration", "15s"});
  std::this_thread::sleep_for(std::chrono::seconds(8));  // histories are full
  flood(port, 200, 16);
  const long before = resident(server);
  const int sent = flood(port, 10'000, 16);
  const long after = resident(server);
  std::printf("%d datagrams of 10,000 addresses; VmRSS %ld KiB before, %ld after\n", sent, before,
              after);
  EXPECT_EQ(sent, 160'000);
  EXPECT_LT(after - before, 1024);
  EXPECT_EQ(client.wait(), 0) << client.out() << client.err();
  const json said = json::parse(last_line(client.out()), nullptr, false);
  EXPECT_EQ(said.at("hash_mismatches"), 0);
  EXPECT_EQ(said.at("resyncs"), 0);
  server.kill(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  const json summary = json::parse(last_line(server.out()), nullptr, false);
  EXPECT_GT(summary.at("dropped_datagrams"), 10'000);
  EXPECT_EQ(summary.at("clients"), 1);
}

TEST_F(LoadProcess, case_41_500_connections_of_one_program_are_all_live) {
  Process server({CONTRAIL_SERVER_BINARY, "--insecure", "--listen", "127.0.0.1:0", "--json",
                  "--max-clients", "600"});
  const int port = port_of(server);
  Process client({CONTRAIL_CLIENT_BINARY, "--server", "127.0.0.1:" + std::to_string(port), "--json",
                  "--quiet", "--count", "500", "--duration", "10s"});
  EXPECT_EQ(client.wait(), 0) << client.err();
  const json said = json::parse(last_line(client.out()), nullptr, false);
  std::printf("live %d, hash checks %d, mismatches %d, resyncs %d\n",
              said.value("clients_live", -1), said.value("hash_checks", -1),
              said.value("hash_mismatches", -1), said.value("resyncs", -1));
  EXPECT_EQ(said.at("clients_live"), 500);
  EXPECT_EQ(said.at("hash_mismatches"), 0);
  server.kill(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  EXPECT_EQ(json::parse(last_line(server.out()), nullptr, false).at("clients"), 500);
}

}  // namespace
}  // namespace contrail
