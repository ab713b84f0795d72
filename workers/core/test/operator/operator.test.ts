import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { signStatement } from '@svc/protocol/base/statement'
import { REALM } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { IdentityChainStore } from '../../src/chain/store.ts'
import { anonymous, CORE, call, freshCaller, sendWith } from '../harness.ts'

const OPERATOR_SEED = new Uint8Array(32).fill(7)

async function reindexAct(did: string, changes: Record<string, unknown> = {}, seed = OPERATOR_SEED) {
  const statement = {
    type: 'svc/operator-chain-reindex/v1' as const,
    realm: REALM,
    service: 'core',
    did,
    nonce: crypto.randomUUID(),
    issuedAt: Date.now(),
    ...changes,
  }
  return signStatement(statement, (message) => mlDsa65.sign(seed, message))
}

const act = (signed: unknown) => anonymous('POST', '/api/operator/acts', signed)

describe('a rebuild of the projection', () => {
  it('is reported by every read until it is done, and omits nothing', async () => {
    const caller = await freshCaller()
    for (const contentType of ['a/a', 'b/b'])
      await caller.client.chain.append({ contentType, payload: new Uint8Array(3) })
    const { hash } = await caller.client.chain.head()
    const object = env.IDENTITIES.getByName(caller.identity.did)
    await runInDurableObject(object, ({ stored }) => new IdentityChainStore(stored).startRebuild())

    const indexing = { state: 'rebuilding', done: 0, total: 3 }
    for (const path of ['/api/chain/head', '/api/chain/blocks', `/api/chain/payload/${hash}`]) {
      expect(await call(caller, 'GET', path)).toMatchObject({ status: 200, body: { data: { indexing } } })
    }
    await expect(caller.client.chain.verify()).rejects.toThrow('history is incomplete')
    await caller.client.chain.append({ contentType: 'a/a' })

    expect(await runDurableObjectAlarm(object)).toBe(true)
    expect(await caller.client.chain.head()).not.toHaveProperty('indexing')
    const { blocks } = await caller.client.chain.page({ contentType: 'a/a' })
    expect(blocks.map(({ index }) => index)).toEqual(['1', '3'])
    expect(await caller.client.chain.safeVerify()).toMatchObject({ ok: true })
  })

  it('takes as many steps as needed and survives a restart between them', async () => {
    const { identity, client } = await freshCaller()
    await client.chain.append({})
    const object = env.IDENTITIES.getByName(identity.did)
    await runInDurableObject(object, ({ stored }) => {
      // 4,500 rows are three steps; only the columns of the projection matter here.
      stored.sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 4501)
         INSERT INTO blocks SELECT i, 'hash-' || i, 4, '0', '', '', '', x'00', NULL, 0, 0 FROM n`,
      )
      new IdentityChainStore(stored).startRebuild()
    })
    const seen = []
    for (let step = 0; step < 3; step++) {
      seen.push(
        await runInDurableObject(object, ({ stored }) => {
          new IdentityChainStore(stored).rebuildStep()
          return new IdentityChainStore(stored).indexing()?.done ?? 'done'
        }),
      )
      await evictDurableObject(object)
    }
    expect(seen).toEqual([2000, 4000, 'done'])
    const rows = await runInDurableObject(object, (_, { storage }) =>
      storage.sql.exec('SELECT count(*) AS n FROM block_index').one(),
    )
    expect(rows).toEqual({ n: 4502 })
  })
})

describe('an operator act', () => {
  it('starts a rebuild, which ends by itself', async () => {
    const caller = await freshCaller()
    const { hash } = await caller.client.chain.append({ payload: new Uint8Array(3) })
    const signed = await reindexAct(caller.identity.did)
    expect(await act(signed)).toMatchObject({ status: 200, body: { data: { nonce: signed.statement.nonce } } })
    expect((await caller.client.chain.payload(hash)).bytes).toHaveLength(3)
  })

  it('is refused if it was signed before the database was restored from an export', async () => {
    const { identity } = await freshCaller()
    const issuedAt = Date.now()
    await env.CONTROL_DB.prepare('INSERT INTO restores (restored_at, export, lost_at, signed_from) VALUES (?, ?, ?, ?)')
      .bind(1, 'a'.repeat(64), issuedAt - 1, issuedAt)
      .run()
    try {
      expect(await act(await reindexAct(identity.did, { issuedAt }))).toMatchObject({
        status: 401,
        body: { error: 'statement_expired' },
      })
      expect(await act(await reindexAct(identity.did, { issuedAt: issuedAt + 1 }))).toMatchObject({ status: 200 })
    } finally {
      await env.CONTROL_DB.prepare('DELETE FROM restores').run()
    }
  })

  it('is recorded and performed once', async () => {
    const { identity } = await freshCaller()
    const signed = await reindexAct(identity.did)
    expect((await act(signed)).status).toBe(200)
    expect(await act(signed)).toMatchObject({ status: 409, body: { error: 'statement_replay' } })
    const row = await env.CONTROL_DB.prepare('SELECT type, done_at FROM operator_acts WHERE nonce = ?')
      .bind(signed.statement.nonce)
      .first()
    expect(row).toMatchObject({ type: 'svc/operator-chain-reindex/v1', done_at: expect.any(Number) })
  })

  it('can be repeated if it was recorded but not performed', async () => {
    const { identity } = await freshCaller()
    const signed = await reindexAct(identity.did)
    const unreachable = { getByName: () => new Proxy({}, { get: () => () => Promise.reject(new Error('gone')) }) }
    const request = () =>
      new Request(`${CORE}/api/operator/acts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'cf-connecting-ip': '2001:db8:77::1' },
        body: JSON.stringify(signed),
      })
    expect((await sendWith({ IDENTITIES: unreachable })(request())).status).toBe(503)
    expect((await act(signed)).status).toBe(200)
    expect((await act(signed)).status).toBe(409)
  })

  it.each([
    ['another key', {}, new Uint8Array(32).fill(8), 403, 'invalid_signature'],
    ['an old statement', { issuedAt: Date.now() - 300_001 }, OPERATOR_SEED, 401, 'statement_expired'],
    ['a statement from the future', { issuedAt: Date.now() + 400_000 }, OPERATOR_SEED, 401, 'statement_expired'],
  ])('is refused for %s', async (_, changes, seed, status, error) => {
    const { identity } = await freshCaller()
    expect(await act(await reindexAct(identity.did, changes, seed))).toMatchObject({ status, body: { error } })
  })

  it('is rejected for an unknown identity, and by a deployment without an operator', async () => {
    const signed = await reindexAct(`did:svc:${'x'.repeat(32)}`)
    expect(await act(signed)).toMatchObject({ status: 404 })
    const response = await sendWith({ OPERATOR_PUBLIC_KEY: '' })(
      new Request(`${CORE}/api/operator/acts`, {
        method: 'POST',
        body: new TextEncoder().encode(JSON.stringify(signed)),
      }),
    )
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ error: 'operator_acts_disabled' })
  })

  it('is rejected with another type or an extra member', async () => {
    const { identity } = await freshCaller()
    for (const changes of [{ type: 'svc/operator-anything/v1' }, { force: true }, { nonce: 'short' }]) {
      expect((await act(await reindexAct(identity.did, changes))).status).toBe(400)
    }
  })

  it('is rejected if it is for another service, or for none', async () => {
    const { identity } = await freshCaller()
    for (const service of ['did', 'keys', 'pay', 'provenance', '', undefined]) {
      expect((await act(await reindexAct(identity.did, { service }))).status).toBe(400)
    }
  })
})
