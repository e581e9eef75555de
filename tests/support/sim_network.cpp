#include <contrail/support/sim_network.hpp>

#include <algorithm>

namespace contrail::support {

void SimNetwork::set_conditions(const wire::Address& from, const wire::Address& to,
                                const LinkConditions& conditions) {
  own_[{from, to}] = conditions;
}

void SimNetwork::send(const wire::Address& from, const wire::Address& to, wire::ByteView bytes,
                      wire::Nanoseconds now) {
  const Link link{from, to};
  const auto own = own_.find(link);
  const LinkConditions& conditions = own != own_.end() ? own->second : common_;
  ++sent_;
  largest_ = std::max(largest_, bytes.size());
  wire::Nanoseconds leaves = now;
  if (conditions.bytes_per_second > 0) {
    wire::Nanoseconds& busy = busy_until_[link];
    busy = std::max(busy, now);
    if (busy - now > conditions.longest_queue) {
      ++lost_;
      return;
    }
    busy += static_cast<std::int64_t>(bytes.size()) * wire::k_second / conditions.bytes_per_second;
    leaves = busy;
  }
  if (dice_.between(0, 999) < conditions.loss) {
    ++lost_;
    return;
  }
  deliver(link, conditions, bytes, leaves);
  if (dice_.between(0, 999) < conditions.duplicates) {
    ++duplicated_;
    deliver(link, conditions, bytes, leaves);
  }
}

void SimNetwork::deliver(const Link& link, const LinkConditions& conditions, wire::ByteView bytes,
                         wire::Nanoseconds leaves) {
  wire::Nanoseconds at = leaves + conditions.delay + dice_.between(0, conditions.jitter);
  if (dice_.between(0, 999) < conditions.reorders) {
    ++reordered_;
    at += dice_.between(1, 3) * std::max(conditions.jitter, wire::k_millisecond);
  }
  under_way_.emplace(std::pair{at, order_++},
                     Delivery{at, link.first, link.second, {bytes.begin(), bytes.end()}});
}

std::optional<Delivery> SimNetwork::next(wire::Nanoseconds until) {
  if (under_way_.empty() || under_way_.begin()->first.first > until) return std::nullopt;
  Delivery out = std::move(under_way_.begin()->second);
  under_way_.erase(under_way_.begin());
  return out;
}

}  // namespace contrail::support
