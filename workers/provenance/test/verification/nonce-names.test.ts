import { expect, it } from 'vitest'
import { nonceName } from '../../src/verification/open-nonces.ts'

const keys = Array.from({ length: 20 }, (_, i) => new Uint8Array(1952).fill(i))
const text = new TextEncoder()

async function first16(publicKey: Uint8Array, nonce: string): Promise<Uint8Array> {
  const digest = await crypto.subtle.digest('SHA-256', Uint8Array.from([...publicKey, ...text.encode(nonce)]))
  return new Uint8Array(digest).slice(0, 16)
}

it('are of their own key and nonce, however many are made at once', async () => {
  const nonces = keys.map((_, i) => 'n'.repeat(256 - 7 * i))
  const names = await Promise.all(keys.map((key, i) => nonceName(key, nonces[i] ?? '')))
  expect(names).toEqual(await Promise.all(keys.map((key, i) => first16(key, nonces[i] ?? ''))))
})

it('are never of a part of a nonce', async () => {
  await expect(nonceName(new Uint8Array(1952), 'n'.repeat(2145))).rejects.toThrow('nonce: too long')
})
