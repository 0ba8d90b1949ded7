// Feeds arbitrary bytes to the readers of Puffin files and deletion vectors (build as
// avro_fuzz.cc).
#include <cstddef>
#include <cstdint>

#include "io/deletion_vector.h"
#include "io/memory_file_system.h"
#include "io/puffin.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace iceblink::io;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)PositionBitmap::FromBlob(bytes);
  const auto bitmap = PositionBitmap::FromPortable(bytes);
  if (bitmap) {
    PositionBitmap copy = *bitmap;
    copy.Add(70000);
    (void)copy.ToBlob();
    (void)copy.Cardinality();
  }
  MemoryFileSystem files;
  if (!files.WriteAll("f", bytes, WriteMode::kReplace)) return 0;
  const auto file = files.OpenRead("f");
  if (!file) return 0;
  const auto footer = ReadPuffinFooter(**file);
  if (!footer) return 0;
  for (const PuffinBlob& blob : footer->blobs) (void)ReadPuffinBlob(**file, blob);
  return 0;
}
