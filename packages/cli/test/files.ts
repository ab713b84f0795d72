import { Client, Identity } from '@svc/client'

export const REALM = 'https://core.example'

export interface Files {
  readonly identity: Identity
  readonly did: string
  readonly chain: readonly object[]
  readonly message: object
}

/** What an identity can make without a service: a chain of two blocks, and a message. */
export async function makeFiles(): Promise<Files> {
  const identity = await Identity.create()
  const { chain } = new Client({ core: REALM, did: 'https://did.example', identity, now: () => 1_790_000_000_000 })
  const { blockHash } = await import('@svc/client/functions')
  const genesis = await chain.makeGenesis()
  const hash = blockHash({ ...genesis, signature: genesis.signature ?? '' })
  const second = await chain.makeBlock({ index: genesis.index, hash }, { metadata: { version: 1 } })
  const message = await identity.signMessage({ realm: REALM, audience: 'login.example', content: 'hello' })
  return { identity, did: identity.did, chain: [genesis, second], message }
}
