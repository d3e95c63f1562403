// The hidden files that AtomicFile writes to: .NAME.PID.partial beside NAME. Their maker holds a
// lock on them, so that those whose maker was killed can be told from those that are being written.
#pragma once

#include <filesystem>
#include <string_view>

namespace palimpsest {

// A device or a pipe is written to directly.
bool is_device_or_pipe(const std::filesystem::path& path);

// Of this process.
std::filesystem::path partial_file_for(const std::filesystem::path& target);

// Makes the file, empty and locked, and returns its descriptor; -1 with errno where it cannot be
// made. Where the file system has no locks it is not locked, and never taken for abandoned.
int create_partial_file(const std::filesystem::path& path);

// Removes the partial files in the folder that nobody writes: all of them, or those of one file.
void remove_abandoned_partial_files(const std::filesystem::path& folder,
                                    std::string_view file_name = {});

// Whether the path still leads to the open file. Locking a file is of no use once somebody has
// removed its name.
bool is_at(int descriptor, const std::filesystem::path& path);

}  // namespace palimpsest
