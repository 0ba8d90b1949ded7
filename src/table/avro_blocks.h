// The blocks of an Avro container file, from the cache or from the file. Internal to this room.
//
// A file that may fit the cache is kept while it is read and inserted at its end; one that proves
// too large is dropped from memory on the way and continues as a plain stream.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/avro.h"
#include "table/manifest_cache.h"

namespace iceblink::table {

// One thread.
class AvroBlocks {
 public:
  // `size` where it is known, which saves an object store a request; 0 where not.
  static Result<std::unique_ptr<AvroBlocks>> Open(const ReadContext& context,
                                                  const std::string& path, int64_t size = 0);

  const std::string& path() const { return path_; }
  const io::avro::Schema& schema() const { return cached_ ? *cached_->schema : reader_->schema(); }
  // The value, or null.
  const std::string* FindMetadata(const std::string& key) const;

  // Points `decoder` at the next block and returns its record count; 0 at the end. Empty blocks are
  // passed over.
  Result<int64_t> Next(io::avro::Decoder& decoder);
  Error CorruptAt(const io::avro::Decoder& decoder, std::string_view what) const;

 private:
  AvroBlocks() = default;
  void Keep(const io::avro::Reader::Block& block);

  std::string path_;
  ManifestCache* cache_ = nullptr;
  std::shared_ptr<const AvroContent> cached_;  // reading from the cache
  size_t next_ = 0;
  std::optional<io::avro::Reader> reader_;  // reading from the file
  std::shared_ptr<AvroContent> keeping_;    // what will be inserted
  size_t kept_bytes_ = 0;
};

}  // namespace iceblink::table
