import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/client/functions'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement } from '@svc/protocol/base/statement'
import type { KeysOperatorAct } from '@svc/protocol/operator/acts'
import { expectRefusal } from '@svc/service/testing'
import { REALM } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, caller, dataOf } from '../harness.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
afterEach(() => {
  vi.useRealTimers()
})

async function signed(type: KeysOperatorAct['statement']['type'], members: object) {
  const nonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
  return signStatement({ type, realm: REALM, service: 'keys', ...members, nonce, issuedAt: Date.now() }, (message) =>
    mlDsa65.sign(new Uint8Array(32).fill(7), message),
  )
}
const send = (body: object) => call(null, 'POST', '/api/operator/acts', { body })
const open = async (epoch: number, opensAt: number, closesAt: number) =>
  send(await signed('svc/operator-epoch/v1', { epoch, opensAt, closesAt }))
const withdraw = async (epoch: number) => send(await signed('svc/operator-epoch-withdraw/v1', { epoch }))
const current = async () => (await call(null, 'GET', '/api/epoch/current')).body

describe('an epoch', () => {
  it('is not opened for a time that is years away', async () => {
    const now = Date.now()
    for (const [opensAt, closesAt] of [
      [now, now + 400 * DAY],
      [now + 400 * DAY, now + 401 * DAY],
      [now - 2 * DAY, now + DAY],
      [Math.floor(now / 1000), now + DAY],
    ] as const) {
      const refused = await open(7, opensAt, closesAt)
      expectRefusal(refused, 'invalid_request')
      expect(JSON.stringify(refused.body)).toMatch(/body\.statement\.(?:opensAt|closesAt): /)
    }
    expect((await env.DB.prepare('SELECT count(*) AS epochs FROM epochs').first('epochs')) as number).toBe(0)
  })

  it('that was dated or numbered wrongly is withdrawn, and is in nobody’s way', async () => {
    const now = Date.now()
    const mistyped = await signed('svc/operator-epoch/v1', {
      epoch: 40_000,
      opensAt: now + 300 * DAY,
      closesAt: now + 301 * DAY,
    })
    dataOf(await send(mistyped))
    expectRefusal(await open(1, now + HOUR, now + 2 * HOUR), 'epoch_conflict')
    dataOf(await withdraw(40_000))
    // Idempotent, for an operator who lost the answer.
    dataOf(await withdraw(40_000))
    dataOf(await open(1, now + HOUR, now + 2 * HOUR))
    expectRefusal(await open(40_000, now + 3 * HOUR, now + 4 * HOUR), 'epoch_conflict')
    vi.useFakeTimers({ toFake: ['Date'], now: now + 1.5 * HOUR })
    expect(await current()).toMatchObject({ epoch: { number: 1 } })
    vi.setSystemTime(now + 300.5 * DAY)
    expect(await current()).toMatchObject({ epoch: null })
  })

  it('stays withdrawn where the act that opened it is sent again after a crash', async () => {
    const now = Date.now()
    const act = await signed('svc/operator-epoch/v1', { epoch: 2, opensAt: now + 5 * HOUR, closesAt: now + 6 * HOUR })
    dataOf(await send(act))
    await env.CONTROL_DB.prepare('UPDATE operator_acts SET done_at = NULL WHERE nonce = ?')
      .bind(act.statement.nonce)
      .run()
    dataOf(await withdraw(2))
    expectRefusal(await send(act), 'epoch_conflict')
    vi.useFakeTimers({ toFake: ['Date'], now: now + 5.5 * HOUR })
    expect(await current()).toMatchObject({ epoch: null })
  })

  it('that has begun, or never was, is not withdrawn', async () => {
    const now = Date.now()
    dataOf(await open(50, now + 20 * HOUR, now + 21 * HOUR))
    vi.useFakeTimers({ toFake: ['Date'], now: now + 20 * HOUR })
    expectRefusal(await withdraw(50), 'epoch_begun')
    expect(await current()).toMatchObject({ epoch: { number: 50 } })
    vi.setSystemTime(now + 22 * HOUR)
    expectRefusal(await withdraw(50), 'epoch_begun')
    expectRefusal(await withdraw(51), 'not_found')
  })
})

it.each([-1, 0])(
  'twenty join as an epoch begins, and one withdraws it %i ms from then: one of both happens',
  async (shift) => {
    const now = Date.now()
    const number = 100 + shift
    const opensAt = now + (60 + shift) * HOUR
    dataOf(await open(number, opensAt, opensAt + 0.5 * HOUR))
    vi.useFakeTimers({ toFake: ['Date'], now: opensAt + shift })
    const owners = await Promise.all(Array.from({ length: 20 }, () => caller()))
    const act = await signed('svc/operator-epoch-withdraw/v1', { epoch: number })
    const join = (owner: (typeof owners)[number]) =>
      call(owner, 'POST', '/api/epoch/join', { body: { user_id: owner.identity.userId } })
    const [withdrawn, ...joined] = await Promise.all([send(act), ...owners.map(join)])
    const statuses = new Set(joined.map(({ status }) => status))
    expect([withdrawn.status, [...statuses]]).toEqual(shift < 0 ? [200, [409]] : [409, [200]])
  },
  30_000,
)

it('an epoch that somebody joined by a clock that is ahead has begun', async () => {
  const now = Date.now()
  const opensAt = now + 90 * HOUR
  dataOf(await open(200, opensAt, opensAt + HOUR))
  const owner = await caller()
  vi.useFakeTimers({ toFake: ['Date'], now: opensAt })
  await owner.client.epochs.join()
  vi.setSystemTime(opensAt - 1)
  expectRefusal(await withdraw(200), 'epoch_begun')
})
