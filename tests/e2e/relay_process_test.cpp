// Server and client as separate programs with a bad network of real sockets between them.

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <contrail/support/process.hpp>

namespace contrail {
namespace {

using nlohmann::json;
using support::last_line;
using support::Process;
using Words = std::vector<std::string>;

std::string address_from(const Process& process) {
  const json line = json::parse(process.first_line(), nullptr, false);
  return line.is_object() ? "127.0.0.1:" + std::to_string(line.value("port", 0)) : "";
}

json stop(Process& process) {
  process.kill(SIGTERM);
  EXPECT_EQ(process.wait(), 0) << process.err();
  return json::parse(last_line(process.out()), nullptr, false);
}

struct Played {
  int exit_code = -1;
  json client;
  json server;
  json relay;
};

/// One client through a relay; then the server stops, then the relay.
Played play(const Words& relay_options, const std::string& duration) {
  Played played;
  Process server({CONTRAIL_SERVER_BINARY, "--insecure", "--listen", "127.0.0.1:0", "--json"});
  Words words{CONTRAIL_RELAY_BINARY, "--to", address_from(server)};
  words.insert(words.end(), relay_options.begin(), relay_options.end());
  Process relay(words);
  Process client({CONTRAIL_CLIENT_BINARY, "--server", address_from(relay), "--json", "--quiet",
                  "--duration", duration});
  played.exit_code = client.wait();
  played.client = json::parse(last_line(client.out()), nullptr, false);
  played.server = stop(server);
  played.relay = stop(relay);
  EXPECT_TRUE(played.client.is_object()) << client.out() << client.err();
  EXPECT_TRUE(played.server.is_object()) << server.out() << server.err();
  EXPECT_TRUE(played.relay.is_object()) << relay.out() << relay.err();
  return played;
}

std::string everything(const Played& played) {
  return played.client.dump() + "\n" + played.server.dump() + "\n" + played.relay.dump();
}

TEST(RelayProcess, a_fifth_lost_and_50_ms_leave_one_world_and_agreeing_byte_counts) {
  const Played played = play({"--loss", "20", "--delay", "50", "--jitter", "20", "--duplicate", "5",
                              "--reorder", "10", "--seed", "20"},
                             "4s");
  SCOPED_TRACE(everything(played));
  EXPECT_EQ(played.exit_code, 0);
  EXPECT_EQ(played.client.at("hash_mismatches"), 0);
  EXPECT_GT(played.client.at("hash_checks"), 0);
  EXPECT_GE(played.client.at("rtt_ms").get<double>(), 99.0);
  // The relay stands outside of both: what it saw is what the server says it sent.
  const json& down = played.relay.at("to_clients");
  EXPECT_EQ(down.at("bytes"), played.server.at("sent_bytes"));
  EXPECT_EQ(down.at("datagrams"), played.server.at("sent_datagrams"));
  EXPECT_EQ(played.server.at("clients"), 1);
  // And it was a bad network indeed.
  for (const char* way : {"to_server", "to_clients"}) {
    const json& counts = played.relay.at(way);
    EXPECT_GT(counts.at("lost").get<int>() * 10, counts.at("datagrams").get<int>()) << way;
    EXPECT_GT(counts.at("reordered"), 0) << way;
  }
}

TEST(RelayProcess, case_35_a_source_port_that_changes_midway_keeps_the_session) {
  const Played played = play({"--delay", "10", "--change-port-after", "1000"}, "3s");
  SCOPED_TRACE(everything(played));
  EXPECT_EQ(played.exit_code, 0);
  EXPECT_EQ(played.relay.at("clients"), 1);
  EXPECT_EQ(played.relay.at("port_changes"), 1);
  EXPECT_GT(played.relay.at("to_clients").at("unroutable"), 0);  // sent before the server knew
  EXPECT_EQ(played.server.at("clients"), 1);                     // nobody joined anew
  EXPECT_EQ(played.client.at("resyncs"), 0);
  EXPECT_EQ(played.client.at("hash_mismatches"), 0);
  // The log went on: more hashes than the first second could hold.
  EXPECT_GT(played.client.at("hash_checks"), 2);
  EXPECT_EQ(played.relay.at("to_clients").at("bytes"), played.server.at("sent_bytes"));
}

}  // namespace
}  // namespace contrail
