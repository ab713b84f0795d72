import { Client, type Fetch, Identity, VerificationError } from '@svc/client'
import { type Capsule, capsuleHash } from '@svc/protocol/provenance/capsules'
import { commitmentIdOf } from '@svc/protocol/provenance/commitments'
import { expect } from 'vitest'
import { value } from '../examples.ts'
import { members } from './lies.ts'
import { example, type SdkExample } from './sdk-example.ts'

/** A provenance service that registers and keeps everything for one identity. */
function smallProvenance(did: string): Fetch {
  return async (url, init) => {
    const sent = members(await new Request(url, init).json())
    if (url.endsWith('/api/commitment')) {
      const answer = members(value('created-commitment'))
      const hash = sent['commitment_hash'] as string
      const data = { ...members(answer['data']), commitment_hash: hash, did, id: commitmentIdOf(did, hash) }
      return Response.json({ ...answer, data })
    }
    const capsule = sent['capsule'] as Capsule
    const answer = members(value('registered-capsule'))
    const { assetId } = capsule
    return Response.json({
      ...answer,
      data: { ...members(answer['data']), assetId, did, capsuleHash: capsuleHash(capsule) },
    })
  }
}

export const PROVENANCE_EXAMPLES: Readonly<Record<string, SdkExample>> = {
  'sdk-capsule': example({
    lie: ({ path, data }) => {
      if (path.endsWith('/register')) Object.assign(members(data), { capsuleHash: 'a7'.repeat(48) })
    },
    run: async (tell) => {
      const seeds = { signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) }
      const { did } = await Identity.fromSeeds(seeds)
      const fetch = tell(smallProvenance(did))
      // example: sdk-capsule
      const identity = await Identity.fromSeeds(seeds)
      const client = new Client({
        core: 'https://core.example',
        did: 'https://did.example',
        provenance: 'https://provenance.example',
        identity,
        fetch,
      })
      const picture = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10])
      const signed = await client.provenance.sign(picture, { kind: 'image', mime: 'image/png', width: 2, height: 1 })
      const kept = JSON.stringify(signed)
      let outcome = ''
      try {
        const { assetId, registeredAt } = await client.provenance.register(signed)
        const { commitment, saltB64u } = await client.provenance.commit(new TextEncoder().encode('a draft'))
        outcome = `${assetId} at ${registeredAt}, ${commitment.id} with salt ${saltB64u}`
      } catch (error) {
        if (!(error instanceof VerificationError)) throw error
        outcome = `does not verify: ${error.reason}`
      }
      // end
      return { kept, outcome }
    },
    honest: ({ kept, outcome }) => {
      const { assetId } = (JSON.parse(kept) as { capsule: Capsule }).capsule
      expect(outcome).toMatch(new RegExp(`^${assetId} at [0-9]{13}, commitment-[0-9a-f]{32} with salt [\\w-]{43}$`))
    },
    lied: ({ outcome }) => expect(outcome).toBe('does not verify: different_answer'),
    claims: ['registeredAt', 'duplicate'],
  }),
}
