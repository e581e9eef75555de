#include <contrail/replay/export_vectors.hpp>

#include <algorithm>

#include <contrail/sim/arith.hpp>

#include <contrail/replay/log_json.hpp>

namespace contrail::server {
namespace {

using nlohmann::json;
using sim::Subtick;

void write_line(std::ostream& out, const json& object) {
  out << object.dump() << '\n';
}

/// Empty, or what is wrong.
std::string write_session(const RecordedSession& session, VectorWriter& writer) {
  recording::EntryCursor cursor(session.reader());
  recording::Entry entry;
  while (cursor.next(entry)) {
    if (entry.kind != recording::EntryKind::record) {
      continue;
    }
    sim::TickRecord record;
    const wire::CodecResult decoded =
        wire::decode_record(entry.payload, session.log2_tick(), record);
    if (!decoded) {
      return "tick " + std::to_string(entry.tick) + ": " + decoded.field + ": " +
             wire::describe(decoded.error);
    }
    if (!writer.record(record)) {
      return writer.error();
    }
  }
  if (cursor.fault()) {
    return "damaged: " + describe(cursor.fault());
  }
  writer.advance(session.reader().last_tick());
  return "";
}

std::string refusal(const RecordedSession& session) {
  if (session.reader().first_tick() != 0) {
    return "the recording does not begin with the session";
  }
  if (session.reader().last_tick() == 0) {
    return "the recording is empty";
  }
  return session.incompatibility();
}

}  // namespace

VectorWriter::VectorWriter(std::shared_ptr<const sim::Scenario> scenario,
                           std::vector<Subtick> times, std::ostream& out)
    : times_(std::move(times)), out_(out), world_(std::move(scenario)) {
  write_line(out_, {{"scenario", json_of(world_.scenario())}});
}

bool VectorWriter::record(const sim::TickRecord& record) {
  if (record.tick > 0) {
    advance(record.tick - 1);
  }
  const sim::FoldResult folded = world_.fold(record);
  if (folded.error != sim::FoldError::none || folded.hash.differing != 0) {
    error_ = "tick " + std::to_string(record.tick) + ": " +
             (folded.error != sim::FoldError::none ? sim::describe(folded.error)
                                                   : "the state hash is not that of the fold");
    return false;
  }
  write_line(out_, {{"record", json_of(record)}});
  write_positions();
  return true;
}

void VectorWriter::advance(std::uint32_t tick) {
  while (world_.tick() < tick) {
    world_.advance(world_.tick() + 1);
    write_positions();
  }
}

/// At the times of the tick that has just been folded.
void VectorWriter::write_positions() {
  for (; next_ < times_.size() && times_[next_] <= world_.time(); ++next_) {
    const Subtick time = times_[next_];
    json missiles = json::array();
    for (const sim::Salvo& salvo : world_.salvos()) {
      for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
        const auto index = static_cast<std::uint8_t>(i);
        if (world_.missile_flies(salvo, index, time)) {
          const sim::Vec3 at = world_.missile_position(salvo, index, time);
          missiles.push_back({salvo.id, index, at.x, at.y, at.z});
        }
      }
    }
    positions_ += missiles.size();
    write_line(out_, {{"time", time}, {"missiles", std::move(missiles)}});
  }
}

std::vector<Subtick> random_times(std::uint32_t count, std::uint64_t seed, Subtick last) {
  std::vector<Subtick> times;
  times.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t high = sim::launch_seed(seed, 2 * i);
    const std::uint64_t random = (high << 32) | sim::launch_seed(seed, 2 * i + 1);
    times.push_back(1 + static_cast<Subtick>(random % static_cast<std::uint64_t>(last)));
  }
  std::sort(times.begin(), times.end());
  return times;
}

ExportResult export_vectors(const RecordedSession& session, std::uint32_t times, std::uint64_t seed,
                            std::ostream& out) {
  ExportResult result;
  result.message = refusal(session);
  if (result.message.empty()) {
    const Subtick last = Subtick{session.reader().last_tick()} << session.log2_tick();
    VectorWriter writer(session.scenario(), random_times(times, seed, last), out);
    result.message = write_session(session, writer);
    result.positions = writer.positions();
  }
  if (result.message.empty() && !out) {
    result.message = "can't write";
  }
  if (!result.message.empty()) {
    result.exit_code = ExitCode::failure;
  } else if (!session.reader().closed()) {
    result.exit_code = ExitCode::loss;
    result.message = "the recording was not closed; exported up to tick " +
                     std::to_string(session.reader().last_tick());
  }
  return result;
}

}  // namespace contrail::server
