import type { Client } from '@svc/client'
import type { Person } from '@svc/platform/callers/person'
import { blockHash, ChainVerifier, type SignedBlock } from '@svc/protocol/chain/chain'
import type { Planned } from '../planned.ts'
import { Book, sentBody } from './book.ts'

interface BlockClaim {
  readonly index: string
  readonly hash: string
}

/** The blocks of one chain. */
export class BlockBook extends Book<BlockClaim> {
  readonly #person: Person
  readonly #client: Client

  constructor(person: Person, client: Client) {
    super()
    this.#person = person
    this.#client = client
  }

  async next(): Promise<Planned> {
    const request = await this.#person.append()
    const block = sentBody(request) as SignedBlock
    const { did } = this.#person.identity
    return this.planned(request, 201, { index: block.index, hash: blockHash(block) }, `chain ${did}`)
  }

  override async resume(): Promise<void> {
    this.#person.follow(await this.#client.chain.head())
  }

  /** The whole chain verifies, contains every acknowledged block, and no block that was never sent. */
  async faults(): Promise<string[]> {
    const { did } = this.#person.identity
    const verifier = new ChainVerifier(did, [])
    const found = new Set<string>()
    for await (const block of this.#client.chain.blocks()) {
      const next = await verifier.next(block)
      if (!next.ok) return [`chain of ${did}: ${next.error.reason} at block ${block.index}`]
      if (block.index !== '0') found.add(next.value.hash)
    }
    const lost = this.heard.filter(({ claim }) => !found.has(claim.hash))
    const sent = new Set([...this.heard.map(({ claim }) => claim.hash), ...this.unheard.map(({ hash }) => hash)])
    for (const claim of this.unheard) if (found.has(claim.hash)) this.wasTaken(claim)
    const strange = [...found].filter((hash) => !sent.has(hash))
    return [
      ...lost.map(({ claim }) => `chain of ${did}: block ${claim.index} was acknowledged and is missing`),
      ...strange.map((hash) => `chain of ${did}: nobody sent block ${hash}`),
    ]
  }
}
