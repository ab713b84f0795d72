/** What core's answers about chains must be before a caller sees them. All but the existence of a block proves itself. */
import { blockHash, type EpochKey, type SignedBlock, verifyChain } from '@svc/protocol/chain'
import type { Appended, GenesisRecord, RootAnswer } from '@svc/protocol/chain-api'
import { didOf, userIdOfKey } from '@svc/protocol/identity'

/** An answer about another block than the one that was sent says nothing about the one that was. */
export function checkAppended(block: SignedBlock, appended: Appended): Appended {
  if (appended.hash !== blockHash(block) || appended.index !== block.index) {
    throw new Error('core answered for another block')
  }
  return appended
}

/** A genesis block proves itself: the record must be what the DID and the block's signature make it. */
export async function checkGenesis(did: string, record: GenesisRecord): Promise<GenesisRecord> {
  const { block } = record
  const verified = await verifyChain([block], did)
  const agrees = record.did === did && record.scope === block.scope && record.userId === block.scope
  if (!verified.ok || verified.value.hash !== record.hash || !agrees) {
    throw new Error('the genesis record is not of this DID')
  }
  return record
}

/** The genesis key derives to the DID; a later one is only believed when it ends a history that was verified. */
export function checkRoot(did: string, answer: RootAnswer, keys: readonly EpochKey[]): RootAnswer {
  const userId = userIdOfKey(answer.publicKeyB64u)
  const scope = keys[0]?.userId ?? userId
  const isRoot = keys.length === 0 ? didOf(userId) === did : isLast(keys, answer)
  if (!isRoot || answer.did !== did || answer.userId !== userId || answer.scope !== scope) {
    throw new Error('the root key is not of this DID')
  }
  return answer
}

function isLast(keys: readonly EpochKey[], { epoch, publicKeyB64u }: RootAnswer): boolean {
  const last = keys.at(-1)
  return last?.epoch === epoch && last.publicKeyB64u === publicKeyB64u
}
