#include "stop_signal.hpp"

#include <atomic>
#include <csignal>

#include <unistd.h>

namespace contrail::server {

namespace {

std::atomic<bool> g_stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may use it");

extern "C" void on_stop(int number) {
  if (g_stop.exchange(true)) _exit(128 + number);
}

}  // namespace

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_stop;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A parent may have started us with them blocked.
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  sigprocmask(SIG_UNBLOCK, &both, nullptr);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
  // A limit on file sizes is to end the recording, not the match: write(2) answers with EFBIG.
  sigaction(SIGXFSZ, &ignore, nullptr);
}

bool stop_requested() {
  return g_stop.load();
}

}  // namespace contrail::server
