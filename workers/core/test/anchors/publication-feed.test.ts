import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import {
  MAX_PAGE_PUBLICATIONS,
  publicationsOfAnchorSchema,
  publicationsPageSchema,
  verifyPublication,
} from '@svc/protocol/ledger/anchor-publications'
import { REALMS } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { AnchorFiles } from '../../src/anchors/files.ts'
import { anonymous } from '../harness.ts'
import { anchored, publicationOf, report } from './anchors.fixture.ts'

const MINUTE = 60_000
const PATH = '/api/anchors/feed/publications'
const START = Date.now()

afterEach(() => {
  vi.useRealTimers()
})

const at = (now: number) => vi.useFakeTimers({ toFake: ['Date'], now })

async function page(after: string | null = null) {
  const { body, headers } = await anonymous('GET', after === null ? PATH : `${PATH}?after=${after}`)
  const read = publicationsPageSchema.parse(body)
  const nonces = read.publications.map(({ statement }) => statement.nonce)
  return { ...read, nonces, cache: headers.get('cache-control') }
}

/** Reported at one time, and signed at another. */
async function reported(anchorId: string, now: number, issuedAt = now, members: Record<string, unknown> = {}) {
  at(now)
  const signed = await publicationOf(anchorId, { issuedAt, ...members })
  expect((await report(signed)).status).toBe(200)
  return signed
}

describe('the reports of the publisher in bulk', () => {
  it('come ten minutes after their time, in the order of what was signed', async () => {
    const [one, other] = [await anchored(), await anchored()]
    const first = await reported(one.anchorId, START)
    expect(await page()).toMatchObject({ publications: [], next: null, isFull: false })
    at(START + 10 * MINUTE + 1)
    const settled = await page()
    expect(settled.publications).toEqual([first])
    expect(settled.cache).toContain('max-age=5')
    // Signed before another one that was taken before.
    const [late, early] = [
      await reported(other.anchorId, START + 11 * MINUTE),
      await reported(one.anchorId, START + 12 * MINUTE, START + 8 * MINUTE, { state: 'confirmed' }),
    ]
    // The one that is settled has what may come before it behind it.
    at(START + 21 * MINUTE)
    expect((await page(settled.next)).publications).toEqual([early])
    at(START + 22 * MINUTE)
    expect((await page(settled.next)).publications).toEqual([early, late])
    const whole = await page()
    expect(whole.publications).toEqual([first, early, late])
    expect(await page(whole.next)).toMatchObject({ publications: [], next: whole.next, isFull: false })
  })

  it('are in full pages that never change, also when the index is lost', async () => {
    const { anchorId } = await anchored()
    const files = new AnchorFiles(env.BLOBS)
    at(START + 25 * MINUTE)
    const before = await page()
    at(START + 60 * MINUTE)
    for (let i = 0; i < MAX_PAGE_PUBLICATIONS + 2; i++) {
      const signed = await publicationOf(anchorId, { issuedAt: START + 30 * MINUTE + i })
      await files.claim(signed)
      await files.file(anchorId, signed)
    }
    const full = await page(before.next)
    expect([full.nonces.length, full.isFull, full.cache]).toEqual([64, true, 'public, max-age=31536000, immutable'])
    await env.DB.prepare('DELETE FROM anchor_publications').run()
    expect(await page(before.next)).toEqual(full)
    expect((await page(full.next)).nonces).toHaveLength(2)
  })

  it('are signed by the key of the discovery document', async () => {
    const { anchorId } = await anchored()
    const signed = await reported(anchorId, START + 90 * MINUTE)
    const { body } = await anonymous('GET', '/.well-known/svc')
    const { publisherKeyB64u } = (body as { anchors: { publisherKeyB64u: string } }).anchors
    expect(await verifyPublication(signed, [publisherKeyB64u], REALMS)).toBe(true)
    const other = encodeBase64url(await mlDsa65.publicKeyOf(new Uint8Array(32).fill(7)))
    expect(await verifyPublication(signed, [other], REALMS)).toBe(false)
    const changed = { ...signed, statement: { ...signed.statement, tx: '0xdef' } }
    expect(await verifyPublication(changed, [publisherKeyB64u], REALMS)).toBe(false)
  })

  it('refuse a cursor of another list', async () => {
    const { body } = await anonymous('GET', '/api/anchors?limit=1')
    const { cursor } = body as { cursor: string }
    for (const after of [cursor, 'AAAA'])
      expect(await anonymous('GET', `${PATH}?after=${after}`)).toMatchObject({
        status: 400,
        body: { success: false, error: 'invalid_cursor' },
      })
  })
})

describe('the reports about an anchor', () => {
  it('are those that its record comes from, at once', async () => {
    const { anchorId } = await anchored()
    const read = async () => {
      const { body } = await anonymous('GET', `/api/anchors/${anchorId}/publications`)
      return publicationsOfAnchorSchema.parse(body)
    }
    expect(await read()).toEqual({ anchorId, publications: [] })
    const now = START + 120 * MINUTE
    const [confirmed, published] = [
      await reported(anchorId, now + 1, now + 1, { state: 'confirmed' }),
      await reported(anchorId, now + 2, now, { tx: '0x2' }),
    ]
    expect(await read()).toEqual({ anchorId, publications: [published, confirmed] })
  })

  it('of an anchor that does not exist are not found', async () => {
    expect(await anonymous('GET', `/api/anchors/${'A'.repeat(32)}/publications`)).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    })
  })
})
