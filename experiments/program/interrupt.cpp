#include "experiments/program/interrupt.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

#include <unistd.h>

namespace ninefold {
namespace {

// The handler may run on any thread at any time: it touches lock-free atomics and constant text.
std::atomic<int> writers{0}, waiting_signal{0};
std::array<std::array<char, 1024>, 2> messages{};  // one is shown while the other is written
std::atomic<int> shown_message{0};
static_assert(std::atomic<int>::is_always_lock_free);

[[noreturn]] void leave(int signal) {
  const char* message = messages[static_cast<std::size_t>(shown_message.load())].data();
  // Nothing can be done about a message that cannot be written.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message, std::strlen(message));
  ::_exit(128 + signal);
}

void on_signal(int signal) {
  if (writers.load() == 0) leave(signal);
  waiting_signal.store(signal);
}

}  // namespace

void handle_interrupts() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
  }
}

void set_interrupt_message(const std::string& message) {
  const int next = 1 - shown_message.load();
  auto& text = messages[static_cast<std::size_t>(next)];
  const std::size_t length = std::min<std::size_t>(message.size(), 1000);
  std::copy_n(message.data(), length, text.data());
  text[length] = '\0';
  shown_message.store(next);
}

Uninterrupted::Uninterrupted() {
  ++writers;
}

Uninterrupted::~Uninterrupted() {
  if (--writers > 0) return;
  if (const int signal = waiting_signal.load()) leave(signal);
}

}  // namespace ninefold
