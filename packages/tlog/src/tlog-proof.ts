/**
 * Proofs of one entry in the form of c2sp.org/tlog-proof, with the entry as extra data: who has the key of the log can
 * verify them without a network.
 *
 * @module
 */
import { base64Bytes, base64Text } from './signed-note.ts'

export const TLOG_PROOF = 'c2sp.org/tlog-proof@v1'
const HASH_BYTES = 32
/** A tree of 2^63 leaves. */
const MAX_HASHES = 63

export interface TlogProof {
  /** Not authenticated by itself: here the entry, whose hash the path leads from. */
  readonly extra: Uint8Array | null
  readonly index: number
  /** From the leaf's sibling to the child of the root. */
  readonly path: readonly Uint8Array[]
  /** The checkpoint as it came, with its signatures. */
  readonly checkpoint: string
}

export function tlogProofText({ extra, index, path, checkpoint }: TlogProof): string {
  const lines = [
    TLOG_PROOF,
    ...(extra ? [`extra ${base64Text(extra)}`] : []),
    `index ${index}`,
    ...path.map(base64Text),
  ]
  return `${lines.join('\n')}\n\n${checkpoint}`
}

/** Null for what does not have the form. The checkpoint is not looked at. */
export function parseTlogProof(text: string): TlogProof | null {
  const end = text.indexOf('\n\n')
  const [first, ...lines] = text.slice(0, end === -1 ? 0 : end).split('\n')
  if (first !== TLOG_PROOF) return null
  const encoded = lines[0]?.startsWith('extra ') ? lines.shift()?.slice('extra '.length) : undefined
  const extra = encoded === undefined ? null : base64Bytes(encoded)
  if (encoded !== undefined && extra === null) return null
  const [, number] = /^index (0|[1-9]\d{0,15})$/.exec(lines.shift() ?? '') ?? []
  const path = lines.map(base64Bytes)
  const isWhole = path.length <= MAX_HASHES && path.every((hash) => hash?.length === HASH_BYTES)
  const index = Number(number ?? Number.NaN)
  if (!isWhole || !Number.isSafeInteger(index)) return null
  return { extra, index, path: path as Uint8Array[], checkpoint: text.slice(end + 2) }
}
