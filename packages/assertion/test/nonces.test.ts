import { evictDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { at, freshObject, MINUTE, namesOf, soon } from './nonces.fixture.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('spending', () => {
  it('accepts a nonce once', async () => {
    const { nonces, signer } = freshObject()
    expect(await nonces.spend(signer, 'n', soon())).toBe('spent')
    expect(await nonces.spend(signer, 'n', soon())).toBe('replay')
    expect(await nonces.spend(signer, 'm', soon())).toBe('spent')
  })

  it('lets exactly one of twenty concurrent calls win', async () => {
    const { nonces, signer } = freshObject()
    const keepUntil = soon()
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => nonces.spend(signer, 'n', keepUntil)))
    expect(outcomes.filter((outcome) => outcome === 'spent')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'replay')).toHaveLength(19)
  })

  it('accepts twenty different nonces at once', async () => {
    const { nonces, signer } = freshObject()
    const keepUntil = soon()
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => nonces.spend(signer, `n${i}`, keepUntil)))
    expect(new Set(outcomes)).toEqual(new Set(['spent']))
    const names = await namesOf(nonces)
    expect(names.map(({ name }) => name.byteLength)).toEqual(Array(20).fill(16))
  })

  it('keeps signers apart: one cannot use up another’s nonce', async () => {
    const { nonces, signer } = freshObject()
    expect(await nonces.spend('another', 'n', soon())).toBe('spent')
    expect(await nonces.spend(signer, 'n', soon())).toBe('spent')
    expect(await nonces.spend('another', 'n', soon())).toBe('replay')
  })

  it('does not take the end of a signer for the beginning of a nonce', async () => {
    const { nonces } = freshObject()
    for (const [signer, nonce] of [
      ['1', '12'],
      ['11', '2'],
      ['1:1', '2'],
      ['1', ':12'],
    ] as const)
      expect(await nonces.spend(signer, nonce, soon())).toBe('spent')
  })

  it('distinguishes nonces by every character', async () => {
    const { nonces, signer } = freshObject()
    for (const nonce of ['n', 'N', 'n!', "n'; DROP TABLE nonces; --", 'n'.repeat(256)]) {
      expect(await nonces.spend(signer, nonce, soon())).toBe('spent')
      expect(await nonces.spend(signer, nonce, soon())).toBe('replay')
    }
  })

  it('refuses a spent nonce with an earlier or later expiry', async () => {
    const { nonces, signer } = freshObject()
    expect(await nonces.spend(signer, 'n', soon())).toBe('spent')
    expect(await nonces.spend(signer, 'n', soon() + MINUTE)).toBe('replay')
    expect(await nonces.spend(signer, 'n', Date.now() + 1000)).toBe('replay')
  })

  it('remembers after an eviction', async () => {
    const { nonces, signer } = freshObject()
    await nonces.spend(signer, 'n', soon())
    await evictDurableObject(nonces)
    expect(await nonces.spend(signer, 'n', soon())).toBe('replay')
    expect(await nonces.spend(signer, 'm', soon())).toBe('spent')
  })
})

describe('expiry', () => {
  // A day ahead of the clock of alarms, so that none fires by itself.
  const NOW = Date.now() + 86_400_000

  it('is refused from that millisecond on', async () => {
    const { nonces, signer } = freshObject()
    at(NOW)
    expect(await nonces.spend(signer, 'a', NOW - 1)).toBe('expired')
    expect(await nonces.spend(signer, 'a', NOW)).toBe('expired')
    expect(await nonces.spend(signer, 'a', NOW + 1)).toBe('spent')
  })

  it('prevents replay between expiry and expiry plus skew, dropped or not', async () => {
    const { nonces, signer } = freshObject()
    const [expiresAt, skew] = [NOW + MINUTE, 2 * MINUTE]
    at(NOW)
    expect(await nonces.spend(signer, 'n', expiresAt + skew)).toBe('spent')
    for (const time of [expiresAt - 1, expiresAt, expiresAt + 1, expiresAt + skew - 1]) {
      at(time)
      expect(await nonces.spend(signer, 'n', expiresAt + skew)).toBe('replay')
      await nonces.drop()
      expect(await nonces.spend(signer, 'n', expiresAt + skew)).toBe('replay')
    }
    at(expiresAt + skew)
    expect(await nonces.spend(signer, 'n', expiresAt + skew)).toBe('expired')
    await nonces.drop()
    expect(await nonces.spend(signer, 'n', expiresAt + skew)).toBe('expired')
  })
})
