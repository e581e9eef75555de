#include <utility>

#include <contrail/wire/record_reader.hpp>
#include <contrail/wire/wire_limits.hpp>

namespace contrail::wire {
namespace {

class RecordReader {
 public:
  RecordReader(const fb::TickRecord& table, const TickWindow& window)
      : table_(table),
        window_(window),
        records_(static_cast<std::size_t>(window_ticks(window.log2_tick))) {}

  CodecResult run(std::size_t message_bytes) {
    if (vector_bytes() > message_bytes) {
      return {CodecError::overlapping, "message"};
    }
    CodecResult result = k_decoded;
    const auto good = [&](CodecResult next) { return static_cast<bool>(result = next); };
    using R = sim::TickRecord;
    static_cast<void>(
        good(read(table_.launches(), &R::launches, "launches")) &&
        good(read(table_.outcomes(), &R::outcomes, "outcomes")) &&
        good(read(table_.health(), &R::health, "health")) &&
        good(read(table_.relative_keys(), &R::relative_keys, "relative_keys")) &&
        good(read(table_.guidance(), &R::guidance, "guidance")) &&
        good(read(table_.turret_modes(), &R::turret_modes, "turret_modes")) &&
        good(read(table_.shots(), &R::shots, "shots")) &&
        good(read(table_.despawns(), &R::despawns, "despawns")) &&
        good(read(table_.spawns(), &R::spawns, "spawns")) &&
        good(read(table_.track_keys(), &R::track_keys, "track_keys")) &&
        good(read(table_.attitude_keys(), &R::attitude_keys, "attitude_keys")) &&
        good(read(table_.state_hashes(), &R::state_hashes, "state_hashes")) &&
        good(read(table_.customs(), &R::customs, "customs")) && good(read_custom_bytes()) &&
        good(read(table_.timelines(), &R::timelines, "timelines")) && good(at_most_one()));
    return result;
  }

  std::vector<sim::TickRecord> take() {
    std::vector<sim::TickRecord> out;
    for (std::size_t age = records_.size(); age-- > 0;) {
      if (!records_[age].empty()) {
        records_[age].tick = window_.last_tick - static_cast<std::uint32_t>(age);
        out.push_back(std::move(records_[age]));
      }
    }
    return out;
  }

 private:
  [[nodiscard]] std::size_t vector_bytes() const {
    return bytes_of(table_.launches()) + bytes_of(table_.outcomes()) + bytes_of(table_.health()) +
           bytes_of(table_.relative_keys()) + bytes_of(table_.guidance()) +
           bytes_of(table_.turret_modes()) + bytes_of(table_.shots()) +
           bytes_of(table_.despawns()) + bytes_of(table_.spawns()) + bytes_of(table_.track_keys()) +
           bytes_of(table_.attitude_keys()) + bytes_of(table_.state_hashes()) +
           bytes_of(table_.customs()) + length_of(table_.custom_bytes()) +
           bytes_of(table_.timelines());
  }

  // How long before the last tick an element lies. Launches and outcomes say it by their time.
  [[nodiscard]] std::size_t age_by_time(std::uint16_t low) const {
    const Place last{window_.last_tick, window_.log2_tick};
    return static_cast<std::size_t>((last.end() - last.widen(low)) >> window_.log2_tick);
  }
  [[nodiscard]] std::size_t age_of(const fb::Launch& e) const { return age_by_time(e.t0()); }
  [[nodiscard]] std::size_t age_of(const fb::Outcome& e) const { return age_by_time(e.time()); }
  template <class Struct>
  [[nodiscard]] std::size_t age_of(const Struct& e) const {
    return e.at();
  }

  [[nodiscard]] bool allows(std::size_t age) const {
    return age < records_.size() && ((window_.allowed >> age) & 1U) != 0 && age < window_.last_tick;
  }

  template <class Struct, class Element>
  CodecResult read(const flatbuffers::Vector<const Struct*>* vector,
                   std::vector<Element> sim::TickRecord::*member, const char* name) {
    if (vector == nullptr) {
      return k_decoded;
    }
    if (vector->size() == 0) {
      return {CodecError::empty_vector, name};
    }
    std::size_t oldest_left = records_.size();
    for (const Struct* element : *vector) {
      const std::size_t age = age_of(*element);
      if (!allows(age)) {
        return {CodecError::bad_tick, name};
      }
      if (age > oldest_left) {
        return {CodecError::unsorted, name};
      }
      oldest_left = age;
      const Place place{window_.last_tick - static_cast<std::uint32_t>(age), window_.log2_tick};
      Element& out = (records_[age].*member).emplace_back();
      if (const CodecResult result = unpack(*element, place, out); !result) {
        return result;
      }
    }
    return k_decoded;
  }

  /// Deals the bytes out to the custom elements, which were read before.
  CodecResult read_custom_bytes() {
    const flatbuffers::Vector<std::uint8_t>* bytes = table_.custom_bytes();
    if (bytes != nullptr && bytes->size() == 0) {
      return {CodecError::empty_vector, "custom_bytes"};
    }
    std::size_t total = 0;
    if (table_.customs() != nullptr) {
      for (const fb::Custom* custom : *table_.customs()) {
        total += custom->length();
      }
    }
    if (total != length_of(bytes)) {
      return {CodecError::bad_length, "custom_bytes"};
    }
    const std::uint8_t* next = bytes == nullptr ? nullptr : bytes->data();
    std::size_t element = 0;
    for (std::size_t age = records_.size(); age-- > 0;) {
      for (sim::Custom& custom : records_[age].customs) {
        const auto index = static_cast<flatbuffers::uoffset_t>(element++);
        const std::size_t length = table_.customs()->Get(index)->length();
        if (length > 0) {
          custom.bytes.assign(next, next + length);
          next += length;
        }
      }
    }
    return k_decoded;
  }

  [[nodiscard]] CodecResult at_most_one() const {
    for (const sim::TickRecord& record : records_) {
      if (record.timelines.size() > 1) {
        return {CodecError::duplicate, "timelines"};
      }
      if (record.state_hashes.size() > 1) {
        return {CodecError::duplicate, "state_hashes"};
      }
    }
    return k_decoded;
  }

  const fb::TickRecord& table_;
  TickWindow window_;
  std::vector<sim::TickRecord> records_;  // by age
};

}  // namespace

CodecResult read_records(const fb::TickRecord& table, std::size_t message_bytes,
                         const TickWindow& window, std::vector<sim::TickRecord>& out) {
  RecordReader reader(table, window);
  const CodecResult result = reader.run(message_bytes);
  if (result) {
    out = reader.take();
  }
  return result;
}

}  // namespace contrail::wire
