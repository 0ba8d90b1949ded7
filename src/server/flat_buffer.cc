#include "server/flat_buffer.h"

#include <algorithm>

namespace iceblink::server {

void FlatBuilder::Align(size_t alignment, size_t upcoming) {
  while ((reversed_.size() + upcoming) % alignment != 0) reversed_.push_back(0);
}

void FlatBuilder::PushOffset(Offset object) {
  Align(4);
  Push<uint32_t>(size() + 4 - object);
}

FlatBuilder::Offset FlatBuilder::String(std::string_view text) {
  Align(4, text.size() + 1);
  reversed_.push_back(0);
  reversed_.append(text.rbegin(), text.rend());
  Push<uint32_t>(static_cast<uint32_t>(text.size()));
  return size();
}

FlatBuilder::Offset FlatBuilder::Offsets(const std::vector<Offset>& objects) {
  Align(4);
  for (size_t i = objects.size(); i-- > 0;) PushOffset(objects[i]);
  Push<uint32_t>(static_cast<uint32_t>(objects.size()));
  return size();
}

FlatBuilder::Offset FlatBuilder::Pairs(const std::vector<std::pair<int64_t, int64_t>>& pairs) {
  Align(8);
  for (size_t i = pairs.size(); i-- > 0;) {
    Push(pairs[i].second);
    Push(pairs[i].first);
  }
  Push<uint32_t>(static_cast<uint32_t>(pairs.size()));
  return size();
}

void FlatBuilder::StartTable() {
  slots_.clear();
  table_start_ = size();
}

void FlatBuilder::Mark(int slot) {
  if (slots_.size() <= static_cast<size_t>(slot)) slots_.resize(static_cast<size_t>(slot) + 1);
  slots_[static_cast<size_t>(slot)] = size();
}

void FlatBuilder::Reference(int slot, Offset object) {
  PushOffset(object);
  Mark(slot);
}

FlatBuilder::Offset FlatBuilder::EndTable() {
  Push<int32_t>(0);  // where the table of fields is: known below
  Offset table = size();
  for (size_t i = slots_.size(); i-- > 0;)
    Push<uint16_t>(static_cast<uint16_t>(slots_[i] == 0 ? 0 : table - slots_[i]));
  Push<uint16_t>(static_cast<uint16_t>(table - table_start_));
  Push<uint16_t>(static_cast<uint16_t>(2 * (slots_.size() + 2)));
  uint32_t distance = size() - table;
  for (size_t i = 0; i < 4; ++i) reversed_[table - 1 - i] = static_cast<char>(distance >> (8 * i));
  return table;
}

std::string FlatBuilder::Finish(Offset root) {
  Align(8, 4);
  PushOffset(root);
  std::reverse(reversed_.begin(), reversed_.end());
  return std::move(reversed_);
}

FlatTable FlatTable::Root(std::string_view buffer) {
  FlatTable start(buffer, 0);
  return FlatTable(buffer, start.Read<uint32_t>(0));
}

size_t FlatTable::FieldAt(int slot) const {
  if (at_ == 0) return 0;
  int64_t fields = static_cast<int64_t>(at_) - Read<int32_t>(at_);
  if (fields < 0) return 0;
  size_t start = static_cast<size_t>(fields), entry = 4 + 2 * static_cast<size_t>(slot);
  if (entry + 2 > Read<uint16_t>(start)) return 0;
  uint16_t distance = Read<uint16_t>(start + entry);
  return distance == 0 ? 0 : at_ + distance;
}

std::pair<size_t, size_t> FlatTable::Vector(int slot, size_t element) const {
  size_t at = Target(FieldAt(slot));
  if (at == 0 || at + 4 > buffer_.size()) return {0, 0};
  size_t count = Read<uint32_t>(at);
  return {at + 4, std::min(count, (buffer_.size() - at - 4) / element)};
}

std::string_view FlatTable::Text(int slot) const {
  auto [start, count] = Vector(slot, 1);
  return start == 0 ? std::string_view() : buffer_.substr(start, count);
}

FlatTable FlatTable::Table(int slot) const {
  size_t at = Target(FieldAt(slot));
  return at == 0 ? FlatTable() : FlatTable(buffer_, at);
}

std::vector<FlatTable> FlatTable::Tables(int slot) const {
  auto [start, count] = Vector(slot, 4);
  std::vector<FlatTable> tables;
  for (size_t i = 0; i < count; ++i) tables.push_back(FlatTable(buffer_, Target(start + 4 * i)));
  return tables;
}

std::vector<std::pair<int64_t, int64_t>> FlatTable::Pairs(int slot) const {
  auto [start, count] = Vector(slot, 16);
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < count; ++i)
    pairs.emplace_back(Read<int64_t>(start + 16 * i), Read<int64_t>(start + 16 * i + 8));
  return pairs;
}

}  // namespace iceblink::server
