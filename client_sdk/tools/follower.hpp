#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <contrail/client/client.hpp>

#include "options.hpp"

namespace contrail::client_tool {

/// What one connection saw that the SDK's statistics do not say.
struct Sightings {
  bool was_live = false;
  std::uint64_t events = 0;  // delivered, each at its time
  std::uint64_t events_out_of_order = 0;
  std::uint64_t misplaced_ends = 0;  // a missile was not at the announced point of its end
  std::size_t most_missiles = 0;     // in flight at one shown instant
  std::size_t missiles = 0;          // in flight at the last shown instant
  std::size_t entities = 0;
};

/// One connection followed the way a game would: a frame at a time.
class Follower {
 public:
  /// `draws`: also asks for every missile and entity in each frame.
  Follower(const Options& options, bool draws);

  /// Starts to join; false when that is impossible, with a reason in the log lines.
  bool connect();
  /// One frame. `seconds`: time since the program started.
  void frame(double seconds);
  void leave() { client_.disconnect(); }
  /// Leaves because the session did not become live in time.
  void give_up();

  /// Not over, or not answered yet and still to be tried again.
  [[nodiscard]] bool running() const;
  [[nodiscard]] bool live() const { return client_.state() == client::State::live; }
  [[nodiscard]] const Sightings& sightings() const { return sightings_; }
  [[nodiscard]] const client::Client& client() const { return client_; }
  /// One sentence on how it went.
  [[nodiscard]] std::string explanation() const {
    return gave_up_.empty() ? client_.describe_state() : gave_up_;
  }
  bool next_log_line(client::LogLine& out) { return client_.next_log_line(out); }

 private:
  void take_events();
  void draw();
  void fire(double seconds);
  void steer();
  std::uint8_t next_launcher(const std::vector<client::LauncherInfo>& launchers);

  const Options& options_;
  bool draws_;
  client::Client client_;
  Sightings sightings_;
  bool waits_ = false;  // nobody answered; another attempt follows
  double next_attempt_ = 0.0;
  double next_fire_ = 0.0;
  double next_steer_ = 0.0;
  std::uint64_t turns_;  // state of the turns to come, seeded
  std::uint32_t shots_ = 0;
  std::string gave_up_;
  sim::Subtick last_event_ = 0;
  std::vector<client::MissileView> missiles_;
  std::vector<client::EntityView> entities_;
};

}  // namespace contrail::client_tool
