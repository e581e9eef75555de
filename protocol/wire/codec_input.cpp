#include <utility>

#include <contrail/wire/codec.hpp>
#include <contrail/wire/message.hpp>

namespace contrail::wire {
namespace {

constexpr sim::Subtick k_latest_time = sim::Subtick{1} << 46;  // past every tick

fb::Fire pack_command(const Command& in) {
  const auto at = static_cast<std::uint64_t>(in.fire.at);
  return {in.id,
          static_cast<std::uint32_t>(at),
          static_cast<std::uint32_t>(at >> 32U),
          in.fire.entity,
          in.fire.target,
          in.fire.launcher,
          0,
          0};
}

CodecResult unpack_command(const fb::Fire& in, Command& out) {
  out.id = in.command();
  out.kind = CommandKind::fire;
  out.fire.entity = in.entity();
  out.fire.target = in.target();
  out.fire.launcher = in.launcher();
  out.fire.at = static_cast<sim::Subtick>((std::uint64_t{in.at_high()} << 32U) | in.at_low());
  if (in.reserved0() != 0 || in.reserved1() != 0) {
    return {CodecError::bad_reserved, "fire.reserved"};
  }
  if (out.fire.entity == sim::k_no_entity) {
    return {CodecError::out_of_range, "fire.entity"};
  }
  if (out.fire.target == sim::k_no_entity) {
    return {CodecError::out_of_range, "fire.target"};
  }
  return out.fire.at < 0 || out.fire.at > k_latest_time
             ? CodecResult{CodecError::out_of_range, "fire.at"}
             : k_decoded;
}

fb::Fire pack_checked(const Command& command) {
  const fb::Fire packed = pack_command(command);
  Command back;
  sim::require(static_cast<bool>(unpack_command(packed, back)) && back == command,
               "every part of a command is inside its range");
  return packed;
}

Bytes take(const flatbuffers::FlatBufferBuilder& builder) {
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

}  // namespace

Bytes encode_input(const Input& input) {
  sim::require(input.tick >= 1, "the first tick is 1");
  flatbuffers::FlatBufferBuilder builder;
  const fb::Fire fire = pack_checked(input.command);
  fb::InputBuilder table(builder);
  table.add_fire(&fire);
  table.add_client(input.client);
  table.add_tick(input.tick);
  builder.Finish(table.Finish(), k_input_identifier);
  return take(builder);
}

CodecResult decode_input(ByteView bytes, Input& out) {
  const AlignedBytes aligned(bytes, k_max_input_bytes);
  const fb::Input* table = nullptr;
  if (const CodecResult opened = open_message(aligned, k_input_identifier, table); !opened) {
    return opened;
  }
  Input input;
  input.tick = table->tick();
  input.client = table->client();
  if (input.tick == 0) {
    return {CodecError::missing, "tick"};
  }
  if (table->fire() == nullptr) {
    return {CodecError::missing, "fire"};
  }
  if (const CodecResult result = unpack_command(*table->fire(), input.command); !result) {
    return result;
  }
  if (!same_bytes(encode_input(input), bytes)) {
    return {CodecError::not_canonical, "message"};
  }
  out = input;
  return k_decoded;
}

Bytes encode_commands(std::span<const Command> commands) {
  sim::require(!commands.empty() && commands.size() <= k_max_commands,
               "a message has 1..k_max_commands commands");
  std::vector<fb::Fire> fires;
  for (const Command& command : commands) {
    sim::require(fires.empty() || command.id > fires.back().command(), "ids of commands ascend");
    fires.push_back(pack_checked(command));
  }
  flatbuffers::FlatBufferBuilder builder;
  const auto vector = builder.CreateVectorOfStructs(fires.data(), fires.size());
  fb::CommandsBuilder table(builder);
  table.add_fires(vector);
  builder.Finish(table.Finish());
  return take(builder);
}

CodecResult decode_commands(ByteView bytes, std::vector<Command>& out) {
  const AlignedBytes aligned(bytes, k_max_input_bytes);
  const fb::Commands* table = nullptr;
  if (const CodecResult opened = open_message(aligned, nullptr, table); !opened) {
    return opened;
  }
  if (length_of(table->fires()) == 0) {
    return {CodecError::missing, "fires"};
  }
  if (table->fires()->size() > k_max_commands) {
    return {CodecError::too_many, "fires"};
  }
  std::vector<Command> commands;
  for (const fb::Fire* fire : *table->fires()) {
    Command command;
    if (const CodecResult result = unpack_command(*fire, command); !result) {
      return result;
    }
    if (!commands.empty() && command.id <= commands.back().id) {
      return {CodecError::unsorted, "fires"};
    }
    commands.push_back(command);
  }
  if (!same_bytes(encode_commands(commands), bytes)) {
    return {CodecError::not_canonical, "message"};
  }
  out = std::move(commands);
  return k_decoded;
}

}  // namespace contrail::wire
