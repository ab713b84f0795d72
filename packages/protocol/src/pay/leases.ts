/**
 * Leases of quota (workers/docs/pages/developer/pay.md): units that pay has taken from a meter for one service, which
 * then counts uses on its own, without asking pay for each. What it has not used by the end goes back to the meter.
 *
 * A lease is spent by one holder, which keeps the count: pay never counts a leased unit twice, whatever is presented.
 *
 * @module
 */
import * as z from 'zod'
import { bytesOf } from '../base/base64url.ts'
import { didSchema, publicKeySchema, signatureSchema } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import { err, ok, type Result } from '../base/result.ts'
import { statementSchema, verifyStatement } from '../base/statement.ts'
import { MAX_AMOUNT, MAX_RESERVATION_SECONDS, periodSchema, quotaKeySchema } from './quota.ts'
import { quotaKindSchema, tierSchema } from './tiers.ts'

/** The services that may hold a lease. */
export const LEASE_HOLDERS = ['provenance'] as const
/** Like a reservation: units that a lost holder took with it are back within a day. */
export const MAX_LEASE_MS = MAX_RESERVATION_SECONDS * 1_000

export const leaseIdSchema = /* @__PURE__ */ pure(() =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]{22,64}$/, 'must be 22 to 64 base64url characters')
    .meta({ description: 'Random, at least 128 bits: names this lease and no other' }),
)

export const quotaLeaseStatementSchema = /* @__PURE__ */ pure(() =>
  statementSchema('svc/quota-lease/v1', {
    leaseId: leaseIdSchema,
    did: didSchema.meta({ description: 'Whose meter the units come from' }),
    holder: z.enum(LEASE_HOLDERS).meta({ description: 'The service that may spend them' }),
    key: quotaKeySchema.meta({ description: 'Idempotency key of the lease, chosen by the holder' }),
    kind: quotaKindSchema,
    amount: z.int().min(1).max(MAX_AMOUNT).meta({ description: 'Units taken from the meter' }),
    tier: tierSchema,
    period: periodSchema.meta({ description: 'The month that the units count towards' }),
    expiresAt: z.int().min(0).meta({ description: 'Nothing is spent from this time on, epoch ms; within a day' }),
  }).meta({ id: 'QuotaLeaseStatement' }),
)
export type QuotaLeaseStatement = z.infer<typeof quotaLeaseStatementSchema>

export const quotaLeaseSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      statement: quotaLeaseStatementSchema,
      signatureB64u: signatureSchema,
      publicKeyB64u: publicKeySchema,
    })
    .meta({ id: 'QuotaLease', description: 'One signed receipt for several units' }),
)
export type QuotaLease = z.infer<typeof quotaLeaseSchema>

/** What the holder reports at the end: idempotent, because a lease is settled once. */
export const leaseSettlementSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ leaseId: leaseIdSchema, did: didSchema, used: z.int().min(0).max(MAX_AMOUNT) })
    .meta({ id: 'LeaseSettlement', description: 'Units of a lease that were used; the others go back to the meter' }),
)

export type LeaseFault = {
  readonly reason:
    | 'wrong_key'
    | 'invalid_signature'
    /** For another identity, holder or meter. */
    | 'wrong_subject'
    | 'expired'
    /** It has fewer units left. */
    | 'exhausted'
}

/** What the holder knows by itself. */
export interface LeaseUse {
  readonly did: string
  readonly holder: (typeof LEASE_HOLDERS)[number]
  readonly kind: QuotaLeaseStatement['kind']
  readonly amount: number
  /** Units of this lease that were used before, from the holder's own count. */
  readonly usedBefore: number
}

/** Whether a lease covers one more use now. The holder counts the use in the transaction that carries it out. */
export async function verifyLeaseUse(
  { statement, signatureB64u, publicKeyB64u }: QuotaLease,
  use: LeaseUse,
  expected: { readonly keyB64u: string; readonly realms: Realms },
  now: number,
): Promise<Result<{ readonly left: number }, LeaseFault>> {
  if (publicKeyB64u !== expected.keyB64u) return err({ reason: 'wrong_key' })
  if (!(await verifyStatement({ statement, signatureB64u }, bytesOf(expected.keyB64u), expected.realms))) {
    return err({ reason: 'invalid_signature' })
  }
  const { did, holder, kind, amount, issuedAt, expiresAt } = statement
  if (did !== use.did || holder !== use.holder || kind !== use.kind) return err({ reason: 'wrong_subject' })
  if (now >= expiresAt || expiresAt > issuedAt + MAX_LEASE_MS) return err({ reason: 'expired' })
  const left = amount - use.usedBefore - use.amount
  return left < 0 || use.amount < 1 ? err({ reason: 'exhausted' }) : ok({ left })
}
