#include <contrail/wire/cookie.hpp>

#include <algorithm>

#include <contrail/wire/byte_io.hpp>
#include <contrail/wire/transport_limits.hpp>

namespace contrail::wire {

namespace {

/// BLAKE2b keyed with the jar's secret; the first half of it.
std::array<std::uint8_t, 16> cookie_code(const Key& key, const Address& address,
                                         std::uint64_t nonce, std::uint32_t issued) {
  std::array<std::uint8_t, 30> text{};
  ByteWriter out(text);
  out.bytes(address.ip);
  out.u16(address.port);
  out.u64(nonce);
  out.u32(issued);
  const Digest digest = keyed_hash(key, "contrail cookie", {text});
  std::array<std::uint8_t, 16> code{};
  std::copy_n(digest.begin(), code.size(), code.begin());
  return code;
}

}  // namespace

Cookie CookieJar::bake(const Address& address, std::uint64_t nonce, Nanoseconds now) const {
  Cookie cookie;
  cookie.issued = static_cast<std::uint32_t>(now / k_second);
  cookie.code = cookie_code(key_, address, nonce, cookie.issued);
  return cookie;
}

bool CookieJar::valid(const Cookie& cookie, const Address& address, std::uint64_t nonce,
                      Nanoseconds now) const {
  const auto age = static_cast<std::uint32_t>(now / k_second) - cookie.issued;  // mod 2^32
  if (age > k_cookie_lifetime / k_second) return false;
  return equal_in_constant_time(cookie_code(key_, address, nonce, cookie.issued), cookie.code);
}

}  // namespace contrail::wire
