import { describe, expect, it } from 'vitest'
import { KnownKeys } from '../src/verification/known-keys.ts'
import { strangersKey } from './verification.fixture.ts'

describe('keys that have verified', () => {
  it('are made ready once', async () => {
    const keys = new KnownKeys()
    const by = await strangersKey()
    const first = await keys.of(by.publicKeyB64u)
    expect(await keys.of(by.publicKeyB64u)).not.toBe(first)
    keys.remember(first)
    expect(await keys.of(by.publicKeyB64u)).toBe(first)
    const message = new Uint8Array(5)
    expect(await first.verify(message, await by.sign(message))).toBe(true)
  })

  it('are five hundred at most, and the least recently used is forgotten first', async () => {
    const keys = new KnownKeys()
    const first = await strangersKey()
    const key = await keys.of(first.publicKeyB64u)
    const named = (name: string | number) => ({ ...key, publicKeyB64u: String(name) })
    const use = (name: string | number) => keys.remember(named(name))
    const isKnown = async (text: string) => (await keys.of(text)).verify === key.verify
    use(first.publicKeyB64u)
    for (let i = 1; i < 500; i++) use(i)
    expect(await isKnown(first.publicKeyB64u)).toBe(true)
    use(first.publicKeyB64u)
    use('another')
    expect(await isKnown(first.publicKeyB64u)).toBe(true)
    for (let i = 2; i <= 500; i++) use(i)
    expect(await isKnown(first.publicKeyB64u)).toBe(false)
    expect(await isKnown('500')).toBe(true)
  })

  it('are not taken for another that begins as they do', async () => {
    const keys = new KnownKeys()
    const by = await strangersKey()
    const bent = `${by.publicKeyB64u.slice(0, -1)}${by.publicKeyB64u.endsWith('A') ? 'Q' : 'A'}`
    const message = new Uint8Array(5)
    const signature = await by.sign(message)
    keys.remember(await keys.of(by.publicKeyB64u))
    const other = await keys.of(bent)
    expect(await other.verify(message, signature)).toBe(false)
    keys.remember(other)
    const again = await keys.of(by.publicKeyB64u)
    expect(await again.verify(message, signature)).toBe(true)
  })
})
