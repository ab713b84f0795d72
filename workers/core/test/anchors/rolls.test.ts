import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { safeVerifyAnchor } from '@svc/client/verify'
import { LogReader } from '@svc/log'
import { mlDsa65 } from '@svc/pqc'
import { signStatement } from '@svc/protocol/base/statement'
import { anchorEntry } from '@svc/protocol/ledger/anchor-log'
import type { AnchorRecord } from '@svc/protocol/ledger/anchors'
import { logKeySeed } from '@svc/protocol/merkle/log-key'
import { listedLog, type SignedLogList } from '@svc/protocol/merkle/log-list'
import { openedLog } from '@svc/protocol/merkle/log-list-signing'
import { putNextList, REALM, REALMS, ServedTiles } from '@svc/testing'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { anchorLogs } from '../../src/anchors/logs.ts'
import { anonymous, freshCaller, send } from '../harness.ts'
import { anchored, freshRoot, LOG, logKey, reader, sizeOf } from './anchors.fixture.ts'

const OPERATOR_SEED = new Uint8Array(32).fill(7)
const [SECOND, THIRD] = ['2027b', '2027c'].map((period) => `${REALM}/anchors/${period}`) as [string, string]
afterAll(() => {
  vi.useRealTimers()
})

async function roll(log: string, next: string, keyVersion = 1) {
  const members = { service: 'core', log, next: { log: next, keyVersion } }
  const statement = {
    type: 'svc/operator-roll-log/v1' as const,
    realm: REALM,
    ...members,
    nonce: crypto.randomUUID(),
    issuedAt: Date.now(),
  }
  const signed = await signStatement(statement, (message) => mlDsa65.sign(OPERATOR_SEED, message))
  return anonymous('POST', '/api/operator/acts', signed)
}

/** Publishes the next list, and waits until the Worker reads it. */
async function publishList(change: Parameters<typeof putNextList>[1]): Promise<SignedLogList> {
  const list = await putNextList(env.BLOBS, change)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
  return list
}

async function announce(log: string, keyVersion = 1): Promise<void> {
  const opened = openedLog({ log, series: 'anchors', publicKeyB64u: await logKey(log, keyVersion) }, Date.now())
  await publishList((logs) => [...logs, { ...opened, state: 'announced' }])
}

/** The list after a roll: the log closed with its final checkpoint, and the next one open on it. */
async function report(log: string, next: string): Promise<SignedLogList> {
  const final = await reader().checkpoint(log)
  const { size, root } = final.statement
  return publishList((logs) =>
    logs.map((one) => {
      if (one.log === log) return { ...one, state: 'closed', final }
      return one.log === next ? { ...one, state: 'open', previous: { log, size, root } } : one
    }),
  )
}

async function linesOf(log: string): Promise<string[]> {
  const logs = anchorLogs(env)
  const found = await logs.all.find(log)
  const entries = found && (await new LogReader(logs.files(log)).entries(found.head, 0))
  return entries?.ok ? entries.value.entries : []
}

describe('a log of anchors', () => {
  let first: AnchorRecord
  let second: AnchorRecord

  it('is rolled while twenty people submit, and every anchor is in one log', async () => {
    first = await anchored()
    const early = await reader().bundle(first.anchorId)
    expect(await roll(LOG, SECOND)).toMatchObject({ status: 409, body: { error: 'log_not_announced' } })
    await announce(SECOND)
    const [rolled, ...taken] = await Promise.all([roll(LOG, SECOND), ...Array.from({ length: 20 }, () => anchored())])
    expect(rolled).toMatchObject({ status: 200 })
    second = await anchored()
    expect(second.position?.log).toBe(SECOND)
    const lines = [...(await linesOf(LOG)), ...(await linesOf(SECOND))]
    for (const anchor of [first, ...taken, second])
      expect(lines.filter((line) => line === anchorEntry(anchor))).toHaveLength(1)
    for (const { anchorId } of taken) {
      const { position } = await reader().read(anchorId)
      expect([LOG, SECOND]).toContain(position?.log)
    }
    const { statement } = await report(LOG, SECOND)
    for (const { anchorId, position } of [first, second]) {
      const { checkpoint, proof } = await reader().bundle(anchorId)
      const { log, size, root } = checkpoint.statement
      const served = new ServedTiles({ log, tiles: listedLog(statement, LOG)!.tiles }, size, send)
      expect([log, await served.root(), await served.inclusion(position!.index)]).toEqual([position!.log, root, proof])
    }
    expect(listedLog(statement, LOG)?.final?.statement.size).toBe((await linesOf(LOG)).length)
    expect(await safeVerifyAnchor(early, { list: statement }, REALMS)).toMatchObject({ ok: true })
  })

  it('gets a key of another seed after the seed was stolen, and old bundles verify after two rolls', async () => {
    const made = await reader().bundle(first.anchorId)
    await announce(THIRD, 2)
    expect(await roll(SECOND, THIRD)).toMatchObject({ status: 409, body: { error: 'log_not_announced' } })
    expect(await roll(SECOND, THIRD, 2)).toMatchObject({ status: 200 })
    expect((await reader().checkpoint()).publicKeyB64u).toBe(await logKey(THIRD, 2))
    const { statement } = await report(SECOND, THIRD)
    const third = await anchored()
    for (const bundle of [
      made,
      ...(await Promise.all([first, second, third].map(({ anchorId }) => reader().bundle(anchorId)))),
    ])
      expect(await safeVerifyAnchor(bundle, { list: statement }, REALMS)).toMatchObject({ ok: true })

    // With the stolen seed nobody goes on in the closed log.
    const end = listedLog(statement, SECOND)?.final?.statement
    const seed = logKeySeed(new Uint8Array(32).fill(9), 1, SECOND)
    const longer = { ...end!, size: end!.size + 1, root: 'ab'.repeat(48), issuedAt: Date.now() }
    const signed = await signStatement(longer, (message) => mlDsa65.sign(seed, message))
    const forged = { ...(await reader().bundle(second.anchorId)) }
    const checkpoint = { ...signed, publicKeyB64u: forged.checkpoint.publicKeyB64u }
    expect(await safeVerifyAnchor({ ...forged, checkpoint }, { list: statement }, REALMS)).toMatchObject({
      error: { reason: 'beyond_final' },
    })
  })

  it('that was closed takes nothing, and its owners go on in the next', async () => {
    const size = await sizeOf()
    const { client, identity } = await freshCaller()
    const { anchorId } = await client.anchors.submit({ root: freshRoot(), epoch: 'e' })
    const object = env.IDENTITIES.getByName(identity.did)
    // The object was told of the closed log, and was interrupted before that took the anchor.
    await runInDurableObject(object, (_, { storage }) => {
      storage.sql.exec('UPDATE anchors SET log = ?, idx = NULL', LOG)
      storage.sql.exec('INSERT INTO undelivered_anchors (id, item, attempts, due_at) VALUES (?, ?, 0, 0)', anchorId, '')
    })
    const sent = await object.deliverAnchor(anchorId)
    expect(sent?.position?.log).toBe(THIRD)
    expect(await sizeOf()).toBe(size)
    expect(await roll(LOG, THIRD, 2)).toMatchObject({ status: 409, body: { error: 'log_closed' } })
  })
})
