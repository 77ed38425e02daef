// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/io.h"
#include "io/atomic_file.h"

namespace gckn {

void write_text(std::string_view text, const std::filesystem::path& path) {
  AtomicFile file(path);
  file.write(text.data(), text.size());
  file.commit();
}

struct TextWriter::Impl {
  AtomicFile file;
};

TextWriter::TextWriter(const std::filesystem::path& path) : impl_(new Impl{AtomicFile(path)}) {}

TextWriter::~TextWriter() = default;

void TextWriter::append(std::string_view text) {
  impl_->file.write(text);
}

void TextWriter::finish() {
  impl_->file.commit();
}

}  // namespace gckn
