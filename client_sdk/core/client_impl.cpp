#include <contrail/core/client_impl.hpp>

#include <memory>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/fingerprint.hpp>
#include <contrail/wire/codec.hpp>
#include <contrail/wire/connect_token.hpp>

namespace contrail::client {
namespace {

constexpr std::size_t k_kept = 4096;

/// The arithmetic of this process; computed once, it does not change.
const sim::Hash64& own_fingerprint() {
  static const sim::Hash64 fingerprint = sim::compute_fingerprint().all;
  return fingerprint;
}

/// What this machine computes right side by side; checked once, it does not change either.
const sim::BatchChoice& own_batch() {
  static const sim::BatchChoice choice = sim::choose_batch_target();
  return choice;
}

EndReason reason_of(wire::RefuseReason reason) {
  switch (reason) {
    case wire::RefuseReason::version:
      return EndReason::version;
    case wire::RefuseReason::path_revision:
      return EndReason::path_revision;
    case wire::RefuseReason::fingerprint:
      return EndReason::fingerprint;
    case wire::RefuseReason::full:
      return EndReason::server_full;
    case wire::RefuseReason::token_required:
      return EndReason::token_required;
    case wire::RefuseReason::bad_token:
      return EndReason::bad_token;
    case wire::RefuseReason::bad_resume:
      return EndReason::bad_resume;
    case wire::RefuseReason::no_such_entity:
      return EndReason::no_such_entity;
    case wire::RefuseReason::closing:
      return EndReason::server_closing;
    case wire::RefuseReason::token_expired:
      return EndReason::token_expired;
    case wire::RefuseReason::token_used:
      return EndReason::token_used;
    case wire::RefuseReason::token_other_server:
      return EndReason::token_other_server;
    case wire::RefuseReason::token_before_start:
      return EndReason::token_before_start;
    case wire::RefuseReason::token_unknown_key:
      return EndReason::token_unknown_key;
    case wire::RefuseReason::token_not_yet:
      return EndReason::token_not_yet;
    case wire::RefuseReason::token_too_long:
      return EndReason::token_too_long;
    case wire::RefuseReason::token_history_full:
      return EndReason::token_history_full;
    case wire::RefuseReason::not_granted:
      return EndReason::not_granted;
  }
  return EndReason::misbehaved;
}

EndReason reason_of(wire::DisconnectReason reason) {
  switch (reason) {
    case wire::DisconnectReason::left:
      return EndReason::server_left;
    case wire::DisconnectReason::closing:
      return EndReason::server_closing;
    case wire::DisconnectReason::silent:
      return EndReason::client_silent;
    case wire::DisconnectReason::too_slow:
      return EndReason::too_slow;
    case wire::DisconnectReason::replaced:
      return EndReason::replaced;
    case wire::DisconnectReason::kicked:
      return EndReason::kicked;
    case wire::DisconnectReason::misbehaved:
      return EndReason::misbehaved;
    case wire::DisconnectReason::too_large:
      return EndReason::too_large;
    case wire::DisconnectReason::session_ended:
      return EndReason::session_ended;
    case wire::DisconnectReason::used:
      return EndReason::pass_taken;
  }
  return EndReason::server_left;
}

}  // namespace

void add(LogCounts& sum, const LogCounts& more) {
  if (!sum.first_divergent && more.first_divergent) {
    sum.first_divergent = more.first_divergent;
    sum.first_divergent_tick = more.first_divergent_tick;
  }
  sum.ticks += more.ticks;
  sum.records += more.records;
  sum.launches += more.launches;
  sum.missiles += more.missiles;
  sum.impacts += more.impacts;
  sum.other_ends += more.other_ends;
  sum.destroyed += more.destroyed;
  sum.hash_checks += more.hash_checks;
  sum.hash_mismatches += more.hash_mismatches;
}

void ClientCore::Impl::check_batch() {
  batch = own_batch();
  if (fault == TestFault::batch_lanes) batch = sim::choose_batch_target(batch.target);
  if (!batch.refused.empty()) lines.add(LogLevel::warning, sim::describe(batch));
}

void ClientCore::Impl::start() {
  if (attempts == 0) check_batch();
  if (playback) {
    add(earlier, playback->counts());
    earlier_events_dropped += playback->events_dropped();
  }
  playback.reset();
  session.reset();
  has_world = false;
  results.clear();
  instant_events.clear();
  fires.clear();
  own_launches.clear();
  own.clear();
  mismatches_told = 0;
  server_time = 0;
  render_time = 0;
  connection.emplace(next_wish(), now);
  state = State::connecting;
  end_reason = EndReason::none;
  end_sentence.clear();
}

/// What the next hello says. A connection of its own each time: nonces and keys must not repeat.
wire::ClientConfig ClientCore::Impl::next_wish() {
  if (!random) random.emplace(config.entropy ? *config.entropy : wire::entropy_from_system());
  ++attempts;
  wire::ClientConfig wish;
  wish.role = config.role;
  wish.entity = config.entity;
  wish.version.fingerprint = own_fingerprint();
  if (fault == TestFault::fingerprint) wish.version.fingerprint.a ^= 1U;
  if (fault == TestFault::protocol_version) ++wish.version.major;
  wish.seed = config.seed ^ (std::uint64_t{sim::mix(attempts)} << 32 | sim::mix(~attempts));
  random->fill(wish.entropy);
  if (!schedule) schedule.emplace(wish.seed);
  if (has_ticket()) {
    wish.resume = ticket;
    return wish;
  }
  if (config.token.empty()) return wish;
  token_wanted = true;
  wire::TokenFace face;
  if (auto split = wire::split_token(config.token)) {
    wish.token = std::move(split->pass);
    wish.secret = split->secret;
    if (fault == TestFault::token_secret) wish.secret = wire::Key();
  } else {
    wish.token = config.token;  // for the server to say what it thinks of it
  }
  if (wire::read_face(config.token, true, face) == wire::TokenForm::good && face.timeout != 0) {
    wish.connect_timeout = face.timeout * wire::k_second;
  }
  return wish;
}

bool ClientCore::Impl::needs_token() const {
  const bool over =
      state == State::waiting || state == State::disconnected || state == State::refused;
  return over && token_wanted && !has_ticket() && (config.token.empty() || token_spent);
}

void ClientCore::Impl::learn_from(EndReason why) {
  switch (why) {
    case EndReason::bad_resume:
    case EndReason::pass_taken:
      ticket.reset();
      break;
    case EndReason::token_required:
      token_wanted = true;
      break;
    case EndReason::bad_token:
    case EndReason::token_expired:
    case EndReason::token_used:
    case EndReason::token_other_server:
    case EndReason::token_before_start:
    case EndReason::token_unknown_key:
    case EndReason::token_too_long:
      token_spent = true;
      break;
    default:
      break;
  }
}

bool ClientCore::Impl::may_come_back(EndReason why) {
  switch (why) {
    case EndReason::unreachable:
    case EndReason::no_answer:
    case EndReason::silence:
    case EndReason::client_silent:
    case EndReason::server_closing:
    case EndReason::server_full:
    case EndReason::too_slow:
    case EndReason::bad_resume:
    case EndReason::pass_taken:
    case EndReason::token_required:
    case EndReason::bad_token:
    case EndReason::token_expired:
    case EndReason::token_used:
    case EndReason::token_other_server:
    case EndReason::token_before_start:
    case EndReason::token_unknown_key:
    case EndReason::token_not_yet:
    case EndReason::token_too_long:
    case EndReason::token_history_full:
      return true;
    default:
      return false;
  }
}

void ClientCore::Impl::come_back() {
  if (state != State::waiting || now < next_attempt || needs_token()) return;
  refused_for_now = false;
  new_port = true;
  start();
}

/// Brings our state in line with the connection's.
void ClientCore::Impl::follow_connection() {
  using Theirs = wire::ConnectionState;
  if (auto fresh = connection->take_ticket()) ticket = std::move(fresh);
  switch (connection->state()) {
    case Theirs::connecting:
      return;
    case Theirs::joining:
    case Theirs::live:
      if (state == State::connecting) {
        state = State::joining;
        // What it came with has let it in, and will not again.
        if (ticket) {
          ticket.reset();
        } else if (!config.token.empty()) {
          token_spent = true;
        }
        lines.add(LogLevel::info, "let in, joining the session");
      }
      return;
    case Theirs::refused:
      end(State::refused, reason_of(connection->refusal()->reason), connection->describe_state());
      return;
    case Theirs::disconnected:
      end(State::disconnected, reason_of(*connection->disconnect_reason()),
          connection->describe_state());
      return;
    case Theirs::timed_out:
      end(State::disconnected,
          state == State::connecting ? EndReason::no_answer : EndReason::silence,
          connection->describe_state());
      return;
    case Theirs::closed:
      if (state != State::disconnected) {
        end(State::disconnected, EndReason::closed, connection->describe_state());
      }
      return;
  }
}

void ClientCore::Impl::bad_log(const std::string& what) {
  connection->close(now);
  end(State::disconnected, EndReason::bad_log, "the server's log cannot be followed: " + what);
}

void ClientCore::Impl::take_header() {
  const std::optional<wire::Bytes> bytes = connection->take_session_header();
  if (!bytes) return;
  wire::SessionHeader header;
  if (const wire::CodecResult read = wire::decode_session_header(*bytes, header); !read) {
    bad_log(std::string("session header, ") + read.field + ": " + wire::describe(read.error));
    return;
  }
  if (!(header.fingerprint == own_fingerprint())) {
    // A server that lets in whoever comes is no reason to follow what cannot be followed.
    connection->close(now);
    end(State::disconnected, EndReason::fingerprint,
        "the server's arithmetic has fingerprint " + header.fingerprint.hex() +
            ", this client's has " + own_fingerprint().hex());
    return;
  }
  session = session_info_of(header.scenario);
  session->session_id = header.session_id;
  session->fingerprint = header.fingerprint.hex();
  log2_tick = header.scenario.log2_tick;
  playback.emplace(std::make_shared<const sim::Scenario>(std::move(header.scenario)));
  if (fault == TestFault::flight_knot) playback->plant_fault(sim::Fault::flight_knot);
}

bool ClientCore::Impl::take_snapshot() {
  const std::optional<wire::SnapshotBytes> bytes = connection->take_snapshot();
  if (!bytes) return true;
  sim::Snapshot snapshot;
  if (const wire::CodecResult read = wire::decode_snapshot(bytes->bytes, log2_tick, snapshot);
      !read) {
    bad_log(std::string("snapshot, ") + read.field + ": " + wire::describe(read.error));
    return false;
  }
  if (const sim::FoldError error = playback->restore(snapshot); error != sim::FoldError::none) {
    bad_log(std::string("snapshot of tick ") + std::to_string(snapshot.tick) + ": " +
            sim::describe(error));
    return false;
  }
  has_world = true;
  lines.add(LogLevel::info, "took over the snapshot of tick " + std::to_string(snapshot.tick));
  return true;
}

void ClientCore::Impl::take_log() {
  if (!playback || !take_snapshot() || !has_world) return;
  for (const sim::TickRecord& record : connection->take_records()) {
    const sim::FoldError error = playback->fold(record);
    if (error != sim::FoldError::none) {
      bad_log("record of tick " + std::to_string(record.tick) + ": " + sim::describe(error));
      return;
    }
  }
  playback->advance(connection->complete_tick());
  report_hash();
}

void ClientCore::Impl::report_hash() {
  const LogCounts& counts = playback->counts();
  if (counts.hash_mismatches == mismatches_told) return;
  if (mismatches_told == 0) {
    lines.add(LogLevel::error, std::string("the state hash of tick ") +
                                   std::to_string(counts.first_divergent_tick) +
                                   " differs from the server's in subsystem " +
                                   subsystem_name(*counts.first_divergent));
  }
  mismatches_told = counts.hash_mismatches;
}

std::uint16_t ClientCore::Impl::own_entity() const {
  return connection && connection->welcome() ? connection->welcome()->entity : config.entity;
}

/// Server time at which something sent now is expected there.
sim::Subtick ClientCore::Impl::arrival() const {
  return server_time + wire::to_subticks(connection->round_trip() / 2);
}

void ClientCore::Impl::take_results() {
  while (const auto result = connection->take_command_result()) {
    results.push_back(*result);
    if (results.size() > k_kept) results.pop_front();  // nobody takes them
    const auto status = static_cast<std::size_t>(result->status);
    const auto fired = fires.find(result->id);
    if (fired == fires.end()) {
      ++command_results[status];
      own.answered(*result);
      continue;
    }
    ++fire_results[status];
    if (result->status == wire::CommandStatus::launched) {
      own_launches[result->launch] = result->id;
    } else {
      Event refused;
      refused.kind = EventKind::fire_refused;
      refused.time = render_time;
      refused.command = result->id;
      refused.status = result->status;
      refused.entity = static_cast<std::uint16_t>(fired->second);
      instant_events.push_back(std::move(refused));
      if (instant_events.size() > k_kept) instant_events.pop_front();
    }
    fires.erase(fired);
  }
}

void ClientCore::Impl::move_time() {
  if (!connection->clock_ready() || !has_world) return;
  server_time = wire::to_subticks(connection->session_time(now));
  const sim::Subtick shown = wire::to_subticks(connection->render_time(now));
  const bool first = state == State::joining;
  render_time = first ? shown : std::max(render_time, shown);
  if (own_entity() != sim::k_no_entity) own.predict(playback->world(), own_entity(), server_time);
  if (first) {
    state = State::live;
    schedule->reset();
    lines.add(LogLevel::info, "live");
  }
}

}  // namespace contrail::client
