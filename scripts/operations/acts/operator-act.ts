import { codeWithdrawal, operatorKeyOf, signOperatorAct } from '@svc/client/operator'
import { hashSchema } from '@svc/protocol/base/hash'
import { isDid } from '@svc/protocol/base/identity'
import type { StatementType } from '@svc/protocol/base/statement'
import { isContentHash } from '@svc/protocol/consent/identifiers'
import { SETTLEMENT_REASONS } from '@svc/protocol/consent/settlement'
import type { ActService } from '@svc/protocol/operator/act'
import { GRANT_END_REASONS } from '@svc/protocol/operator/acts'
import { MAX_EPOCH_DAYS, MAX_GRANT_DAYS } from '@svc/protocol/operator/dates'
import { INVITE_ID } from '@svc/protocol/operator/invites'
import { TAKEDOWN_REASONS, TAKEDOWN_SERVICES, takedownSubjectSchema } from '@svc/protocol/operator/takedown'
import { typedCodeSchema } from '@svc/protocol/pay/codes'
import { TIERS } from '@svc/protocol/pay/tiers'
import { TEXT_ASSET_ID } from '@svc/protocol/provenance/text-assets'

export { codeWithdrawal, newCode } from '@svc/client/operator'

export interface OperatorAct {
  readonly type: StatementType
  /** The service that takes it. */
  readonly service: ActService
  readonly members: Readonly<Record<string, unknown>>
  /** Its route, if it is a read with one of its own. */
  readonly path?: string
}

/** Where an act goes. */
export interface ActTarget {
  /** The origin of the service. */
  readonly service: string
  /** The deployment that the act is signed for. */
  readonly realm: string
}

/** Signs an act with the operator's seed and sends it to a service. */
export async function sendOperatorAct(
  { service, realm }: ActTarget,
  seed: Uint8Array,
  { path = '/api/operator/acts', ...act }: OperatorAct,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(service + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(await signOperatorAct(operatorKeyOf(seed), realm, act)),
  })
}

const DAY_MS = 24 * 3_600_000

const LICENCES = { licence: 'licence', plan: 'organization' } as const

/** Parses `grant-licence DID TIER DAYS`, `revoke-licence DID` and the same of a `plan`; null for anything else. */
export function licenceAct(
  [name = '', did = '', tier = '', days = '']: readonly string[],
  now: number,
): OperatorAct | null {
  const [, action, what] = /^(grant|revoke)-(licence|plan)$/.exec(name) ?? []
  if (!isDid(did) || what === undefined) return null
  const about = { did, source: LICENCES[what as keyof typeof LICENCES], action }
  const act = { type: 'svc/operator-licence/v1', service: 'pay' } as const
  if (action === 'revoke') return { ...act, members: { ...about, tier: null, expiresAt: null } }
  if (!TIERS.some((known) => known === tier) || !/^[1-9][0-9]{0,4}$/.test(days)) return null
  if (Number(days) > MAX_GRANT_DAYS) return null
  return { ...act, members: { ...about, tier, expiresAt: now + Number(days) * DAY_MS } }
}

/** Withdraws a code that nobody has redeemed; it, or the hash of it that its act has. */
export function codeWithdrawalAct(code = ''): OperatorAct | null {
  return typedCodeSchema.safeParse(code).success || hashSchema.safeParse(code).success ? codeWithdrawal(code) : null
}

/** Ends a grant of a tier, for one of the reasons. */
export function grantEndAct([grantId = '', named = '']: readonly string[]): OperatorAct | null {
  const reason = GRANT_END_REASONS.find((known) => known === named)
  if (grantId === '' || reason === undefined) return null
  return { type: 'svc/operator-grant-end/v1', service: 'pay', members: { grantId, reason } }
}

/** Lists events of the payment provider that were not understood, or decides one. */
export function deadLetterAct([name, operand = '']: readonly string[]): OperatorAct | null {
  if (name === 'dead-letters' && /^[0-9]{0,15}$/.test(operand)) {
    const members = { after: Number(operand) }
    return { type: 'svc/operator-dead-letters/v1', service: 'pay', members, path: '/api/operator/dead-letters' }
  }
  const action = name === 'replay-event' ? 'replay' : name === 'dismiss-event' ? 'dismiss' : null
  if (action === null || operand === '') return null
  return { type: 'svc/operator-dead-letter/v1', service: 'pay', members: { eventId: operand, action } }
}

/** Passes an identifier to another creator, for one of the reasons. */
export function settleAct([contentHash, creatorDid = '', named = '']: readonly string[]): OperatorAct | null {
  const reason = SETTLEMENT_REASONS.find((known) => known === named)
  if (!isContentHash(contentHash) || !isDid(creatorDid) || reason === undefined) return null
  const members = { contentHash, creatorDid, reason }
  return { type: 'svc/operator-consent-settle/v1', service: 'consent', members }
}

/** Goes from a log to the next one: `LOG NEXT`, and the version of the seed for the key of the next one. */
export function rollAct([log = '', next = '', version = '1']: readonly string[]): OperatorAct | null {
  const [series, other] = [log, next].map((name) => LOG_NAME.exec(name)?.[1])
  if (series === undefined || series !== other || log === next || !/^[1-9][0-9]?$/.test(version)) return null
  const members = { log, next: { log: next, keyVersion: Number(version) } }
  return { type: 'svc/operator-roll-log/v1', service: series === 'anchors' ? 'core' : 'keys', members }
}

const LOG_NAME = /\/(anchors|transparency)\/[0-9]{4}[a-z]$/

/** Takes something down at the service that has its kind, for one of the reasons. */
export function takedownAct([service, kind, id, named]: readonly string[]): OperatorAct | null {
  const reason = TAKEDOWN_REASONS.find((known) => known === named)
  const subject = takedownSubjectSchema.safeParse({ kind, id })
  if (!subject.success || service !== TAKEDOWN_SERVICES[subject.data.kind] || reason === undefined) return null
  return { type: 'svc/operator-takedown/v1', service, members: { subject: subject.data, reason } }
}

/** What an approval gives unless the operator says otherwise: the first paid tier, for long enough to try it. */
export const INVITED = { tier: 'provenance', days: 90 } as const

/** Parses `approve ID [TIER DAYS]`, `decline ID` and `forget ID`; `mail` tells a declined person. */
export function inviteAct(operands: readonly string[], mail = false): OperatorAct | null {
  const [name, inviteId = '', tier = INVITED.tier, days = String(INVITED.days)] = operands
  if (!INVITE_ID.test(inviteId) || (mail && name !== 'decline')) return null
  if (name === 'approve' && (operands.length === 2 || operands.length === 4)) {
    if (!TIERS.some((known) => known === tier) || !/^[1-9][0-9]{0,3}$/.test(days)) return null
    const members = { inviteId, tier, days: Number(days) }
    return { type: 'svc/operator-invite-approve/v1', service: 'core', members }
  }
  if (operands.length !== 2) return null
  if (name === 'decline') {
    return { type: 'svc/operator-invite-decline/v1', service: 'core', members: { inviteId, mail } }
  }
  return name === 'forget' ? { type: 'svc/operator-invite-forget/v1', service: 'core', members: { inviteId } } : null
}

const READS = {
  disputes: { type: 'svc/operator-disputes/v1', path: '/api/operator/disputes' },
  takedowns: { type: 'svc/operator-takedowns/v1', path: '/api/operator/takedowns' },
  invites: { type: 'svc/operator-invites/v1', path: '/api/operator/invites' },
  grants: { type: 'svc/operator-grants/v1', path: '/api/operator/grants' },
  texts: { type: 'svc/operator-texts/v1', path: '/api/operator/texts' },
} as const

/**
 * Parses `disputes list [AFTER]`, `takedowns list SERVICE [AFTER]`, `invites list [AFTER]`, `grants list DID` and
 * `texts list ID [AFTER]`.
 */
export function readAct([what = '', list, ...operands]: readonly string[]): OperatorAct | null {
  if (list !== 'list') return null
  if (what === 'grants') {
    const [did = ''] = operands
    return isDid(did) ? { ...READS.grants, service: 'pay', members: { did } } : null
  }
  if (what === 'texts') {
    const [assetId = '', after = null] = operands
    if (![assetId, after ?? assetId].every((id) => TEXT_ASSET_ID.test(id))) return null
    return { ...READS.texts, service: 'provenance', members: { assetId, after } }
  }
  if (what === 'disputes') {
    const [after = null] = operands
    if (after !== null && !isContentHash(after)) return null
    return { ...READS.disputes, service: 'consent', members: { after } }
  }
  const service = what === 'takedowns' ? TAKEDOWN_PLACES.find((known) => known === operands[0]) : 'core'
  const after = operands[what === 'takedowns' ? 1 : 0] ?? '0'
  if ((what !== 'takedowns' && what !== 'invites') || service === undefined || !/^[0-9]{1,15}$/.test(after)) return null
  return { ...READS[what], service, members: { after: Number(after) } }
}

const TAKEDOWN_PLACES = [...new Set(Object.values(TAKEDOWN_SERVICES))]

/** Opens an epoch from now, for a number of hours. */
export function epochAct([epoch = '', hours = '']: readonly string[], now: number): OperatorAct | null {
  if (!/^[1-9][0-9]{0,9}$/.test(epoch) || !/^(?:[1-9][0-9]{0,3}|0\.(?!0+$)[0-9]{1,3})$/.test(hours)) return null
  const length = Math.round(Number(hours) * 3_600_000)
  if (length > MAX_EPOCH_DAYS * DAY_MS) return null
  const members = { epoch: Number(epoch), opensAt: now, closesAt: now + length }
  return { type: 'svc/operator-epoch/v1', service: 'keys', members }
}

/** Withdraws an epoch that has not begun. */
export function epochWithdrawalAct(epoch = ''): OperatorAct | null {
  if (!/^[1-9][0-9]{0,15}$/.test(epoch)) return null
  return { type: 'svc/operator-epoch-withdraw/v1', service: 'keys', members: { epoch: Number(epoch) } }
}
