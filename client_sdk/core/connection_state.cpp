#include <contrail/core/connection_state.hpp>

namespace contrail::client {

const char* describe(State state) {
  switch (state) {
    case State::idle:
      return "idle";
    case State::connecting:
      return "connecting";
    case State::joining:
      return "joining";
    case State::live:
      return "live";
    case State::disconnected:
      return "disconnected";
    case State::refused:
      return "refused";
    case State::waiting:
      return "waiting";
    case State::failed:
      return "failed";
  }
  return "unknown";
}

const char* describe(EndReason reason) {
  switch (reason) {
    case EndReason::none:
      return "none";
    case EndReason::version:
      return "version";
    case EndReason::path_revision:
      return "path_revision";
    case EndReason::fingerprint:
      return "fingerprint";
    case EndReason::server_full:
      return "server_full";
    case EndReason::token_required:
      return "token_required";
    case EndReason::bad_token:
      return "bad_token";
    case EndReason::bad_resume:
      return "bad_resume";
    case EndReason::no_such_entity:
      return "no_such_entity";
    case EndReason::token_expired:
      return "token_expired";
    case EndReason::token_used:
      return "token_used";
    case EndReason::token_other_server:
      return "token_other_server";
    case EndReason::token_before_start:
      return "token_before_start";
    case EndReason::token_unknown_key:
      return "token_unknown_key";
    case EndReason::token_not_yet:
      return "token_not_yet";
    case EndReason::token_too_long:
      return "token_too_long";
    case EndReason::token_history_full:
      return "token_history_full";
    case EndReason::not_granted:
      return "not_granted";
    case EndReason::pass_taken:
      return "pass_taken";
    case EndReason::server_closing:
      return "server_closing";
    case EndReason::closed:
      return "closed";
    case EndReason::unreachable:
      return "unreachable";
    case EndReason::no_answer:
      return "no_answer";
    case EndReason::silence:
      return "silence";
    case EndReason::server_left:
      return "server_left";
    case EndReason::client_silent:
      return "client_silent";
    case EndReason::too_slow:
      return "too_slow";
    case EndReason::replaced:
      return "replaced";
    case EndReason::kicked:
      return "kicked";
    case EndReason::misbehaved:
      return "misbehaved";
    case EndReason::too_large:
      return "too_large";
    case EndReason::session_ended:
      return "session_ended";
    case EndReason::bad_log:
      return "bad_log";
    case EndReason::internal_error:
      return "internal_error";
  }
  return "unknown";
}

}  // namespace contrail::client
