import { generateHybridIdentity, identityToRecipient } from 'age-encryption'

/** A post-quantum key, as `age-keygen -pq` makes it. */
export async function ageKey(): Promise<{ readonly secret: string; readonly recipient: string }> {
  const secret = await generateHybridIdentity()
  return { secret, recipient: await identityToRecipient(secret) }
}
