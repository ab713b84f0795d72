/**
 * What counts as one caller: an IPv4 address, also as IPv4-mapped IPv6, or a network of IPv6.
 *
 * @module
 */
const GROUP_BITS = 16

/** The rate-limit key of a caller's address. An IPv6 caller usually controls a whole /64, so the /64 is the key. */
export function addressKey(address: string): string {
  return keyOf(address, 64)
}

/** For what is rare and worth renting networks for: providers and tunnel brokers give away a whole IPv6 /48. */
export function networkKey(address: string): string {
  return keyOf(address, 48)
}

function keyOf(address: string, prefixBits: 48 | 64): string {
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)
  if (mapped?.[1]) return mapped[1]
  const [head = '', tail] = address.toLowerCase().split('::', 2)
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right].slice(0, prefixBits / GROUP_BITS)
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/${prefixBits}`
}
