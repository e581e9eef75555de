#include <contrail/core/status.hpp>

namespace contrail::client {

const char* describe(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::not_live:
      return "no session has been joined yet, or it is over";
    case Status::wrong_state:
      return "the call does not fit the object's present state";
    case Status::unreachable:
      return "there is no such host, or no route to it";
    case Status::array_too_small:
      return "the array holds fewer elements than there are";
    case Status::not_finite:
      return "a floating-point argument is NaN or infinite";
    case Status::out_of_range:
      return "an argument is outside its limits";
    case Status::outside_window:
      return "the time is outside the 8 s of kept history";
    case Status::unknown_missile:
      return "no such missile is kept";
    case Status::unknown_entity:
      return "no such entity is kept";
    case Status::not_allowed:
      return "a spectator cannot command";
    case Status::too_many:
      return "too many unanswered commands";
    case Status::failed:
      return "the object failed earlier";
  }
  return "unknown status";
}

}  // namespace contrail::client
