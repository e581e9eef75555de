#include <algorithm>
#include <charconv>

#include <contrail/recording/recording_reader.hpp>

namespace contrail::recording {
namespace {

// 512..8192, a power of two, decimal without ornament.
std::optional<std::uint8_t> parse_log2_tick(std::string_view text) {
  std::uint32_t subticks = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, subticks);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  for (std::uint8_t log2_tick = k_min_log2_tick; log2_tick <= k_max_log2_tick; ++log2_tick) {
    if (subticks == 1u << log2_tick) return log2_tick;
  }
  return std::nullopt;
}

}  // namespace

Fault RecordingReader::open(Bytes file, const Checks& checks) {
  *this = {};
  file_ = file;
  checks_ = checks;
  damage_ = read_summary(file, checks_, index_);
  if (damage_.error == ReadError::none) damage_ = find_channels();
  if (damage_.error == ReadError::none) damage_ = check_chunk_order();
  if (damage_.error == ReadError::none && !read_session()) {
    find_last_tick();
    return {};
  }
  // Not closed, or not as it was closed: what can be read from the front?
  const Fault scanned = scan(file, checks_, index_);
  if (scanned.error != ReadError::none) damage_ = scanned;
  if (index_.chunks.empty()) return damage_;
  if (const Fault fault = find_channels()) return fault;
  if (const Fault fault = read_session()) return fault;
  cut_to_readable_prefix();
  find_last_tick();
  return {};
}

bool RecordingReader::lost_bytes() const {
  return !closed() && !(damage_.error == ReadError::not_closed && damage_.offset == file_.size());
}

Fault RecordingReader::find_channels() {
  const std::uint64_t at = index_.chunks.empty() ? 0 : index_.chunks.front().offset;
  for (std::size_t kind = 0; kind < k_entry_kinds; ++kind) {
    const ChannelRecord* found = nullptr;
    for (const ChannelRecord& channel : index_.channels) {
      if (channel.topic != k_topics[kind]) continue;
      if (found != nullptr || channel.id >= 64) return {ReadError::missing_channel, at};
      found = &channel;
    }
    if (found == nullptr) return {ReadError::missing_channel, at};
    channel_ids_[kind] = found->id;
  }
  const auto subticks_per_tick = about(k_subticks_per_tick_key);
  const auto log2_tick = subticks_per_tick ? parse_log2_tick(*subticks_per_tick) : std::nullopt;
  if (!log2_tick) return {ReadError::bad_tick_length, at};
  log2_tick_ = *log2_tick;
  return {};
}

Fault RecordingReader::check_chunk_order() const {
  std::uint64_t end_time = 0;
  std::uint64_t end_offset = 0;
  for (const ChunkInfo& chunk : index_.chunks) {
    if (chunk.offset < end_offset) return {ReadError::chunk_index, chunk.offset};
    if (chunk.offset >= index_.data_end || chunk.length > index_.data_end - chunk.offset) {
      return {ReadError::chunk_index, chunk.offset};
    }
    end_offset = chunk.offset + chunk.length;
    if (chunk.channels == 0) continue;
    if (chunk.start_time < end_time) return {ReadError::tick_order, chunk.offset};
    end_time = chunk.end_time;
  }
  return {};
}

Fault RecordingReader::read_session() {
  EntryCursor cursor(*this);
  Entry entry;
  if (!cursor.next(entry)) {
    const std::uint64_t at = index_.chunks.empty() ? 0 : index_.chunks.front().offset;
    return cursor.fault() ? cursor.fault() : Fault{ReadError::no_session, at};
  }
  session_ = entry.payload;
  first_tick_ = entry.tick;
  return {};
}

// The scan has verified bytes and structure; what the entries say of ticks can still be wrong.
void RecordingReader::cut_to_readable_prefix() {
  EntryCursor cursor(*this);
  Entry entry;
  while (cursor.next(entry)) {
  }
  if (!cursor.fault()) return;
  damage_ = cursor.fault();
  const std::size_t bad = cursor.chunk();
  index_.data_end = index_.chunks[bad].offset;
  index_.chunks.resize(bad);
  // The counts follow the cut.
  for (auto& count : index_.statistics.channel_message_counts) count.second = 0;
  EntryCursor again(*this);
  while (again.next(entry)) {
    const std::uint16_t id = channel_ids_[static_cast<std::size_t>(entry.kind)];
    for (auto& count : index_.statistics.channel_message_counts) {
      if (count.first == id) ++count.second;
    }
  }
}

void RecordingReader::find_last_tick() {
  last_tick_ = first_tick_;
  for (std::size_t i = index_.chunks.size(); i-- > 0;) {
    EntryCursor cursor(*this);
    cursor.seek_chunk(i);
    Entry entry;
    while (cursor.chunk() <= i && cursor.next(entry)) last_tick_ = std::max(last_tick_, entry.tick);
    if (last_tick_ > first_tick_) return;
  }
}

std::optional<std::string_view> RecordingReader::about(std::string_view key) const {
  for (const ChannelRecord& channel : index_.channels) {
    if (channel.topic != topic_of(EntryKind::session)) continue;
    for (const auto& [name, value] : channel.metadata) {
      if (name == key) return value;
    }
  }
  return std::nullopt;
}

std::uint64_t RecordingReader::count(EntryKind kind) const {
  const std::uint16_t id = channel_ids_[static_cast<std::size_t>(kind)];
  for (const auto& [channel_id, messages] : index_.statistics.channel_message_counts) {
    if (channel_id == id) return messages;
  }
  return 0;
}

std::vector<SnapshotPosition> RecordingReader::snapshots() const {
  std::vector<SnapshotPosition> found;
  const std::uint16_t id = channel_ids_[static_cast<std::size_t>(EntryKind::snapshot)];
  ChunkContents contents;
  for (std::size_t i = 0; i < index_.chunks.size(); ++i) {
    if (((index_.chunks[i].channels >> id) & 1u) == 0) continue;
    ChunkInfo info;
    if (read_chunk(file_, index_.chunks[i].offset, checks_, info, contents)) continue;
    for (const FoundMessage& message : contents.messages) {
      if (message.message.channel_id == id) found.push_back({message.message.sequence, i});
    }
  }
  return found;
}

void EntryCursor::seek_chunk(std::size_t chunk) {
  chunk_ = chunk;
  message_ = 0;
  contents_.messages.clear();
  skip_before_ = 0;
  previous_tick_.reset();
  fault_ = {};
}

void EntryCursor::seek(std::uint32_t tick) {
  const auto& chunks = reader_.index_.chunks;
  const std::uint64_t time = tick_time_ns(tick, reader_.log2_tick_);
  const auto first = std::ranges::partition_point(
      chunks, [&](const ChunkInfo& chunk) { return chunk.end_time < time; });
  seek_chunk(static_cast<std::size_t>(first - chunks.begin()));
  skip_before_ = tick;
}

bool EntryCursor::load_next_chunk() {
  if (chunk_ >= reader_.index_.chunks.size()) return false;
  const ChunkInfo& expected = reader_.index_.chunks[chunk_++];
  message_ = 0;
  ChunkInfo info;
  fault_ = read_chunk(reader_.file_, expected.offset, reader_.checks_, info, contents_);
  if (fault_) return false;
  info.index_length = expected.index_length;
  if (info != expected) fault_ = {ReadError::chunk_index, expected.offset};
  return !fault_;
}

ReadError EntryCursor::take(const FoundMessage& found, Entry& out, bool& known) {
  const MessageRecord& message = found.message;
  const auto& ids = reader_.channel_ids_;
  const auto kind = std::ranges::find(ids, message.channel_id);
  known = kind != ids.end();
  if (!known) return ReadError::none;  // a channel of a later minor version
  out.kind = static_cast<EntryKind>(kind - ids.begin());
  out.tick = message.sequence;
  out.payload = message.data;
  const bool is_first = chunk_ == 1 && message_ == 1;
  if (is_first != (out.kind == EntryKind::session)) {
    return is_first ? ReadError::no_session : ReadError::second_session;
  }
  const std::uint64_t time = tick_time_ns(message.sequence, reader_.log2_tick_);
  if (message.log_time != time || message.publish_time != time) return ReadError::bad_time;
  if (previous_tick_) {
    if (out.tick < *previous_tick_) return ReadError::tick_order;
    const std::uint64_t gap = std::uint64_t{out.tick - *previous_tick_} << reader_.log2_tick_;
    if (gap > k_max_gap_subticks) return ReadError::tick_order;
  }
  previous_tick_ = out.tick;
  return ReadError::none;
}

bool EntryCursor::next(Entry& out) {
  while (!fault_) {
    if (message_ >= contents_.messages.size()) {
      if (!load_next_chunk()) {
        contents_.messages.clear();
        return false;
      }
      continue;
    }
    const FoundMessage& found = contents_.messages[message_++];
    out.offset = reader_.index_.chunks[chunk_ - 1].offset;
    bool known = false;
    const ReadError error = take(found, out, known);
    if (error != ReadError::none) {
      fault_ = {error, out.offset};
      return false;
    }
    if (known && out.tick >= skip_before_) return true;
  }
  return false;
}

Fault check_recording(Bytes file, const Checks& checks) {
  McapIndex index;
  if (const Fault fault = check(file, checks, index)) return fault;
  RecordingReader reader;
  if (const Fault fault = reader.open(file, checks)) return fault;
  if (reader.damage()) return reader.damage();
  EntryCursor cursor(reader);
  Entry entry;
  while (cursor.next(entry)) {
  }
  return cursor.fault();
}

}  // namespace contrail::recording
