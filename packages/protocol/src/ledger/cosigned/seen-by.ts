/**
 * When an anchor was logged, according to witnesses (workers/docs/pages/developer/anchors.md).
 *
 * @module
 */
import { fromHex } from '../../base/hash.ts'
import type { Realms } from '../../base/realm.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { type SignedCosignature, verifyCosignature } from '../../keys/cosignature.ts'
import { entryHash } from '../../merkle/entries.ts'
import type { LogPosition } from '../../merkle/log-name.ts'
import { verifyInclusion } from '../../merkle/tree.ts'
import { anchorEntry, type LoggedAnchor } from '../anchor-log.ts'
import type { AnchorRecord } from '../anchors.ts'
import type { AnchorCosigned, Seen } from './anchor-cosigned.ts'

/** The witnesses that the caller trusts, and how many must agree. */
export interface CosignedTrust {
  readonly threshold: number
  readonly publicKeysB64u: readonly string[]
}

/** When enough trusted witnesses had seen an anchor. */
export interface SeenBy {
  /** Epoch ms. */
  readonly at: number
  readonly witnesses: number
}

export type SeenFault = {
  readonly reason: /** What was cosigned is another log. */
    | 'wrong_log'
    | 'invalid_signature'
    /** The state of the witness does not contain the anchor. */
    | 'not_included'
}

/** Verifies that a cosigned state contains an anchor, and that the key that it names has signed it. */
export async function verifySeen(
  { position, ...anchor }: LoggedAnchor & { readonly position: LogPosition },
  { cosignature, proof }: Seen,
  realms: Realms,
): Promise<Result<void, SeenFault>> {
  const { log, size, root } = cosignature.statement
  if (log !== position.log) return err({ reason: 'wrong_log' })
  if (!(await verifyCosignature(cosignature, realms))) return err({ reason: 'invalid_signature' })
  const leaf = entryHash(anchorEntry(anchor))
  const isIncluded = verifyInclusion(leaf, position.index, size, proof.map(fromHex), fromHex(root))
  return isIncluded ? ok(undefined) : err({ reason: 'not_included' })
}

/**
 * When `threshold` trusted witnesses had seen an anchor: the latest of the earliest `threshold` times. Null if fewer have.
 * Each witness counts once; other signers are ignored. The caller has verified each state with `verifySeen`.
 */
export function seenBy(
  cosigned: readonly { readonly cosignature: SignedCosignature }[],
  { threshold, publicKeysB64u }: CosignedTrust,
): SeenBy | null {
  const times = new Map<string, number>()
  for (const { cosignature } of cosigned) {
    const { publicKeyB64u: key, statement } = cosignature
    if (!publicKeysB64u.includes(key)) continue
    times.set(key, Math.min(statement.issuedAt, times.get(key) ?? Number.POSITIVE_INFINITY))
  }
  const witnesses = Math.max(threshold, 1)
  const at = [...times.values()].sort((a, b) => a - b)[witnesses - 1]
  return at === undefined ? null : { at, witnesses }
}

/** When an anchor was logged, and who says so. */
export interface AnchorTime {
  /** Epoch ms. */
  readonly at: number
  /** `log`: only the log claims it. */
  readonly by: 'witnesses' | 'log'
}

/** Uses the trusted witnesses or, if too few have cosigned, the time at which the log says that it accepted the anchor. */
export function anchorTime(
  { record, cosigned }: { readonly record: AnchorRecord; readonly cosigned: readonly Seen[] },
  trust: CosignedTrust | null,
): AnchorTime {
  const seen = trust && seenBy(cosigned, trust)
  return seen ? { at: seen.at, by: 'witnesses' } : { at: Date.parse(record.createdAt), by: 'log' }
}

export type CosignedFault = SeenFault | { readonly reason: 'different_anchor' }

/** `seenBy` of an answer about a record that the caller has verified. */
export async function cosignedAt(
  record: AnchorRecord,
  { anchorId, position, cosigned }: AnchorCosigned,
  trust: CosignedTrust,
  realms: Realms,
): Promise<Result<SeenBy | null, CosignedFault>> {
  const isSame = record.position?.log === position.log && record.position.index === position.index
  if (anchorId !== record.anchorId || !isSame) return err({ reason: 'different_anchor' })
  for (const one of cosigned) {
    const seen = await verifySeen({ ...record, position }, one, realms)
    if (!seen.ok) return seen
  }
  return ok(seenBy(cosigned, trust))
}
