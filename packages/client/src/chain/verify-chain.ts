import { type ChainBlock, type ChainHead, ChainVerifier, type EpochKey } from '#protocol/chain/chain'
import { checkCall } from '../arguments/check.ts'
import { safely, type Verified } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

/** Blocks in order, from wherever they come. */
export type Blocks = Iterable<ChainBlock> | AsyncIterable<ChainBlock>

/**
 * Verifies a whole chain from its genesis and returns its head, trusting only the DID. Needs no client and no network.
 * For an identity that was rotated, pass its root keys (`client.keyHistory.of(did)`): without them only the key in the DID
 * may sign. Throws a `VerificationError` that names the block.
 */
export async function verifyChain(
  blocks: Blocks,
  expectedDid: string,
  keys: readonly EpochKey[] = [],
): Promise<ChainHead> {
  checkCall('verifyChain', [blocks, expectedDid, keys], ['blocks', 'expectedDid', 'keys?'])
  const verifier = new ChainVerifier(expectedDid, keys)
  if (!isList(blocks)) throw unverified('chain', 'malformed', 'A chain is a list of blocks', { evidence: blocks })
  for await (const block of blocks) await verifyNext(verifier, block)
  return headOf(verifier)
}

function isList(blocks: unknown): boolean {
  if (typeof blocks !== 'object' || blocks === null) return false
  return Symbol.iterator in blocks || Symbol.asyncIterator in blocks
}

/** `verifyChain` as a result. */
export function safeVerifyChain(...chain: Parameters<typeof verifyChain>): Promise<Verified<ChainHead>> {
  return safely(() => verifyChain(...chain))
}

/** The head after one more block. */
export async function verifyNext(verifier: ChainVerifier, block: ChainBlock): Promise<ChainHead> {
  const next = await verifier.next(block).catch((cause: unknown) => {
    // The rules read a block as it is typed: what they cannot read is none.
    throw unverified('chain', 'malformed', `The chain has something else than a block: ${String(cause)}`, {
      evidence: block,
    })
  })
  if (next.ok) return next.value
  const { reason } = next.error
  const detail = reason === 'bad_genesis' ? `${reason}, ${next.error.detail}` : reason
  throw unverified('chain', reason, `The chain is invalid at block ${block.index}: ${detail}`, {
    where: { block: block.index },
    evidence: block,
  })
}

export function headOf({ head }: ChainVerifier): ChainHead {
  if (head) return head
  throw unverified('chain', 'empty', 'The chain has no blocks')
}
