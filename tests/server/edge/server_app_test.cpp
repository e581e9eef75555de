#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <asio/io_context.hpp>
#include <nlohmann/json.hpp>

#include <contrail/core/client_core.hpp>
#include <contrail/edge/health_probe.hpp>
#include <contrail/edge/scenario_file.hpp>
#include <contrail/edge/server_app.hpp>
#include <contrail/edge/udp_endpoint.hpp>
#include <contrail/support/temporary_directory.hpp>

namespace contrail::server {
namespace {

wire::Nanoseconds steady() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

const sim::Hash64 k_fingerprint{1, 2};

/// An app with everything it needs, and what it printed.
struct Bench {
  explicit Bench(const char* scenario) {
    config.session.scenario = load_scenario(scenario).scenario;
    config.session.session_id = 0x0123'4567'89AB'CDEF;
    config.session.fingerprint = k_fingerprint;
    config.session.admission.insecure = true;
    config.listen = {"127.0.0.1", 0};
    host.now = steady;
    host.stop_requested = [this] { return stop.load(); };
    host.print = [this](const std::string& line) {
      printed.push_back(line);
      port = nlohmann::json::parse(line).at("port").get<std::uint16_t>();
    };
  }

  ServerAppConfig config;
  ServerAppHost host;
  Log log{LogFormat::text, LogLevel::off};
  std::atomic<bool> stop{false};
  std::atomic<std::uint16_t> port{0};
  std::vector<std::string> printed;
};

TEST(ServerApp, UnpacedPlaysTheScenarioToItsEndWithoutSockets) {
  Bench bench("duel");
  bench.config.unpaced = true;
  bench.config.session.clients = false;
  ServerApp app(bench.config, bench.host, bench.log);
  EXPECT_EQ(app.run(), ServerEnd::done);
  EXPECT_TRUE(bench.printed.empty());

  Match match(bench.config.session.scenario);
  while (!match.ended()) match.step();
  const RunSummary summary = app.summary();
  EXPECT_EQ(summary.end, "scenario");
  EXPECT_EQ(summary.ticks, 640U);
  EXPECT_EQ(summary.log_hash, match.log().hash().hex());
  EXPECT_EQ(summary.match.impacts, 8U);
  EXPECT_FALSE(missile_bytes_per_missile_second(summary));
}

TEST(ServerApp, SaysWhatEvaluatesSideBySideAndWarnsOfWhatItRefused) {
  const sim::BatchTarget fastest = sim::choose_batch_target().target;
  for (const bool planted : {false, true}) {
    if (planted && fastest == sim::BatchTarget::scalar) GTEST_SKIP() << "no lanes here";
    Bench bench("duel");
    bench.config.unpaced = true;
    bench.config.session.clients = false;
    bench.config.duration = sim::k_subticks_per_second;
    bench.config.batch = planted ? sim::choose_batch_target(fastest) : sim::choose_batch_target();
    testing::internal::CaptureStderr();
    {
      Log log(LogFormat::text, LogLevel::info);
      ServerApp app(bench.config, bench.host, log);
      EXPECT_EQ(app.run(), ServerEnd::done);
    }
    const std::string said = testing::internal::GetCapturedStderr();
    const std::string name = sim::batch_target_name(fastest);
    if (planted) {
      EXPECT_THAT(said, testing::ContainsRegex("warn.*batch evaluation: .*; not " + name +
                                               ": computes something else"));
    } else {
      EXPECT_THAT(said, testing::ContainsRegex("info.*batch evaluation: " + name + "\n"));
    }
  }
}

TEST(ServerApp, DurationCountsSessionTime) {
  Bench bench("duel");
  bench.config.unpaced = true;
  bench.config.session.clients = false;
  bench.config.duration = 3 * sim::k_subticks_per_second + 1;  // a part of a tick is played whole
  ServerApp app(bench.config, bench.host, bench.log);
  EXPECT_EQ(app.run(), ServerEnd::done);
  EXPECT_EQ(app.summary().ticks, 97U);
  EXPECT_EQ(app.summary().end, "duration");
}

TEST(ServerApp, AStopAskedForBeforeTheFirstTickEndsAtOnce) {
  for (const bool unpaced : {true, false}) {
    Bench bench("circus");
    bench.config.unpaced = unpaced;
    bench.stop = true;
    ServerApp app(bench.config, bench.host, bench.log);
    EXPECT_EQ(app.run(), ServerEnd::done);
    EXPECT_EQ(app.summary().ticks, 0U);
    EXPECT_EQ(app.summary().end, "stopped");
  }
}

TEST(ServerApp, AnnouncesPortSessionAndFingerprint) {
  Bench bench("circus");
  bench.stop = true;
  ServerApp app(bench.config, bench.host, bench.log);
  EXPECT_EQ(app.run(), ServerEnd::done);
  ASSERT_EQ(bench.printed.size(), 1U);
  const auto line = nlohmann::json::parse(bench.printed.front());
  EXPECT_EQ(line.at("event"), "listening");
  EXPECT_GT(line.at("port"), 0);
  EXPECT_EQ(line.at("udp").at(0), "127.0.0.1:" + std::to_string(line.at("port").get<int>()));
  EXPECT_EQ(line.at("session"), "0123456789abcdef");
  EXPECT_EQ(line.at("fingerprint"), k_fingerprint.hex());
  EXPECT_EQ(line.at("scenario"), "circus");
}

/// case G7: a stall of 20 minutes is not made up for.
TEST(ServerApp, case_g7_AStallIsDroppedAndCounted) {
  Bench bench("circus");
  bench.config.duration = sim::k_subticks_per_second / 4;
  int calls = 0;
  bench.host.now = [&calls] {
    ++calls;
    return steady() + (calls > 40 ? 20 * 60 * wire::k_second : 0);
  };
  ServerApp app(bench.config, bench.host, bench.log);
  EXPECT_EQ(app.run(), ServerEnd::done);
  const RunSummary summary = app.summary();
  EXPECT_EQ(summary.ticks, 8U);
  EXPECT_GT(summary.dropped_ticks, 20U * 60 * 32 - 64);
  EXPECT_LE(summary.dropped_ticks, 20U * 60 * 32 + 64);
}

/// case 39: two servers never share a port, and the second one leaves the first one's files alone.
TEST(ServerApp, case_39_APortInUseIsRefusedBeforeAnyFileIsTouched) {
  const support::TemporaryDirectory directory;
  asio::io_context context;
  UdpEndpoint holder(context);
  const auto held = holder.open("127.0.0.1", 0, 65'536);
  ASSERT_TRUE(held.ok);

  Bench bench("circus");
  bench.config.listen.port = held.port;
  bench.config.session.record = directory.path() + "/match.mcap";
  ServerApp app(bench.config, bench.host, bench.log);
  EXPECT_EQ(app.run(), ServerEnd::not_bound);
  EXPECT_TRUE(bench.printed.empty());
  EXPECT_FALSE(std::filesystem::exists(bench.config.session.record));
}

TEST(ServerApp, ARecordingThatWasAskedForMustBePossible) {
  Bench bench("circus");
  bench.config.session.record = "/no/such/folder/match.mcap";
  ServerApp app(bench.config, bench.host, bench.log);
  EXPECT_EQ(app.run(), ServerEnd::not_recorded);
  EXPECT_TRUE(bench.printed.empty()) << "nobody may join a match that will not be played";
}

TEST(ServerApp, AnswersHealthProbesWhileItPlays) {
  Bench bench("circus");
  ServerApp app(bench.config, bench.host, bench.log);
  std::thread server([&app] { EXPECT_EQ(app.run(), ServerEnd::done); });
  while (bench.port == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const HealthAnswer healthy = probe_health({"127.0.0.1", bench.port}, k_fingerprint);
  // Another build's probe is refused a seat, which is an answer too.
  const HealthAnswer foreign = probe_health({"0.0.0.0", bench.port}, sim::Hash64{9, 9});
  bench.stop = true;
  server.join();
  EXPECT_TRUE(healthy.healthy) << healthy.text;
  EXPECT_TRUE(foreign.healthy) << foreign.text;
  EXPECT_THAT(foreign.text, testing::HasSubstr("refusing"));
  EXPECT_EQ(app.summary().network.challenges, 1U);

  const HealthAnswer gone = probe_health({"127.0.0.1", bench.port}, k_fingerprint);
  EXPECT_FALSE(gone.healthy);
  EXPECT_THAT(gone.text, testing::HasSubstr("refused"));
}

TEST(ServerApp, ASilentPortIsNotHealthy) {
  asio::io_context context;
  UdpEndpoint silent(context);
  const auto held = silent.open("127.0.0.1", 0, 65'536);
  ASSERT_TRUE(held.ok);
  const HealthAnswer answer =
      probe_health({"127.0.0.1", held.port}, k_fingerprint, std::chrono::milliseconds(50));
  EXPECT_FALSE(answer.healthy);
  EXPECT_THAT(answer.text, testing::HasSubstr("no answer within 50 ms"));
}

struct NullSink final : DatagramSink {
  void send(const wire::Address& /*to*/, std::span<const std::uint8_t> /*datagram*/) override {
    ++sent;
  }
  int sent = 0;
};

TEST(LiveSession, ATickIsInTheFileBeforeItIsSent) {
  const support::TemporaryDirectory directory;
  Bench bench("circus");
  bench.config.session.record = directory.path() + "/match.mcap";
  LiveSession session(bench.config.session, bench.log);
  ASSERT_EQ(session.open_recording(), "");
  auto size = std::filesystem::file_size(session.recording_path());
  EXPECT_GT(size, 0U);
  int grown = 0;
  for (int i = 1; i <= 64; ++i) {
    const auto records = session.match().log().counters().records;
    session.tick(i * wire::tick_nanoseconds(11));
    const auto now = std::filesystem::file_size(session.recording_path());
    if (session.match().log().counters().records > records) {
      EXPECT_GT(now, size);
      ++grown;
    }
    size = now;
  }
  EXPECT_GT(grown, 2);
  session.close_recording();
  EXPECT_EQ(session.summary().recorder.records, session.match().log().counters().records);
}

/// One client wired to a session without a network.
struct DirectLink final : DatagramSink {
  DirectLink(LiveSession& session_, const client::ClientConfig& config)
      : session(session_), core(config) {}
  void send(const wire::Address& /*to*/, std::span<const std::uint8_t> datagram) override {
    core.receive(datagram, now);
  }
  void play(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      now += wire::tick_nanoseconds(11);
      core.update(now);
      wire::Datagram datagram;
      while (core.next_datagram(now, datagram)) session.receive(address, datagram.view(), now);
      session.tick(now);
      session.poll_outgoing(now, *this);
    }
    core.update(now);
  }
  /// The server's answer to a fire request of entity `from`.
  wire::CommandStatus fire(std::uint16_t from, std::uint16_t target) {
    std::uint32_t id = 0;
    EXPECT_EQ(core.fire({from, target, 0, {}}, id), client::Status::ok);
    play(4);
    client::CommandResult result;
    EXPECT_TRUE(core.next_command_result(result));
    EXPECT_EQ(result.id, id);
    return result.status;
  }

  LiveSession& session;
  client::ClientCore core;
  wire::Address address = wire::ipv4_address(127, 0, 0, 1, 4000);
  wire::Nanoseconds now = wire::k_second;
};

TEST(LiveSession, APilotCommandsItsOwnEntityADirectorEveryOne) {
  for (const wire::Role role : {wire::Role::pilot, wire::Role::director}) {
    Bench bench("duel");
    bench.config.session.fingerprint = sim::compute_fingerprint().all;
    LiveSession session(bench.config.session, bench.log);
    client::ClientConfig config;
    config.role = role;
    config.entity = 0;
    DirectLink link(session, config);
    link.core.connect(link.now);
    link.play(16);
    ASSERT_EQ(session.clients(), 1U);
    const auto& entities = session.match().world().entities();
    ASSERT_EQ(entities.size(), 2U);
    ASSERT_EQ(entities[0].id, 0);
    // What reaches the match is refused for its own reasons: the one launcher waits for its
    // schedule, the other ship has none.
    EXPECT_EQ(link.fire(0, 1), wire::CommandStatus::refused_reloading);
    EXPECT_EQ(link.fire(1, 0), role == wire::Role::pilot ? wire::CommandStatus::refused_entity
                                                         : wire::CommandStatus::refused_launcher);
  }
}

TEST(LiveSession, GarbageIsCountedAndTheMatchGoesOn) {
  Bench bench("circus");
  LiveSession session(bench.config.session, bench.log);
  NullSink sink;
  const wire::Address from = wire::ipv4_address(127, 0, 0, 1, 4000);
  for (std::size_t size = 0; size <= 1300; ++size) {
    const std::vector<std::uint8_t> bytes(size, static_cast<std::uint8_t>(size * 37));
    session.receive(from, bytes, static_cast<wire::Nanoseconds>(size) * wire::k_millisecond);
  }
  session.tick(wire::k_second * 2);
  session.poll_outgoing(wire::k_second * 2, sink);
  const RunSummary summary = session.summary();
  EXPECT_EQ(summary.ticks, 1U);
  EXPECT_EQ(summary.network.datagrams_received, 1301U);
  EXPECT_EQ(summary.network.packets_received, 0U);
  EXPECT_EQ(summary.network.joined, 0U);
  EXPECT_EQ(nlohmann::json::parse(to_json(summary)).at("dropped_datagrams"), 1301);
}

TEST(RunSummaryText, IsOneObjectOrATable) {
  RunSummary summary;
  summary.scenario = "a \"quoted\" name";
  summary.seed = 18'446'744'073'709'551'615U;
  summary.end = "stopped";
  summary.log.launches = 10;
  summary.log.outcomes = 3;
  summary.network.joined = 2;
  sim::TickRecord sent;
  sent.launches.resize(30);
  sent.outcomes.resize(2);
  summary.network.sent.payload.add(sent);
  summary.client_missile_seconds = 992;
  const std::string json = to_json(summary);
  EXPECT_EQ(json.find('\n'), std::string::npos);
  const auto object = nlohmann::json::parse(json);
  EXPECT_EQ(object.at("scenario"), summary.scenario);
  EXPECT_EQ(object.at("seed"), "18446744073709551615") << "a text: JSON readers round at 2^53";
  EXPECT_EQ(object.at("launch_bytes"), 10 * 16 + 3 * 8);
  EXPECT_EQ(object.at("missile_bytes_per_missile_second"), 0.5);
  EXPECT_EQ(object.at("sent").at("payload").dump(), R"({"launch":480,"outcome":16})");
  EXPECT_EQ(object.at("clients"), 2);
  EXPECT_TRUE(object.at("recording").is_null());
  for (const char* key : {"ticks", "seconds", "salvos", "missiles", "impacts", "other_hits",
                          "expired", "aborted", "destroyed", "missile_seconds", "log_bytes",
                          "records", "log_hash", "fingerprint", "dropped_ticks"}) {
    EXPECT_TRUE(object.contains(key)) << key;
  }
  EXPECT_THAT(to_text(summary), testing::HasSubstr("2 joined"));
  summary.network.joined = 0;
  EXPECT_TRUE(
      nlohmann::json::parse(to_json(summary)).at("missile_bytes_per_missile_second").is_null());
}

TEST(LogLines, JsonIsEscapedWhateverAPeerSays) {
  testing::internal::CaptureStderr();
  {
    Log log(LogFormat::json, LogLevel::info);
    log.debug("not shown");
    log.warning("{} \"quoted\"\nsecond line \xFF");
  }
  const std::string text = testing::internal::GetCapturedStderr();
  ASSERT_EQ(text.find('\n'), text.size() - 1) << text;
  const auto line = nlohmann::json::parse(text);
  EXPECT_EQ(line.at("level"), "warning");
  EXPECT_THAT(line.at("message").get<std::string>(),
              testing::StartsWith("{} \"quoted\"\nsecond line "));
}

}  // namespace
}  // namespace contrail::server
