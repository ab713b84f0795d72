import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { IdentityChainStore } from '../../src/chain/store.ts'
import { anonymous, freshCaller } from '../harness.ts'
import { freshRoot } from './anchors.fixture.ts'

describe('GET /api/anchors/eligibility', () => {
  it('requires an assertion', async () => {
    expect((await anonymous('GET', '/api/anchors/eligibility')).status).toBe(401)
  })

  it('offers nothing for a chain with only its genesis block', async () => {
    const { client } = await freshCaller()
    const { hash } = await client.chain.head()
    expect(await client.anchors.eligibility()).toEqual({
      eligible: false,
      reasons: ['no_blocks'],
      root: hash,
      newBlocks: 0,
      lastAnchor: null,
    })
  })

  it('offers the newest block once, until there is a newer one', async () => {
    const { client } = await freshCaller()
    await client.chain.append({})
    const { hash } = await client.chain.append({})
    const offered = { eligible: true, reasons: [], root: hash, newBlocks: 2, lastAnchor: null }
    expect(await client.anchors.eligibility()).toEqual(offered)

    const { anchorId, createdAt } = await client.anchors.submit({ root: hash, epoch: '1' })
    const lastAnchor = { anchorId, root: hash, createdAt }
    expect(await client.anchors.eligibility()).toEqual({
      eligible: false,
      reasons: ['head_anchored'],
      root: hash,
      newBlocks: 0,
      lastAnchor,
    })

    const newer = await client.chain.append({})
    expect(await client.anchors.eligibility()).toEqual({ ...offered, root: newer.hash, newBlocks: 1, lastAnchor })
  })

  it('counts every block for an owner whose last anchor is not a block of the chain', async () => {
    const { client } = await freshCaller()
    await client.chain.append({})
    const { root } = await client.anchors.submit({ root: freshRoot(), epoch: '1' })
    expect(await client.anchors.eligibility()).toMatchObject({ eligible: true, newBlocks: 1, lastAnchor: { root } })
  })

  it('ignores the anchors of others', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const { hash } = await alice.client.chain.append({})
    await bob.client.anchors.submit({ root: hash, epoch: '1' })
    expect(await alice.client.anchors.eligibility()).toMatchObject({ eligible: true, lastAnchor: null })
  })

  it('offers nothing under a security hold', async () => {
    const { client } = await freshCaller()
    await client.chain.append({})
    await client.security.placeHold()
    expect(await client.anchors.eligibility()).toMatchObject({ eligible: false, reasons: ['security_hold'] })
    await client.security.liftHold()
    expect(await client.anchors.eligibility()).toMatchObject({ eligible: true, reasons: [] })
  })

  it('names no root while the chain is being reindexed', async () => {
    const { client, identity } = await freshCaller()
    await client.chain.append({})
    const object = env.IDENTITIES.getByName(identity.did)
    await runInDurableObject(object, ({ stored }) => new IdentityChainStore(stored).startRebuild())
    expect(await client.anchors.eligibility()).toMatchObject({
      eligible: false,
      reasons: ['history_partial'],
      root: null,
    })
    await runInDurableObject(object, ({ stored }) => new IdentityChainStore(stored).rebuildStep())
    expect(await client.anchors.eligibility()).toMatchObject({ eligible: true, reasons: [] })
  })

  it('returns every reason at once', async () => {
    const { client, identity } = await freshCaller()
    await client.security.placeHold()
    const object = env.IDENTITIES.getByName(identity.did)
    await runInDurableObject(object, ({ stored }) => new IdentityChainStore(stored).startRebuild())
    const { reasons } = await client.anchors.eligibility()
    expect(new Set(reasons)).toEqual(new Set(['history_partial', 'security_hold', 'no_blocks']))
  })
})
