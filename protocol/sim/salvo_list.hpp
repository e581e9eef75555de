#pragma once

// The kept salvos of a world by ascending id, and when each is due. What ended long ago is
// forgotten near the front, a few every tick: the front moves, not the thousands behind it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <contrail/sim/world.hpp>

namespace contrail::sim {

class SalvoList {
 public:
  using iterator = std::vector<Salvo>::iterator;

  [[nodiscard]] std::size_t size() const { return salvos_.size() - front_; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] Salvo& operator[](std::size_t i) { return salvos_[front_ + i]; }
  [[nodiscard]] const Salvo& operator[](std::size_t i) const { return salvos_[front_ + i]; }
  [[nodiscard]] const Salvo& front() const { return salvos_[front_]; }
  [[nodiscard]] Salvo& back() { return salvos_.back(); }
  [[nodiscard]] const Salvo& back() const { return salvos_.back(); }
  [[nodiscard]] iterator begin() { return salvos_.begin() + static_cast<std::ptrdiff_t>(front_); }
  [[nodiscard]] iterator end() { return salvos_.end(); }
  [[nodiscard]] auto begin() const { return salvos_.begin() + static_cast<std::ptrdiff_t>(front_); }
  [[nodiscard]] auto end() const { return salvos_.end(); }
  [[nodiscard]] std::span<const Salvo> all() const { return {salvos_.data() + front_, size()}; }

  /// Its id is above all others.
  void push_back(Salvo salvo, Subtick due) {
    salvos_.push_back(std::move(salvo));
    dues_.push_back(due);
  }
  /// By number in the list: nothing happens to this salvo by itself before. Never late.
  [[nodiscard]] std::span<const Subtick> dues() const { return {dues_.data() + front_, size()}; }
  void set_due(const Salvo& salvo, Subtick due) {
    dues_[static_cast<std::size_t>(&salvo - salvos_.data())] = due;
  }

  [[nodiscard]] const Salvo* find(std::uint32_t id) const;
  /// Forgets every salvo that is due at `now` and of which `is_over` says so.
  template <class IsOver>
  void forget(Subtick now, const IsOver& is_over) {
    std::size_t last = salvos_.size();
    while (last > front_ && !(dues_[last - 1] <= now && is_over(salvos_[last - 1]))) {
      --last;
    }
    // Those that stay before the last one that goes close ranks behind it.
    std::size_t kept = last;
    for (std::size_t i = last; i > front_; --i) {
      if (dues_[i - 1] <= now && is_over(salvos_[i - 1])) {
        continue;
      }
      --kept;
      if (kept != i - 1) {
        salvos_[kept] = std::move(salvos_[i - 1]);
        dues_[kept] = dues_[i - 1];
      }
    }
    for (; front_ < kept; ++front_) {
      salvos_[front_] = Salvo{};
    }
    if (front_ > size() / 8 + 64) {
      salvos_.erase(salvos_.begin(), begin());
      dues_.erase(dues_.begin(), dues_.begin() + static_cast<std::ptrdiff_t>(front_));
      front_ = 0;
    }
  }
  [[nodiscard]] std::size_t bytes() const {
    return salvos_.capacity() * sizeof(Salvo) + dues_.capacity() * sizeof(Subtick);
  }

 private:
  std::vector<Salvo> salvos_;
  std::vector<Subtick> dues_;
  std::size_t front_ = 0;
};

inline const Salvo* SalvoList::find(std::uint32_t id) const {
  if (empty() || id < front().id || id > back().id) {
    return nullptr;
  }
  // Ids ascend, and few are missing: each end of the list bounds the place.
  std::size_t high = id - front().id < size() - 1 ? id - front().id : size() - 1;
  std::size_t low = back().id - id < size() ? size() - 1 - (back().id - id) : 0;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if ((*this)[middle].id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return (*this)[low].id == id ? &(*this)[low] : nullptr;
}

}  // namespace contrail::sim
