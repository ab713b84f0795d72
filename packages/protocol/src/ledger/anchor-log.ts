/**
 * Anchors in their log: the entry that is logged.
 *
 * An entry has two hashes, of the anchor and of its attestations, both with a salt: neither can be exchanged later, and an
 * entry tells nothing of an anchor whose record is gone. It can be rebuilt from the record.
 *
 * @module
 */
import * as z from 'zod'
import { hashHex, hashSchema, toHex } from '../base/hash.ts'
import { jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import { entryHash, readEntry } from '../merkle/entries.ts'
import { logNameSchema } from '../merkle/log-name.ts'
import { type AnchorEntry, type AnchorRecord, anchorBodyHash, anchorEntrySchema, anchorLine } from './anchors.ts'

export type LoggedAnchor = Omit<AnchorRecord, 'status' | 'chains' | 'position'>

/** Picks the members that a log commits to, from a record or from a body of the feed. */
export function loggedOf(anchor: LoggedAnchor): LoggedAnchor {
  const { anchorId, root, epoch, hashAlg, createdAt, owner, attestations, salt } = anchor
  return { anchorId, root, epoch, hashAlg, createdAt, owner, attestations, salt }
}

/** Hash of the attestations of an anchor, with its salt. */
export function anchorAttestationsHash({ salt, attestations }: Pick<LoggedAnchor, 'salt' | 'attestations'>): string {
  return hashHex(jcsBytes({ type: 'svc/anchor-attestations/v1', salt, attestations }))
}

/** The line that is logged. */
export function anchorEntry(anchor: LoggedAnchor): string {
  return anchorLine({ bodyHash: anchorBodyHash(anchor), attestationsHash: anchorAttestationsHash(anchor) })
}

/** The entry of an anchor in a line; null for a line of another kind. Throws if it is not of the form. */
export function anchorEntryOf(line: string): AnchorEntry | null {
  const { kind, value } = readEntry(line)
  return kind === 'anchor' ? anchorEntrySchema.parse(value) : null
}

/** Hash of the leaf of an anchor. */
export function anchorLeafOf(anchor: LoggedAnchor): string {
  return toHex(entryHash(anchorEntry(anchor)))
}

const hashes = /* @__PURE__ */ pure(() => z.array(hashSchema).max(64))
export const consistencySchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ log: logNameSchema, first: z.int().min(1), second: z.int().min(1), proof: hashes }).meta({
    id: 'ConsistencyProof',
    description: 'Proves that the second tree of a log extends the first (RFC 9162 section 2.1.4)',
  }),
)

export { verifyExtension } from '../merkle/in-log.ts'
export { anchorBodyHash, anchorEntrySchema } from './anchors.ts'
