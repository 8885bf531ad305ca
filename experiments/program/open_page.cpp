#include "experiments/program/open_page.hpp"

#include <array>
#include <cstring>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ninefold {

std::string open_page(const std::filesystem::path& page) {
  std::string opener = "xdg-open", file = std::filesystem::absolute(page).string();
  const std::array<char*, 3> words{opener.data(), file.data(), nullptr};
  ::pid_t child = 0;
  const int error = ::posix_spawnp(&child, opener.c_str(), nullptr, nullptr, words.data(), environ);
  if (error != 0) {
    return fmt::format("{} is not opened: {}: {}", page.string(), opener, std::strerror(error));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? "" : fmt::format("{} is not opened: {} failed", page.string(), opener);
}

}  // namespace ninefold
