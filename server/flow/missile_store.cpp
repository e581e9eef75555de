#include <contrail/flow/missile_store.hpp>

#include <utility>

#include <contrail/sim/assert.hpp>

namespace contrail::server {

MissileStore::MissileStore() : header_of_low_(65536, k_no_slot) {}

std::uint32_t MissileStore::take_slot() {
  ++count_;
  if (free_.empty()) {
    missiles_.emplace_back();
    alive_.push_back(1);
    return static_cast<std::uint32_t>(missiles_.size() - 1);
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  alive_[slot] = 1;
  return slot;
}

void MissileStore::admit(const sim::World& world, const sim::Salvo& salvo,
                         std::vector<std::uint32_t>& slots) {
  std::uint32_t number = static_cast<std::uint32_t>(headers_.size());
  if (free_headers_.empty()) {
    headers_.emplace_back();
  } else {
    number = free_headers_.back();
    free_headers_.pop_back();
  }
  header_of_low_[salvo.id & 0xFFFFU] = number;
  SalvoHeader& header = headers_[number];
  std::vector<std::uint32_t> slots_before = std::move(header.slots);
  header = salvo_header(salvo);
  header.slots = std::move(slots_before);
  header.slots.assign(salvo.missiles.size(), k_no_slot);
  for (std::size_t i = 0; i < salvo.missiles.size(); ++i) {
    if (salvo.missiles[i].end != sim::EndKind::alive) {
      continue;
    }
    const std::uint32_t slot = take_slot();
    const std::uint32_t generation = missiles_[slot].generation + 1;
    missiles_[slot] = hot_missile(world, salvo, static_cast<std::uint8_t>(i));
    missiles_[slot].generation = generation;
    missiles_[slot].header = number;
    header.slots[i] = slot;
    ++header.left;
    slots.push_back(slot);
  }
}

bool MissileStore::knows(std::uint32_t salvo) const {
  return header_of_low_[salvo & 0xFFFFU] != k_no_slot;
}

std::uint32_t MissileStore::slot_of(std::uint32_t salvo, std::uint8_t index) const {
  const std::uint32_t number = header_of_low_[salvo & 0xFFFFU];
  return number == k_no_slot ? k_no_slot : headers_[number].slots[index];
}

void MissileStore::end(std::uint32_t salvo, std::uint8_t index) {
  const std::uint32_t number = header_of_low_[salvo & 0xFFFFU];
  sim::require(number != k_no_slot, "a missile that ends was launched");
  SalvoHeader& header = headers_[number];
  const std::uint32_t slot = header.slots[index];
  sim::require(slot != k_no_slot, "a missile ends once");
  header.slots[index] = k_no_slot;
  alive_[slot] = 0;
  ++missiles_[slot].generation;
  free_.push_back(slot);
  --count_;
  if (--header.left == 0) {
    header_of_low_[salvo & 0xFFFFU] = k_no_slot;
    free_headers_.push_back(number);
  }
}

std::size_t MissileStore::bytes() const {
  std::size_t sum = missiles_.capacity() * sizeof(HotMissile) + alive_.capacity() +
                    (free_.capacity() + free_headers_.capacity() + header_of_low_.capacity()) * 4 +
                    headers_.capacity() * sizeof(SalvoHeader);
  for (const SalvoHeader& header : headers_) {
    sum += header.slots.capacity() * sizeof(std::uint32_t);
  }
  return sum;
}

}  // namespace contrail::server
