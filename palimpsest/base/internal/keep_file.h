// A second name for the contents of a file that is about to be replaced, so that they are not lost.
// It never replaces anything: a name that exists is left alone, whatever it leads to.
#pragma once

#include <filesystem>

namespace palimpsest {

struct KeptFile {
  std::filesystem::path path;
  bool was_kept_before = false;  // the same bytes were there already
};

// Keeps the file as FILE.old, or as FILE.old.1, FILE.old.2 … where these names are taken. Bytes
// that one of them holds already are not kept again; a link holds none. The name is a hard link, or
// a copy if the file system makes no links, so the file itself must only be replaced and never be
// written in place. Throws SystemError if it cannot be kept; then nothing has changed.
KeptFile keep_file(const std::filesystem::path& file);

// The copy: flushed to the disk and named in one step. False if the name exists. Throws
// SystemError.
bool copy_to_new_file(const std::filesystem::path& file, const std::filesystem::path& copy);

}  // namespace palimpsest
