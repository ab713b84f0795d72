/**
 * The rules of a witness (c2sp.org/tlog-witness): what it answers to `add-checkpoint`. Pure: the caller gives what the
 * witness remembers, and stores what is decided, in one transaction, before any signature leaves.
 *
 * @module
 */

import { pure } from '#protocol/base/pure'
import { err, ok, type Result } from '#protocol/base/result'
import type { AddCheckpoint } from './add-checkpoint.ts'
import type { TreeHead } from './checkpoint.ts'
import { SHA256_TREE } from './tree.ts'

export type KnownHead = Pick<TreeHead, 'size' | 'root'>

export type WitnessRefusal =
  /** 400 */
  | { readonly reason: 'old_size_too_large' }
  /** 409 with the size that the witness has. */
  | { readonly reason: 'stale'; readonly size: number }
  /** 422: the tree is not the one that the witness knows, or nothing shows that it is. */
  | { readonly reason: 'inconsistent'; readonly isFork: boolean }

/** Whether a checkpoint extends what is known. The caller has verified its signature. */
export function decideCheckpoint(
  known: KnownHead,
  { oldSize, proof, checkpoint }: AddCheckpoint,
): Result<KnownHead, WitnessRefusal> {
  const { size, root } = checkpoint
  if (oldSize > size) return err({ reason: 'old_size_too_large' })
  if (oldSize !== known.size) return err({ reason: 'stale', size: known.size })
  const inconsistent = (isFork: boolean) => err({ reason: 'inconsistent', isFork } as const)
  if (size === 0 && !isSame(root, SHA256_TREE.merkleRoot([]))) return inconsistent(true)
  if (oldSize === 0) return proof.length === 0 ? ok({ size, root }) : inconsistent(false)
  // Two roots of one size, both signed, are a fork whatever is proved.
  if (size === known.size && !isSame(root, known.root)) return inconsistent(true)
  if (!SHA256_TREE.verifyConsistency(known.size, known.root, size, root, proof)) return inconsistent(false)
  return ok({ size, root })
}

/** A witness that has seen nothing of a log knows the empty tree. */
export const NOTHING_KNOWN: KnownHead = /* @__PURE__ */ pure(() => ({ size: 0, root: SHA256_TREE.merkleRoot([]) }))

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
