import { env } from 'cloudflare:workers'
import { verifyConsentHistory } from '@svc/protocol/consent/history'
import type { ConsentHistory } from '@svc/protocol/consent/history-page'
import { coreAnswering } from '@svc/service/testing'
import { REALMS } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { caller, creation, DISALLOW, dataOf, freshHash, get, put, rootKey, update } from '../harness.ts'
import { act, settlement } from './settlement.fixture.ts'

const owner = async () => rootKey(await caller())
const twenty = <T>(make: (i: number) => Promise<T>) => Promise.all(Array.from({ length: 20 }, (_, i) => make(i)))
const did = (i: number) => `did:svc:${String.fromCharCode(65 + i).repeat(32)}`

/** The history as readers get it, which holds. */
async function heldHistory(hash: string): Promise<ConsentHistory> {
  const history = (await get(`/api/v1/consent/${encodeURIComponent(hash)}/history`)).body as ConsentHistory
  const context = { hash, creatorDid: history.creator_did ?? '', realms: REALMS }
  expect(await verifyConsentHistory(context, history.entries)).toMatchObject({ ok: true })
  return history
}

describe('twenty at once', () => {
  it('settlements for different creators: all are taken, in one order', async () => {
    const hash = freshHash()
    await put(await creation(await owner(), hash))
    const acts = await twenty((i) => settlement(hash, did(i)))
    for (const answer of await Promise.all(acts.map((signed) => act(signed)))) dataOf(answer)
    const { entries, creator_did } = await heldHistory(hash)
    expect(entries).toHaveLength(21)
    const last = entries.at(-1)
    expect(last?.action === 'settle' && last.statement.creatorDid).toBe(creator_did)
  })

  it('settlements for one creator: the identifier passes once', async () => {
    const hash = freshHash()
    await put(await creation(await owner(), hash))
    const acts = await twenty(() => settlement(hash, did(0)))
    for (const answer of await Promise.all(acts.map((signed) => act(signed)))) dataOf(answer)
    expect((await heldHistory(hash)).entries).toHaveLength(2)
  })

  it('updates and a settlement: an update counts before it or not at all', async () => {
    const [by, hash] = [await owner(), freshHash()]
    await put(await creation(by, hash))
    const writes = await twenty((i) => update(by, hash, { search: i % 2 === 0 ? 'allow' : 'disallow' }))
    const signed = await settlement(hash, did(0))
    const [settled, ...answers] = await Promise.all([act(signed), ...writes.map((write) => put(write))])
    dataOf(settled)
    const taken = answers.filter(({ status }) => status === 200).length
    for (const { status } of answers) expect([200, 404]).toContain(status)
    const { entries } = await heldHistory(hash)
    expect(entries).toHaveLength(taken + 2)
    expect(entries.at(-1)?.action).toBe('settle')
  })

  it('creations by the new creator and a settlement: one declares, after it', async () => {
    const [author, hash] = [await owner(), freshHash()]
    await put(await creation(await owner(), hash))
    const writes = await twenty(() => creation(author, hash))
    const signed = await settlement(hash, author.did)
    const [settled, ...answers] = await Promise.all([act(signed), ...writes.map((write) => put(write))])
    dataOf(settled)
    const taken = answers.filter(({ status }) => status === 200).length
    expect(taken).toBeLessThanOrEqual(1)
    expect((await heldHistory(hash)).entries).toHaveLength(2 + taken)
  })
})

it('an update that was judged for the creator before is not written for the new one', async () => {
  const [by, author, hash] = [await owner(), await owner(), freshHash()]
  await put(await creation(by, hash))
  let judged = 0
  // The record passes to the author, who declares, while the authority judges the update.
  const PROVENANCE = coreAnswering(async (request) => {
    if (judged++ === 0) {
      dataOf(await act(await settlement(hash, author.did)))
      dataOf(await put(await creation(author, hash)))
    }
    return env.PROVENANCE.fetch(request)
  })
  const answer = await put(await update(by, hash, { ai_training: 'allow' }), { PROVENANCE })
  expect(answer).toMatchObject({ status: 403, error: 'invalid_signature' })
  const { entries, state } = await heldHistory(hash)
  expect([entries.length, state.preferences]).toEqual([3, DISALLOW])
  expect(judged).toBe(2)
})
