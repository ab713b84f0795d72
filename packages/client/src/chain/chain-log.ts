import { didOf } from '#protocol/base/identity'
import {
  blockHash,
  type ChainBlock,
  type ChainHead,
  type EpochKey,
  genesisFault,
  isSigned,
  verifyBlockSignature,
} from '#protocol/chain/chain'
import type { LogName, Place } from '../memory/errors.ts'
import type { LinkedLog } from '../memory/linked-log.ts'
import type { KeyHistory } from './key-history.ts'

export interface ChainLogParts {
  readonly did: string
  /** A key of the identity that needs no proof. */
  readonly own: EpochKey | null
  readonly keys: Pick<KeyHistory, 'of'>
  readonly blocks: (from: number, to: number) => AsyncIterable<ChainBlock>
}

export function chainName(did: string): LogName {
  return { kind: 'chain', of: did }
}

export function placeOfHead({ index, hash }: ChainHead): Place {
  return { position: Number(index), hash }
}

export function headOfPlace({ position, hash }: Place): ChainHead {
  return { index: String(position), hash }
}

/** The chain of an identity, as the rule of memory reads it. */
export function chainLog({ did, own, keys, blocks }: ChainLogParts): LinkedLog<ChainBlock> {
  let known: readonly EpochKey[] = own ? [own] : []
  const keyOf = async ({ ownerPublicKey }: ChainBlock) => {
    const find = () => known.find(({ publicKeyB64u }) => publicKeyB64u === ownerPublicKey)
    if (!find()) known = await keys.of(did)
    return find()
  }
  return {
    name: chainName(did),
    placeOf: (block) => ({ position: Number(block.index), hash: isSigned(block) ? blockHash(block) : '' }),
    previousOf: ({ previousHash }) => previousHash,
    entries: blocks,
    epochOf: async (block) => {
      if (!isSigned(block) || (block.index === '0' && genesisFault(block) !== null)) return null
      const key = await keyOf(block)
      const isOfChain =
        key !== undefined && (block.version !== 4 || (didOf(block.scope) === did && block.epoch === key.epoch))
      return isOfChain && (await verifyBlockSignature(block)) ? key.epoch : null
    },
  }
}
