/**
 * Checkpoints (c2sp.org/tlog-checkpoint): the text of a signed note with the name of a log, its size and its root.
 *
 * @module
 */
import { base64Bytes, base64Text } from './signed-note.ts'

export const SHA256_BYTES = 32

export interface TreeHead {
  readonly origin: string
  readonly size: number
  readonly root: Uint8Array
}

export interface Checkpoint extends TreeHead {
  /** Lines after the third. Nothing here writes any. */
  readonly extensions: readonly string[]
}

/** A number without leading zeros; null also beyond 2^53, where numbers of this language end. */
export function parseSize(text: string): number | null {
  const size = /^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(size) ? size : null
}

export function parseHash(text: string): Uint8Array | null {
  const bytes = base64Bytes(text)
  return bytes?.length === SHA256_BYTES ? bytes : null
}

export function checkpointText({ origin, size, root }: TreeHead): string {
  return `${origin}\n${size}\n${base64Text(root)}\n`
}

/** Null if the text of a note is not a checkpoint. */
export function parseCheckpoint(text: string): Checkpoint | null {
  if (!text.endsWith('\n')) return null
  const lines = text.slice(0, -1).split('\n')
  const [origin = '', sizeLine = '', rootLine = '', ...extensions] = lines
  const size = parseSize(sizeLine)
  const root = parseHash(rootLine)
  if (lines.some((line) => line === '') || size === null || !root) return null
  return { origin, size, root, extensions }
}
