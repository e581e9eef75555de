#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace contrail::server {

/// The bytes of a regular file, mapped for reading. Never blocks, whatever the path names. The file
/// must not shrink while it is mapped; recordings only grow.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  /// False, with error(), for what is not there, not readable or not a regular file.
  [[nodiscard]] bool open(const std::string& path);

  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {data_, size_}; }
  /// "cannot open game.mcap: No such file or directory"
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  std::string error_;
};

}  // namespace contrail::server
