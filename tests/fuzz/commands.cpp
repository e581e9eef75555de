// Input: the body of a client's command message.

#include <contrail/fuzz/target.hpp>

#include <contrail/wire/codec.hpp>

namespace contrail::fuzz {

Outcome run_commands(ByteView input) {
  using Commands = std::vector<wire::Command>;
  Commands sentinel(1);
  sentinel[0].id = 77;
  Commands commands;
  const Outcome outcome = check_canonical(
      input, sentinel,
      [](ByteView view, Commands& out) { return wire::decode_commands(view, out); },
      [](const Commands& value) { return wire::encode_commands(value); }, commands);
  if (outcome.accepted) {
    check(!commands.empty() && commands.size() <= wire::k_max_commands, "1 to 32 commands");
    for (const wire::Command& command : commands) {
      check(command.kind <= wire::k_last_client_kind, "no command of the host's");
    }
  }
  return outcome;
}

}  // namespace contrail::fuzz
