import { freshAddress } from './fresh-address.ts'

const HEADER = 'cf-connecting-ip'

// Each test file sends from an address of its own: files that share a platform must not use up each other's limits.
const address = freshAddress()
const send = globalThis.fetch
globalThis.fetch = (...request) => {
  const addressed = new Request(...request)
  if (!addressed.headers.has(HEADER)) addressed.headers.set(HEADER, address)
  return send(addressed)
}
