// FlatBuffers as far as Arrow's messages need them: a builder and a checked view.
//
// The builder writes from the back to the front, as the format wants it: whatever is referred to is
// made first. The view never reads outside of its bytes; whatever does not fit reads as absent.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iceblink::server {

class FlatBuilder {
 public:
  using Offset = uint32_t;  // distance of an object's start from the end of the buffer

  Offset String(std::string_view text);
  Offset Offsets(const std::vector<Offset>& objects);
  // A vector of structs of two 64-bit integers: Arrow's FieldNode and Buffer.
  Offset Pairs(const std::vector<std::pair<int64_t, int64_t>>& pairs);

  // Fields of one table; objects that they refer to must exist before.
  void StartTable();
  template <typename T>
  void Field(int slot, T value) {
    Push(value);
    Mark(slot);
  }
  void Reference(int slot, Offset object);
  Offset EndTable();

  std::string Finish(Offset root);

 private:
  Offset size() const { return static_cast<Offset>(reversed_.size()); }
  void Align(size_t alignment, size_t upcoming = 0);
  void PushOffset(Offset object);
  void Mark(int slot);
  template <typename T>
  void Push(T value) {
    Align(sizeof(T));
    for (size_t i = sizeof(T); i-- > 0;)
      reversed_.push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * i)));
  }

  std::string reversed_;
  std::vector<Offset> slots_;
  Offset table_start_ = 0;
};

// A table within a buffer.
class FlatTable {
 public:
  FlatTable() = default;  // a table without fields
  static FlatTable Root(std::string_view buffer);

  template <typename T>
  T Get(int slot, T fallback = {}) const {
    size_t at = FieldAt(slot);
    T value = fallback;
    if (at != 0 && at + sizeof(T) <= buffer_.size())
      std::memcpy(&value, buffer_.data() + at, sizeof(T));
    return value;
  }
  std::string_view Text(int slot) const;
  FlatTable Table(int slot) const;
  std::vector<FlatTable> Tables(int slot) const;
  std::vector<std::pair<int64_t, int64_t>> Pairs(int slot) const;
  bool Has(int slot) const { return FieldAt(slot) != 0; }

 private:
  FlatTable(std::string_view buffer, size_t at) : buffer_(buffer), at_(at) {}
  template <typename T>
  T Read(size_t at) const {
    T value{};
    if (at + sizeof(T) <= buffer_.size()) std::memcpy(&value, buffer_.data() + at, sizeof(T));
    return value;
  }
  size_t FieldAt(int slot) const;  // 0: absent
  size_t Target(size_t at) const { return at == 0 ? 0 : at + Read<uint32_t>(at); }
  // Start and count of a vector's elements; the count is cut to what the buffer holds.
  std::pair<size_t, size_t> Vector(int slot, size_t element) const;

  std::string_view buffer_;
  size_t at_ = 0;
};

}  // namespace iceblink::server
