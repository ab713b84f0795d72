import { Client } from '@svc/client'
import { verifyChain } from '@svc/client/verify'
import { Person } from '@svc/platform/callers/person'
import type { ChainBlock } from '@svc/protocol/chain/chain'
import type { Figure } from './figure.ts'
import { sendAll } from './load.ts'

const BLOCKS = 10_000

/** Reading 10,000 blocks through the SDK, against verifying them locally. */
export async function measureChainRead(core: string): Promise<Figure[]> {
  const person = await Person.create(core)
  // In slices, so that no assertion expires while it waits and memory stays small.
  for (let done = 1; done < BLOCKS; done += 500) {
    await sendAll(await person.appends(Math.min(500, BLOCKS - done)), 1, 201)
  }
  const { identity } = person
  const client = new Client({ core, did: core, identity })
  const blocks: ChainBlock[] = []
  const readAt = performance.now()
  for await (const block of client.chain.blocks()) blocks.push(block)
  const verifyAt = performance.now()
  const verified = await verifyChain(blocks, identity.did)
  const doneAt = performance.now()
  if (verified.index !== String(BLOCKS - 1) || blocks.length !== BLOCKS) throw new Error('the chain does not verify')
  const [read, verify] = [verifyAt - readAt, doneAt - verifyAt]
  return [
    {
      name: 'a chain of 10,000 blocks, read / verified locally',
      ratio: read / verify,
      detail: `${(read / 1000).toFixed(2)} s / ${(verify / 1000).toFixed(2)} s`,
    },
  ]
}
