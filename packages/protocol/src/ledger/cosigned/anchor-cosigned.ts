/**
 * When witnesses first saw an anchor in its log: the first state of each witness that covers it, kept for good.
 *
 * @module
 */
import * as z from 'zod'
import { fromHex, hashSchema } from '../../base/hash.ts'
import { pure } from '../../base/pure.ts'
import type { Realms } from '../../base/realm.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { signedCosignatureSchema, verifyCosignature } from '../../keys/transparency.ts'
import { entryHash } from '../../merkle/entries.ts'
import { logPositionSchema } from '../../merkle/log-name.ts'
import { verifyInclusion } from '../../merkle/tree.ts'
import { anchorEntry } from '../anchor-log.ts'
import { type AnchorRecord, anchorIdSchema } from '../anchors.ts'

/** A deployment lists at most so many witnesses. */
export const MAX_ANCHOR_WITNESSES = 16

export const anchorCosignedSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      anchorId: anchorIdSchema,
      position: logPositionSchema,
      cosigned: z
        .array(
          z.strictObject({
            cosignature: signedCosignatureSchema,
            proof: z.array(hashSchema).max(64).meta({
              description: 'Audit path of the leaf at the size of the cosignature, lowest sibling first',
            }),
          }),
        )
        .max(MAX_ANCHOR_WITNESSES)
        .meta({ description: 'Of each witness the first that covers the anchor, smallest size first' }),
    })
    .meta({ id: 'AnchorCosigned', description: 'When each witness first saw the anchor in its log' }),
)
export type AnchorCosigned = z.infer<typeof anchorCosignedSchema>

/** Whose word the caller takes, and how many of them have to agree. */
export interface CosignedTrust {
  readonly threshold: number
  readonly publicKeysB64u: readonly string[]
}

export type CosignedFault = {
  readonly reason: /** Of another anchor, place or log. */
    | 'different_anchor'
    | 'invalid_signature'
    /** The state of the witness does not contain the anchor. */
    | 'not_included'
}

/**
 * The time by which as many of the trusted witnesses as the caller wants had seen the anchor, epoch ms; null if fewer have.
 * What an unlisted witness signed counts for nothing. The caller has verified the record.
 */
export async function cosignedAt(
  record: AnchorRecord,
  { anchorId, position, cosigned }: AnchorCosigned,
  { threshold, publicKeysB64u }: CosignedTrust,
  realms: Realms,
): Promise<Result<number | null, CosignedFault>> {
  const isSame = record.position?.log === position.log && record.position.index === position.index
  if (anchorId !== record.anchorId || !isSame) return err({ reason: 'different_anchor' })
  const leaf = entryHash(anchorEntry(record))
  const times = new Map<string, number>()
  for (const { cosignature, proof } of cosigned) {
    const { log, size, root, issuedAt } = cosignature.statement
    if (log !== position.log) return err({ reason: 'different_anchor' })
    if (!publicKeysB64u.includes(cosignature.publicKeyB64u)) continue
    if (!(await verifyCosignature(cosignature, realms))) return err({ reason: 'invalid_signature' })
    if (!verifyInclusion(leaf, position.index, size, proof.map(fromHex), fromHex(root)))
      return err({ reason: 'not_included' })
    times.set(
      cosignature.publicKeyB64u,
      Math.min(issuedAt, times.get(cosignature.publicKeyB64u) ?? Number.POSITIVE_INFINITY),
    )
  }
  const agreed = [...times.values()].sort((a, b) => a - b)[Math.max(threshold, 1) - 1]
  return ok(agreed ?? null)
}
