// Input: the text of a scenario file. Routes that lie in files of their own are looked for where
// there are none; route_csv.cpp reads those.

#include <contrail/fuzz/target.hpp>

#include <contrail/edge/scenario_file.hpp>
#include <contrail/flow/match.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::fuzz {

Outcome run_scenario_toml(ByteView input) {
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  for (const std::string_view root : {"\"/", "'/", "\\"}) {
    if (text.find(root) != std::string_view::npos) return {false, "absolute path", {}};
  }
  const server::LoadedScenario loaded =
      server::load_scenario_text(text, "no-such-folder/scenario.toml");
  check((loaded.scenario == nullptr) == !loaded.problems.empty(),
        "a text gives a scenario or says why not");
  if (!loaded.scenario) return {false, {}, {}};

  wire::SessionHeader header;
  header.scenario = *loaded.scenario;
  wire::SessionHeader decoded;
  check(static_cast<bool>(
            wire::decode_session_header(wire::encode_session_header(header), decoded)) &&
            decoded == header,
        "a scenario can be sent to clients");
  server::Match match(loaded.scenario);
  for (int i = 0; i < 3; ++i) match.step();
  check(match.tick() == 3, "a scenario can be played");
  return k_accepted;
}

}  // namespace contrail::fuzz
