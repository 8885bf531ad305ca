#pragma once
// Ctrl-C and termination: the program ends at once, but never in the middle of writing its files.
//
// A first signal ends the program with status 128 + signal (130 for Ctrl-C), after one line that
// says where the finished levels are; a signal that arrives while files are written takes effect
// when they are complete.
//
// Tests.  tests/experiments/program.py

#include <cstddef>
#include <string>

namespace ninefold {

/// From now on SIGINT and SIGTERM are treated as above.  A signal that the caller of the program
/// has chosen to ignore (nohup) stays ignored.
void handle_interrupts();

/// What is printed when a signal ends the program; at most 1000 bytes are kept.
void set_interrupt_message(const std::string& message);

/// Of a page that says how far a run has come, the bytes [at, at + length) of its sentence, which a
/// signal that ends the program replaces by `sentence`.  An empty path: none.
void set_interrupted_page(const std::string& path, std::size_t at, std::size_t length,
                          const std::string& sentence);

/// While one of these lives, signals wait.
class Uninterrupted {
 public:
  Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
  ~Uninterrupted();
};

}  // namespace ninefold
