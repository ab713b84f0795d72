import * as z from 'zod'
import type { LoggedEvidence } from '../chain/logged-history.ts'
import type { RootKeys } from '../chain/root-keys.ts'
import { formed } from './form.ts'
import { expectedRealms, type Means } from './means.ts'
import { type Check, checked, signerChecks, unchecked, type Verdict, verdictOf } from './verdict/verdict.ts'

export async function judgeDid(did: string, { client }: Means): Promise<Verdict> {
  if (!client) return verdictOf('did', did, [checked('form'), unchecked('root_keys')], { needs: 'network' })
  const keys = await client.keyHistory.of(did)
  const { didDocument, didResolutionMetadata } = await client.did.resolve(did)
  const document = didDocument ? checked('document') : unchecked('document', { error: errorOf(didResolutionMetadata) })
  return verdictOf('did', did, [checked('root_keys', { count: keys.length }), ...activation(keys), document])
}

/** Returns whether the log of the key directory proves that every rotation took effect; no check without a rotation. */
function activation([, ...later]: RootKeys): Check[] {
  if (later.length === 0) return []
  return [later.every(({ activated }) => activated === 'proved') ? checked('activation') : unchecked('activation')]
}

/** The error of a resolution is an object, or missing. */
function errorOf({ error }: { readonly error?: unknown }): string {
  return typeof error === 'object' && error !== null && 'type' in error ? String(error.type) : ''
}

export async function judgeKeys(evidence: unknown, means: Means): Promise<Verdict> {
  const { expectedDid } = means
  const realms = expectedRealms(means)
  if (expectedDid === null) return verdictOf('keys', null, [unchecked('owner')], { needs: 'did' })
  if (!realms) return verdictOf('keys', expectedDid, [unchecked('root_keys')], { needs: 'realm' })
  const { verifyKeyHistory } = await import('../chain/verify-key-history.ts')
  const log = hasReplacement(evidence) ? await logOf(expectedDid, means) : undefined
  if (log === null) return verdictOf('keys', expectedDid, [unchecked('activation')], { needs: 'network' })
  const keys = await verifyKeyHistory(evidence, expectedDid, realms, log)
  const checks = [checked('root_keys', { count: keys.length }), ...activation(keys), unchecked('newest_key')]
  return verdictOf('keys', expectedDid, checks)
}

/** Returns whether the evidence has a key that was not committed, which only the log of the key directory can prove. */
function hasReplacement(evidence: unknown): boolean {
  return (
    Array.isArray(evidence) && evidence.some((one) => z.object({ replacement: z.object({}) }).safeParse(one).success)
  )
}

/** Returns the log proofs of the rotations; null without a client or the keys of the log list. */
async function logOf(did: string, { client }: Means): Promise<LoggedEvidence | null> {
  const listKeys = client?.discovery?.pin.logListKeys
  if (!client || !listKeys) return null
  const logged = await client.keyHistory.logged(did)
  return logged && { ...logged, listKeys }
}

export async function judgeMessage(value: unknown, means: Means): Promise<Verdict> {
  const [{ signedMessageSchema }, { verifyMessage }, { didOf }] = await Promise.all([
    import('#protocol/statements/message'),
    import('../identity/verify-message.ts'),
    import('../identity/did-of.ts'),
  ])
  const { client, file, expectedDid } = means
  const signed = formed(signedMessageSchema, value)
  const { did: claimedDid, audience, text, issuedAt } = signed.statement
  const did = expectedDid ?? claimedDid
  const content = file ?? text
  const realms = expectedRealms(means)
  // Without the file, the signature over its hash tells nothing of it.
  if (content === null) return verdictOf('message', did, [unchecked('hash')], { needs: 'file' })
  if (!realms) return verdictOf('message', did, [unchecked('audience', { audience })], { needs: 'realm' })
  const isGenesis = didOf(signed.publicKeyB64u) === did
  if (!isGenesis && !client) return verdictOf('message', did, [unchecked('message_key')], { needs: 'key_history' })
  const { publicKeyB64u } = signed
  const genesis = { epoch: 0, userId: signed.statement.keyId, publicKeyB64u }
  const keys = client ? await client.keyHistory.of(did) : [genesis]
  const { signer } = await verifyMessage(signed, { did, keys, audience, realms, content })
  const found = { signer: client ? signer : null, order: 'unknown' } as const
  const checks = [
    checked('signed', { at: issuedAt }),
    checked('audience', { audience }),
    checked('signed_content', { as: file ? 'file' : 'text' }),
    // Without a network, a later key may have replaced the first.
    ...(client ? [] : [unchecked('newest_key')]),
    ...signerChecks(found),
  ]
  return verdictOf('message', did, checks, { at: issuedAt, ...found })
}

export async function judgeExport(value: unknown, { passphrase }: Means): Promise<Verdict> {
  const { importKeys } = await import('../backup.ts')
  const { identity, devices, recovery } = await importKeys(value, await passphrase())
  const did = identity?.did ?? recovery?.did ?? devices[0]?.membership?.did ?? null
  return verdictOf('export', did, [
    identity ? checked('root_key', { epoch: identity.epoch }) : unchecked('root_key'),
    checked('devices', { count: devices.length }),
    recovery ? checked('recovery') : unchecked('recovery'),
  ])
}
