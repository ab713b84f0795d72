import { Client, type Fetch, Identity } from '@svc/client'
import * as names from '@svc/protocol/base/identity'
import { blockHash, checkLink, type SignedBlock, verifyBlockSignature } from '@svc/protocol/chain/chain'
import { expect } from 'vitest'
import { value } from '../examples.ts'

const T = 1_790_000_000_000
const SEEDS = { signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) }

/** A minimal core that enforces the rules of the chain, for the SDK's examples. It holds one identity. */
export function smallCore(): Fetch {
  const blocks: SignedBlock[] = []
  const payloads = new Map<string, string>()
  const answer = (data: object, status = 200) => Response.json({ success: true, data, timestamp: T }, { status })
  const head = () => {
    const last = blocks.at(-1)
    return last && { index: last.index, hash: blockHash(last) }
  }
  const write = ({ payloadB64u, ...block }: SignedBlock & { payloadB64u?: string }) => {
    blocks.push(block)
    if (payloadB64u !== undefined) payloads.set(blockHash(block), payloadB64u)
    return block
  }
  return async (url, init) => {
    const request = new Request(url, init)
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/1.0/identifiers/')) return Response.json(value('resolution-not-found'), { status: 404 })
    if (pathname === '/api/genesis/init') {
      const block = write((await request.json<{ block: SignedBlock }>()).block)
      const scope = names.userIdOfKey(block.ownerPublicKey)
      return answer({
        did: names.didOf(scope),
        scope,
        userId: scope,
        block,
        commitment: null,
        hash: head()?.hash,
        createdAt: T,
      })
    }
    const at = head()
    if (pathname.startsWith('/api/chain/root/') && blocks[0]) return answer(rootOf(blocks[0], pathname))
    if (!at || !request.headers.has('authorization'))
      return Response.json(value('refusal-unauthorized'), { status: 401 })
    if (pathname === '/api/chain/append') {
      const block = write(await request.json<SignedBlock>())
      expect(checkLink(at, block).ok && (await verifyBlockSignature(block))).toBe(true)
      return answer({ ...head(), acceptedAt: T }, 201)
    }
    if (pathname === '/api/chain/blocks') return answer({ blocks, next: null, head: at })
    const payloadB64u = payloads.get(at.hash)
    if (pathname.startsWith('/api/chain/payload/'))
      return answer({ ...at, dataHash: blocks.at(-1)?.dataHash, payloadB64u })
    return answer({ ...at, did: names.didOf(names.userIdOfKey(blocks[0]?.ownerPublicKey ?? '')) })
  }
}

/** A chain that was started before the example begins. */
export async function started(fetch: Fetch): Promise<Identity> {
  const owner = await Identity.fromSeeds(SEEDS)
  const client = new Client({ core: 'https://core.example', did: 'https://did.example', identity: owner, fetch })
  await client.chain.genesis()
  return owner
}

/** The first root key, as core tells it, or its history. */
function rootOf({ ownerPublicKey: publicKeyB64u }: SignedBlock, pathname: string) {
  const userId = names.userIdOfKey(publicKeyB64u)
  const known = { did: names.didOf(userId), scope: userId, rotation: null }
  return pathname.endsWith('/history')
    ? {
        ...known,
        keys: [{ epoch: 0, userId, publicKeyB64u, activatedAt: T, request: null, genesis: null }],
        next: null,
      }
    : {
        ...known,
        userId,
        publicKeyB64u,
        epoch: 0,
        commitment: { next: [], replaceable: false },
        disputed: false,
        deactivated: false,
      }
}
