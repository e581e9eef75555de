#pragma once

#include <string>
#include <vector>

#include "follower.hpp"

namespace contrail::client_tool {

/// What all connections of a run came to: counts summed, the worst of what cannot be summed.
struct Summary {
  int clients = 0;
  int clients_live = 0;  // ever
  client::State worst_state = client::State::idle;
  client::EndReason end_reason = client::EndReason::none;  // of the worst
  std::string explanation;                                 // one sentence
  client::Statistics sums;  // round_trip and render_delay: the largest
  Sightings sightings;      // sums; most_missiles: the largest
  std::string fingerprint;
  std::string session;  // 16 hex digits; a JSON number could not hold it
  std::string scenario;
  std::string role;
  int entity = -1;  // -1: none
  double seconds = 0.0;
  bool all_well = false;  // every connection was live and ended in an orderly way
};

Summary summarize(const std::vector<Follower>& followers, double seconds);
/// 0 done and equal, 1 run-time failure, 4 a hash differed, 5 refused.
int exit_code(const Summary& summary);
/// One JSON object on one line.
std::string to_json(const Summary& summary);
/// A few lines for people.
std::string to_text(const Summary& summary);

}  // namespace contrail::client_tool
