#include "experiments/program/interrupt.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace ninefold {
namespace {

// The handler may run on any thread at any time: it touches lock-free atomics and constant text.
std::atomic<int> writers{0}, waiting_signal{0};
std::array<std::array<char, 1024>, 2> messages{};  // one is shown while the other is written
std::atomic<int> shown_message{0};
static_assert(std::atomic<int>::is_always_lock_free);

/// A page on disk, and what is to be written into it.
struct InterruptedPage {
  std::array<char, 4096> path{};
  std::array<char, 1024> text{};
  std::size_t at = 0, length = 0;
};
std::array<InterruptedPage, 2> pages{};
std::atomic<int> shown_page{0};

void mark_page() {
  const InterruptedPage& page = pages[static_cast<std::size_t>(shown_page.load())];
  if (page.length == 0) return;
  const int file = ::open(page.path.data(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const auto written =
      ::pwrite(file, page.text.data(), page.length, static_cast<::off_t>(page.at));
  ::close(file);
}

[[noreturn]] void leave(int signal) {
  mark_page();
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

void set_interrupted_page(const std::string& path, std::size_t at, std::size_t length,
                          const std::string& sentence) {
  const int next = 1 - shown_page.load();
  InterruptedPage& page = pages[static_cast<std::size_t>(next)];
  const bool fits =
      path.size() < page.path.size() && length <= page.text.size() && sentence.size() <= length;
  page.length = fits && !path.empty() ? length : 0;
  if (page.length > 0) {
    page.path.fill('\0');
    std::copy(path.begin(), path.end(), page.path.begin());
    page.text.fill(' ');
    std::copy(sentence.begin(), sentence.end(), page.text.begin());
    page.at = at;
  }
  shown_page.store(next);
}

Uninterrupted::Uninterrupted() {
  ++writers;
}

Uninterrupted::~Uninterrupted() {
  if (--writers > 0) return;
  if (const int signal = waiting_signal.load()) leave(signal);
}

}  // namespace ninefold
