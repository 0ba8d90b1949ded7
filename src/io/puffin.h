// Puffin files: blobs of statistics and deletion vectors with a JSON footer.
//
//   file    = "PFA1" blob* footer
//   footer  = "PFA1" payload int32le(payload size) flags[4] "PFA1"      flags byte 0 bit 0: payload
//   is one LZ4 frame payload = {"blobs":[{type, fields, snapshot-id, sequence-number, offset,
//   length, ...}], "properties":{...}}
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"

namespace iceblink::io {

enum class PuffinCodec : uint8_t { kNone, kLz4, kZstd };

// Blob types of the specification.
inline constexpr std::string_view kThetaSketchBlob = "apache-datasketches-theta-v1";
inline constexpr std::string_view kDeletionVectorBlob = "deletion-vector-v1";

struct PuffinBlob {
  std::string type;
  std::vector<int32_t> fields;
  int64_t snapshot_id = -1;
  int64_t sequence_number = -1;
  int64_t offset = 0;  // set by the writer
  int64_t length = 0;  // set by the writer; compressed
  PuffinCodec codec = PuffinCodec::kNone;
  std::map<std::string, std::string> properties;
  bool operator==(const PuffinBlob&) const = default;
};

struct PuffinFooter {
  std::vector<PuffinBlob> blobs;
  std::map<std::string, std::string> properties;
  int64_t footer_size = 0;  // from its first magic to the end of the file
};

// kCorrupt with file name and cause when the file is no Puffin file.
Result<PuffinFooter> ReadPuffinFooter(const RandomAccessFile& file);
// The blob's decompressed bytes.
Result<std::string> ReadPuffinBlob(const RandomAccessFile& file, const PuffinBlob& blob);

// One thread. Nothing stays behind without a successful Close.
class PuffinWriter {
 public:
  // `properties` should name "created-by".
  static Result<PuffinWriter> Create(std::unique_ptr<OutputFile> file,
                                     std::map<std::string, std::string> properties,
                                     bool compress_footer = false);
  // Compresses the payload with blob.codec and appends it; returns the blob with offset and length.
  Result<PuffinBlob> Add(PuffinBlob blob, std::string_view payload);
  // Writes the footer. Afterwards length() and footer_size() are those of the file.
  Status Close();
  const std::vector<PuffinBlob>& blobs() const { return blobs_; }
  int64_t length() const { return file_->position(); }
  int64_t footer_size() const { return footer_size_; }

 private:
  PuffinWriter() = default;
  std::unique_ptr<OutputFile> file_;
  std::map<std::string, std::string> properties_;
  std::vector<PuffinBlob> blobs_;
  bool compress_footer_ = false;
  int64_t footer_size_ = 0;
};

}  // namespace iceblink::io
