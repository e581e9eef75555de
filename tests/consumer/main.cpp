// Uses the client the way a game does, without a server: nothing answers, nothing breaks.

#include <cstdio>
#include <vector>

#include <contrail/client/client.hpp>

int main() {
  using namespace contrail::client;
  Client client;
  if (client.connect("127.0.0.1", 9) != Status::ok) {
    std::printf("connect: %s\n", client.describe_state().c_str());
    return 1;
  }
  client.update();
  std::vector<MissileView> missiles(16);
  const Filled filled = client.missiles(client.render_time(), contrail::sim::Vec3{0}, missiles);
  std::printf("%zu missiles; %s\n", filled.written, client.describe_state().c_str());
  client.disconnect();
  return filled.written == 0 && client.session() == nullptr ? 0 : 1;
}
