// Feeds arbitrary bytes to the Avro reader: every input must end in rows or an error.
//
//   clang++-19 -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc fuzz/avro_fuzz.cc
//   <sources of base and io> -l...
#include <cstddef>
#include <cstdint>

#include "io/avro.h"
#include "io/memory_file_system.h"

namespace {

using namespace iceblink::io;

void ReadAllRecords(avro::Reader& reader, bool skip) {
  avro::Reader::Block block;
  for (;;) {
    const auto more = reader.NextBlock(block);
    if (!more || !*more) return;
    avro::Decoder decoder(block.data);
    // Records may be empty, so the count alone bounds nothing.
    for (int64_t i = 0; i < block.count && i < 10000 && decoder.ok(); i++) {
      if (skip) {
        decoder.Skip(reader.schema());
      } else {
        (void)avro::ReadValue(decoder, reader.schema());
      }
    }
    if (!decoder.ok()) (void)reader.CorruptAt(decoder);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  MemoryFileSystem files;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!files.WriteAll("f", bytes, WriteMode::kReplace)) return 0;
  for (const bool skip : {true, false}) {
    auto reader = avro::Reader::Open(files, "f");
    if (reader) ReadAllRecords(*reader, skip);
  }
  return 0;
}
