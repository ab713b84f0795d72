/**
 * What a genesis block commits to: its `metadataHash` names the keys that may follow, which are shown with
 * the block.
 *
 * @module
 */
import * as z from 'zod'
import { pure } from '../base/pure.ts'
import { err, ok, type Result } from '../base/result.ts'
import { chainBlockV4Schema, type GenesisBlock, genesisFault, isSigned, verifyBlockSignature } from './chain.ts'
import { type Commitment, commitmentHash, commitmentSchema, NO_COMMITMENT, NO_COMMITMENT_HASH } from './commitment.ts'

export const genesisEvidenceSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      block: chainBlockV4Schema,
      commitment: commitmentSchema
        .nullable()
        .meta({ description: 'What the `metadataHash` of the block is the hash of; null if that is the hash of `{}`' }),
    })
    .meta({ id: 'GenesisEvidence', description: 'A genesis block with what it commits to' }),
)
export interface GenesisEvidence {
  readonly block: GenesisBlock
  readonly commitment: Commitment | null
}

/** Whether the commitment is the one that the block names; null for a block whose metadata is its owner's affair. */
export function isCommitmentOf({ metadataHash }: GenesisBlock, commitment: Commitment | null): boolean {
  if (commitment === null) return true
  return commitment.next.length > 0 && commitmentHash(commitment) === metadataHash
}

/**
 * What the genesis key of an identity committed to. `withheld`: the block names something that is not shown, so nobody can
 * say that it names no keys.
 */
export async function genesisCommitment(
  { block, commitment }: GenesisEvidence,
  genesisKeyB64u: string,
): Promise<Result<Commitment, 'bad_genesis' | 'commitment_withheld'>> {
  if (genesisFault(block) !== null || block.ownerPublicKey !== genesisKeyB64u || !isSigned(block))
    return err('bad_genesis')
  if (!(await verifyBlockSignature(block))) return err('bad_genesis')
  if (block.metadataHash === NO_COMMITMENT_HASH) return ok(NO_COMMITMENT)
  return commitment !== null && isCommitmentOf(block, commitment) ? ok(commitment) : err('commitment_withheld')
}
