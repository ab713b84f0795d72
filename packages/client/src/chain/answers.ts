/** Checks on core's answers about chains. They verify by themselves, except that a block exists. */

import { didOf, userIdOfKey } from '#protocol/base/identity'
import type { Appended, GenesisRecord, RootAnswer } from '#protocol/chain/api'
import { blockHash, type EpochKey, type SignedBlock, verifyChain } from '#protocol/chain/chain'
import { unverified } from '../verification/verification-error.ts'

/** An answer about a different block says nothing about the one that was sent. */
export function checkAppended(block: SignedBlock, appended: Appended): Appended {
  if (appended.hash !== blockHash(block) || appended.index !== block.index) {
    throw unverified('chain', 'different_answer', 'Core answered for a different block', {
      where: { block: block.index },
      evidence: appended,
    })
  }
  return appended
}

/** A genesis block is self-verifying: the record must follow from the DID and the block's signature. */
export async function checkGenesis(did: string, record: GenesisRecord): Promise<GenesisRecord> {
  const { block } = record
  const verified = await verifyChain([block], did)
  const agrees = record.did === did && record.scope === block.scope && record.userId === block.scope
  if (!verified.ok || verified.value.hash !== record.hash || !agrees) {
    throw unverified('genesis', 'bad_genesis', 'The genesis record does not match the DID', { evidence: record })
  }
  return record
}

/** The genesis key derives to the DID; a later one is accepted only at the end of a verified history. */
export function checkRoot(did: string, answer: RootAnswer, keys: readonly EpochKey[]): RootAnswer {
  const userId = userIdOfKey(answer.publicKeyB64u)
  const scope = keys[0]?.userId ?? userId
  const isRoot = keys.length === 0 ? didOf(userId) === did : isLast(keys, answer)
  if (!isRoot || answer.did !== did || answer.userId !== userId || answer.scope !== scope) {
    throw unverified('keys', 'wrong_key', 'The root key does not match the DID', {
      where: { epoch: answer.epoch },
      evidence: answer,
    })
  }
  return answer
}

function isLast(keys: readonly EpochKey[], { epoch, publicKeyB64u }: RootAnswer): boolean {
  const last = keys.at(-1)
  return last?.epoch === epoch && last.publicKeyB64u === publicKeyB64u
}
