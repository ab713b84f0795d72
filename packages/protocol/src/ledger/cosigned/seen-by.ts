/**
 * Since when an anchor is in its log, by the clocks of witnesses (workers/docs/pages/developer/anchors.md).
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

/** Whose word the caller takes, and how many of them have to agree. */
export interface CosignedTrust {
  readonly threshold: number
  readonly publicKeysB64u: readonly string[]
}

/** By when so many of the trusted witnesses had seen an anchor. */
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

/** Whether a state that was cosigned contains an anchor, and its signature is one of the key that it names. */
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
 * The time of the last of as many trusted witnesses as the caller wants, earliest first; null if there are fewer. Each
 * counts once, and what others signed counts for nothing. The caller has verified each with `verifySeen`.
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

/** Since when an anchor is in its log, and whose word that is. */
export interface AnchorTime {
  /** Epoch ms. */
  readonly at: number
  /** `log`: the log’s own word, which nobody else confirms. */
  readonly by: 'witnesses' | 'log'
}

/** By the witnesses that the caller trusts or, if too few of them have cosigned it, by when the log accepted the anchor. */
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
