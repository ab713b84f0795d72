import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { type ChainBlockV4, signBlock } from '@svc/protocol/chain/chain'
import { signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { anonymous, freshCaller } from '../harness.ts'

const init = (block: unknown) => anonymous('POST', '/api/genesis/init', { block })

describe('POST /api/genesis/init', () => {
  it('creates an identity whose root and record are public', async () => {
    const { client, identity } = await freshCaller({ genesis: false })
    const created = await client.chain.genesis()
    expect(created).toMatchObject({ did: identity.did, scope: identity.scope, userId: identity.userId })
    expect(await client.chain.readGenesis(identity.did)).toEqual(created)
    expect(await client.chain.root(identity.did)).toEqual({
      did: identity.did,
      scope: identity.scope,
      userId: identity.userId,
      publicKeyB64u: identity.publicKeyB64u,
      epoch: 0,
      commitment: { next: [], replaceable: false },
      disputed: false,
      deactivated: false,
      rotation: null,
    })
  })

  it('is idempotent', async () => {
    const { client } = await freshCaller({ genesis: false })
    const block = await client.chain.makeGenesis()
    const first = await client.chain.genesis({ block })
    expect(await client.chain.genesis({ block })).toEqual(first)
  })

  it('publishes the keys that the block names, and says which hash it lacks if they are others', async () => {
    const { client, identity } = await freshCaller({ genesis: false })
    const commitment = { next: ['a7'.repeat(48), 'b8'.repeat(48)], replaceable: true }
    const block = await client.chain.makeGenesis(commitment)
    for (const wrong of [
      { ...commitment, replaceable: false },
      { next: [], replaceable: false },
    ]) {
      const { status, body } = await anonymous('POST', '/api/genesis/init', { block, commitment: wrong })
      expect([status, body['message']]).toEqual([400, expect.stringContaining('`commitment`')])
    }
    expect(await client.chain.genesis({ block, commitment })).toMatchObject({ commitment })
    expect(await client.chain.readGenesis(identity.did)).toMatchObject({ commitment })
    expect(await client.chain.root(identity.did)).toMatchObject({ commitment })
  })

  it('takes the keys that a block names also when they are shown later', async () => {
    const { client, identity } = await freshCaller({ genesis: false })
    const commitment = { next: ['a7'.repeat(48)], replaceable: false }
    const block = await client.chain.makeGenesis(commitment)
    expect((await init(block)).body['data']).toMatchObject({ commitment: null })
    expect(await client.chain.genesis({ block, commitment })).toMatchObject({ commitment })
    expect(await client.chain.root(identity.did)).toMatchObject({ commitment })
  })

  it('rejects another block for the same identity', async () => {
    const { client } = await freshCaller()
    const another = await client.chain.makeGenesis()
    expect(await init(another)).toMatchObject({ status: 409, body: { error: 'genesis_conflict' } })
  })

  it.each([
    ['index', { index: '1' }],
    ['previousHash', { previousHash: 'f'.repeat(96) }],
    ['epoch', { epoch: 1 }],
    ['contentType', { contentType: 'text/plain' }],
    ['scope', { scope: 'f'.repeat(96) }],
  ])('names a wrong %s', async (member, changes) => {
    const { client, identity } = await freshCaller({ genesis: false })
    const { signature: _, ...block } = await client.chain.makeGenesis()
    const wrong = await signBlock<ChainBlockV4>({ ...block, ...changes }, signerOf(identity))
    const refused = await init(wrong)
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(refused.body['message']).toContain(member)
  })

  it('gives the same answer to an unsigned block and a foreign signature', async () => {
    const [alice, bob] = [await freshCaller({ genesis: false }), await freshCaller({ genesis: false })]
    const { signature: _, ...unsigned } = await alice.client.chain.makeGenesis()
    const { signature } = await bob.client.chain.makeGenesis()
    for (const block of [unsigned, { ...unsigned, signature }]) {
      expect(await init(block)).toMatchObject({ status: 403, body: { error: 'invalid_signature' } })
    }
    expect((await anonymous('GET', `/api/chain/root/${alice.identity.did}`)).status).toBe(404)
  })

  it('limits an address to five requests in 60 seconds', async () => {
    const { client } = await freshCaller({ genesis: false })
    const block = await client.chain.makeGenesis()
    const headers = { 'cf-connecting-ip': '198.51.100.5' }
    const answers = []
    for (let i = 0; i < 11; i++) answers.push(await anonymous('POST', '/api/genesis/init', { block }, headers))
    expect(answers.slice(0, 5).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    // Two windows allow at most ten of eleven requests, so one is rejected even if the minute turns in between.
    const limited = answers.find(({ status }) => status !== 200)
    expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limited', retryAfter: 60 } })
    expect(limited?.headers.get('retry-after')).toBe('60')
  })
})

describe('an unknown DID', () => {
  const did = `did:svc:${'z'.repeat(32)}`

  it('is 404 on both public reads and leaves no table', async () => {
    for (const path of [`/api/chain/root/${did}`, `/api/genesis/${did}`]) {
      expect(await anonymous('GET', path)).toMatchObject({ status: 404, body: { success: false, error: 'not_found' } })
    }
    const tables = await runInDurableObject(env.IDENTITIES.getByName(did), (_, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    )
    expect(tables).toEqual([])
  })

  it.each(['did:svc:short', 'did:web:example.com', `did:svc:${'z'.repeat(31)}%2F`])(
    'is 400 when it is %s',
    async (bad) => {
      expect((await anonymous('GET', `/api/chain/root/${bad}`)).status).toBe(400)
    },
  )
})
