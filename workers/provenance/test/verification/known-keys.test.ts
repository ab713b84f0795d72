import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { KnownKeys } from '../../src/verification/known-keys.ts'
import { strangersKey } from './verification.fixture.ts'

const find = (keys: KnownKeys, text: string) => keys.of(text, bytesOf(text))

/** Text of the length of a key, each another one from its first bytes on. */
const keyNumber = (n: number) => {
  const bytes = new Uint8Array(1952)
  new DataView(bytes.buffer).setUint32(0, n << 2)
  return encodeBase64url(bytes)
}

describe('keys that have verified', () => {
  it('are made ready once', async () => {
    const keys = new KnownKeys()
    const by = await strangersKey()
    const first = await find(keys, by.publicKeyB64u)
    expect(await find(keys, by.publicKeyB64u)).not.toBe(first)
    keys.remember(first)
    expect(await find(keys, by.publicKeyB64u)).toBe(first)
    const message = new Uint8Array(5)
    expect(await first.verify(message, await signerOf(by)(message))).toBe(true)
  })

  it('are kept though the bytes they were made of change', async () => {
    const keys = new KnownKeys()
    const by = await strangersKey()
    const room = bytesOf(by.publicKeyB64u)
    const key = await keys.of(by.publicKeyB64u, room)
    keys.remember(key)
    room.fill(0)
    const message = new Uint8Array(5)
    expect(await (await find(keys, by.publicKeyB64u)).verify(message, await signerOf(by)(message))).toBe(true)
  })

  it('are five hundred at most, and among them the two hundred and fifty that were used last', async () => {
    const keys = new KnownKeys()
    const made = new Map<number, object>()
    const use = async (n: number) => {
      const key = await find(keys, keyNumber(n))
      made.set(n, key)
      keys.remember(key)
    }
    const isKnown = async (n: number) => (await find(keys, keyNumber(n))) === made.get(n)
    const known = async () => {
      const all = []
      for (const n of made.keys()) if (await isKnown(n)) all.push(n)
      return all
    }
    const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
    for (const n of numbers(1, 500)) await use(n)
    expect(await known()).toEqual(numbers(1, 500))
    await use(7)
    expect(await known()).toEqual([7, ...numbers(251, 500)])
    for (const n of numbers(501, 749)) await use(n)
    expect(await known()).toEqual([7, ...numbers(251, 749)])
    await use(750)
    expect(await known()).toEqual([7, ...numbers(501, 750)])
  })

  it('are not taken for another that begins as they do', async () => {
    const keys = new KnownKeys()
    const by = await strangersKey()
    const bent = `${by.publicKeyB64u.slice(0, -1)}${by.publicKeyB64u.endsWith('A') ? 'Q' : 'A'}`
    const message = new Uint8Array(5)
    const signature = await signerOf(by)(message)
    keys.remember(await find(keys, by.publicKeyB64u))
    const other = await find(keys, bent)
    expect(await other.verify(message, signature)).toBe(false)
    keys.remember(other)
    const again = await find(keys, by.publicKeyB64u)
    expect(await again.verify(message, signature)).toBe(true)
  })
})
