import { mlDsa65 } from '@svc/client/functions'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement } from '@svc/protocol/base/statement'
import { expectRefusal } from '@svc/service/testing'
import { REALM } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, caller, dataOf, deviceFor } from '../harness.ts'

const OPERATOR_SEED = new Uint8Array(32).fill(7)
const HOUR = 3_600_000
afterEach(() => {
  vi.useRealTimers()
})

async function act(epoch: number, opensAt: number, closesAt: number, seed = OPERATOR_SEED) {
  const nonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
  const type = 'svc/operator-epoch/v1'
  const body = await signStatement(
    { type, realm: REALM, service: 'keys', epoch, opensAt, closesAt, nonce, issuedAt: Date.now() },
    (message) => mlDsa65.sign(seed, message),
  )
  return { body, send: () => call(null, 'POST', '/api/operator/acts', { body }) }
}
const current = async () => (await call(null, 'GET', '/api/epoch/current')).body

describe('epochs', () => {
  it('are none before the operator has opened one', async () => {
    const { status, body, headers } = await call(null, 'GET', '/api/epoch/current')
    expect([status, body]).toEqual([200, { epoch: null, message: 'No epoch is active' }])
    expect(headers.get('cache-control')).toBe('no-store')
    const { client } = await caller()
    await expect(client.epochs.join()).rejects.toMatchObject({ error: 'no_epoch' })
    await expect(client.epochs.acknowledge(1)).rejects.toMatchObject({ error: 'no_epoch' })
  })

  it('are joined and acknowledged by their owner, once', async () => {
    const now = Date.now()
    const opened = await act(1, now - 1, now + HOUR)
    dataOf(await opened.send())
    expectRefusal(await opened.send(), 'statement_replay')
    const owner = await caller()
    expectRefusal(
      await call(owner, 'POST', '/api/epoch/ack', { body: { user_id: owner.identity.userId, epoch: 1 } }),
      'epoch_not_joined',
    )
    const joined = await owner.client.epochs.join()
    expect(joined).toMatchObject({ epoch: 1, user_id: owner.identity.userId, acknowledgedAt: null })
    expect(await owner.client.epochs.join()).toEqual(joined)
    const acknowledged = await owner.client.epochs.acknowledge(1)
    expect(acknowledged.acknowledgedAt).toBeGreaterThanOrEqual(joined.joinedAt)
    expect(await owner.client.epochs.acknowledge(1)).toEqual(acknowledged)
    await expect(owner.client.epochs.acknowledge(2)).rejects.toMatchObject({ error: 'no_epoch' })
    const { client } = await deviceFor(owner, { capabilities: ['epochs:write'] })
    expect(await client.epochs.join()).toEqual(acknowledged)
    expect(await current()).toEqual({
      epoch: { number: 1, opensAt: now - 1, closesAt: now + HOUR, joined: 1, acknowledged: 1 },
    })
  })

  it('are for the authenticated owner alone', async () => {
    const [owner, other] = [await caller(), await caller()]
    for (const [path, members] of [
      ['join', {}],
      ['ack', { epoch: 1 }],
    ] as const) {
      const body = { user_id: other.identity.userId, ...members }
      expectRefusal(await call(owner, 'POST', `/api/epoch/${path}`, { body }), 'owner_mismatch')
      expectRefusal(await call(null, 'POST', `/api/epoch/${path}`, { body }), 'Authorization required')
    }
  })

  it('follow each other and do not overlap', async () => {
    const now = Date.now()
    for (const [epoch, opensAt, closesAt] of [
      [2, now, now + 2 * HOUR],
      [1, now + 2 * HOUR, now + 3 * HOUR],
      [2, now + 3 * HOUR, now + 2 * HOUR],
    ] as const) {
      expectRefusal(await (await act(epoch, opensAt, closesAt)).send(), 'epoch_conflict')
    }
    dataOf(await (await act(2, now + 2 * HOUR, now + 3 * HOUR)).send())
    vi.useFakeTimers({ toFake: ['Date'], now: now + 1.5 * HOUR })
    expect(await current()).toMatchObject({ epoch: null })
    vi.setSystemTime(now + 2.5 * HOUR)
    expect(await current()).toMatchObject({ epoch: { number: 2, joined: 0 } })
  })

  it('are opened by the operator alone', async () => {
    const now = Date.now()
    const forged = await act(9, now + 9 * HOUR, now + 10 * HOUR, new Uint8Array(32).fill(8))
    expectRefusal(await forged.send(), 'invalid_signature')
    const { body } = await act(9, now + 9 * HOUR, now + 10 * HOUR)
    const replaced = { OPERATOR_PUBLIC_KEY: '' }
    expectRefusal(await call(null, 'POST', '/api/operator/acts', { body, replaced }), 'operator_acts_disabled')
  })

  it('twenty joins at once are one membership', async () => {
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: now + 2.5 * HOUR })
    const owner = await caller()
    const joined = await Promise.all(Array.from({ length: 20 }, () => owner.client.epochs.join()))
    expect(new Set(joined.map((member) => JSON.stringify(member))).size).toBe(1)
    expect(await current()).toMatchObject({ epoch: { joined: 1 } })
  }, 30_000)
})
