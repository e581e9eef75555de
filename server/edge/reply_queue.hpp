#pragma once

// Answers of the broadcaster between two polls, in a fixed buffer: a flood of questions can't make
// it grow, it makes answers fall away.

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include <contrail/wire/address.hpp>
#include <contrail/wire/commands.hpp>
#include <contrail/wire/control_messages.hpp>
#include <contrail/wire/packet_header.hpp>
#include <contrail/wire/transport_limits.hpp>

namespace contrail::server {

/// A finished handshake datagram; none is larger.
struct HandshakeReply {
  wire::Address to;
  std::array<std::uint8_t, 128> bytes{};
  std::size_t size = 0;
};

/// A message to a client, sealed when it is sent.
struct LinkReply {
  std::uint32_t connection = 0;
  using Message = std::variant<wire::Pong, wire::CommandResult, wire::PathChallenge>;
  Message message;
};

class ReplyQueue {
 public:
  using Reply = std::variant<HandshakeReply, LinkReply>;

  ReplyQueue() { replies_.reserve(wire::k_max_pending_replies); }
  /// False when the queue is full.
  bool push(const Reply& reply) {
    if (replies_.size() == wire::k_max_pending_replies) return false;
    replies_.push_back(reply);
    return true;
  }
  [[nodiscard]] const std::vector<Reply>& replies() const { return replies_; }
  void clear() { replies_.clear(); }

 private:
  std::vector<Reply> replies_;
};

}  // namespace contrail::server
