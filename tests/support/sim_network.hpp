#pragma once

// A datagram network in virtual time: loses, delays, duplicates and reorders by a seed. The same
// seed and the same sends give the same deliveries on every machine.

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <contrail/support/random_log.hpp>
#include <contrail/wire/address.hpp>
#include <contrail/wire/bytes.hpp>
#include <contrail/wire/time.hpp>

namespace contrail::support {

/// What one direction of a link does to datagrams. Probabilities per 1,000.
struct LinkConditions {
  int loss = 0;
  int duplicates = 0;
  int reorders = 0;  // these are held back by 1..3 * jitter more
  wire::Nanoseconds delay = 0;
  wire::Nanoseconds jitter = 0;                          // uniform in 0..jitter, added to the delay
  std::int64_t bytes_per_second = 0;                     // 0: no limit
  wire::Nanoseconds longest_queue = wire::k_second / 4;  // what waits longer for the rate is lost
  bool operator==(const LinkConditions&) const = default;
};

struct Delivery {
  wire::Nanoseconds at = 0;
  wire::Address from;
  wire::Address to;
  wire::Bytes bytes;
};

class SimNetwork {
 public:
  explicit SimNetwork(std::uint64_t seed) : dice_(seed) {}

  /// For every link that has none of its own.
  void set_conditions(const LinkConditions& conditions) { common_ = conditions; }
  void set_conditions(const wire::Address& from, const wire::Address& to,
                      const LinkConditions& conditions);

  void send(const wire::Address& from, const wire::Address& to, wire::ByteView bytes,
            wire::Nanoseconds now);
  /// The next datagram that arrives at `until` or before, in the order of arrival.
  std::optional<Delivery> next(wire::Nanoseconds until);

  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  [[nodiscard]] std::uint64_t duplicated() const { return duplicated_; }
  [[nodiscard]] std::uint64_t reordered() const { return reordered_; }
  [[nodiscard]] std::size_t largest() const { return largest_; }

 private:
  using Link = std::pair<wire::Address, wire::Address>;
  void deliver(const Link& link, const LinkConditions& conditions, wire::ByteView bytes,
               wire::Nanoseconds leaves);

  Dice dice_;
  LinkConditions common_;
  std::map<Link, LinkConditions> own_;
  std::map<Link, wire::Nanoseconds> busy_until_;
  std::map<std::pair<wire::Nanoseconds, std::uint64_t>, Delivery> under_way_;
  std::uint64_t order_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t duplicated_ = 0;
  std::uint64_t reordered_ = 0;
  std::size_t largest_ = 0;
};

}  // namespace contrail::support
