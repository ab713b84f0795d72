import { encodeBase64url } from '#protocol/base/base64url'
import { hashSchema } from '#protocol/base/hash'
import { type Signed, type StatementType, signStatement } from '#protocol/base/statement'
import type { ActService } from '#protocol/operator/act'
import { CODE_BYTES, codeHash, codeOf } from '#protocol/pay/codes'
import type { Tier } from '#protocol/pay/tiers'
import { checkCall, type Members } from '../arguments/check.ts'
import type { OperatorKey } from './operator-key.ts'

export interface OperatorAct {
  readonly type: StatementType
  /** The service that takes it. */
  readonly service: ActService
  readonly members: Readonly<Record<string, unknown>>
}

const ACT: Members<OperatorAct> = { type: 1, service: 1, members: 1 }

const NONCE_BYTES = 24

/** The body of a request. A service takes it until five minutes after its time, and performs it once. */
export async function signOperatorAct(
  key: OperatorKey,
  realm: string,
  act: OperatorAct,
  issuedAt: number = Date.now(),
): Promise<Signed<object>> {
  checkCall('signOperatorAct', [key, realm, act, issuedAt], ['key', 'realm', ['act', ACT], 'issuedAt?'])
  const { type, service, members } = act
  const nonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)))
  return signStatement({ type, realm, service, ...members, nonce, issuedAt }, key.sign)
}

/** How long a code can be redeemed. */
const REDEEMABLE_MS = 90 * 24 * 3_600_000

export interface NewCode {
  /** For its holder alone: neither the act nor the service has it. */
  readonly code: string
  readonly redeemableUntil: number
  readonly act: OperatorAct
}

/** Withdraws a code: as it was issued, or the hash of it that its act has. */
export function codeWithdrawal(code: string): OperatorAct {
  checkCall('codeWithdrawal', [code], ['code'])
  const hash = hashSchema.safeParse(code).success ? code : codeHash(code)
  return { type: 'svc/operator-entitlement-code-withdraw/v1', service: 'pay', members: { codeHash: hash } }
}

/** A new code that gives a tier for some days, and the act that issues it, which has its hash. */
export function newCode(tier: Tier, days: number, now: number = Date.now()): NewCode {
  checkCall('newCode', [tier, days, now], ['tier', 'days', 'now?'])
  const code = codeOf(crypto.getRandomValues(new Uint8Array(CODE_BYTES)))
  const redeemableUntil = now + REDEEMABLE_MS
  const members = { codeHash: codeHash(code), tier, redeemableUntil, days }
  return { code, redeemableUntil, act: { type: 'svc/operator-entitlement-code/v1', service: 'pay', members } }
}
