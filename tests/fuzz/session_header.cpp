// Input: the bytes of a session header. What a client would do with an accepted one is done too.

#include <contrail/fuzz/target.hpp>

#include <memory>

#include <contrail/sim/world.hpp>
#include <contrail/wire/codec.hpp>

namespace contrail::fuzz {

Outcome run_session_header(ByteView input) {
  wire::SessionHeader sentinel;
  sentinel.session_id = 77;
  sentinel.scenario.name = "sentinel";
  wire::SessionHeader header;
  const Outcome outcome = check_canonical(
      input, sentinel,
      [](ByteView view, wire::SessionHeader& out) {
        return wire::decode_session_header(view, out);
      },
      [](const wire::SessionHeader& value) { return wire::encode_session_header(value); }, header);
  if (outcome.accepted) {
    check(static_cast<bool>(wire::check_scenario(header.scenario)),
          "its scenario passes check_scenario");
    sim::World world(std::make_shared<const sim::Scenario>(std::move(header.scenario)));
    world.advance(3);
    check(world.tick() == 3 && world.entities().empty(), "a world begins with every scenario");
  }
  return outcome;
}

}  // namespace contrail::fuzz
