#include "output/plots/gnuplot.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/tables/files.hpp"

namespace ninefold {

namespace {

struct ProgramResult {
  int error = 0;   ///< errno of a program that could not be started
  int status = 0;  ///< exit status, or 128 + signal
  std::string messages;
};

/// Runs gnuplot with nothing to read and collects what it prints.
ProgramResult run_gnuplot(const std::string& command, const std::string& script) {
  std::array<int, 2> pipe_ends{};
  if (::pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return {errno, 0, {}};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
  // --default-settings: the user's own start-up file must not change the pictures.
  const std::array<const char*, 6> arguments{"gnuplot",       "--default-settings", "-e",
                                             command.c_str(), script.c_str(),       nullptr};
  ProgramResult result;
  ::pid_t child = 0;
  // posix_spawn takes char* for historical reasons and changes nothing.
  result.error = ::posix_spawnp(&child, "gnuplot", &actions, nullptr,
                                const_cast<char* const*>(arguments.data()), ::environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe_ends[1]);
  if (result.error == 0) {
    std::array<char, 4096> buffer{};
    for (;;) {
      const ::ssize_t n = ::read(pipe_ends[0], buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      result.messages.append(buffer.data(), static_cast<std::size_t>(n));
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.messages.erase(result.messages.find_last_not_of("\n ") + 1);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  ::close(pipe_ends[0]);
  return result;
}

}  // namespace

std::string gnuplot_string(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += static_cast<unsigned char>(c) < 0x20u ? ' ' : c;
  }
  return quoted + "'";
}

Picture draw(const std::filesystem::path& image, std::string_view script) {
  namespace fs = std::filesystem;
  Picture picture{.script = fs::path(image).replace_extension(".gp"), .image = image};
  write_file_atomically(picture.script,
                        fmt::format("if (!exists(\"image\")) image = {}\n{}",
                                    gnuplot_string(image.filename().string()), script));
  PendingFile pending(image);
  // Absolute, so that no name looks like an option.
  const ProgramResult result =
      run_gnuplot("image = " + gnuplot_string(fs::absolute(pending.temporary_path()).string()),
                  fs::absolute(picture.script).string());
  std::error_code ignored;
  const std::uintmax_t size = fs::file_size(pending.temporary_path(), ignored);
  if (result.error == ENOENT) {
    picture.remark = fmt::format(
        "'{}' was not drawn: gnuplot is not installed; once it is, run gnuplot {} in its folder",
        image.string(), picture.script.filename().string());
  } else if (result.error != 0) {
    picture.remark = fmt::format("'{}' was not drawn: gnuplot did not start: {}", image.string(),
                                 std::strerror(result.error));
  } else if (result.status != 0 || ignored || size == 0) {
    picture.remark = fmt::format("'{}' was not drawn: gnuplot ended with status {}: {}",
                                 image.string(), result.status, result.messages);
  } else {
    pending.commit();
    picture.drawn = true;
  }
  return picture;
}

}  // namespace ninefold
