#pragma once

// What has let a client in must not do so again: the names of used tokens, until they have expired
// anyway. Nothing is ever forgotten early to make room: a full memory is told to who asks.

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include <contrail/wire/connect_token.hpp>

namespace contrail::server {

class UsedTokens {
 public:
  explicit UsedTokens(std::size_t capacity) : capacity_(capacity) {}

  /// Forgets what expired before `now`, in the unit of the expiry times given to add().
  void forget_expired(std::int64_t now) {
    while (!by_expiry_.empty() && by_expiry_.begin()->first < now) {
      expiry_.erase(by_expiry_.begin()->second);
      by_expiry_.erase(by_expiry_.begin());
    }
  }
  [[nodiscard]] bool contains(const wire::TokenId& id) const { return expiry_.count(id) != 0; }
  /// `promised`: entries that others will want to add.
  [[nodiscard]] bool full(std::size_t promised = 0) const {
    return expiry_.size() + promised >= capacity_;
  }
  /// False when it is there already, or when there is no room.
  bool add(const wire::TokenId& id, std::int64_t expires) {
    if (full() || !expiry_.emplace(id, expires).second) return false;
    by_expiry_.emplace(expires, id);
    return true;
  }
  [[nodiscard]] std::size_t size() const { return expiry_.size(); }

 private:
  std::size_t capacity_;
  std::map<wire::TokenId, std::int64_t> expiry_;
  std::set<std::pair<std::int64_t, wire::TokenId>> by_expiry_;
};

}  // namespace contrail::server
