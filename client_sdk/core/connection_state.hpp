#pragma once

#include <cstdint>

namespace contrail::client {

/// Where a client stands. Only connect() leaves idle, disconnected and refused; nothing leaves
/// failed.
enum class State : std::uint8_t {
  idle,          // connect() was not called yet
  connecting,    // asking to be let in
  joining,       // let in; the session header and the first snapshot are on their way
  live,          // the session is followed: queries, events and commands work
  disconnected,  // over; end_reason() says why. Queries still answer from the last state received
  refused,       // not let in; end_reason() says why
  waiting,  // the connection was lost; another attempt follows by itself, or after give_token()
            // when needs_token(). Queries still answer from the last state received
  failed,   // an internal error; failure() has the text, nothing else works any more
};
/// One lower-case word, never null.
const char* describe(State state);

/// Why the state is disconnected, refused or failed.
enum class EndReason : std::uint8_t {
  none = 0,
  // refused
  version,        // another protocol version
  path_revision,  // another revision of the exact arithmetic
  fingerprint,    // the same revision, but one end computes something else
  server_full,
  token_required,
  bad_token,           // cut short, forged or changed
  bad_resume,          // the ticket for coming back is no longer good
  no_such_entity,      // a pilot's wish, ClientConfig::entity, is not there
  token_expired,       // by the server's clock
  token_used,          // a token lets one client in, once
  token_other_server,  // it is for other servers
  token_before_start,  // issued before the server started
  token_unknown_key,   // sealed with a key that the server does not have
  token_not_yet,       // issued in the future, by the server's clock
  token_too_long,      // good for longer than a day
  token_history_full,  // the server can't remember another used one
  not_granted,         // the token does not allow this role or entity
  // refused or disconnected
  server_closing,
  // disconnected
  closed,         // disconnect() was called
  unreachable,    // there is no such host, or no route to it
  no_answer,      // nobody answered at that address
  silence,        // nothing heard from the server for 10 s
  server_left,    // the server ended this connection without another reason
  client_silent,  // the server heard nothing from here for 10 s
  too_slow,       // could not be brought up to date in time
  replaced,       // another connection took this one's place
  kicked,         // an operator's wish
  misbehaved,     // the server found fault with what this end sent
  too_large,      // the session does not fit the transport
  session_ended,  // the match is over
  pass_taken,     // the token let another client in first
  bad_log,        // the server sent what cannot be decoded or folded
  // failed
  internal_error,
};
/// One lower-case word, never null.
const char* describe(EndReason reason);

}  // namespace contrail::client
