#include <contrail/replay/export_vectors.hpp>

#include <algorithm>
#include <vector>

#include <contrail/sim/arith.hpp>
#include <contrail/sim/world.hpp>

#include <contrail/replay/log_json.hpp>

namespace contrail::server {
namespace {

using nlohmann::json;
using sim::Subtick;

/// Ascending, each in 1..last.
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

class Export {
 public:
  Export(const RecordedSession& session, std::vector<Subtick> times, std::ostream& out)
      : session_(session), times_(std::move(times)), out_(out), world_(session.scenario()) {}

  ExportResult run() {
    line({{"scenario", json_of(*session_.scenario())}});
    recording::EntryCursor cursor(session_.reader());
    recording::Entry entry;
    while (result_.exit_code == ExitCode::ok && cursor.next(entry)) {
      if (entry.kind == recording::EntryKind::record) {
        fold(entry);
      }
    }
    if (cursor.fault()) {
      fail("damaged: " + describe(cursor.fault()));
    }
    if (result_.exit_code == ExitCode::ok) {
      advance(session_.reader().last_tick());
    }
    if (!out_) {
      fail("can't write");
    }
    return std::move(result_);
  }

 private:
  void fold(const recording::Entry& entry) {
    sim::TickRecord record;
    const std::string where = "tick " + std::to_string(entry.tick);
    const wire::CodecResult decoded =
        wire::decode_record(entry.payload, session_.log2_tick(), record);
    if (!decoded) {
      fail(where + ": " + decoded.field + ": " + wire::describe(decoded.error));
      return;
    }
    advance(record.tick - 1);
    const sim::FoldResult folded = world_.fold(record);
    if (folded.error != sim::FoldError::none || folded.hash.differing != 0) {
      fail(where + ": " + (folded.hash.differing != 0 ? "desync" : sim::describe(folded.error)));
      return;
    }
    ++result_.records;
    line({{"record", json_of(record)}});
    positions();
  }

  /// Through the silent ticks up to `tick`.
  void advance(std::uint32_t tick) {
    while (world_.tick() < tick) {
      world_.advance(world_.tick() + 1);
      positions();
    }
  }

  /// At the times of the tick that has just been folded.
  void positions() {
    for (; next_ < times_.size() && times_[next_] <= world_.time(); ++next_) {
      const Subtick time = times_[next_];
      json missiles = json::array();
      for (const sim::Salvo& salvo : world_.salvos()) {
        for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
          const auto index = static_cast<std::uint8_t>(i);
          if (!world_.missile_flies(salvo, index, time)) {
            continue;
          }
          const sim::Vec3 at = world_.missile_position(salvo, index, time);
          missiles.push_back({salvo.id, index, at.x, at.y, at.z});
          ++result_.positions;
        }
      }
      line({{"time", time}, {"missiles", std::move(missiles)}});
    }
  }

  void line(const json& object) { out_ << object.dump() << '\n'; }

  void fail(const std::string& message) {
    result_.exit_code = ExitCode::failure;
    result_.message = message;
  }

  const RecordedSession& session_;
  const std::vector<Subtick> times_;
  std::ostream& out_;
  sim::World world_;
  std::size_t next_ = 0;
  ExportResult result_;
};

}  // namespace

ExportResult export_vectors(const RecordedSession& session, std::uint32_t times, std::uint64_t seed,
                            std::ostream& out) {
  ExportResult refused;
  refused.exit_code = ExitCode::failure;
  refused.message = session.incompatibility();
  if (refused.message.empty() && session.reader().first_tick() != 0) {
    refused.message = "the recording does not begin with the session";
  }
  const Subtick last = Subtick{session.reader().last_tick()} << session.log2_tick();
  if (refused.message.empty() && last == 0) {
    refused.message = "the recording is empty";
  }
  if (!refused.message.empty()) {
    return refused;
  }
  return Export(session, random_times(times, seed, last), out).run();
}

}  // namespace contrail::server
