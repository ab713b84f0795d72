import { Identity } from '@svc/client'
import { kemKeyId } from '@svc/protocol/base/key-agreement'
import type { InboxSettings } from '@svc/protocol/inbox/inbox'
import type { Authority } from '@svc/protocol/internal/core'
import { REALM } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import type { AssetStanding } from '../assets/rows.ts'
import { RecipientResolver } from './recipient-resolver.ts'

const ASSET = `asset:sha3-384:${'a7'.repeat(48)}`
const identity = await Identity.create()
const keyAgreement = await identity.keyAgreement({ realm: REALM, now: 1_790_000_000_000 })
const standing = { owner: identity.did } as AssetStanding
const authority = (members: Partial<Authority> = {}): Authority => ({
  did: identity.did,
  scope: identity.scope,
  epoch: 0,
  publicKeyB64u: identity.publicKeyB64u,
  createdAt: 0,
  updatedAt: 0,
  keyAgreement,
  deactivated: false,
  registration: null,
  previousKeys: [],
  ...members,
})
const never = () => new Promise<never>(() => {})
const down = () => Promise.reject(new Error('unreachable'))

interface Stores {
  readonly standing?: () => Promise<AssetStanding | null>
  readonly authority?: () => Promise<Authority | null>
  readonly settings?: () => Promise<InboxSettings>
}

/** A resolver whose deadline is controlled by the test. */
function resolving(assetId: string, stores: Stores) {
  const deadline = Promise.withResolvers<void>()
  const waited: number[] = []
  const asked: string[] = []
  const resolver = new RecipientResolver(
    {
      assets: {
        standing: (id) => {
          asked.push(id)
          return (stores.standing ?? (async () => standing))()
        },
      },
      identities: { authority: () => (stores.authority ?? (async () => authority()))() },
      inboxes: { settings: () => (stores.settings ?? (async () => ({ acceptsFrom: 'anyone' as const })))() },
    },
    (milliseconds) => {
      waited.push(milliseconds)
      return deadline.promise
    },
  )
  let answer: unknown = 'no answer yet'
  const answered = resolver.ofAsset(assetId).then((found) => {
    answer = found
  })
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
    return answer
  }
  return { settle, pass: () => deadline.resolve(), answered, waited, asked, answer: () => answer }
}

describe('the owner of an asset', () => {
  it('is found at once, with the stated key', async () => {
    const { settle, waited } = resolving(ASSET, {})
    expect(await settle()).toEqual({
      did: identity.did,
      kemKeyId: kemKeyId(identity.kemPublicKeyB64u),
      keyAgreement,
      rootPublicKeyB64u: identity.publicKeyB64u,
      rootEpoch: 0,
    })
    expect(waited).toEqual([1500])
  })

  it.each<[string, string, Stores]>([
    ['an unknown asset', ASSET, { standing: async () => null }],
    ['an invalid asset id', 'asset:sha3-384:x', {}],
    ['a database that is down', ASSET, { standing: down }],
    ['a database that never answers', ASSET, { standing: never }],
    ['an owner that is unknown', ASSET, { authority: async () => null }],
    ['an owner that cannot be reached', ASSET, { authority: down }],
    ['an owner that never answers', ASSET, { authority: never }],
    ['an owner that has ended', ASSET, { authority: async () => authority({ deactivated: true }) }],
    ['an owner without a key', ASSET, { authority: async () => authority({ keyAgreement: null }) }],
  ])('is not found for %s, and that is said at the deadline and not before', async (_, assetId, stores) => {
    const { settle, pass, answered, answer, waited } = resolving(assetId, stores)
    expect(await settle()).toBe('no answer yet')
    pass()
    await answered
    expect(answer()).toBeNull()
    expect(waited).toEqual([1500])
  })

  it('is not found if the answer comes after the deadline', async () => {
    const late = Promise.withResolvers<Authority>()
    const { settle, pass, answered, answer } = resolving(ASSET, { authority: () => late.promise })
    pass()
    await answered
    late.resolve(authority())
    expect(await settle()).toBeNull()
    expect(answer()).toBeNull()
  })

  it('is not looked up for a malformed asset id', async () => {
    const { pass, answered, asked } = resolving('robots.txt', {})
    pass()
    await answered
    expect(asked).toEqual([])
  })
})
