// The terminal that the program writes to: how wide it is, and whether it gets colours.
#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>

namespace palimpsest::cli {

// Chooses when texts, logged messages included, have colours from now on: "always", "never" or
// "auto". "auto" means: if the stream is a terminal, the variable NO_COLOR is not set
// (https://no-color.org) and the variable TERM is not "dumb".
void choose_color(const std::string& choice);
bool has_color(std::FILE* stream);

enum class Color { kRed = 31, kGreen = 32, kYellow = 33 };  // as terminals number them

// The text in this colour and bold if the stream has colours, otherwise as it is.
std::string colored(const std::string& text, Color color, std::FILE* stream);

// The width of the terminal in columns; nullopt if standard output is not a terminal.
std::optional<size_t> terminal_columns();

// The width of running text: that of the terminal, but at least 40 and at most 100 characters; 80
// if there is no terminal.
size_t text_columns();

}  // namespace palimpsest::cli
