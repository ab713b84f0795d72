import { consentBucketOf } from '@svc/client/functions'
import { describe, expect, it, vi } from 'vitest'
import { act, settlement } from './consent/settlement.fixture.ts'
import { caller, device, freshHash } from './harness.ts'

describe('the SDK at work', () => {
  it('declares, changes, proves and revokes', async () => {
    const { client, identity } = await caller()
    const { client: anyone } = await caller({ genesis: false })
    const hash = `${freshHash()} / 100 % ?`
    expect(await anyone.consent.read(hash)).toMatchObject({ found: false, source: 'default' })
    await client.consent.publish(hash, { ai_training: 'disallow' })
    await client.consent.update(hash, { search: 'allow' })
    expect(await anyone.consent.read(hash)).toMatchObject({ found: true, creator_did: identity.did, version: 2 })
    expect(await anyone.consent.optOut(hash)).toMatchObject({ opt_out: true, source: 'declared' })
    expect(await anyone.consent.readMany([hash, freshHash()])).toMatchObject([{ found: true }, { found: false }])
    const listed: string[] = []
    for await (const item of anyone.consent.byCreator(identity.did)) listed.push(item.hash)
    expect(listed).toEqual([hash])
    await client.consent.revoke(hash)
    expect(await anyone.consent.read(hash)).toMatchObject({ found: false })
    const history = await anyone.consent.history(hash)
    expect(history?.acts.map(({ action }) => action)).toEqual(['create', 'update', 'delete'])
    expect(history?.unproved).toEqual([])
    expect(await client.consent.update(hash, { search: 'allow' }).catch((error: unknown) => error)).toMatchObject({
      status: 404,
      error: 'not_found',
    })
  })

  it('acts by a device', async () => {
    const { client, device: keys } = await device({ capabilities: ['consent:write'] })
    const hash = freshHash()
    const { signed, creator_did } = await client.consent.publish(hash, { search: 'disallow' })
    expect(signed?.signer).toEqual({ kind: 'device', device_id: keys.deviceId, epoch: 0 })
    expect(creator_did).toBe(keys.did)
    expect((await client.consent.history(hash))?.unproved).toEqual([1])
  })

  it('proves a history whose creator a settlement has changed', async () => {
    const [squatter, author, hash] = [await caller(), await caller(), freshHash()]
    await squatter.client.consent.publish(hash, { ai_training: 'allow' })
    await act(await settlement(hash, author.identity.did))
    await author.client.consent.publish(hash, { ai_training: 'disallow' })
    const history = await author.client.consent.history(hash)
    expect(history?.creatorDid).toBe(author.identity.did)
    expect(history?.states.map(({ creatorDid }) => creatorDid)).toEqual([
      squatter.identity.did,
      author.identity.did,
      author.identity.did,
    ])
    // Who the operator is, only the service says.
    expect(history?.unproved).toEqual([2])
  })

  it('fetches a snapshot once and looks up locally', async () => {
    const { client, identity } = await caller()
    const hashes = [freshHash(), freshHash()]
    for (const hash of hashes) await client.consent.publish(hash, { ai_training: 'disallow' })
    vi.useFakeTimers({ toFake: ['Date'], now: (Math.floor(Date.now() / 3_600_000) + 1) * 3_600_000 + 60_000 })
    const other = freshHash()
    const snapshot = await client.consent.snapshot({ buckets: [...hashes, other].map(consentBucketOf) })
    vi.useRealTimers()
    for (const hash of hashes) {
      expect(snapshot.lookUp(hash)).toMatchObject({ found: true, hash, usage: 'train-ai=n' })
      expect(snapshot.isDeclaredBy(hash, identity.did)).toBe(true)
    }
    expect(snapshot.lookUp(other)).toMatchObject({ found: false, source: 'default' })
  })
})
