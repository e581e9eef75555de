#include <contrail/replay/mapped_file.hpp>

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace contrail::server {

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    ::munmap(const_cast<std::uint8_t*>(data_), size_);
  }
}

bool MappedFile::open(const std::string& path) {
  const auto fail = [&](const std::string& why) {
    error_ = "cannot open " + path + ": " + why;
    return false;
  };
  const auto fail_errno = [&] { return fail(std::generic_category().message(errno)); };
  // Not blocking: opening a FIFO would wait for its writer.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    return fail_errno();
  }
  struct stat status {};
  bool ok = ::fstat(file, &status) == 0;
  if (!ok) {
    fail_errno();
  } else if (S_ISDIR(status.st_mode)) {
    ok = fail("it is a directory, not a recording");
  } else if (!S_ISREG(status.st_mode)) {
    ok = fail("it is not a regular file");
  } else if (status.st_size > 0) {
    size_ = static_cast<std::size_t>(status.st_size);
    void* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    ok = mapped != MAP_FAILED;
    if (ok) {
      data_ = static_cast<const std::uint8_t*>(mapped);
    } else {
      size_ = 0;
      fail_errno();
    }
  }
  ::close(file);
  return ok;
}

}  // namespace contrail::server
