import { consentBucketOf } from '@svc/client/functions'
import type { Cast } from './cast.ts'

/** A claim to what somebody else declared first, and a snapshot. Records are in the load. */
export async function rememberConsent(cast: Cast): Promise<void> {
  const { anyone, memories } = cast
  const [holder, claimant] = [await cast.someone(), await cast.someone()]
  const hash = `drill/${crypto.randomUUID()}`
  await holder.client.consent.publish(hash, { ai_training: 'allow' })
  // Refused, and kept as a claim.
  await claimant.client.consent.publish(hash, { ai_training: 'disallow' }).catch(() => {})
  memories.holds('a record of consent, and a claim to it', async () => {
    const history = await anyone.consent.history(hash)
    return history?.creatorDid === holder.identity.did && history.claims[0]?.creator_did === claimant.identity.did
  })
  const bucket = consentBucketOf(hash)
  const readsSnapshot = async () => (await anyone.consent.snapshot({ buckets: [bucket] })).buckets.has(bucket)
  await readsSnapshot()
  memories.holds('a snapshot of consent', readsSnapshot)
}
