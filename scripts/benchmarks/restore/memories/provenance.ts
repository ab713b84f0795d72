import { safeVerifyOpening } from '@svc/client/verify'
import { takedownAct } from '@svc/operations/operator-act'
import type { Cast } from './cast.ts'
import { isRefused, isSame } from './memories.ts'

/** Capsules, commitments, keypoints, and a takedown. Texts are in the load. */
export async function rememberProvenance(cast: Cast): Promise<void> {
  const { memories, anyone } = cast
  const { client, identity } = await cast.someone()
  const register = async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(64))
    return client.provenance.register(await client.provenance.sign(bytes, { kind: 'image', mime: 'image/png' }))
  }
  const [kept, removed] = [await register(), await register()]
  await cast.perform(takedownAct(['provenance', 'capsule', removed.assetId, 'court_order']))
  memories.holds('a capsule', async () => {
    const { claims } = await anyone.provenance.capsule(kept.assetId)
    return claims.length === 1 && claims[0]?.did === identity.did
  })
  memories.refuses('a capsule that was taken down', () =>
    isRefused(anyone.provenance.capsule(removed.assetId), 'taken_down', 'not_found'),
  )

  const secret = crypto.getRandomValues(new Uint8Array(64))
  const { commitment, saltB64u } = await client.provenance.commit(secret)
  memories.holds('a commitment', async () => {
    const read = await anyone.provenance.commitment(commitment.id)
    return (await safeVerifyOpening(read, saltB64u, secret)).ok
  })

  const blob = crypto.getRandomValues(new Uint8Array(4_096))
  const { hash } = await client.provenance.uploadKeypoints(blob)
  memories.holds('keypoints', async () => isSame(await anyone.provenance.keypoints(hash), blob))
}
