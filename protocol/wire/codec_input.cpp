#include <algorithm>
#include <utility>

#include <contrail/wire/codec.hpp>
#include <contrail/wire/message.hpp>
#include <contrail/wire/record_elements.hpp>

namespace contrail::wire {
namespace {

constexpr sim::Subtick k_latest_time = sim::Subtick{1} << 46;  // past every tick

struct Low {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
};
Low split(sim::Subtick t) {
  const auto at = static_cast<std::uint64_t>(t);
  return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at >> 32U)};
}

template <class Struct>
sim::Subtick time_of(const Struct& in) {
  return static_cast<sim::Subtick>((std::uint64_t{in.at_high()} << 32U) | in.at_low());
}
bool is_time(sim::Subtick t) {
  return t >= 0 && t <= k_latest_time;
}

fb::Fire pack_fire(const Command& in) {
  const Low at = split(in.fire.at);
  return {in.id, at.low, at.high, in.fire.entity, in.fire.target, in.fire.launcher, 0, 0};
}
fb::Steer pack_steer(const Command& in) {
  const Low at = split(in.steer.at);
  return {in.id,
          at.low,
          at.high,
          pack(in.steer.steer.value),
          in.steer.entity,
          static_cast<std::uint8_t>(in.steer.steer.kind),
          0};
}
fb::Release pack_release(const Command& in) {
  const Low at = split(in.release.at);
  return {in.id, at.low, at.high, in.release.entity, 0};
}
fb::SelfDestruct pack_self_destruct(const Command& in) {
  const Low at = split(in.self_destruct.at);
  return {in.id, at.low, at.high, in.self_destruct.salvo};
}
fb::Drive pack_drive(const Command& in) {
  const Low at = split(in.drive.at);
  return {in.id,           at.low, at.high, pack(in.drive.position), pack(in.drive.velocity),
          in.drive.entity, 0};
}
fb::HostSpawn pack_spawn(const Command& in) {
  return {in.id, pack(in.spawn, 0)};
}
fb::HostDespawn pack_despawn(const Command& in) {
  return {in.id, in.despawn, 0};
}
fb::HostCustom pack_custom(const Command& in) {
  return {in.id, in.custom.kind, 0};
}

// Each gives what the wire says in any case, and whether it is inside its ranges.
CodecResult unpack_command(const fb::Fire& in, Command& out) {
  out.id = in.command();
  out.kind = CommandKind::fire;
  out.fire = {in.entity(), in.target(), in.launcher(), time_of(in)};
  if (in.reserved0() != 0 || in.reserved1() != 0) {
    return {CodecError::bad_reserved, "fire.reserved"};
  }
  if (out.fire.entity == sim::k_no_entity) {
    return {CodecError::out_of_range, "fire.entity"};
  }
  if (out.fire.target == sim::k_no_entity) {
    return {CodecError::out_of_range, "fire.target"};
  }
  return is_time(out.fire.at) ? k_decoded : CodecResult{CodecError::out_of_range, "fire.at"};
}

CodecResult unpack_command(const fb::Steer& in, Command& out) {
  out.id = in.command();
  out.kind = CommandKind::steer;
  out.steer.entity = in.entity();
  out.steer.steer.value = unpack(in.value());
  out.steer.at = time_of(in);
  if (in.reserved() != 0) {
    return {CodecError::bad_reserved, "steer.reserved"};
  }
  if (out.steer.entity == sim::k_no_entity) {
    return {CodecError::out_of_range, "steer.entity"};
  }
  if (in.kind() > static_cast<std::uint8_t>(sim::SteerKind::waypoint)) {
    return {CodecError::out_of_range, "steer.kind"};
  }
  out.steer.steer.kind = static_cast<sim::SteerKind>(in.kind());
  const bool coasts = out.steer.steer.kind == sim::SteerKind::coast;
  if (!is_position(out.steer.steer.value) || (coasts && out.steer.steer.value != sim::Vec3(0))) {
    return {CodecError::out_of_range, "steer.value"};
  }
  return is_time(out.steer.at) ? k_decoded : CodecResult{CodecError::out_of_range, "steer.at"};
}

CodecResult unpack_command(const fb::Release& in, Command& out) {
  out.id = in.command();
  out.kind = CommandKind::release;
  out.release = {in.entity(), time_of(in)};
  if (in.reserved() != 0) {
    return {CodecError::bad_reserved, "release.reserved"};
  }
  if (out.release.entity == sim::k_no_entity) {
    return {CodecError::out_of_range, "release.entity"};
  }
  return is_time(out.release.at) ? k_decoded : CodecResult{CodecError::out_of_range, "release.at"};
}

CodecResult unpack_command(const fb::SelfDestruct& in, Command& out) {
  out.id = in.command();
  out.kind = CommandKind::self_destruct;
  out.self_destruct = {in.salvo(), time_of(in)};
  return is_time(out.self_destruct.at) ? k_decoded
                                       : CodecResult{CodecError::out_of_range, "self_destruct.at"};
}

CodecResult unpack_command(const fb::Drive& in, Command& out) {
  out.id = in.command();
  out.kind = CommandKind::drive;
  out.drive = {in.entity(), unpack(in.position()), unpack(in.velocity()), time_of(in)};
  if (in.reserved() != 0) {
    return {CodecError::bad_reserved, "drive.reserved"};
  }
  if (out.drive.entity == sim::k_no_entity) {
    return {CodecError::out_of_range, "drive.entity"};
  }
  if (!is_position(out.drive.position)) {
    return {CodecError::out_of_range, "drive.position"};
  }
  if (!is_velocity(out.drive.velocity)) {
    return {CodecError::out_of_range, "drive.velocity"};
  }
  return is_time(out.drive.at) ? k_decoded : CodecResult{CodecError::out_of_range, "drive.at"};
}

CodecResult unpack_command(const fb::HostSpawn& in, Command& out) {
  out.id = in.command();
  out.kind = CommandKind::spawn;
  if (const CodecResult result = unpack(in.spawn(), Place{}, out.spawn); !result) {
    return result;
  }
  if (in.spawn().at() != 0) {
    return {CodecError::bad_reserved, "spawns.at"};
  }
  return out.spawn.entity == 0 ? k_decoded : CodecResult{CodecError::out_of_range, "spawns.entity"};
}

CodecResult unpack_command(const fb::HostDespawn& in, Command& out) {
  out.id = in.command();
  out.kind = CommandKind::despawn;
  out.despawn = in.entity();
  if (in.reserved() != 0) {
    return {CodecError::bad_reserved, "despawn.reserved"};
  }
  return out.despawn != sim::k_no_entity ? k_decoded
                                         : CodecResult{CodecError::out_of_range, "despawn.entity"};
}

/// Its bytes are in another field.
CodecResult unpack_command(const fb::HostCustom& in, Command& out) {
  out.id = in.command();
  out.kind = CommandKind::custom;
  out.custom.kind = in.kind();
  return in.reserved() == 0 ? k_decoded : CodecResult{CodecError::bad_reserved, "custom.reserved"};
}

/// The same test that a reader makes.
template <class Struct>
CodecResult check_packed(const Struct& packed, const Command& command) {
  Command back;
  if (const CodecResult result = unpack_command(packed, back); !result) {
    return result;
  }
  back.custom.bytes = command.custom.bytes;
  if (command.custom.bytes.size() > std::size_t{sim::k_max_custom_bytes} ||
      (command.kind != CommandKind::custom && !command.custom.bytes.empty())) {
    return {CodecError::too_many, "custom_bytes"};
  }
  return back == command ? k_decoded : CodecResult{CodecError::out_of_range, "command"};
}

/// The wire form, after that test.
template <class Struct>
Struct checked(const Struct& packed, const Command& command) {
  sim::require(static_cast<bool>(check_packed(packed, command)),
               "every part of a command is inside its range");
  return packed;
}

Bytes take(const flatbuffers::FlatBufferBuilder& builder) {
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

void add_command(const Command& command, fb::InputBuilder& table) {
  switch (command.kind) {
    case CommandKind::fire: {
      const auto packed = checked(pack_fire(command), command);
      return table.add_fire(&packed);
    }
    case CommandKind::steer: {
      const auto packed = checked(pack_steer(command), command);
      return table.add_steer(&packed);
    }
    case CommandKind::release: {
      const auto packed = checked(pack_release(command), command);
      return table.add_release(&packed);
    }
    case CommandKind::self_destruct: {
      const auto packed = checked(pack_self_destruct(command), command);
      return table.add_self_destruct(&packed);
    }
    case CommandKind::drive: {
      const auto packed = checked(pack_drive(command), command);
      return table.add_drive(&packed);
    }
    case CommandKind::spawn: {
      const auto packed = checked(pack_spawn(command), command);
      return table.add_spawn(&packed);
    }
    case CommandKind::despawn: {
      const auto packed = checked(pack_despawn(command), command);
      return table.add_despawn(&packed);
    }
    case CommandKind::custom: {
      const auto packed = checked(pack_custom(command), command);
      return table.add_custom(&packed);
    }
  }
}

/// The one command of an input.
class OnlyCommand {
 public:
  explicit OnlyCommand(Command& out) : out_(out) {}
  template <class Struct>
  void take(const Struct* in) {
    if (in == nullptr) return;
    ++kinds_;
    if (kinds_ == 1) result_ = unpack_command(*in, out_);
  }
  [[nodiscard]] CodecResult result() const {
    if (kinds_ == 0) return {CodecError::missing, "command"};
    return kinds_ == 1 ? result_ : CodecResult{CodecError::too_many, "command"};
  }

 private:
  Command& out_;
  CodecResult result_ = k_decoded;
  int kinds_ = 0;
};

/// Appends one kind of a message, whose ids must ascend.
template <class Struct>
CodecResult read_kind(const flatbuffers::Vector<const Struct*>* from, const char* field,
                      std::vector<Command>& out) {
  if (length_of(from) == 0) return k_decoded;
  if (from->size() > k_max_commands - out.size()) return {CodecError::too_many, field};
  const std::size_t before = out.size();
  for (const Struct* one : *from) {
    Command command;
    if (const CodecResult result = unpack_command(*one, command); !result) return result;
    if (out.size() > before && command.id <= out.back().id) return {CodecError::unsorted, field};
    out.push_back(std::move(command));
  }
  return k_decoded;
}

bool by_id(const Command& a, const Command& b) {
  return a.id < b.id;
}

}  // namespace

Bytes encode_input(const Input& input) {
  sim::require(input.tick >= 1, "the first tick is 1");
  flatbuffers::FlatBufferBuilder builder;
  const bool has_bytes = !input.command.custom.bytes.empty();
  const auto bytes = has_bytes ? builder.CreateVector(input.command.custom.bytes) : 0;
  fb::InputBuilder table(builder);
  add_command(input.command, table);
  if (has_bytes) table.add_custom_bytes(bytes);
  table.add_client(input.client);
  table.add_tick(input.tick);
  builder.Finish(table.Finish(), k_input_identifier);
  return take(builder);
}

CodecResult check_command(const Command& command) {
  switch (command.kind) {
    case CommandKind::fire:
      return check_packed(pack_fire(command), command);
    case CommandKind::steer:
      return check_packed(pack_steer(command), command);
    case CommandKind::release:
      return check_packed(pack_release(command), command);
    case CommandKind::self_destruct:
      return check_packed(pack_self_destruct(command), command);
    case CommandKind::drive:
      return check_packed(pack_drive(command), command);
    case CommandKind::spawn:
      return check_packed(pack_spawn(command), command);
    case CommandKind::despawn:
      return check_packed(pack_despawn(command), command);
    case CommandKind::custom:
      return check_packed(pack_custom(command), command);
  }
  return {CodecError::out_of_range, "kind"};
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
  OnlyCommand only(input.command);
  only.take(table->fire());
  only.take(table->steer());
  only.take(table->release());
  only.take(table->self_destruct());
  only.take(table->drive());
  only.take(table->spawn());
  only.take(table->despawn());
  only.take(table->custom());
  if (const CodecResult result = only.result(); !result) {
    return result;
  }
  if (length_of(table->custom_bytes()) != 0) {
    if (input.command.kind != CommandKind::custom ||
        table->custom_bytes()->size() > std::size_t{sim::k_max_custom_bytes}) {
      return {CodecError::too_many, "custom_bytes"};
    }
    input.command.custom.bytes.assign(table->custom_bytes()->begin(), table->custom_bytes()->end());
  }
  if (!same_bytes(encode_input(input), bytes)) {
    return {CodecError::not_canonical, "message"};
  }
  out = std::move(input);
  return k_decoded;
}

Bytes encode_commands(std::span<const Command> commands) {
  sim::require(!commands.empty() && commands.size() <= k_max_commands,
               "a message has 1..k_max_commands commands");
  std::vector<fb::Fire> fires;
  std::vector<fb::Steer> steers;
  std::vector<fb::Release> releases;
  std::vector<fb::SelfDestruct> self_destructs;
  std::vector<fb::Drive> drives;
  const Command* last = nullptr;
  for (const Command& command : commands) {
    sim::require(last == nullptr || command.id > last->id, "ids of commands ascend");
    sim::require(command.kind <= k_last_client_kind, "a client sends no commands of the host");
    last = &command;
    switch (command.kind) {
      case CommandKind::fire:
        fires.push_back(checked(pack_fire(command), command));
        break;
      case CommandKind::steer:
        steers.push_back(checked(pack_steer(command), command));
        break;
      case CommandKind::release:
        releases.push_back(checked(pack_release(command), command));
        break;
      case CommandKind::self_destruct:
        self_destructs.push_back(checked(pack_self_destruct(command), command));
        break;
      default:
        drives.push_back(checked(pack_drive(command), command));
        break;
    }
  }
  flatbuffers::FlatBufferBuilder builder;
  const auto vector = [&builder](const auto& from) {
    return from.empty() ? 0 : builder.CreateVectorOfStructs(from.data(), from.size());
  };
  const auto f = vector(fires);
  const auto s = vector(steers);
  const auto r = vector(releases);
  const auto x = vector(self_destructs);
  const auto d = vector(drives);
  fb::CommandsBuilder table(builder);
  if (!d.IsNull()) table.add_drives(d);
  if (!x.IsNull()) table.add_self_destructs(x);
  if (!r.IsNull()) table.add_releases(r);
  if (!s.IsNull()) table.add_steers(s);
  if (!f.IsNull()) table.add_fires(f);
  builder.Finish(table.Finish());
  return take(builder);
}

CodecResult decode_commands(ByteView bytes, std::vector<Command>& out) {
  const AlignedBytes aligned(bytes, k_max_input_bytes);
  const fb::Commands* table = nullptr;
  if (const CodecResult opened = open_message(aligned, nullptr, table); !opened) {
    return opened;
  }
  std::vector<Command> commands;
  for (const CodecResult& result : {read_kind(table->fires(), "fires", commands),
                                    read_kind(table->steers(), "steers", commands),
                                    read_kind(table->releases(), "releases", commands),
                                    read_kind(table->self_destructs(), "self_destructs", commands),
                                    read_kind(table->drives(), "drives", commands)}) {
    if (!result) return result;
  }
  if (commands.empty()) {
    return {CodecError::missing, "commands"};
  }
  std::sort(commands.begin(), commands.end(), by_id);
  if (std::adjacent_find(commands.begin(), commands.end(), [](const Command& a, const Command& b) {
        return a.id == b.id;
      }) != commands.end()) {
    return {CodecError::unsorted, "commands"};
  }
  if (!same_bytes(encode_commands(commands), bytes)) {
    return {CodecError::not_canonical, "message"};
  }
  out = std::move(commands);
  return k_decoded;
}

}  // namespace contrail::wire
