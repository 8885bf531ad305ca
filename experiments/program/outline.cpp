#include "experiments/program/outline.hpp"

#include <algorithm>

namespace ninefold {

std::vector<std::string> names_of_commands(const Outline& outline) {
  std::vector<std::string> names;
  for (const CommandOutline& command : outline.commands) names.push_back(command.name);
  return names;
}

std::vector<OptionOutline> options_of_commands(const Outline& outline) {
  std::vector<OptionOutline> all;
  for (const CommandOutline& command : outline.commands) {
    for (const OptionOutline& option : command.options) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const OptionOutline& other) {
        return other.name == option.name;
      });
      if (!known) all.push_back(option);
    }
  }
  return all;
}

const std::vector<std::string>& known_shells() {
  static const std::vector<std::string> shells{"bash", "zsh"};
  return shells;
}

const std::vector<std::pair<int, std::string_view>>& status_meanings() {
  static const std::vector<std::pair<int, std::string_view>> meanings{
      {0, "all levels converged"},
      {1, "a level did not converge, or was refused; its row says how, the files are complete"},
      {2, "bad input: nothing was written but finished levels, or no level of a study was solved"},
      {3, "something failed on the way; finished levels are on disk"},
      {130, "interrupted by Ctrl-C; finished levels are on disk"},
  };
  return meanings;
}

const std::vector<std::pair<int, std::string_view>>& page_status_meanings() {
  static const std::vector<std::pair<int, std::string_view>> meanings{
      {0, "the page is there"},
      {2, "bad input: a folder without results, or nothing to compare"},
      {3, "something failed on the way"},
  };
  return meanings;
}

const std::vector<std::pair<int, std::string_view>>& check_status_meanings() {
  static const std::vector<std::pair<int, std::string_view>> meanings{
      {0, "the file is in order"},
      {2, "bad input, more memory than there is, or a range that leaves nothing to solve"},
      {3, "something failed on the way"},
  };
  return meanings;
}

const std::vector<std::pair<int, std::string_view>>& mesh_status_meanings() {
  static const std::vector<std::pair<int, std::string_view>> meanings{
      {0, "the result is there, to the tolerance, or to half a texel or 1/1000 of the mean edge"},
      {1, "no format has come as near as that; the files are complete"},
      {2, "bad input, such as a mesh that is refused"},
      {3, "something failed on the way"},
      {130, "interrupted by Ctrl-C; the files of finished runs are on disk"},
  };
  return meanings;
}

const std::vector<std::pair<int, std::string_view>>& matrix_status_meanings() {
  static const std::vector<std::pair<int, std::string_view>> meanings{
      {0, "the matrix was read or generated, whatever was found out about it"},
      {2, "bad input, such as a file that is refused"},
      {3, "something failed on the way"},
  };
  return meanings;
}

}  // namespace ninefold
