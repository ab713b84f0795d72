import { env } from 'cloudflare:workers'
import { safeVerifyAnchor } from '@svc/client/verify'
import { REALMS } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { sendWith } from '../harness.ts'
import { anchored, logKey, publicationOf, reader, report, reportTo } from './anchors.fixture.ts'

const TX = { chain: 'example-ledger', tx: '0xabc' }
const refused = (status: number, error: string) => ({ status, body: { success: false, error } })
const nonces = async () => (await env.DB.prepare('SELECT nonce FROM anchor_publication_nonces').all()).results.length

afterEach(() => {
  vi.useRealTimers()
})

describe('the publisher’s report', () => {
  it('moves an anchor from submitted to published to confirmed, wherever it is read', async () => {
    const { anchorId, ...submitted } = await anchored()
    const seen = async () => {
      const [item] = (await reader().page({ limit: 1, attestations: 'include' })).items
      const bundle = await reader().bundle(anchorId)
      const record = await reader().read(anchorId)
      expect(item).toEqual(record)
      expect(bundle.record).toEqual(record)
      return record
    }
    expect(await seen()).toEqual({ anchorId, ...submitted, status: 'submitted' })
    expect(submitted).not.toHaveProperty('chains')
    for (const state of ['published', 'confirmed'] as const) {
      const { status, body } = await report(await publicationOf(anchorId, { state }))
      const record = { anchorId, ...submitted, status: state, chains: [TX] }
      expect({ status, body }).toEqual({ status: 200, body: record })
      expect(await seen()).toEqual(record)
    }
  })

  it('changes neither the log nor earlier proofs', async () => {
    const { anchorId } = await anchored()
    const [before, bundle] = [await reader().stateProof(), await reader().bundle(anchorId)]
    await report(await publicationOf(anchorId, { state: 'confirmed' }))
    const after = await reader().stateProof()
    expect([after.root, after.leaves]).toEqual([before.root, before.leaves])
    expect((await reader().checkpoint()).statement.root).toBe(bundle.checkpoint.statement.root)
    const key = { logKeyB64u: await logKey() }
    for (const each of [bundle, await reader().bundle(anchorId)]) {
      expect(await safeVerifyAnchor(each, key, REALMS)).toMatchObject({ ok: true })
    }
  })

  it('can confirm a transaction at once, and never reverts a confirmation', async () => {
    const { anchorId } = await anchored()
    for (const state of ['confirmed', 'published', 'published'] as const) {
      const { body } = await report(await publicationOf(anchorId, { state }))
      expect(body).toMatchObject({ status: 'confirmed', chains: [TX] })
    }
  })

  it('on the same transaction with another nonce changes nothing', async () => {
    const { anchorId } = await anchored()
    const first = await report(await publicationOf(anchorId))
    const second = await report(await publicationOf(anchorId))
    expect(second.body).toEqual(first.body)
    expect(second.body).toMatchObject({ status: 'published', chains: [TX] })
  })

  it('on several transactions keeps them in the order of their first reports', async () => {
    const { anchorId } = await anchored()
    const chains = ['0x2', '0x1', '0x3'].map((tx) => ({ ...TX, tx }))
    const reports: [string, 'published' | 'confirmed', number][] = [
      ['0x2', 'published', 1],
      ['0x1', 'published', 2],
      ['0x3', 'published', 3],
      ['0x2', 'published', 3],
      ['0x2', 'confirmed', 3],
      ['0x2', 'confirmed', 3],
    ]
    const now = Date.now()
    for (const [second, [tx, state, count]] of reports.entries()) {
      vi.useFakeTimers({ toFake: ['Date'], now: now + second * 1000 })
      const { body } = await report(await publicationOf(anchorId, { tx, state }))
      expect(body).toMatchObject({ status: state, chains: chains.slice(0, count) })
      expect(body['chains']).toHaveLength(count)
    }
  })

  it('changes only its own anchor', async () => {
    const [one, other] = [await anchored(), await anchored()]
    await report(await publicationOf(one.anchorId))
    expect(await reader().read(other.anchorId)).toEqual(other)
  })
})

describe('a report is rejected', () => {
  it('for an unknown anchor, and nothing is stored', async () => {
    const before = await nonces()
    expect(await report(await publicationOf('A'.repeat(32)))).toMatchObject(refused(404, 'not_found'))
    expect(await nonces()).toBe(before)
  })

  it('if its nonce was used before, by the same report or another', async () => {
    const [one, other] = [await anchored(), await anchored()]
    const signed = await publicationOf(one.anchorId)
    const { nonce } = signed.statement
    expect((await report(signed)).status).toBe(200)
    for (const again of [
      signed,
      await publicationOf(one.anchorId, { nonce, state: 'confirmed' }),
      await publicationOf(one.anchorId, { nonce, tx: '0xdef' }),
      await publicationOf(other.anchorId, { nonce }),
    ]) {
      expect(await report(again)).toMatchObject(refused(409, 'statement_replay'))
    }
    expect(await reader().read(one.anchorId)).toMatchObject({ status: 'published', chains: [TX] })
    expect(await reader().read(other.anchorId)).toEqual(other)
  })

  it('if another key signed it, or it was changed after signing', async () => {
    const { anchorId } = await anchored()
    const before = await nonces()
    const signed = await publicationOf(anchorId)
    const changes = [{ state: 'confirmed' }, { tx: '0xdef' }, { chain: 'other' }, { nonce: 'n'.repeat(32) }]
    for (const forged of [
      await publicationOf(anchorId, {}, new Uint8Array(32).fill(7)),
      await publicationOf(anchorId, {}, new Uint8Array(32).fill(9)),
      ...changes.map((change) => ({ ...signed, statement: { ...signed.statement, ...change } })),
    ]) {
      expect(await report(forged)).toMatchObject(refused(403, 'invalid_signature'))
    }
    expect(await nonces()).toBe(before)
    expect(await reader().read(anchorId)).toMatchObject({ status: 'submitted' })
  })

  it.each([
    ['old', -301_000],
    ['far ahead', 301_000],
  ])('when it is too %s, with the time of the server', async (_, offset) => {
    const { anchorId } = await anchored()
    const stale = await publicationOf(anchorId, { issuedAt: Date.now() + offset })
    expect(await report(stale)).toMatchObject({
      status: 401,
      body: { error: 'statement_expired', serverTime: expect.any(Number) },
    })
    const late = await publicationOf(anchorId, { issuedAt: Date.now() + Math.sign(offset) * 290_000 })
    expect((await report(late)).status).toBe(200)
  })

  it('by a deployment without a publisher', async () => {
    const { anchorId } = await anchored()
    const disabled = await reportTo(sendWith({ PUBLISHER_PUBLIC_KEY: '' }), await publicationOf(anchorId))
    expect(disabled).toMatchObject(refused(403, 'publisher_disabled'))
    expect(await reader().read(anchorId)).toMatchObject({ status: 'submitted' })
  })

  it.each([{ state: 'submitted' }, { chain: 'Example' }, { tx: '' }, { anchorId: 'x' }, { note: 'x' }, { nonce: 'x' }])(
    'when it says %o',
    async (members) => {
      const { status, body } = await report(await publicationOf('A'.repeat(32), members))
      expect([status, body['code']]).toEqual([400, 'invalid_request'])
    },
  )
})
