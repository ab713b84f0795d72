import { bytesOf } from '#protocol/base/base64url'
import type { InceptionHead } from '#protocol/base/inception-head'
import type { Realms } from '#protocol/base/realm'
import type { EpochKey } from '#protocol/chain/chain'
import { eventHash, type InceptionEvent } from '#protocol/devices/inception'
import { verifyEventSignatures } from '#protocol/devices/verifier'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Place } from '../memory/errors.ts'
import type { LinkedLog } from '../memory/linked-log.ts'
import { inceptionName } from './known-inception.ts'

export interface InceptionLogParts {
  readonly did: string
  readonly keys: Pick<KeyHistory, 'of'>
  readonly realms: Realms
  readonly events: (from: number) => AsyncIterable<InceptionEvent>
  readonly genesisHash: () => Promise<string>
}

export function placeOfInception({ sequence, hash }: InceptionHead): Place {
  return { position: sequence, hash }
}

export function placeOfEvent(event: InceptionEvent): Place {
  return { position: event.statement.sequence, hash: eventHash(event) }
}

export function headOfEvent({ position, hash }: Place): InceptionHead {
  return { sequence: position, hash }
}

/** The inception log of an identity, as the rule of memory reads it. An empty one has the hash of the genesis block. */
export function inceptionLog({ did, keys, realms, events, genesisHash }: InceptionLogParts): LinkedLog<InceptionEvent> {
  let known: readonly EpochKey[] = []
  const keyOf = async (epoch: number) => {
    if (!known[epoch]) known = await keys.of(did)
    return known[epoch]
  }
  return {
    name: inceptionName(did),
    placeOf: placeOfEvent,
    previousOf: ({ statement }) => statement.previousHash,
    entries: events,
    epochOf: async (event) => {
      const { statement } = event
      const key = await keyOf(statement.rootEpoch)
      const isTheirs = key !== undefined && statement.did === did
      return isTheirs && (await verifyEventSignatures(event, bytesOf(key.publicKeyB64u), realms)) ? key.epoch : null
    },
    emptyHash: genesisHash,
  }
}
