/**
 * What every log of the platform says of itself: its origin, how many leaves it has and their root, signed. Which log it
 * is the statement's `type` tells; the rules are the same.
 *
 * @module
 */
import { fromHex } from './hash.ts'
import { verifyConsistency } from './merkle.ts'

export interface LogCheckpoint {
  readonly statement: {
    readonly type: string
    readonly log: string
    readonly size: number
    readonly root: string
  }
  readonly publicKeyB64u: string
}

/** Whether a later checkpoint extends an earlier one: the log has forgotten and reordered nothing in between. */
export function verifyExtension(first: LogCheckpoint, second: LogCheckpoint, proof: readonly string[]): boolean {
  const [a, b] = [first.statement, second.statement]
  if (first.publicKeyB64u !== second.publicKeyB64u || a.type !== b.type || a.log !== b.log) return false
  // The empty log is a prefix of every log.
  if (a.size === 0) return proof.length === 0
  return verifyConsistency(a.size, fromHex(a.root), b.size, fromHex(b.root), proof.map(fromHex))
}
