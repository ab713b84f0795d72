import { safeVerifyAnchor } from '@svc/client/verify'
import { toHex } from '@svc/protocol/base/hash'
import { anchorEntry } from '@svc/protocol/ledger/anchor-log'
import { anchorRecordSchema, type SignedCheckpoint, signedCheckpointSchema } from '@svc/protocol/ledger/anchors'
import { entryHash, openEntry } from '@svc/protocol/merkle/entries'
import { merkleRoot } from '@svc/protocol/merkle/tree'
import { REALM, REALMS } from '@svc/testing'
import { describe, expect, it, vi } from 'vitest'
import { anonymous, sendWith } from '../harness.ts'
import { anchored, fill, LOG, logKey, openLog, reader } from './anchors.fixture.ts'

/** Leaf 0 opens the log. */
const SIZES = [2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33]
const offline = () => Promise.reject(new Error('verifying needs no network'))
const checkpoints: SignedCheckpoint[] = []

describe('the whole log', () => {
  it('has a signed checkpoint before its first anchor', async () => {
    const checkpoint = await reader().checkpoint()
    expect(checkpoint).toMatchObject({
      statement: {
        type: 'svc/anchor-checkpoint/v1',
        realm: REALM,
        log: LOG,
        size: 1,
        root: toHex(entryHash(openEntry(LOG, null))),
      },
      publicKeyB64u: await logKey(),
    })
    expect(Math.abs(Date.now() - checkpoint.statement.issuedAt)).toBeLessThan(60_000)
    checkpoints.push(checkpoint)
  })

  it('signs for a crowd of readers once within a second, and anew later', async () => {
    const at = Date.now() + 5_000
    const readAt = (time: number) => {
      vi.setSystemTime(time)
      return reader().checkpoint()
    }
    const first = await readAt(at)
    const crowd = await Promise.all(Array.from({ length: 20 }, () => readAt(at + 999)))
    const later = [await readAt(at + 1_000), await readAt(at)]
    vi.useRealTimers()
    expect(new Set([first, ...crowd].map(({ signatureB64u }) => signatureB64u)).size).toBe(1)
    expect(later.map(({ statement }) => statement.issuedAt)).toEqual([at + 1_000, at])
  })

  it('returns bundles of the newest and the oldest anchor that verify offline at many sizes', async () => {
    let oldest = ''
    for (const size of SIZES) {
      await fill(size - 1 - Math.max(1, checkpoints.at(-1)?.statement.size ?? 0))
      const newest = (await anchored()).anchorId
      oldest ||= newest
      const checkpoint = await reader().checkpoint()
      expect(checkpoint.statement.size).toBe(size)
      checkpoints.push(checkpoint)
      for (const anchorId of [newest, oldest]) {
        const bundle = await reader().bundle(anchorId)
        expect(bundle.checkpoint.statement).toMatchObject({ size, root: checkpoint.statement.root })
        expect(bundle.proof.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)))
        expect(await safeVerifyAnchor(bundle, { logKeyB64u: await logKey() }, REALMS)).toMatchObject({
          ok: true,
        })
      }
    }
  })

  it('extends every earlier checkpoint, and no later one', async () => {
    expect(checkpoints).toHaveLength(SIZES.length + 1)
    for (const [i, earlier] of checkpoints.entries()) {
      for (const [j, later] of checkpoints.entries()) {
        if (j % 3 !== 0 && Math.abs(j - i) > 1) continue
        expect((await reader().safeVerifyExtension(earlier, later)).ok).toBe(j >= i)
      }
    }
  })

  it('does not extend a checkpoint of another history', async () => {
    const [earlier, later] = [checkpoints[5]!, checkpoints.at(-1)!]
    const forked = { ...earlier, statement: { ...earlier.statement, root: 'a7'.repeat(48) } }
    expect((await reader().safeVerifyExtension(forked, later)).ok).toBe(false)
    const rewritten = { ...later, statement: { ...later.statement, root: 'a7'.repeat(48) } }
    expect((await reader().safeVerifyExtension(earlier, rewritten)).ok).toBe(false)
  })

  it('verifies a bundle older than the log, and detects alterations in it', async () => {
    const { anchorId } = await anchored()
    const bundle = await reader().bundle(anchorId)
    await fill(3)
    const key = { logKeyB64u: await logKey() }
    expect(await safeVerifyAnchor(bundle, key, REALMS)).toMatchObject({ ok: true })
    const other = (await anchored()).owner
    const forged = { ...bundle, record: { ...bundle.record, owner: other } }
    expect(await safeVerifyAnchor(forged, key, REALMS)).toMatchObject({ ok: false, error: { reason: 'wrong_owner' } })
    const elsewhere = { logKeyB64u: await logKey(`${LOG} of another period`) }
    expect(await safeVerifyAnchor(bundle, elsewhere, REALMS)).toMatchObject({
      ok: false,
      error: { reason: 'wrong_log' },
    })
  })

  it('is the tree over leaf 0, which opens it, and the entries of its records', async () => {
    const { items } = await reader().page({ limit: 500, attestations: 'include' })
    const entries = items.toReversed().map((item) => anchorEntry(anchorRecordSchema.parse(item)))
    const { statement } = await reader().checkpoint()
    expect(items.toReversed().map(({ position }) => position)).toEqual(
      entries.map((_, i) => ({ log: LOG, index: i + 1 })),
    )
    const leaves = [openEntry(LOG, null), ...entries].map(entryHash)
    expect([leaves.length, toHex(merkleRoot(leaves))]).toEqual([statement.size, statement.root])
  })

  it('is proved by its entry in the log list', async () => {
    const { log: listed, checkpoint, record } = await reader().bundle((await anchored()).anchorId)
    expect(listed).toEqual({
      log: LOG,
      series: 'anchors',
      slot: { bits: 0, value: 0 },
      state: 'open',
      publicKeyB64u: await logKey(),
      openedAt: expect.any(Number),
      previous: null,
      final: null,
      tiles: 'https://core.test/api/anchors/feed',
    })
    const bundle = await reader().bundle(record.anchorId)
    expect(await safeVerifyAnchor(bundle, { list: { logs: [listed] } }, REALMS)).toMatchObject({ ok: true })
    const other = { ...listed, publicKeyB64u: await logKey('another') }
    expect(await safeVerifyAnchor({ ...bundle, checkpoint }, { list: { logs: [other] } }, REALMS)).toMatchObject({
      ok: false,
      error: { reason: 'wrong_log' },
    })
  })

  it('sends no request if the answer is known', async () => {
    const [first, second] = checkpoints
    const empty = { ...first!, statement: { ...first!.statement, size: 0 } }
    expect((await reader(offline).safeVerifyExtension(empty, first!)).ok).toBe(true)
    expect((await reader(offline).safeVerifyExtension(second!, first!)).ok).toBe(false)
  })
})

describe('a log that is named', () => {
  const earlier = `${REALM}/anchors/2026a`
  const named = (name: string) => encodeURIComponent(name)

  it('is read by its name, the open one by default', async () => {
    await anchored()
    expect((await reader().checkpoint(LOG)).statement.log).toBe(LOG)
    expect(await anonymous('GET', `/api/anchors/consistency?log=${named(LOG)}&first=1&second=1`)).toMatchObject({
      status: 200,
      body: { log: LOG, first: 1, second: 1, proof: [] },
    })
  })

  it('stays readable, with its own key, when another one is open', async () => {
    await openLog(earlier)
    const [anchorId = ''] = await fill(1, { owner: `did:svc:${'B'.repeat(32)}`, name: earlier })
    const { body } = await anonymous('GET', `/api/anchors/checkpoint?log=${named(earlier)}`)
    const checkpoint = signedCheckpointSchema.parse(body)
    expect(checkpoint).toMatchObject({ statement: { log: earlier, size: 2 }, publicKeyB64u: await logKey(earlier) })
    // The signed list does not have it.
    await expect(reader().checkpoint(earlier)).rejects.toMatchObject({ reason: 'unlisted_log' })
    const bundle = await reader().bundle(anchorId)
    expect(bundle.record.position).toEqual({ log: earlier, index: 1 })
    const trust = { logKeyB64u: await logKey(earlier) }
    expect(await safeVerifyAnchor(bundle, trust, REALMS)).toMatchObject({ ok: true })
    expect(await safeVerifyAnchor(bundle, { logKeyB64u: await logKey() }, REALMS)).toMatchObject({ ok: false })
    const open = await reader().checkpoint()
    expect(open.statement.log).toBe(LOG)
    expect((await reader().safeVerifyExtension(checkpoint, open)).ok).toBe(false)
  })

  it('is in one list and one state proof with the others', async () => {
    const seen: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await reader().page({ limit: 3, ...(cursor === undefined ? {} : { cursor }) })
      seen.push(...page.items.map(({ anchorId }) => anchorId))
      if (page.cursor === null) break
      cursor = page.cursor
    }
    const { anchors } = await reader().stateProof(2_048)
    expect(anchors.map(({ anchorId }) => anchorId)).toEqual(seen.toReversed())
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('is 404 if there is none of that name', async () => {
    for (const path of ['checkpoint?', 'consistency?first=1&second=1&']) {
      for (const name of [`${LOG}x`, 'log', REALM]) {
        expect(await anonymous('GET', `/api/anchors/${path}log=${named(name)}`)).toMatchObject({
          status: 404,
          body: { error: 'not_found' },
        })
      }
      expect((await anonymous('GET', `/api/anchors/${path}log=`)).status).toBe(400)
    }
  })
})

describe('GET /api/anchors/consistency', () => {
  it.each(['first=0&second=1', 'first=2&second=1', 'first=1&second=999999', 'first=-1&second=1'])(
    'is rejected for ?%s: sizes that the log never had',
    async (query) => {
      await fill(2)
      expect(await anonymous('GET', `/api/anchors/consistency?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', message: 'query: the log has no such sizes' },
      })
    },
  )

  it.each(['', 'first=1', 'second=1', 'first=x&second=1', 'first=1&second=1.5'])(
    'is refused for ?%s',
    async (query) => {
      expect((await anonymous('GET', `/api/anchors/consistency?${query}`)).status).toBe(400)
    },
  )
})

describe('a deployment without a log key', () => {
  it('signs no checkpoint and returns no bundle, and serves everything else', async () => {
    const keyless = reader(sendWith({ ANCHOR_LOG_SEED: undefined }))
    const record = await anchored()
    const refusal = { status: 503, error: 'log_unavailable' }
    await expect(keyless.checkpoint()).rejects.toMatchObject(refusal)
    await expect(keyless.bundle(record.anchorId)).rejects.toMatchObject(refusal)
    expect(await keyless.read(record.anchorId)).toEqual(record)
    const { anchors } = await keyless.stateProof()
    expect(anchors.map(({ anchorId }) => anchorId)).toContain(record.anchorId)
  })
})
