import { expect, it } from 'vitest'
import { nonceOf, SHARDS } from '../../src/verification/open-nonces.ts'

const keys = Array.from({ length: 20 }, (_, i) => new Uint8Array(1952).fill(i))
const text = new TextEncoder()

async function first16(publicKey: Uint8Array, nonce: string): Promise<Uint8Array> {
  const digest = await crypto.subtle.digest('SHA-256', Uint8Array.from([...publicKey, ...text.encode(nonce)]))
  return new Uint8Array(digest).slice(0, 16)
}

it('are of their own key and nonce, however many are made at once', async () => {
  const nonces = keys.map((_, i) => 'n'.repeat(256 - 7 * i))
  const named = await Promise.all(keys.map((key, i) => nonceOf(key, nonces[i] ?? '')))
  expect(named.map(({ name }) => name)).toEqual(await Promise.all(keys.map((key, i) => first16(key, nonces[i] ?? ''))))
})

it('are never of a part of a nonce', async () => {
  await expect(nonceOf(new Uint8Array(1952), 'n'.repeat(2145))).rejects.toThrow('nonce: too long')
})

it('of one key are in one shard, and those of many keys in every shard', async () => {
  const ofOne = await Promise.all(Array.from({ length: 50 }, (_, i) => nonceOf(new Uint8Array(1952), `n${i}`)))
  expect(new Set(ofOne.map(({ shard }) => shard)).size).toBe(1)
  const many = Array.from({ length: 256 }, (_, i) => new Uint8Array(1952).fill(i))
  const ofMany = await Promise.all(many.map((key) => nonceOf(key, 'n')))
  const shards = new Set(ofMany.map(({ shard }) => shard))
  expect([...shards].toSorted((a, b) => a - b)).toEqual(Array.from({ length: SHARDS }, (_, i) => i))
})
