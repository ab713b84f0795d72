import { type Appended, appendedSchema } from '#protocol/chain/api'
import { blockHash, type ChainBlock, chainHeadSchema, type SignedBlock } from '#protocol/chain/chain'
import { answerSchema } from '#protocol/http/answer-schema'
import type { Device } from '../identity/device.ts'
import type { Identity } from '../identity/identity.ts'
import type { KnownLogs } from '../memory/known-logs.ts'
import { LogWriter } from '../memory/log-writer.ts'
import type { Transport } from '../transport/transport.ts'
import { checkAppended } from './answers.ts'
import { chainName, placeOfHead } from './chain-log.ts'
import type { ChainReader } from './chain-reader.ts'

/** A signed block with the payload that is sent beside it. */
export interface SentBlock {
  readonly block: SignedBlock
  readonly payloadB64u?: string
}

/** How core takes the blocks of a chain, and how it says what became of one. */
export function chainWriter(parts: {
  readonly transport: Transport
  readonly base: string
  readonly owner: Identity | Device
  readonly memory: KnownLogs
  readonly reader: ChainReader
  readonly publicKeyB64u: string
}): LogWriter<SentBlock, ChainBlock | null, Appended> {
  const { transport, base, owner, memory, reader, publicKeyB64u } = parts
  return new LogWriter({
    memory,
    log: () => ({ name: chainName(owner.did), remembered: reader.log }),
    pieceOf: ({ block }) => ({ position: Number(block.index), hash: blockHash(block), signed: block }),
    head: async () => placeOfHead(await reader.head()),
    send: async ({ block, ...payload }) => {
      const url = `${base}/api/chain/append`
      const call = { method: 'POST', url, audience: 'chain', body: { ...block, ...payload } } as const
      return checkAppended(block, await transport.data(call, appendedSchema))
    },
    isThere: ({ details }, { block }) => {
      const earlier = answerSchema(appendedSchema).safeParse(details['appended'])
      return earlier.success ? checkAppended(block, earlier.data) : null
    },
    movedTo: ({ error, details }) => {
      const head = answerSchema(chainHeadSchema).safeParse(details['head'])
      return error === 'stale_head' && head.success ? placeOfHead(head.data) : null
    },
    isOurs: ({ block }) => block.ownerPublicKey === publicKeyB64u,
    // A refusal is unsigned, so it does not prove that the service dropped the block.
    keepsRefused: true,
  })
}
