// What devices give each other, a rank each: of many sizes in turn, and many times from recordings,
// where no rank waits for the others but in the transfers themselves.
//
// Each rank has a device of its own: where they share one, a thread that waits inside of the
// driver, for memory, a copy or a place in the queue, may keep the others from giving their part.
// Whole solves by ranks that share one are in ranks_test.cpp; ctest runs each of them in a process
// of its own, in which no kernel is loaded yet: a rank that loads one must not keep others from
// giving their part.

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gpu/backend/graph.hpp"
#include "gpu/backend/ranks.hpp"
#include "gpu/backend/vector.hpp"
#include "gpu/operations/vector_operations.hpp"

#include "solvers/devices.hpp"

#include "tests/support/backend_among.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/skip.hpp"

namespace ninefold {
namespace {

using testing::backend_among;
using testing::Device;
using testing::full_or_small;
using Bytes = std::vector<unsigned char>;

/// Sizes in bytes: of words of one byte, of four, eight and sixteen, with and without a rest; of
/// one block and of many; more than the boxes hold, which is taken from the other's memory.
std::size_t any_size(std::mt19937& random) {
  constexpr std::size_t kinds[]{1, 3, 8, 24, 4096, 16400, 100'000, 262'144, 1'000'004, 2'000'000};
  const std::size_t n = kinds[random() % std::size(kinds)];
  return random() % 2 == 0 ? n : n / 16 * 16 + 16;
}

/// What is sent: from whom to whom (or to all), which of its vectors, and when.
struct Sent {
  int from, to, vector, turn;
};

unsigned char byte_of(const Sent& sent, std::size_t k) {
  const int of = 67 * sent.from + 29 * sent.to + 17 * sent.vector + 7 * sent.turn;
  return static_cast<unsigned char>(of + static_cast<int>(k % 251));
}

/// Memory of a rank that tells one place from the other.
class Buffer {
 public:
  Buffer(const Device& on, std::size_t bytes) : on_(on), memory_(on, bytes) {}

  /// Place for so many bytes, behind what was asked for before, at a multiple of so many.
  unsigned char* place(std::size_t bytes, std::size_t multiple = 1) {
    at_ = (at_ + multiple - 1) / multiple * multiple;
    if (at_ + bytes > memory_.size()) throw std::logic_error("a buffer that is too small");
    return memory_.data() + std::exchange(at_, at_ + bytes);
  }
  void begin_anew() {
    at_ = 0;
    const Bytes poison(memory_.size(), 0xEE);
    on_.copy_in(memory_.data(), poison.data(), poison.size());
  }
  void write(unsigned char* to, std::size_t bytes, const Sent& sent) const {
    Bytes values(bytes);
    for (std::size_t k = 0; k < bytes; ++k) values[k] = byte_of(sent, k);
    on_.copy_in(to, values.data(), bytes);
  }
  void require_arrived(const unsigned char* at, std::size_t bytes, const Sent& sent) const {
    Bytes found(bytes);
    on_.read(found.data(), at, bytes);
    for (std::size_t k = 0; k < bytes; ++k) {
      if (found[k] == byte_of(sent, k)) continue;
      throw std::runtime_error("turn " + std::to_string(sent.turn) + ", from rank "
                               + std::to_string(sent.from) + " to " + std::to_string(sent.to)
                               + ", vector " + std::to_string(sent.vector) + ", byte "
                               + std::to_string(k) + " of " + std::to_string(bytes));
    }
  }

 private:
  Device on_;
  Array<Device, unsigned char> memory_;
  std::size_t at_ = 0;
};

constexpr int to_all = 15;

/// False, and of two ranks said, if there are fewer devices.
bool have_devices(int ranks) {
  if (testing::rehearsed || number_of_devices() >= ranks) return true;
  if (ranks == 2) testing::skip("there is one device");
  return false;
}

/// One rank's part in turns: all ranks draw the same random numbers.
class Turns {
 public:
  Turns(const Device& on, std::size_t most)
      : on_(on), rank_(on.ranks()->rank()), own_(on, most), others_(on, most) {}

  void turn(std::mt19937& random, int number) {
    own_.begin_anew();
    others_.begin_anew();
    const auto kind = random() % 3;
    if (kind == 0) gather(random, number);
    if (kind == 1) exchange(random, number);
    if (kind == 2) trade(random, number);
  }

 private:
  void gather(std::mt19937& random, int turn) {
    std::vector<std::size_t> begin{0};
    const int size = on_.ranks()->size();
    for (int r = 0; r < size; ++r) begin.push_back(begin.back() + any_size(random));
    unsigned char* const all = own_.place(begin.back());
    const auto part = [&](int r) { return begin[static_cast<std::size_t>(r)]; };
    own_.write(all + part(rank_), part(rank_ + 1) - part(rank_), {rank_, to_all, 0, turn});
    on_.gather(all, begin);
    on_.wait();
    for (int r = 0; r < size; ++r) {
      own_.require_arrived(all + part(r), part(r + 1) - part(r), {r, to_all, 0, turn});
    }
  }

  void exchange(std::mt19937& random, int turn) {
    const int size = on_.ranks()->size();
    const auto vectors = static_cast<int>(1 + random() % 4);
    std::vector<BorderRows> borders;
    for (int v = 0; v < vectors; ++v) {
      const std::size_t bytes = std::min<std::size_t>(any_size(random), 1'000'000);
      const std::size_t multiple = random() % 2 == 0 ? 1 : 16;
      unsigned char *const lowest = own_.place(bytes, multiple), *const highest =
                                                                     own_.place(bytes, multiple);
      own_.write(lowest, bytes, {rank_, rank_ - 1, v, turn});
      own_.write(highest, bytes, {rank_, rank_ + 1, v, turn});
      borders.push_back(
          {lowest, highest, others_.place(bytes, multiple), others_.place(bytes, multiple), bytes});
    }
    on_.exchange(borders);
    on_.wait();
    for (int v = 0; v < vectors; ++v) {
      const BorderRows& rows = borders[static_cast<std::size_t>(v)];
      const auto arrived = [&](const void* at, int from) {
        others_.require_arrived(static_cast<const unsigned char*>(at), rows.bytes,
                                {from, rank_, v, turn});
      };
      if (rank_ > 0) arrived(rows.below, rank_ - 1);
      if (rank_ + 1 < size) arrived(rows.above, rank_ + 1);
    }
  }

  /// Any two have a message to each other, or none.
  void trade(std::mt19937& random, int turn) {
    std::vector<Message> messages;
    const int size = on_.ranks()->size();
    for (int a = 0; a < size; ++a) {
      for (int b = a + 1; b < size; ++b) {
        const bool speak = random() % 4 != 0;
        const std::size_t of_a = random() % 5 == 0 ? 0 : any_size(random),
                          of_b = random() % 5 == 0 ? 0 : any_size(random);
        if (!speak || (rank_ != a && rank_ != b)) continue;
        const int other = rank_ == a ? b : a;
        const std::size_t sent = rank_ == a ? of_a : of_b, received = rank_ == a ? of_b : of_a;
        unsigned char* const from = own_.place(sent);
        own_.write(from, sent, {rank_, other, 0, turn});
        messages.push_back({other, from, sent, others_.place(received), received});
      }
    }
    on_.trade(messages);
    on_.wait();
    for (const Message& message : messages) {
      others_.require_arrived(static_cast<const unsigned char*>(message.to), message.received,
                              {message.other, rank_, 0, turn});
    }
  }

  Device on_;
  int rank_;
  Buffer own_, others_;
};

/// A chain of transfers of unlike sizes, each of what came of the one before, recorded once: after
/// many replays ranks have values that only the right ones, none older, lead to.
template <Backend B>
class Chain {
 public:
  explicit Chain(const B& on)
      : on_(on),
        rank_(on.ranks()->rank()),
        size_(on.ranks()->size()),
        half_(on, std::vector<double>{0.5}),
        own_(on, start(rank_)),
        below_(on, most),
        above_(on, most),
        idle_from_(on, idle),
        idle_to_(on, idle) {}

  std::vector<double> after(int replays) const {
    const Recording<B> recording(on_, [&] { step(); });
    for (int k = 0; k < replays; ++k) {
      recording.replay();
      if (k % 8 == 7) on_.wait();
    }
    on_.wait();
    std::vector<double> found(most);
    on_.read(found.data(), own_.data(), found.size() * sizeof(double));
    return found;
  }

 private:
  static constexpr int most = 40'000;
  /// Of one block and of many, so that blocks have taken part in unlike numbers of transfers.
  static constexpr std::array sizes{most, 7, 3000, 7, 7, most, 64, 5000};
  static constexpr int idle = 2'000'000;

  static std::vector<double> start(int rank) {
    std::vector<double> values(most);
    for (int k = 0; k < most; ++k) values[static_cast<std::size_t>(k)] = rank + 1.0 / (k + 2);
    return values;
  }

  void step() const {
    int turn = 0;
    for (const int n : sizes) {
      const auto row = [&](const Array<B, double>& of) { return Field<double>{of.data(), n, 1}; };
      const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(double);
      on_.exchange({{own_.data(), own_.data(), below_.data(), above_.data(), bytes}});
      if (++turn % size_ == rank_) {  // one is late, each in its turn
        const Field<double> from{idle_from_.data(), idle, 1}, to{idle_to_.data(), idle, 1};
        for (int k = 0; k < 4; ++k) copy<B, double>(on_, from, to);
      }
      const Box box{0, n, 0, 1};
      if (rank_ > 0) xpby<B, double>(on_, box, half_.data(), row(below_), row(own_));
      if (rank_ + 1 < size_) xpby<B, double>(on_, box, half_.data(), row(above_), row(own_));
      rescale<B, double>(on_, box, half_.data(), row(own_));
    }
  }

  B on_;
  int rank_, size_;
  Array<B, double> half_, own_, below_, above_, idle_from_, idle_to_;
};

template <Backend B>
std::vector<std::vector<double>> chain_of(int count, int replays) {
  std::vector<std::vector<double>> found(static_cast<std::size_t>(count));
  run_on_ranks(Slabs(count, Slabs::fewest_cells), [&](const std::shared_ptr<const Ranks>& ranks) {
    found[static_cast<std::size_t>(ranks->rank())] =
        Chain<B>(backend_among<B>(ranks)).after(replays);
  });
  return found;
}

}  // namespace

TEST_CASE("what ranks on devices give each other arrives, whatever its size",
          "[gpu][ranks][threads]") {
  const int count = GENERATE(2, 3, 4);
  if (!have_devices(count)) return;
  const int turns = full_or_small(60, 12);
  CHECK_NOTHROW(run_on_ranks(Slabs(count, Slabs::fewest_cells),
                             [&](const std::shared_ptr<const Ranks>& ranks) {
                               Turns all(backend_among<Device>(ranks), std::size_t{9'000'000});
                               std::mt19937 random(static_cast<unsigned>(count));
                               for (int turn = 0; turn < turns; ++turn) all.turn(random, turn);
                             }));
}

TEST_CASE("recorded transfers follow each other without a word from the host",
          "[gpu][ranks][threads]") {
  const int count = GENERATE(2, 3, 4);
  if (!have_devices(count)) return;
  const int replays = full_or_small(200, 3);
  CHECK(chain_of<Device>(count, replays) == chain_of<Host>(count, replays));
}

}  // namespace ninefold
