#include <contrail/wire/crypto.hpp>

#include <memory>
#include <new>
#include <set>

#include <gtest/gtest.h>

namespace contrail::wire {
namespace {

/// Reads memory that the language says nothing about any more.
template <std::size_t Size>
[[gnu::noinline]] std::size_t bytes_left(const volatile unsigned char* memory) {
  std::size_t left = 0;
  for (std::size_t i = 0; i < Size; ++i) left += memory[i] != 0;
  return left;
}

TEST(Crypto, a_key_leaves_nothing_behind) {
  alignas(Key) static unsigned char memory[sizeof(Key)];
  Key original;
  original.bytes().fill(0xAB);
  Key* copy = new (memory) Key(original);
  EXPECT_EQ(bytes_left<sizeof(Key)>(memory), k_key_bytes);  // it was there
  copy->~Key();
  EXPECT_EQ(bytes_left<sizeof(Key)>(memory), 0U);
}

TEST(Crypto, negative_control_plain_bytes_stay_where_they_were) {
  using Plain = std::array<std::uint8_t, k_key_bytes>;
  alignas(Plain) static unsigned char memory[sizeof(Plain)];
  Plain* copy = new (memory) Plain;
  copy->fill(0xAB);
  asm volatile("" : : "r"(copy) : "memory");  // somebody may have read it
  std::destroy_at(copy);
  EXPECT_EQ(bytes_left<sizeof(Plain)>(memory), k_key_bytes);
}

TEST(Crypto, peers_with_keys_of_small_order_are_refused) {
  const Key secret({1, 2, 3});
  Key out;
  EXPECT_FALSE(shared_secret(secret, PublicKey{}, out));
  EXPECT_FALSE(shared_secret(secret, PublicKey{1}, out));
  EXPECT_TRUE(shared_secret(secret, public_key_of(Key({4})), out));
}

TEST(Crypto, a_random_stream_repeats_for_its_seed_only_and_never_within) {
  RandomStream one(Entropy{1});
  RandomStream same(Entropy{1});
  RandomStream other(Entropy{2});
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t value = one.u64();
    EXPECT_EQ(value, same.u64());
    EXPECT_NE(value, other.u64());
    EXPECT_TRUE(seen.insert(value).second);
  }
  EXPECT_NE(entropy_from_system(), entropy_from_system());
}

TEST(Crypto, a_numbered_seal_opens_under_its_number_context_and_key_only) {
  const Key key({7});
  const Bytes plain{1, 2, 3};
  const Bytes context{4, 5};
  Bytes sealed(plain.size() + k_authenticator_bytes);
  seal_numbered(key, 9, context, plain, sealed);
  Bytes out(plain.size());
  ASSERT_TRUE(open_numbered(key, 9, context, sealed, out));
  EXPECT_EQ(out, plain);
  EXPECT_FALSE(open_numbered(key, 10, context, sealed, out));
  EXPECT_FALSE(open_numbered(key, 9, plain, sealed, out));
  EXPECT_FALSE(open_numbered(Key({8}), 9, context, sealed, out));
}

}  // namespace
}  // namespace contrail::wire
