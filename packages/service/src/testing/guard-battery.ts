import { hashTextHex } from '@svc/protocol/base/hash'
import type { ErrorName } from '@svc/protocol/http/errors'
import { describe, expect, it } from 'vitest'
import { operationAt } from './conforms.ts'
import { expectRefusal } from './credential-battery.ts'
import { dependencyBattery } from './dependency-battery.ts'
import { deviceBattery } from './device-battery.ts'
import type { GuardCaller, Guarded, GuardTarget } from './guarded.ts'
import { ALLOWED_ORIGIN, Prober } from './prober.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Registers the tests of one probe. */
export function guardBattery(target: GuardTarget): void {
  const { description } = target.service
  const names = description.refusals
  const [audience] = operationAt(target.service, 'POST', target.path)?.audiences ?? []
  if (!names || !audience) throw new Error(`${description.service} takes no assertions`)
  const present: Guarded['present'] = (authorization, { replaced, body, path } = {}) => {
    const prober = new Prober({ ...target, send: (request) => target.send(request, replaced) })
    const headers = { origin: ALLOWED_ORIGIN, ...(authorization === undefined ? {} : { authorization }) }
    const to = path ?? target.path
    return prober.send({ method: 'POST', path: to, headers, body: body ?? target.bodies?.[to] })
  }
  let shared: Promise<GuardCaller> | undefined
  const known = () => {
    shared ??= target.known()
    return shared
  }
  const guarded = { audience, names, target, known, present }
  describe(`the guard of ${description.service}`, () => {
    singleUse(guarded)
    refusals(guarded)
    clocks(guarded)
    bindings(guarded)
    dependencyBattery(guarded)
    deviceBattery(guarded)
  })
}

function singleUse({ audience, names, target, known, present }: Guarded): void {
  it('passes an assertion once', async () => {
    const assertion = await (await target.known()).assertion(audience)
    expect((await present(assertion)).status).toBe(200)
    expectRefusal(await present(assertion), names.replay)
    expectRefusal(await present(assertion), names.replay)
  })

  it('passes one of twenty concurrent uses', async () => {
    const assertion = await (await known()).assertion(audience)
    const exchanges = await Promise.all(Array.from({ length: 20 }, () => present(assertion)))
    expect(exchanges.filter(({ status }) => status === 200).length).toBe(1)
    for (const exchange of exchanges) if (exchange.status !== 200) expectRefusal(exchange, names.replay)
  })

  it('counts the nonces of each key apart', async () => {
    const nonce = crypto.randomUUID()
    for (const caller of [await known(), await target.known()]) {
      expect((await present(await caller.assertion(audience, { nonce }))).status).toBe(200)
    }
  })

  it('spends nothing on a signature that is not good', async () => {
    const assertion = await (await known()).assertion(audience)
    const cut = assertion.lastIndexOf('.') + 1
    const broken = assertion.slice(0, cut) + assertion.slice(cut).replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
    expectRefusal(await present(broken), names.rejected)
    expect((await present(assertion)).status).toBe(200)
  })
}

function refusals({ audience, names, target, known, present }: Guarded): void {
  it('refuses a request without a credential', async () => {
    expectRefusal(await present(undefined), names.missing)
  })

  it.each(['chain', 'city', 'notes', ''])('refuses the audience %j and does not spend the assertion', async (other) => {
    const caller = await known()
    const nonce = crypto.randomUUID()
    expectRefusal(await present(await caller.assertion(other, { nonce })), names.audience)
    expect((await present(await caller.assertion(audience, { nonce }))).status).toBe(200)
  })

  it('refuses an identity without genesis', async () => {
    const caller = await target.unknown()
    expectRefusal(await present(await caller.assertion(audience)), names.rejected)
    expectRefusal(await present(await caller.assertion('chain')), names.audience)
  })

  it('refuses an assertion of version 2 that no device has made', async () => {
    const assertion = await (await known()).assertion(audience, { version: 2 })
    expectRefusal(await present(assertion), names.rejected)
  })

  it.each([
    ['another purpose', { purpose: 'auth/device-session' }],
    ['another version', { version: 3 }],
    ['another key than its chain', { chainId: 'A' }],
    ['another userId than its key', { userId: '0'.repeat(96) }],
    ['no expiry', { expiresAt: undefined }],
    ['a fractional time', { issuedAt: Date.now() + 0.5 }],
    ['an expiry before its issue', { expiresAt: 1 }],
  ])('refuses an assertion with %s', async (_, members) => {
    expectRefusal(await present(await (await known()).assertion(audience, members)), names.rejected)
  })
}

function clocks({ audience, known, present }: Guarded): void {
  const times = (issuedAt: number, expiresAt: number) => {
    const now = Date.now()
    return { issuedAt: now + issuedAt, expiresAt: now + expiresAt }
  }

  it.each([
    ['issued five minutes ahead', 5 * MINUTE - 10 * SECOND, 6 * MINUTE],
    ['expired not quite five minutes ago', -10 * MINUTE, 10 * SECOND - 5 * MINUTE],
    ['of exactly one hour', 0, HOUR],
  ])('passes an assertion %s', async (_, issuedAt, expiresAt) => {
    const caller = await known()
    expect((await present(await caller.assertion(audience, times(issuedAt, expiresAt)))).status).toBe(200)
  })

  it.each<[ErrorName, number, number]>([
    ['assertion_not_yet_valid', 5 * MINUTE + 10 * SECOND, 6 * MINUTE],
    ['assertion_expired', -10 * MINUTE, -5 * MINUTE],
  ])('refuses for the clock with %s and says what time it is', async (error, issuedAt, expiresAt) => {
    const startedAt = Date.now()
    const refused = await present(await (await known()).assertion(audience, times(issuedAt, expiresAt)))
    expectRefusal(refused, error)
    const { serverTime } = refused.body as { serverTime: number }
    expect(serverTime).toBeGreaterThanOrEqual(startedAt)
    expect(serverTime).toBeLessThanOrEqual(Date.now())
  })

  it('refuses a validity of more than an hour', async () => {
    const caller = await known()
    expectRefusal(await present(await caller.assertion(audience, times(0, HOUR + 1))), 'assertion_too_long')
  })
}

/** Optional: each is enforced if it is present. */
function bindings({ audience, names, target, known, present }: Guarded): void {
  const ownBody = hashTextHex(target.bodies?.[target.path] ?? '')

  it('passes an assertion for exactly this request', async () => {
    const members = { htm: 'POST', htu: target.base + target.path, bodyHash: ownBody }
    expect((await present(await (await known()).assertion(audience, members))).status).toBe(200)
  })

  it.each([
    ['method', { htm: 'GET' }],
    ['spelling of the method', { htm: 'post' }],
    ['path', { htu: `${target.base}/` }],
    ['query', { htu: `${target.base}${target.path}?a=b` }],
    ['deployment', { htu: `https://elsewhere.test${target.path}` }],
    ['body', { bodyHash: '0'.repeat(96) }],
  ])('refuses an assertion for another %s', async (_, members) => {
    expectRefusal(await present(await (await known()).assertion(audience, members)), names.rejected)
  })
}
