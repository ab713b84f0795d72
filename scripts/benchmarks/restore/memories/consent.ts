import type { Cast } from './cast.ts'

/** A claim to what somebody else declared first. Records are in the load. */
export async function rememberConsent(cast: Cast): Promise<void> {
  const [holder, claimant] = [await cast.someone(), await cast.someone()]
  const hash = `drill/${crypto.randomUUID()}`
  await holder.client.consent.publish(hash, { ai_training: 'allow' })
  // Refused, and kept as a claim.
  await claimant.client.consent.publish(hash, { ai_training: 'disallow' }).catch(() => {})
  cast.memories.holds('a record of consent, and a claim to it', async () => {
    const history = await cast.anyone.consent.history(hash)
    return history?.creatorDid === holder.identity.did && history.claims[0]?.creator_did === claimant.identity.did
  })
}
