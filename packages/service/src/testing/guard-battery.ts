/**
 * What must be true of a service that takes assertions, whatever its routes: sent to a probe route of a service with
 * the Worker's own description, runtime and bindings.
 *
 * @module
 */
import { audiencesOf } from '@svc/assertion'
import type { Capability } from '@svc/protocol/device'
import type { ErrorName } from '@svc/protocol/errors'
import { hashTextHex } from '@svc/protocol/hash'
import { describe, expect, it } from 'vitest'
import type { RefusalNames } from '../gate.ts'
import type { ServiceApp } from '../service.ts'
import { expectRefusal } from './credential-battery.ts'
import { dependencyBattery } from './dependency-battery.ts'
import { deviceBattery, type GuardDevice, type GuardDeviceOptions } from './device-battery.ts'
import { ALLOWED_ORIGIN, type Exchange, Prober } from './prober.ts'

/** Bindings that a test takes away from the service. */
export type Replaced = { readonly CORE?: unknown; readonly NONCES?: unknown }

export interface GuardCaller {
  /** An Authorization value; members override what a good assertion would say. */
  assertion(audience: string, members?: Record<string, unknown>): Promise<string>
}

export interface GuardTarget {
  /** Has a route `POST path` that takes assertions: no device, unless it is the one of `openTo` too. */
  readonly service: ServiceApp
  readonly path: string
  /** What is sent to a route, by its path; nothing unless given. */
  readonly bodies?: Readonly<Record<string, string>>
  /** Another, which takes devices with this capability; absent while the service has none that does. */
  readonly openTo?: { readonly path: string; readonly capability: Capability }
  readonly base: string
  readonly send: (request: Request, replaced?: Replaced) => Promise<Response>
  /** A caller whose identity core has. */
  readonly known: () => Promise<GuardCaller>
  /** A caller whose identity core has never heard of. */
  readonly unknown: () => Promise<GuardCaller>
  readonly device: (options: GuardDeviceOptions) => Promise<GuardDevice>
  /** What stands behind the binding CORE. */
  readonly core: Fetcher
  /** How many nonce guards exist; absent where another Worker keeps them. */
  readonly countGuards?: () => Promise<number>
}

/** A probe as one caller sends it. */
export interface Guarded {
  readonly audience: string
  readonly names: RefusalNames
  readonly target: GuardTarget
  readonly present: (
    authorization: string | undefined,
    options?: { readonly replaced?: Replaced; readonly body?: string; readonly path?: string | undefined },
  ) => Promise<Exchange>
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Registers the tests of one probe. */
export function guardBattery(target: GuardTarget): void {
  const { description } = target.service
  const names = description.refusals
  const [audience] = audiencesOf(description.service, 'POST', target.path)
  if (!names || !audience) throw new Error(`${description.service} takes no assertions`)
  const present: Guarded['present'] = (authorization, { replaced, body, path } = {}) => {
    const prober = new Prober({ ...target, send: (request) => target.send(request, replaced) })
    const headers = { origin: ALLOWED_ORIGIN, ...(authorization === undefined ? {} : { authorization }) }
    const to = path ?? target.path
    return prober.send({ method: 'POST', path: to, headers, body: body ?? target.bodies?.[to] })
  }
  const guarded = { audience, names, target, present }
  describe(`the guard of ${description.service}`, () => {
    singleUse(guarded)
    refusals(guarded)
    clocks(guarded)
    bindings(guarded)
    dependencyBattery(guarded)
    deviceBattery(guarded)
  })
}

function singleUse({ audience, names, target, present }: Guarded): void {
  it('passes an assertion once', async () => {
    const before = await target.countGuards?.()
    const assertion = await (await target.known()).assertion(audience)
    expect((await present(assertion)).status).toBe(200)
    expectRefusal(await present(assertion), names.replay)
    expectRefusal(await present(assertion), names.replay)
    if (before !== undefined) expect(await target.countGuards?.()).toBe(before + 1)
  })

  it('passes one of twenty concurrent uses', async () => {
    const assertion = await (await target.known()).assertion(audience)
    const exchanges = await Promise.all(Array.from({ length: 20 }, () => present(assertion)))
    expect(exchanges.filter(({ status }) => status === 200).length).toBe(1)
    for (const exchange of exchanges) if (exchange.status !== 200) expectRefusal(exchange, names.replay)
  })

  it('counts the nonces of each key apart', async () => {
    const nonce = crypto.randomUUID()
    for (const caller of [await target.known(), await target.known()]) {
      expect((await present(await caller.assertion(audience, { nonce }))).status).toBe(200)
    }
  })

  it('spends nothing on a signature that is not good', async () => {
    const assertion = await (await target.known()).assertion(audience)
    const cut = assertion.lastIndexOf('.') + 1
    const broken = assertion.slice(0, cut) + assertion.slice(cut).replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
    expectRefusal(await present(broken), names.rejected)
    expect((await present(assertion)).status).toBe(200)
  })
}

function refusals({ audience, names, target, present }: Guarded): void {
  it('refuses a request without a credential', async () => {
    expectRefusal(await present(undefined), names.missing)
  })

  it.each(['chain', 'city', 'notes', ''])('refuses the audience %j and does not spend the assertion', async (other) => {
    const caller = await target.known()
    const nonce = crypto.randomUUID()
    expectRefusal(await present(await caller.assertion(other, { nonce })), names.audience)
    expect((await present(await caller.assertion(audience, { nonce }))).status).toBe(200)
  })

  it('refuses an identity without genesis and creates nothing for it', async () => {
    const before = await target.countGuards?.()
    const caller = await target.unknown()
    expectRefusal(await present(await caller.assertion(audience)), names.rejected)
    expectRefusal(await present(await caller.assertion('chain')), names.audience)
    expect(await target.countGuards?.()).toBe(before)
  })

  it('refuses an assertion of version 2 that no device has made', async () => {
    const assertion = await (await target.known()).assertion(audience, { version: 2 })
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
    expectRefusal(await present(await (await target.known()).assertion(audience, members)), names.rejected)
  })
}

function clocks({ audience, target, present }: Guarded): void {
  const times = (issuedAt: number, expiresAt: number) => {
    const now = Date.now()
    return { issuedAt: now + issuedAt, expiresAt: now + expiresAt }
  }

  it.each([
    ['issued five minutes ahead', 5 * MINUTE - 10 * SECOND, 6 * MINUTE],
    ['expired not quite five minutes ago', -10 * MINUTE, 10 * SECOND - 5 * MINUTE],
    ['of exactly one hour', 0, HOUR],
  ])('passes an assertion %s', async (_, issuedAt, expiresAt) => {
    const caller = await target.known()
    expect((await present(await caller.assertion(audience, times(issuedAt, expiresAt)))).status).toBe(200)
  })

  it.each<[ErrorName, number, number]>([
    ['assertion_not_yet_valid', 5 * MINUTE + 10 * SECOND, 6 * MINUTE],
    ['assertion_expired', -10 * MINUTE, -5 * MINUTE],
  ])('refuses for the clock with %s and says what time it is', async (error, issuedAt, expiresAt) => {
    const startedAt = Date.now()
    const refused = await present(await (await target.known()).assertion(audience, times(issuedAt, expiresAt)))
    expectRefusal(refused, error)
    const { serverTime } = refused.body as { serverTime: number }
    expect(serverTime).toBeGreaterThanOrEqual(startedAt)
    expect(serverTime).toBeLessThanOrEqual(Date.now())
  })

  it('refuses a validity of more than an hour', async () => {
    const caller = await target.known()
    expectRefusal(await present(await caller.assertion(audience, times(0, HOUR + 1))), 'assertion_too_long')
  })
}

/** Document 1 section 5 leaves them out; where they are present each is enforced. */
function bindings({ audience, names, target, present }: Guarded): void {
  const ownBody = hashTextHex(target.bodies?.[target.path] ?? '')

  it('passes an assertion for exactly this request', async () => {
    const members = { htm: 'POST', htu: target.base + target.path, bodyHash: ownBody }
    expect((await present(await (await target.known()).assertion(audience, members))).status).toBe(200)
  })

  it.each([
    ['method', { htm: 'GET' }],
    ['spelling of the method', { htm: 'post' }],
    ['path', { htu: `${target.base}/` }],
    ['query', { htu: `${target.base}${target.path}?a=b` }],
    ['deployment', { htu: `https://elsewhere.test${target.path}` }],
    ['body', { bodyHash: '0'.repeat(96) }],
  ])('refuses an assertion for another %s', async (_, members) => {
    expectRefusal(await present(await (await target.known()).assertion(audience, members)), names.rejected)
  })
}
