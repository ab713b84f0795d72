import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import type { DiscoveryDocument } from '@svc/protocol/http/discovery-document'
import { labels } from '@svc/protocol/keys/account-labels.fixture'
import { firstLogList } from '@svc/protocol/merkle/log-list-signing'
import { describe, expect, it } from 'vitest'
import { Client } from '../client.ts'
import type { ConnectOptions } from '../client-options.ts'
import type { VerificationError } from '../verification/verification-error.ts'
import { DAY, documentOf } from './discover.fixture.ts'
import { CORE, first, NOW } from './service-keys.fixture.ts'

describe('the keys of the log list', () => {
  const [one, other] = ['0c', '0d'].map(async (byte) => ({
    threshold: 1,
    publicKeysB64u: [(await new DeploymentSigner(byte.repeat(32), [CORE]).publicKey(0)) ?? ''],
  }))
  const trustWith = async (keys: DiscoveryDocument['logs']['keys'], options: Partial<ConnectOptions> = {}) => {
    const fetch = async () => Response.json(documentOf([first], NOW, { logs: { listUrl: null, keys } }))
    const client = await Client.connect({ core: CORE, fetch, now: () => NOW, ...options })
    const { transparency, anchors, discovery } = client
    const { pinned } = await transparency.logs()
    expect((await anchors.logs()).pinned).toBe(pinned)
    return { pinned, pin: discovery!.pin, keys: discovery!.pin.logListKeys }
  }

  it('are pinned when first seen, and are given from then on', async () => {
    const seen = await trustWith(await one!)
    expect(seen).toMatchObject({ pinned: 'first-seen', keys: await one })
    expect(await trustWith(await one!, { pinned: seen.pin })).toMatchObject({ pinned: 'given', keys: await one })
    const logListKeys = await other!
    expect(await trustWith(await one!, { logListKeys })).toMatchObject({ pinned: 'given' })
  })

  it('are not replaced by those of a later document: the lists lead to them', async () => {
    const { pin } = await trustWith(await one!)
    for (const keys of [await other!, null])
      expect(await trustWith(keys, { pinned: pin })).toMatchObject({ pinned: 'given', keys: await one })
  })

  it('are first seen when the deployment had no list at the time of the pin', async () => {
    const { pin, pinned } = await trustWith(null)
    expect(pinned).toBeNull()
    expect(await trustWith(await one!, { pinned: pin })).toMatchObject({ pinned: 'first-seen', keys: await one })
  })

  it('are those that the list must be signed with', async () => {
    const answer = { success: true, data: { list: await listBy('0c'), earlier: [] }, timestamp: NOW }
    const reasonWith = async (keys: DiscoveryDocument['logs']['keys']) => {
      const document = documentOf([first], NOW, { logs: { listUrl: null, keys } })
      const fetch = async (url: string) => {
        if (url.includes('/.well-known/')) return Response.json(document)
        return Response.json(answer)
      }
      const client = await Client.connect({ core: CORE, fetch, now: () => NOW })
      return Promise.all(
        [client.transparency, client.anchors].map(async (reader) =>
          (await reader.logs()).list().then(
            ({ version }) => version,
            (error: unknown) => (error as VerificationError).reason,
          ),
        ),
      )
    }
    expect(await reasonWith(await one!)).toEqual([1, 1])
    expect(await reasonWith(await other!)).toEqual(['threshold_not_met', 'threshold_not_met'])
  })

  async function listBy(byte: string) {
    const signer = new DeploymentSigner(byte.repeat(32), [CORE])
    const keys = await one!
    const { realm: _, ...members } = firstLogList({
      realm: CORE,
      labelKeyB64u: labels.publicKeyB64u,
      keys,
      logs: [],
      issuedAt: NOW,
      validUntil: NOW + DAY,
    })
    const signed = await signer.sign(members)
    if (!signed) throw new Error('No signature')
    const { statement, signatureB64u } = signed
    return { statement, signatures: [{ publicKeyB64u: keys.publicKeysB64u[0], signatureB64u }] }
  }
})
