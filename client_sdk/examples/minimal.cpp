// The smallest game: joins a server, follows its session for ten seconds, prints what happens.

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include <contrail/client/client.hpp>

using namespace contrail::client;

int main(int argc, char** argv) {
  Client client;
  if (client.connect(argc > 1 ? argv[1] : "127.0.0.1", 7777) != Status::ok) return 1;

  std::vector<MissileView> missiles(4096);
  std::vector<TrailPoint> trail(256);
  int impacts = 0;
  for (int frame = 0; frame < 600 && client.state() != State::refused; ++frame) {
    client.update();  // receives, follows the log, sends; never blocks

    // What happened up to the instant on screen: each event once, in the order of time.
    Event event;
    while (client.next_event(event)) {
      if (event.kind == EventKind::impact) ++impacts;  // event.position: put the blast there
    }

    // What there is at that instant. Floats count from an origin near the camera.
    contrail::sim::Vec3 origin{0};
    position_from_metres({0.0, 100.0, -500.0}, origin);
    const auto now = client.render_time();
    const Filled filled = client.missiles(now, origin, missiles);
    std::size_t puffs = 0;
    for (std::size_t i = 0; i < filled.written; ++i) {
      const MissileView& missile = missiles[i];  // position, orientation, velocity, weapon: draw it
      // Its smoke: two seconds of the path it really flew, evaluated from the log.
      puffs += client.trail(missile.id, {now - 2 * 65536, now, 2048}, origin, trail).written;
    }
    if (frame % 60 == 0) {
      std::printf("%.2f s: %zu missiles, %zu puffs of smoke, %d impacts so far\n",
                  client.render_seconds(), filled.written, puffs, impacts);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(16));
  }
  std::printf("%s\n", client.describe_state().c_str());
  return client.state() == State::live ? 0 : 1;
}
