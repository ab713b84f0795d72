import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { fromHex, hashTextHex } from '@svc/protocol/base/hash'
import { signStatement } from '@svc/protocol/base/statement'
import { crockford } from '@svc/protocol/devices/crockford'
import type { PayOperatorAct } from '@svc/protocol/operator/acts'
import { codeHash } from '@svc/protocol/pay/codes'
import type { Meter, QuotaReceipt } from '@svc/protocol/pay/quota'
import { Prober } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { REALM } from '@svc/testing'
import { service } from '../../src/app.ts'
import { BASE, type CallOptions, call, dataOf, internal, send } from '../harness.ts'

export const OPERATOR_SEED = new Uint8Array(32).fill(7)
export const DAY_MS = 86_400_000

export const consume = (by: TestCaller, kind: string, key: string, amount?: number, options: CallOptions = {}) =>
  call(by, 'POST', '/quota/consume', { body: { kind, key, ...(amount === undefined ? {} : { amount }) }, ...options })
export const refund = (by: TestCaller, key: string, options: CallOptions = {}) =>
  call(by, 'POST', '/quota/refund', { body: { key }, ...options })
export const adjust = (by: TestCaller, kind: string, key: string, delta: number) =>
  call(by, 'POST', '/quota/delta', { body: { kind, key, delta } })
export const receiptOf = (exchange: Parameters<typeof dataOf>[0]) => dataOf<QuotaReceipt>(exchange).statement

/** How a meter of the caller stands. */
export async function meter(by: TestCaller, kind: string): Promise<Meter> {
  const { meters } = dataOf<{ meters: Meter[] }>(await call(by, 'GET', '/quota'))
  const found = meters.find((candidate) => candidate.kind === kind)
  if (!found) throw new Error(`no meter ${kind}`)
  return found
}

/** A key as provenance makes them, from a name that a test gives it. */
export const unitKey = (name: string, version = 1) =>
  `${version}.${encodeBase64url(fromHex(hashTextHex(`${version} ${name}`)).subarray(0, 32))}`

/** One internal call on the units of a DID. */
export const quota = (path: 'reserve' | 'finalize' | 'release', did: string, key: string, more: object = {}) =>
  internal(
    `/api/internal/quota/${path}`,
    path === 'reserve'
      ? { did, kind: 'capsule', key: unitKey(key), ttlSeconds: 600, ...more }
      : { did, key: unitKey(key), ...more },
  )

/** A code that nobody else in this run has. */
export function freshCode(): string {
  return (crockford(crypto.getRandomValues(new Uint8Array(10))).match(/.{4}/g) ?? []).join('-')
}

export function codeAct(code: string, terms: Record<string, unknown> = {}, seed = OPERATOR_SEED) {
  const about = { codeHash: codeHash(code), tier: 'provenance', redeemableUntil: Date.now() + 90 * DAY_MS }
  return signedAct('svc/operator-entitlement-code/v1', { ...about, days: 30, ...terms }, seed)
}

export const codeWithdrawal = (code: string) =>
  signedAct('svc/operator-entitlement-code-withdraw/v1', { codeHash: codeHash(code) })

export const grantEnd = (grantId: string, terms: Record<string, unknown> = {}) =>
  signedAct('svc/operator-grant-end/v1', { grantId, reason: 'refund', ...terms })

/** A grant for a year unless told. */
export function licence({ action = 'grant', ...terms }: Record<string, unknown>) {
  const granted = { tier: 'atelier', expiresAt: Date.now() + 365 * DAY_MS }
  const members = { source: 'licence', ...(action === 'grant' ? granted : { tier: null, expiresAt: null }), ...terms }
  return signedAct('svc/operator-licence/v1', { action, ...members })
}

export const deadLetterDecision = (eventId: string, action: 'replay' | 'dismiss') =>
  signedAct('svc/operator-dead-letter/v1', { eventId, action })
export const deadLetterRead = (after: number) => signedAct('svc/operator-dead-letters/v1', { after })

export const grantRead = (did: string, seed = OPERATOR_SEED) => signedAct('svc/operator-grants/v1', { did }, seed)

export async function readGrants(signed: unknown) {
  const prober = new Prober({ service, send, base: BASE })
  return prober.send({ method: 'POST', path: '/api/operator/grants', body: JSON.stringify(signed) })
}

/** One page of dead letters, by a read of its own unless one is given. */
export async function readDeadLetters(after = 0, signed?: unknown) {
  const prober = new Prober({ service, send, base: BASE })
  const body = JSON.stringify(signed ?? (await deadLetterRead(after)))
  return prober.send({ method: 'POST', path: '/api/operator/dead-letters', body })
}

function signedAct(
  type: PayOperatorAct['statement']['type'] | 'svc/operator-dead-letters/v1' | 'svc/operator-grants/v1',
  members: Record<string, unknown>,
  seed = OPERATOR_SEED,
) {
  const nonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
  const statement = { type, realm: REALM, service: 'pay' as const, nonce, issuedAt: Date.now(), ...members }
  return signStatement(statement, (message) => mlDsa65.sign(seed, message))
}

export function act(signed: unknown, sender = send) {
  const prober = new Prober({ service, send: sender, base: BASE })
  return prober.send({ method: 'POST', path: '/api/operator/acts', body: JSON.stringify(signed) })
}

/** A code that the operator has issued. */
export async function issued(terms: Record<string, unknown> = {}): Promise<string> {
  const code = freshCode()
  dataOf(await act(await codeAct(code, terms)))
  return code
}

export const redeem = (by: TestCaller, code: string, options: CallOptions = {}) =>
  call(by, 'POST', '/entitlement/redeem', { body: { code }, ...options })

/** The object that meters an owner. */
export const meterObject = ({ identity }: TestCaller) => env.QUOTA_METERS.getByName(identity.did)
