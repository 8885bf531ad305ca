// Processes that mpirun starts speak in two channels at the same time: in the program's thread by
// those ranks, in a messenger's by a second one, as devices do that go by way of the host.
#include <cstdio>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "gpu/backend/messenger.hpp"
#include "gpu/backend/mpi_ranks.hpp"
#include "gpu/backend/ranks.hpp"

namespace {

constexpr int rounds = 400;

/// What rank r says in a round of a channel, 0 or 1.
int word(int channel, int round, int r) {
  return 1000000 * channel + 100 * round + r;
}

/// The number of rounds in which something else was heard than was said.
int speak(const ninefold::Ranks& ranks, int channel) {
  int wrong = 0;
  const int rank = ranks.rank(), last = ranks.size() - 1;
  for (int round = 0; round < rounds; ++round) {
    const int own = word(channel, round, rank);
    bool is_right = true;
    const std::vector<int> all = ranks.statements(own);
    for (int r = 0; r <= last; ++r)
      is_right = is_right && all[static_cast<std::size_t>(r)] == word(channel, round, r);
    int below = -1, above = -1;
    ranks.exchange({{&own, &own, &below, &above, sizeof own}});
    is_right = is_right && below == (rank > 0 ? word(channel, round, rank - 1) : -1)
               && above == (rank < last ? word(channel, round, rank + 1) : -1);
    const int other = last - rank;  // none for the one in the middle
    int heard = -1;
    std::vector<ninefold::Message> messages;
    if (other != rank) messages.push_back({other, &own, sizeof own, &heard, sizeof heard});
    ranks.trade(messages);
    is_right = is_right && heard == (other != rank ? word(channel, round, other) : -1);
    wrong += is_right ? 0 : 1;
  }
  return wrong;
}

}  // namespace

int main() {
  try {
    const auto ranks = ninefold::mpi_ranks(64);
    const ninefold::MachineOfProcess machine = ninefold::machine_of_process();
    if (!machine.serves_two_threads) return 77;
    const auto channel = ninefold::mpi_channel(ranks);
    int wrong_beside = 0;
    ninefold::Messenger messenger;
    std::thread waits([&] { messenger.run([&] { wrong_beside = speak(*channel, 1); }); });
    const int wrong = speak(*ranks, 0);
    waits.join();
    const bool knows_place = machine.processes == ranks->size() && machine.place == ranks->rank();
    if (ranks->rank() == 0) {
      std::printf("%d processes: %d and %d rounds of %d wrong\n", ranks->size(), wrong,
                  wrong_beside, rounds);
    }
    return wrong == 0 && wrong_beside == 0 && knows_place ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
