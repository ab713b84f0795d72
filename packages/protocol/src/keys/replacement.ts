/**
 * Verifies that a root key could replace the committed keys (workers/docs/pages/developer/successors.md): a device with
 * standing co-signed the request, and the log of the key directory had the request for 30 days before the activation.
 *
 * @module
 */
import * as z from 'zod'
import { bytesOf } from '../base/base64url.ts'
import { deviceIdOf } from '../base/device.ts'
import { hashHex, hashSchema } from '../base/hash.ts'
import { didSchema } from '../base/identity.ts'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import { verifyStatement } from '../base/statement.ts'
import { type ReplacementEvidence, STANDING_MS } from '../chain/rotation.ts'
import type { JudgeReplacement, Replacement, ReplacementFault } from '../chain/rotation-verification.ts'
import { type ChangeDevice, isAttestation } from '../devices/inception.ts'
import { verifyEventSignatures } from '../devices/verifier.ts'
import { entryHash } from '../merkle/entries.ts'
import { verifyInLog } from '../merkle/in-log.ts'
import type { LogList } from '../merkle/log-list.ts'
import { mapEntryOf } from './account-map.ts'
import { leafIdOf } from './account-updates.ts'
import { type InclusionAnswer, verifyUpdate } from './transparency.ts'

/** A device gains standing after it was active for one window of a rotation. */
const SEASON_MS = 24 * 3_600_000
/** Core notifies the directory within seconds, and retries after an outage. */
const LOGGED_WITHIN_MS = 24 * 3_600_000

export const rotationOpenedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      type: z.literal('svc/rotation-opened/v1'),
      did: didSchema,
      rotationId: hashSchema,
      requestedAt: z.int().min(0).meta({ description: 'When core accepted the request, epoch ms' }),
    })
    .meta({
      id: 'RotationOpened',
      description: 'Core has accepted a request for a key that was not committed. Not signed: the log has its hash',
    }),
)
export type RotationOpened = z.infer<typeof rotationOpenedSchema>

export function rotationOpened(about: Omit<RotationOpened, 'type'>): RotationOpened {
  const { did, rotationId, requestedAt } = about
  return { type: 'svc/rotation-opened/v1', did, rotationId, requestedAt }
}

/**
 * Returns the hash under which the log records that a request was opened. It covers `requestedAt`, so reopening a request
 * adds a new entry.
 */
export function openedHash(about: Omit<RotationOpened, 'type'>): string {
  return hashHex(jcsBytes(rotationOpened(about)))
}

/** Proofs of updates, each with the first map that includes it. The caller has verified the log list and the label. */
export interface LoggedUpdates {
  readonly list: LogList
  /** Of the identity. */
  readonly label: string
  readonly proofs: readonly InclusionAnswer[]
}

/** Returns a judge for `verifyKeyHistory` that checks each replacement against these updates. */
export function replacementJudge(logged: LoggedUpdates, realms: Realms): JudgeReplacement {
  return async (replacement) =>
    (await hadStanding(replacement, realms)) ? publicFor(replacement, logged, realms) : 'no_standing'
}

/** A period in which the device was active and had `rotation:cosign`. */
interface Span {
  readonly since: number
  readonly until: number
}

/** Rule R1, checked on the device’s events: active for a window, and not lost 30 days or more before the request. */
async function hadStanding({ did, rotationId, ending, evidence }: Replacement, realms: Realms): Promise<boolean> {
  const { cosigned, events, requestedAt } = evidence
  const { signedBy } = cosigned.statement
  const [first] = events
  if (!first || !isAttestation(first) || cosigned.statement.did !== did) return false
  if (cosigned.statement.rotationId !== rotationId) return false
  const { devicePublicKeyB64u } = first.statement
  if (deviceIdOf(devicePublicKeyB64u) !== signedBy) return false
  const rootKey = bytesOf(ending.publicKeyB64u)
  for (const [i, event] of events.entries()) {
    const { statement } = event
    const isNext = i === 0 || statement.sequence > (events[i - 1]?.statement.sequence ?? 0)
    const isOfDevice = statement.did === did && statement.deviceId === signedBy && statement.rootEpoch === ending.epoch
    if (!isNext || !isOfDevice || !(await verifyEventSignatures(event, rootKey, realms))) return false
  }
  if (!(await verifyStatement(cosigned, bytesOf(devicePublicKeyB64u), realms))) return false
  return countedAt(events, requestedAt)
}

/**
 * Returns whether a device had standing and could co-sign, by the times of the events that the root key signed about it
 * in its epoch. Core also has its own times, and opens a replacement only if the device has standing by both.
 */
export function countedAt(events: ReplacementEvidence['events'], requestedAt: number): boolean {
  return spansOf(events).some(({ since, until }) => {
    const isSeasoned = Math.min(until, requestedAt) - since >= SEASON_MS
    return isSeasoned && requestedAt - until < STANDING_MS
  })
}

/**
 * Returns the spans in which the device could co-sign, by the events that the root key signed. As at core, an
 * attestation begins a new span, and a change of other capabilities does not.
 */
function spansOf(events: ReplacementEvidence['events']): Span[] {
  const spans: Span[] = []
  let [isActive, cosigns, since, expiresAt] = [false, false, 0, Number.POSITIVE_INFINITY]
  const close = (at: number) => {
    if (isActive && cosigns) spans.push({ since, until: Math.min(at, expiresAt) })
  }
  for (const event of events) {
    const { issuedAt } = event.statement
    const mayCosign = event.statement.capabilities?.includes('rotation:cosign') ?? cosigns
    const isActiveAfter = isAttestation(event) || isActiveBy(event.statement.event, isActive)
    if (!isAttestation(event) && isActiveAfter === isActive && mayCosign === cosigns) continue
    close(issuedAt)
    since = issuedAt
    if (isAttestation(event)) expiresAt = event.statement.expiresAt ?? Number.POSITIVE_INFINITY
    isActive = isActiveAfter
    cosigns = mayCosign
  }
  close(Number.POSITIVE_INFINITY)
  return spans
}

function isActiveBy(change: ChangeDevice['statement']['event'], isActive: boolean): boolean {
  return change === 'capabilities' ? isActive : change === 'resume'
}

/** Rule R19, checked on the log: the activation follows the request by at least 30 days. */
async function publicFor(
  { did, rotationId, evidence: { requestedAt } }: Replacement,
  { list, label, proofs }: LoggedUpdates,
  realms: Realms,
): Promise<ReplacementFault | null> {
  const loggedAt = async (statementHash: string) => {
    const proof = proofs.find(({ leafId }) => leafId === leafIdOf(label, statementHash))
    return proof ? datedUpdate({ label, statementHash }, proof, list, realms) : null
  }
  const requested = await loggedAt(openedHash({ did, rotationId, requestedAt }))
  const activated = await loggedAt(rotationId)
  if (!requested || !activated || activated.seq < requested.seq) return 'not_in_log'
  const isDated = Math.abs(requested.at - requestedAt) <= LOGGED_WITHIN_MS
  return isDated && activated.at - requestedAt >= STANDING_MS ? null : 'too_early'
}

/** Returns the number of an update in its account and the time of the first map that includes it; null if unproved. */
async function datedUpdate(
  { label, statementHash }: { readonly label: string; readonly statementHash: string },
  answer: InclusionAnswer,
  list: LogList,
  realms: Realms,
): Promise<{ readonly seq: number; readonly at: number } | null> {
  const { seq, position, checkpoint, map } = answer
  if (!map || !(await verifyUpdate({ label, seq, statementHash }, answer, list, realms)).ok) return null
  const entry = mapEntryOf(map.leaf)
  const isAfter = entry !== null && map.position.log === position.log && position.index < entry.size
  const place = { position: map.position, proof: map.proof, checkpoint }
  if (!isAfter || !(await verifyInLog(entryHash(map.leaf), place, list, realms)).ok) return null
  return { seq, at: entry.at }
}
