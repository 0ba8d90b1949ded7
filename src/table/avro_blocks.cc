#include "table/avro_blocks.h"

#include <utility>

namespace iceblink::table {

Result<std::unique_ptr<AvroBlocks>> AvroBlocks::Open(const ReadContext& context,
                                                     const std::string& path, int64_t size) {
  std::unique_ptr<AvroBlocks> blocks(new AvroBlocks);
  blocks->path_ = path;
  blocks->cache_ = context.cache;
  if (context.cache != nullptr) blocks->cached_ = context.cache->Find(path);
  if (blocks->cached_) return blocks;
  ASSIGN_OR_RETURN(auto file,
                   size > 0 ? context.files->OpenSized(path, size) : context.files->OpenRead(path));
  ASSIGN_OR_RETURN(io::avro::Reader reader, io::avro::Reader::Open(std::move(file)));
  if (context.cache != nullptr) {
    blocks->keeping_ = std::make_shared<AvroContent>();
    blocks->keeping_->schema = reader.schema_ptr();
    blocks->keeping_->metadata = reader.metadata();
  }
  blocks->reader_.emplace(std::move(reader));
  return blocks;
}

const std::string* AvroBlocks::FindMetadata(const std::string& key) const {
  const auto& metadata = cached_ ? cached_->metadata : reader_->metadata();
  auto it = metadata.find(key);
  return it == metadata.end() ? nullptr : &it->second;
}

void AvroBlocks::Keep(const io::avro::Reader::Block& block) {
  kept_bytes_ += block.data.size();
  if (kept_bytes_ > ManifestCache::kMaxEntryBytes) {
    keeping_ = nullptr;
  } else {
    keeping_->blocks.push_back({block.count, std::string(block.data)});
  }
}

Result<int64_t> AvroBlocks::Next(io::avro::Decoder& decoder) {
  if (cached_) {
    if (next_ == cached_->blocks.size()) return 0;
    const AvroContent::Block& block = cached_->blocks[next_++];
    decoder.Reset(block.data);
    return block.count;
  }
  io::avro::Reader::Block block;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, reader_->NextBlock(block));
    if (!more) {
      if (keeping_) cache_->Insert(path_, std::move(keeping_));
      keeping_ = nullptr;
      return 0;
    }
    if (block.count == 0) continue;
    if (keeping_) Keep(block);
    decoder.Reset(block.data);
    return block.count;
  }
}

Error AvroBlocks::CorruptAt(const io::avro::Decoder& decoder, std::string_view what) const {
  return Error::Make(ErrorCode::kCorrupt, "Malformed " + std::string(what) + " at byte " +
                                              std::to_string(decoder.offset()) + " of a block of " +
                                              path_);
}

}  // namespace iceblink::table
