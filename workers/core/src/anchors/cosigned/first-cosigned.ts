import type { SignedCosignature } from '@svc/protocol/keys/cosignature'
import type { Seen } from '@svc/protocol/ledger/cosigned/anchor-cosigned'

/**
 * Returns the first cosignature of a log from two concurrent reads: `known` is the one of the smallest size, and `seen` has
 * each witness's first state with the anchor at `index`. A witness may cosign between the reads. If `known` covers the
 * anchor and `seen` lacks it, it was cosigned later than `seen` was read, and the next bundle has it.
 */
export function firstCosigned(
  known: SignedCosignature | null,
  seen: readonly Pick<Seen, 'cosignature'>[],
  index: number,
): SignedCosignature | null {
  const smallest = seen[0]?.cosignature ?? null
  if (!known || (smallest && smallest.statement.size < known.statement.size)) return smallest
  const isSeen = seen.some(
    ({ cosignature: { publicKeyB64u, statement } }) =>
      publicKeyB64u === known.publicKeyB64u && statement.size === known.statement.size,
  )
  return known.statement.size <= index || isSeen ? known : smallest
}
