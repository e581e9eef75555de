#pragma once

// Programs as processes: exit codes, signals, what goes to stdout and what to stderr.

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <contrail/support/temporary_directory.hpp>

namespace contrail::support {

/// A process. Its output is collected from files, so that no pipe can hold it up.
class Process {
 public:
  /// `arguments`: the program first. `ignore_stops`: SIGINT and SIGTERM are ignored where it
  /// starts, as under `sh -c '... &'`.
  explicit Process(std::vector<std::string> arguments, bool ignore_stops = false) {
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    const std::string out = directory_.file("out");
    const std::string err = directory_.file("err");
    pid_ = ::fork();
    if (pid_ == 0) {
      if (ignore_stops) {
        ::signal(SIGINT, SIG_IGN);
        ::signal(SIGTERM, SIG_IGN);
      }
      ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
      ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
      ::execv(pointers[0], pointers.data());
      ::_exit(127);
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      wait();
    }
  }

  void kill(int signal) const { ::kill(pid_, signal); }
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Exit status, or 1000 + the signal that ended it.
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
  /// The first line of stdout, once it is there.
  std::string first_line() const {
    for (;;) {
      const std::string text = out();
      if (const auto end = text.find('\n'); end != std::string::npos) return text.substr(0, end);
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG | WNOWAIT) == pid_) return "";
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  [[nodiscard]] std::string out() const { return read("out"); }
  [[nodiscard]] std::string err() const { return read("err"); }

 private:
  [[nodiscard]] std::string read(const char* name) const {
    std::string text;
    const int file = ::open(directory_.file(name).c_str(), O_RDONLY);
    if (file < 0) return text;
    std::array<char, 4096> block;
    for (ssize_t n; (n = ::read(file, block.data(), block.size())) > 0;) {
      text.append(block.data(), static_cast<std::size_t>(n));
    }
    ::close(file);
    return text;
  }

  support::TemporaryDirectory directory_;
  pid_t pid_ = -1;
};

/// Of a text that may end with line ends.
inline std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of('\n');
  const auto start = text.rfind('\n', end);
  return text.substr(start == std::string::npos ? 0 : start + 1, end - start);
}

}  // namespace contrail::support
