import { Identity } from '@svc/client'
import { mlDsa65 } from '@svc/client/functions'
import { hashHex } from '@svc/protocol/base/hash'
import {
  blockHash,
  type ChainBlock,
  type ChainBlockV4,
  type ChainHead,
  GENESIS_CONTENT_TYPE,
  GENESIS_PREVIOUS_HASH,
  isSigned,
  signBlock,
} from '@svc/protocol/chain/chain'
import { type LoadRequest, send } from './send.ts'

const NO_DATA = hashHex(new Uint8Array())
const encoder = new TextEncoder()

/** An identity that signs its requests in advance, so that a run measures the server and not the signing. */
export class Person {
  readonly identity: Identity
  readonly #core: string
  #head: ChainHead = { index: '-1', hash: GENESIS_PREVIOUS_HASH }

  private constructor(identity: Identity, core: string) {
    this.identity = identity
    this.#core = core
  }

  static async create(core: string): Promise<Person> {
    const { person, genesis } = await Person.prepared(core)
    const answer = await send(genesis)
    if (answer.status !== 200) throw new Error(`genesis: ${answer.status} ${answer.body.toString()}`)
    return person
  }

  /** Somebody whose first request has not been sent. */
  static async prepared(core: string): Promise<{ readonly person: Person; readonly genesis: LoadRequest }> {
    const person = new Person(await Identity.create(), core)
    const block = await person.#nextBlock(GENESIS_CONTENT_TYPE)
    const body = encoder.encode(JSON.stringify({ block }))
    return { person, genesis: { method: 'POST', url: `${core}/api/genesis/init`, body } }
  }

  /** Continues after this block: blocks that were signed in advance and never sent are dropped. */
  follow(head: ChainHead): void {
    this.#head = head
  }

  get rootRead(): LoadRequest {
    return { method: 'GET', url: `${this.#core}/api/chain/root/${this.identity.did}` }
  }

  async read(path: string): Promise<LoadRequest> {
    const url = this.#core + path
    return { method: 'GET', url, headers: { authorization: await this.#assertion('GET', url) } }
  }

  /** Signs the next append. Send it only after the previous one was accepted. */
  async append(): Promise<LoadRequest> {
    const url = `${this.#core}/api/chain/append`
    const body = encoder.encode(JSON.stringify(await this.#nextBlock()))
    return { method: 'POST', url, body, headers: { authorization: await this.#assertion('POST', url, body) } }
  }

  async appends(count: number): Promise<LoadRequest[]> {
    const requests: LoadRequest[] = []
    for (let i = 0; i < count; i++) requests.push(await this.append())
    return requests
  }

  #assertion(method: string, url: string, body?: Uint8Array): Promise<string> {
    return this.identity.assertion({
      audience: 'chain',
      method,
      url,
      body,
      now: Date.now(),
      lifetimeMs: 3_600_000,
    })
  }

  async #nextBlock(contentType?: string): Promise<ChainBlock> {
    const { scope, publicKeyB64u } = this.identity
    const block = await signBlock<ChainBlockV4>(
      {
        index: String(Number(this.#head.index) + 1),
        timestamp: String(Date.now()),
        previousHash: this.#head.hash,
        dataHash: NO_DATA,
        metadataHash: NO_DATA,
        signatureAlg: 'ml-dsa-65',
        ownerPublicKey: publicKeyB64u,
        ...(contentType === undefined ? {} : { contentType }),
        version: 4,
        scope,
        epoch: 0,
      },
      (message) => mlDsa65.sign(this.identity.revealSeeds().signing, message),
    )
    if (!isSigned(block)) throw new Error('unsigned')
    this.#head = { index: block.index, hash: blockHash(block) }
    return block
  }
}
