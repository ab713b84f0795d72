import { mlDsa65 } from '@svc/pqc'
import { signStatement } from '@svc/protocol/base/statement'
import { crockford } from '@svc/protocol/devices/rendezvous'
import { codeHash } from '@svc/protocol/pay/codes'
import { REALM } from '@svc/testing'
import { expect } from 'vitest'
import { anonymous } from '../harness.ts'

export const OPERATOR_SEED = new Uint8Array(32).fill(7)
export const DAY_MS = 24 * 3_600_000

/** A code that no other test of this run has. */
export function freshCode(): string {
  return (crockford(crypto.getRandomValues(new Uint8Array(10))).match(/.{4}/g) ?? []).join('-')
}

export function codeAct(code: string, terms: Record<string, unknown> = {}, seed = OPERATOR_SEED) {
  const statement = {
    type: 'svc/operator-activation-code/v1' as const,
    realm: REALM,
    service: 'core',
    codeHash: codeHash(code),
    tier: 'notes',
    redeemableUntil: Date.now() + 90 * DAY_MS,
    licenceDays: 30,
    nonce: crypto.randomUUID(),
    issuedAt: Date.now(),
    ...terms,
  }
  return signStatement(statement, (message) => mlDsa65.sign(seed, message))
}

/** A code issued by the operator. */
export async function issued(terms: Record<string, unknown> = {}): Promise<string> {
  const code = freshCode()
  const { status } = await anonymous('POST', '/api/operator/acts', await codeAct(code, terms))
  expect(status).toBe(200)
  return code
}

export const redeem = (code: string, did: string) => anonymous('POST', '/api/activation/redeem', { code, did })
