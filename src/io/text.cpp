// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/io.h"
#include "io/atomic_file.h"

namespace gckn {

void write_text(std::string_view text, const std::filesystem::path& path) {
  AtomicFile file(path);
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace gckn
