import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import vectors from '../../test/vectors/forms.json' with { type: 'json' }
import { encodeBase64url } from '../base/base64url.ts'
import {
  isWatchToken,
  standingChangeSchema,
  WATCH_HEADER,
  watchedDevicesSchema,
  watchedMembers,
  watchTokenHash,
  watchTokenRecordSchema,
  watchTokenRequestSchema,
  watchTokensSchema,
} from './watch.ts'

const DEVICE = 'd'.repeat(32)
const HASH = 'a7'.repeat(48)
const AT = 1_790_000_000_000

const accepts = (schema: z.ZodType, good: object) => (change: object) =>
  schema.safeParse({ ...good, ...change }).success

describe('a watch token', () => {
  it('is 256 bits in base64url, and nothing else', () => {
    const token = encodeBase64url(crypto.getRandomValues(new Uint8Array(32)))
    expect(isWatchToken(token)).toBe(true)
    for (const other of [` ${token}`, `${token}\n`, `${token}A`, token.slice(1), `${token.slice(1)}+`, ''])
      expect(isWatchToken(other)).toBe(false)
  })

  it('is hashed as its text, with SHA3-384', () => {
    const { token, tokenHash } = vectors.watchToken
    expect(watchTokenHash(token)).toBe(tokenHash)
  })

  it('is carried by a header of its own', () => {
    expect(WATCH_HEADER).toBe('X-Watch-Token')
  })

  it('is asked for by its hash alone', () => {
    const asks = accepts(watchTokenRequestSchema, { tokenHash: HASH })
    expect(asks({})).toBe(true)
    for (const change of [{ tokenHash: HASH.slice(2) }, { tokenHash: undefined }, { token: 'A'.repeat(43) }])
      expect(asks(change)).toBe(false)
  })

  it('has a record without its secret', () => {
    const record = { tokenHash: HASH, madeBy: 'root', epoch: 0, madeAt: AT, worksUntil: null }
    const keeps = accepts(watchTokenRecordSchema, record)
    for (const change of [{}, { madeBy: DEVICE }, { epoch: 7 }, { worksUntil: AT }]) expect(keeps(change)).toBe(true)
    for (const change of [
      { madeBy: 'somebody' },
      { epoch: -1 },
      { epoch: 0.5 },
      { worksUntil: undefined },
      { token: 'A' },
    ])
      expect(keeps(change)).toBe(false)
    expect(watchTokensSchema.safeParse({ tokens: [record] }).success).toBe(true)
    expect(watchTokensSchema.safeParse({ tokens: [{ ...record, madeBy: 1 }] }).success).toBe(false)
    expect(watchTokensSchema.safeParse({}).success).toBe(false)
  })
})

describe('what a watch token shows', () => {
  it('counts devices, and names the newest event of their log', () => {
    const newest = { hash: HASH, time: AT }
    const shows = accepts(watchedDevicesSchema, { active: 2, standing: 1, newest })
    for (const change of [{}, { newest: null }, { active: 0 }, { standing: 0 }]) expect(shows(change)).toBe(true)
    for (const change of [
      { active: -1 },
      { standing: -1 },
      { newest: {} },
      { newest: { hash: HASH } },
      { devices: [] },
    ])
      expect(shows(change)).toBe(false)
  })

  it.each(['device_added', 'device_lost', 'cosign_lost'])('tells a change: %s', (kind) => {
    const change = { kind, deviceId: DEVICE, cosigns: true, at: AT, countsAt: AT, countsUntil: null }
    const tells = accepts(standingChangeSchema, change)
    expect(tells({})).toBe(true)
    for (const other of [
      { kind: 'key_added' },
      { kind: '' },
      { deviceId: '' },
      { cosigns: null },
      { countsAt: undefined },
    ])
      expect(tells(other)).toBe(false)
  })

  it('may be left out of an answer, which nothing else in it tells', () => {
    const members = z.strictObject(watchedMembers)
    expect(members.safeParse({}).success).toBe(true)
    expect(members.safeParse({ devices: { active: 1, standing: 1, newest: null }, changes: [] }).success).toBe(true)
    expect(members.safeParse({ changes: [{ kind: 'device_added' }] }).success).toBe(false)
    expect(members.safeParse({ tokens: [] }).success).toBe(false)
  })
})
