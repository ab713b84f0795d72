import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base64url'
import { entitlementCodeHash } from '@svc/protocol/entitlements'
import { isDid } from '@svc/protocol/identity'
import { activationCodeHash } from '@svc/protocol/licences'
import { crockford } from '@svc/protocol/rendezvous'
import { type StatementType, signStatement } from '@svc/protocol/statement'

export interface OperatorAct {
  readonly type: StatementType
  readonly members: Readonly<Record<string, unknown>>
}

/** Signs an act with the operator's seed and sends it to the service that takes it. */
export async function sendOperatorAct(
  service: string,
  seed: Uint8Array,
  { type, members }: OperatorAct,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const nonce = encodeBase64url(crypto.getRandomValues(new Uint8Array(24)))
  const statement = { type, ...members, nonce, issuedAt: Date.now() }
  const signed = await signStatement(statement, (message) => mlDsa65.sign(seed, message))
  return fetch(`${service}/api/operator/acts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(signed),
  })
}

/** Eighty random bits in four groups of four. */
function newCode(): string {
  return (crockford(crypto.getRandomValues(new Uint8Array(10))).match(/.{4}/g) ?? []).join('-')
}

/** A code may be redeemed for 90 days. */
const REDEEMABLE_MS = 90 * 24 * 3_600_000

/** A new activation code, and the act that issues it: the code itself goes to its holder alone. */
export function newActivationCode(tier: string, licenceDays: number): { code: string; act: OperatorAct } {
  const code = newCode()
  const redeemableUntil = Date.now() + REDEEMABLE_MS
  const members = { codeHash: activationCodeHash(code), tier, redeemableUntil, licenceDays }
  return { code, act: { type: 'svc/operator-activation-code/v1', members } }
}

/** The same for a code that gives a tier at pay. */
export function newEntitlementCode(tier: string, days: number): { code: string; act: OperatorAct } {
  const code = newCode()
  const members = { codeHash: entitlementCodeHash(code), tier, redeemableUntil: Date.now() + REDEEMABLE_MS, days }
  return { code, act: { type: 'svc/operator-entitlement-code/v1', members } }
}

const DAY_MS = 24 * 3_600_000

/** The act that operands ask for: `grant-org-licence DID DAYS` or `revoke-org-licence DID`; null for other operands. */
export function orgLicenceAct([name, orgDid = '', days = '']: readonly string[], now: number): OperatorAct | null {
  const type = 'svc/operator-org-licence/v1'
  if (!isDid(orgDid)) return null
  if (name === 'revoke-org-licence') return { type, members: { orgDid, action: 'revoke', expiresAt: null } }
  if (name !== 'grant-org-licence' || !/^[1-9][0-9]{0,4}$/.test(days)) return null
  return { type, members: { orgDid, action: 'grant', expiresAt: now + Number(days) * DAY_MS } }
}

/** From now on for so many hours. */
export function epochAct([epoch = '', hours = '']: readonly string[], now: number): OperatorAct | null {
  if (!/^[1-9][0-9]{0,9}$/.test(epoch) || !/^[1-9][0-9]{0,3}$/.test(hours)) return null
  const members = { epoch: Number(epoch), opensAt: now, closesAt: now + Number(hours) * 3_600_000 }
  return { type: 'svc/operator-epoch/v1', members }
}
