#pragma once

// What a ClientCore holds; shared by the files that implement it and by nobody else.

#include <algorithm>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <contrail/core/client_core.hpp>
#include <contrail/core/own_ship.hpp>
#include <contrail/core/reconnect_schedule.hpp>
#include <contrail/sim/batch/batch_self_check.hpp>
#include <contrail/wire/client_connection.hpp>

namespace contrail::client {

/// Adds counts of a later connection to those of earlier ones.
void add(LogCounts& sum, const LogCounts& more);

struct ClientCore::Impl {
  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { wire::secure_wipe(config.token); }

  ClientConfig config;
  TestFault fault = TestFault::none;
  std::uint32_t attempts = 0;

  // Coming back.
  bool wanted = false;           // connect() was called, disconnect() was not
  bool refused_for_now = false;  // the last attempt ended with a refusal, and another follows
  bool new_port = false;
  bool token_wanted = false;  // this server asks for tokens
  bool token_spent = false;   // the present one was used or refused
  Nanoseconds next_attempt = 0;
  std::optional<ReconnectSchedule> schedule;
  std::optional<wire::RandomStream> random;
  std::optional<wire::ResumeTicket> ticket;
  sim::BatchChoice batch;  // once there was an attempt

  std::optional<wire::ClientConnection> connection;
  std::optional<Playback> playback;
  std::optional<SessionInfo> session;
  std::uint8_t log2_tick = 11;
  bool has_world = false;  // a snapshot was taken over

  State state = State::idle;
  EndReason end_reason = EndReason::none;
  std::string end_sentence;
  std::string failure;

  bool clock_started = false;
  Nanoseconds now = 0;
  sim::Subtick server_time = 0;
  sim::Subtick render_time = 0;
  LogCounts earlier;  // of the connections before this one
  std::uint64_t earlier_events_dropped = 0;
  std::uint64_t fire_requests = 0;
  std::array<std::uint64_t, k_command_statuses> fire_results{};
  std::uint64_t command_requests = 0;
  std::array<std::uint64_t, k_command_statuses> command_results{};
  std::deque<wire::CommandResult> results;              // to be taken
  std::deque<Event> instant_events;                     // to be delivered at once
  std::map<std::uint32_t, std::uint32_t> fires;         // open requests: command id, entity
  std::map<std::uint32_t, std::uint32_t> own_launches;  // launch id to command id
  OwnShip own;
  std::uint64_t mismatches_told = 0;
  LogLines lines;

  /// Runs `work`, which may meet a broken contract anywhere below. What it leaves half done is
  /// thrown away: the world and the connection are never used again.
  template <typename Work, typename Result>
  Result guarded(Result otherwise, Work&& work) {
    if (state == State::failed) return otherwise;
    try {
      return work();
    } catch (const std::exception& broken) {
      failure = broken.what();
    } catch (...) {
      failure = "unknown exception";
    }
    connection.reset();
    playback.reset();
    state = State::failed;
    end_reason = EndReason::internal_error;
    end_sentence = "internal error: " + failure;
    lines.add(LogLevel::error, end_sentence);
    return otherwise;
  }

  template <typename Work>
  void guarded(Work&& work) {
    guarded(true, [&] {
      work();
      return true;
    });
  }

  void advance_clock(Nanoseconds time) {
    now = clock_started ? std::max(now, time) : time;
    clock_started = true;
  }

  [[nodiscard]] bool ended() const {
    return state == State::idle || state == State::disconnected || state == State::refused;
  }

  void end(State how, EndReason why, std::string sentence) {
    state = how;
    end_reason = why;
    end_sentence = std::move(sentence);
    lines.add(why == EndReason::closed ? LogLevel::info : LogLevel::warning, end_sentence);
    learn_from(why);
    if (!config.reconnect || !wanted || !may_come_back(why)) return;
    refused_for_now = how == State::refused;
    state = State::waiting;
    const Nanoseconds wait = schedule->next_wait();
    next_attempt = now + wait;
    lines.add(LogLevel::info,
              needs_token()
                  ? std::string("waiting for a fresh token")
                  : "trying again in " + std::to_string(wait / wire::k_millisecond) + " ms");
  }

  /// What the end of a connection says about token and ticket.
  void learn_from(EndReason why);
  /// Whether another attempt may succeed.
  static bool may_come_back(EndReason why);

  /// Asks the world, unless there is none.
  template <typename Query>
  Filled query(Query&& question);
  void check_batch();
  void start();
  void come_back();
  [[nodiscard]] bool needs_token() const;
  [[nodiscard]] bool has_ticket() const { return ticket && now < ticket->expires; }
  [[nodiscard]] wire::ClientConfig next_wish();
  void follow_connection();
  void take_header();
  void take_log();
  bool take_snapshot();
  void bad_log(const std::string& what);
  void report_hash();
  void move_time();
  void take_results();
  [[nodiscard]] std::uint16_t own_entity() const;
  [[nodiscard]] sim::Subtick arrival() const;
  Status send(const wire::Command& command, std::uint32_t& id);
};

}  // namespace contrail::client
