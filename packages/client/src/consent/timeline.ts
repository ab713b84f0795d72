import type { ConsentClaim } from '#protocol/consent/claims'
import { consentMissSchema, type Preferences } from '#protocol/consent/consent'
import {
  declaredAt,
  type HistoryContext,
  type VerifiedHistory,
  verifyConsentClaim,
  verifyConsentHistory,
} from '#protocol/consent/history'
import { type ConsentEntry, consentHistorySchema } from '#protocol/consent/history-page'
import { answerSchema } from '#protocol/http/answer-schema'
import type { KeyHistory } from '../chain/key-history.ts'
import { readAnyJson } from '../transport/guarded-body.ts'
import { refusalOf } from '../transport/service-error.ts'
import type { Transport } from '../transport/transport.ts'
import { readAnswer } from '../verification/read-answer.ts'
import { unverified } from '../verification/verification-error.ts'

/** The verified acts on a record: its creators' declarations, and settlements by the operator, dated by the service. */
export interface ConsentTimeline extends VerifiedHistory {
  readonly hash: string
  /** Who holds the identifier now. */
  readonly creatorDid: string
  readonly acts: readonly ConsentEntry[]
  /** Verified declarations of others for this identifier. They count for nothing unless the operator settles for them. */
  readonly claims: readonly TimelineClaim[]
  /** What was declared at a time, epoch milliseconds; null if nothing was. */
  readonly declaredAt: (at: number) => Preferences | null
}

export interface TimelineClaim extends ConsentClaim {
  /** False if only the service links the key to the claimant. */
  readonly isProved: boolean
}

interface Parts {
  readonly transport: Transport
  readonly keys: KeyHistory
}

const isOfLaterRoot = ({ signer }: Pick<ConsentClaim, 'signer'>) => signer.kind === 'root' && signer.epoch > 0

/** Every act on the record at this address, verified; null if there never was one, or only one without an owner. */
export async function readTimeline(
  { transport, keys }: Parts,
  url: string,
  hash: string,
): Promise<ConsentTimeline | null> {
  const acts: ConsentEntry[] = []
  const claims: ConsentClaim[] = []
  let creatorDid: string | null = null
  for (let query = '', isLast = false; !isLast; ) {
    const page = await historyPage(transport, { url: `${url}/history${query}`, hash })
    if (page?.creator_did == null) return null
    creatorDid = page.creator_did
    acts.push(...page.entries)
    claims.push(...page.claims)
    const { next, at } = page
    if (next !== null && next !== page.entries.at(-1)?.version)
      throw unverified('consent', 'left_out', 'Consent left out acts', { where: { version: next } })
    isLast = next === null
    query = `?at=${at}&after=${next}`
  }
  if (creatorDid === null) return null
  const { realms } = transport
  const context = { hash, creatorDid, rootKeys: await rootKeysOf(keys, creatorDid, { acts, claims }), realms }
  const verified = await verifyConsentHistory(context, acts)
  if (!verified.ok)
    throw unverified(
      'consent',
      verified.error.reason,
      `The history is invalid: ${verified.error.reason} at ${verified.error.version}`,
      { where: { version: verified.error.version }, evidence: acts },
    )
  const history = verified.value
  const checked = await Promise.all(claims.map(async (claim) => checkClaim(context, claim)))
  return {
    ...history,
    hash,
    creatorDid,
    acts,
    claims: checked,
    declaredAt: (at) => declaredAt(history, at)?.preferences ?? null,
  }
}

async function checkClaim(context: HistoryContext, claim: ConsentClaim): Promise<TimelineClaim> {
  const verified = await verifyConsentClaim(context, claim)
  if (!verified)
    throw unverified('consent', 'invalid_signature', `The claim of ${claim.creator_did} is invalid`, {
      where: { member: 'claims' },
      evidence: claim,
    })
  return { ...claim, ...verified }
}

/**
 * The key histories of those with acts or claims by a later root key: that of epoch 0 follows from the DID. What core does
 * not tell of a claimant only leaves the claim unproved: a stranger's claim must not spoil the history.
 */
async function rootKeysOf(
  keys: KeyHistory,
  creatorDid: string,
  { acts, claims }: { readonly acts: readonly ConsentEntry[]; readonly claims: readonly ConsentClaim[] },
) {
  const creators = new Set<string>()
  let holder = creatorDid
  for (const act of acts.toReversed()) {
    if (act.action === 'settle') holder = act.previous_creator_did
    else if (isOfLaterRoot(act)) creators.add(holder)
  }
  const claimants = claims.filter((claim) => isOfLaterRoot(claim) && !creators.has(claim.creator_did))
  return new Map(
    await Promise.all([
      ...[...creators].map(async (did) => [did, await keys.of(did)] as const),
      ...claimants.map(async ({ creator_did: did }) => [did, await keys.of(did).catch(() => [])] as const),
    ]),
  )
}

async function historyPage(transport: Transport, { url, hash }: { readonly url: string; readonly hash: string }) {
  const response = await transport.exchange({ method: 'GET', url })
  const body: unknown = await readAnyJson(response)
  if (response.status === 404 && answerSchema(consentMissSchema).safeParse(body).data?.hash === hash) return null
  if (!response.ok) throw await refusalOf(response, body)
  const page = readAnswer(consentHistorySchema, body)
  if (page.hash !== hash) throw unverified('consent', 'different_answer', 'Consent answered for a different identifier')
  return page
}
