/**
 * The request to a witness (c2sp.org/tlog-witness): the size that it knows, a proof from there, and a checkpoint.
 *
 * @module
 */

import { type Checkpoint, parseCheckpoint, parseHash, parseSize } from './checkpoint.ts'
import { base64Text, formatNote, type Note, parseNote } from './signed-note.ts'

export const MAX_PROOF_LINES = 63
/** Of the answer with status 409. */
export const SIZE_TYPE = 'text/x.tlog.size'

export interface AddCheckpoint {
  readonly oldSize: number
  readonly proof: readonly Uint8Array[]
  readonly note: Note
  readonly checkpoint: Checkpoint
}

export function addCheckpointText({ oldSize, proof, note }: Omit<AddCheckpoint, 'checkpoint'>): string {
  return `old ${oldSize}\n${proof.map((hash) => `${base64Text(hash)}\n`).join('')}\n${formatNote(note)}`
}

/** Null if the body is not of this form. */
export function parseAddCheckpoint(body: string): AddCheckpoint | null {
  const end = body.indexOf('\n\n')
  if (end < 0) return null
  const [oldLine = '', ...proofLines] = body.slice(0, end).split('\n')
  const oldSize = oldLine.startsWith('old ') ? parseSize(oldLine.slice(4)) : null
  if (oldSize === null || proofLines.length > MAX_PROOF_LINES) return null
  const proof = proofLines.flatMap((line) => parseHash(line) ?? [])
  const note = parseNote(body.slice(end + 2))
  const checkpoint = note && parseCheckpoint(note.text)
  return checkpoint && proof.length === proofLines.length ? { oldSize, proof, note, checkpoint } : null
}
