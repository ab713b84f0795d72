/** Evidence as the services and the SDK make it, by Node.js alone: what svc verifies is not made by what verifies it. */
import { createHash } from 'node:crypto'

const sha3 = (...parts: readonly (string | Uint8Array)[]) => {
  const hash = createHash('sha3-384')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** What svc commitment make writes for this content. */
export function openingOf(did: string, content: Uint8Array) {
  const salt = new Uint8Array(32).fill(7)
  const commitment = sha3('svc/commitment/v1\0', salt, sha3(content)).toString('hex')
  const id = `commitment-${sha3(`svc/commitment-id/v1\0${did}\0${commitment}`).toString('hex').slice(0, 32)}`
  return { format: 'svc/commitment-opening/v1', id, saltB64u: Buffer.from(salt).toString('base64url') }
}
