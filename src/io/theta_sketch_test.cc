#include "io/theta_sketch.h"

#include <gtest/gtest.h>

namespace iceblink::io {
namespace {

std::string Hex(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) {
    out += "0123456789abcdef"[c >> 4];
    out += "0123456789abcdef"[c & 15];
  }
  return out;
}

// Reference values of the algorithm's author.
TEST(ThetaSketch, Murmur3) {
  EXPECT_EQ(Murmur3X64("", 0).first, 0u);
  const Hash128 fox = Murmur3X64("The quick brown fox jumps over the lazy dog", 0);
  EXPECT_EQ(fox.first, 0xe34bbc7bbc071b6cULL);
  EXPECT_EQ(fox.second, 0x7a433ca9c49a9347ULL);
}

// The seed's hash of every sketch with the default seed is 93cc.
TEST(ThetaSketch, CompactForms) {
  ThetaSketch sketch;
  EXPECT_EQ(Hex(sketch.Compact()),
            "010303"
            "0000"
            "1e"
            "cc93");
  sketch.Update("a");
  sketch.Update("a");
  sketch.Update("");
  EXPECT_EQ(Hex(sketch.Compact()).substr(0, 16),
            "010303"
            "0000"
            "3a"
            "cc93");
  EXPECT_EQ(sketch.Compact().size(), 16u);
  sketch.Update("b");
  EXPECT_EQ(sketch.Estimate(), 2);
  EXPECT_EQ(Hex(sketch.Compact()).substr(0, 32),
            "020303"
            "0000"
            "1a"
            "cc93"
            "02000000"
            "0000803f");
}

TEST(ThetaSketch, EstimatesLargeSets) {
  ThetaSketch sketch;
  for (int i = 0; i < 100000; i++) sketch.Update(std::to_string(i));
  EXPECT_NEAR(static_cast<double>(sketch.Estimate()), 100000, 5000);
  EXPECT_EQ(sketch.Compact().size(), 24u + 8 * 4096);
}

}  // namespace
}  // namespace iceblink::io
