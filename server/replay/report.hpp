#pragma once

// The commands' results as people and programs read them.

#include <string>

#include <contrail/replay/info.hpp>
#include <contrail/replay/state_at.hpp>
#include <contrail/replay/verify.hpp>

namespace contrail::server {

std::string text_of(const RecordedSession& session, const RecordingInfo& info);
std::string text_of(const StateAt& state);
std::string text_of(const VerifyResult& result);

// One JSON object on one line. 64-bit values that a JavaScript number can't hold are strings.
std::string json_of(const RecordedSession& session, const RecordingInfo& info);
std::string json_of(const RecordedSession& session, const StateAt& state);
std::string json_of(const RecordedSession& session, const VerifyResult& result);
/// A command that ended before it had a result.
std::string json_of_error(const std::string& file, ExitCode exit_code, const std::string& message);

}  // namespace contrail::server
