import { randomBytes } from 'node:crypto'

const HEADER = 'cf-connecting-ip'

// Each test file sends from an address of its own: files that share a platform must not use up each other's limits.
const [a, b] = [randomBytes(2).toString('hex'), randomBytes(2).toString('hex')]
const address = `2001:db8:${a}:${b}::1`
const send = globalThis.fetch
globalThis.fetch = (...request) => {
  const addressed = new Request(...request)
  if (!addressed.headers.has(HEADER)) addressed.headers.set(HEADER, address)
  return send(addressed)
}
