#include <contrail/fuzz/target.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace contrail::fuzz {

Outcome run_tick_record(ByteView input);
Outcome run_packet_body(ByteView input);
Outcome run_session_header(ByteView input);
Outcome run_snapshot(ByteView input);
Outcome run_input(ByteView input);
Outcome run_commands(ByteView input);
Outcome run_connect_token(ByteView input);
Outcome run_token_key(ByteView input);
Outcome run_handshake(ByteView input);
Outcome run_sealed_content(ByteView input);
Outcome run_log_assembler(ByteView input);
Outcome run_world_fold(ByteView input);
Outcome run_recording(ByteView input);
Outcome run_scenario_toml(ByteView input);
Outcome run_route_csv(ByteView input);
Outcome run_decimal(ByteView input);
Outcome run_network(ByteView input);

namespace {

// Weights: many runs for what is small and fast, few for what plays a session.
constexpr std::array k_targets{
    Target{"tick_record", 4096, 120, run_tick_record},
    Target{"packet_body", 1300, 120, run_packet_body},
    Target{"session_header", 8192, 40, run_session_header},
    Target{"snapshot", 8192, 80, run_snapshot},
    Target{"input", 1024, 100, run_input},
    Target{"commands", 1024, 100, run_commands},
    Target{"handshake", 1300, 100, run_handshake},
    Target{"sealed_content", 1300, 90, run_sealed_content},
    Target{"connect_token", 700, 20, run_connect_token},
    Target{"log_assembler", 4096, 50, run_log_assembler},
    Target{"world_fold", 4096, 10, run_world_fold},
    Target{"recording", 8192, 20, run_recording},
    Target{"scenario_toml", 12000, 8, run_scenario_toml},
    Target{"route_csv", 2048, 50, run_route_csv},
    Target{"token_key", 160, 10, run_token_key},
    Target{"decimal", 64, 80, run_decimal},
    Target{"network", 2048, 2, run_network},
};

}  // namespace

std::span<const Target> targets() {
  return k_targets;
}

const Target* find_target(std::string_view name) {
  const auto found = std::find_if(k_targets.begin(), k_targets.end(),
                                  [name](const Target& target) { return target.name == name; });
  return found == k_targets.end() ? nullptr : &*found;
}

std::string word_of(const Outcome& outcome) {
  if (outcome.accepted) return "accepted";
  std::string word = "refused";
  for (const std::string_view part : {outcome.why, outcome.field}) {
    if (part.empty()) continue;
    word += '_';
    for (const char c : part) {
      const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
      if (plain || word.back() != '_') word += plain ? c : '_';
    }
  }
  return word;
}

ExactCopy::ExactCopy(ByteView bytes, std::size_t shift)
    : memory_(std::make_unique<std::uint8_t[]>(shift + bytes.size())),
      shift_(shift),
      size_(bytes.size()) {
  std::copy(bytes.begin(), bytes.end(), memory_.get() + shift);
}

}  // namespace contrail::fuzz
