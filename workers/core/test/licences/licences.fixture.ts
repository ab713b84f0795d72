import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/pqc'
import { signStatement } from '@svc/protocol/base/statement'
import { crockford } from '@svc/protocol/devices/crockford'
import { codeHash } from '@svc/protocol/pay/codes'
import { REALM } from '@svc/testing'
import { expect } from 'vitest'
import { anonymous, freshAddress } from '../harness.ts'

/** Pay as the public reaches it; `PAY` is its internal side. */
const { TEST_PAY } = env as unknown as { readonly TEST_PAY: Fetcher }

const OPERATOR_SEED = new Uint8Array(32).fill(7)
export const DAY_MS = 24 * 3_600_000

/** A code that no other test of this run has. */
export function freshCode(): string {
  return (crockford(crypto.getRandomValues(new Uint8Array(10))).match(/.{4}/g) ?? []).join('-')
}

export function signedAct(type: 'svc/operator-entitlement-code/v1' | 'svc/operator-licence/v1', members: object) {
  const about = { type, realm: REALM, service: 'pay', nonce: crypto.randomUUID(), issuedAt: Date.now() }
  return signStatement({ ...about, ...members }, (message) => mlDsa65.sign(OPERATOR_SEED, message))
}

function codeAct(code: string, terms: Record<string, unknown>) {
  const redeemableUntil = Date.now() + 90 * DAY_MS
  const members = { codeHash: codeHash(code), tier: 'notes', redeemableUntil, days: 30, ...terms }
  return signedAct('svc/operator-entitlement-code/v1', members)
}

export async function actAtPay(signed: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json', 'cf-connecting-ip': freshAddress() }
  const body = JSON.stringify(signed)
  expect((await TEST_PAY.fetch('https://pay.test/api/operator/acts', { method: 'POST', headers, body })).status).toBe(
    200,
  )
}

/** A code issued by the operator. */
export async function issued(terms: Record<string, unknown> = {}): Promise<string> {
  const code = freshCode()
  await actAtPay(await codeAct(code, terms))
  return code
}

export const redeem = (code: string, did: string) => anonymous('POST', '/api/activation/redeem', { code, did })
