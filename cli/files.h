// SPDX-License-Identifier: BSD-3-Clause
// The files that a command reads and writes, looked at together before it begins: nothing that is read is ever
// overwritten, and no two results go to one file.
#pragma once

#include <string>
#include <vector>

namespace gckn::cli {

// An argument that names a file (or, of DATA, a folder): what it is called, and what was given. Nothing given and - are
// no files.
struct FileArgument {
  std::string name;  // "DATA", "--out"
  std::string path;
};

// Throws UsageError if a file to be written is one of those to be read, lies in a folder that is read, or is to be
// written twice. Files are told apart by what they are (device and inode), however they are spelt. Devices and pipes
// may be written to by as many as like.
void check_files(const std::vector<FileArgument>& read, const std::vector<FileArgument>& written);

}  // namespace gckn::cli
