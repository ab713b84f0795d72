import { proofBundleSchema } from '#protocol/provenance/proof-bundle'
import type { Client } from '../client.ts'
import { unverified } from '../verification/verification-error.ts'
import { formed } from './form.ts'
import { absentAsNull, expectedRealms, type Means } from './means.ts'
import { type Check, checked, signerChecks, unchecked, type Verdict, verdictOf } from './verdict/verdict.ts'

type Bundle = Awaited<ReturnType<Client['provenance']['proof']>>

/** The evidence for a registration. */
export async function judgeProof(value: unknown, means: Means): Promise<Verdict> {
  const { client, file, expectedDid } = means
  const realms = expectedRealms(means)
  if (!realms) return verdictOf('proof', null, [unchecked('registration')], { needs: 'realm' })
  const { verifyProof } = await import('../provenance/verify-proof.ts')
  const bundle = formed(proofBundleSchema, value)
  const did = expectedDid ?? bundle.did
  const rootKeys = client ? await client.keyHistory.of(did) : undefined
  const {
    verified,
    unverified: unproved,
    gaps,
    signer,
    order,
  } = await verifyProof(bundle, {
    realms,
    expectedDid: did,
    ...(file && { file }),
    ...(rootKeys && { rootKeys }),
  })
  const checks: Check[] = [
    ...verified.map((part) => checked('proof', { part })),
    ...unproved.map(({ kind: part, strength }) => unchecked('proof', { part, strength })),
    ...gaps.map((gap) => unchecked('gap', { gap })),
    ...signerChecks({ signer, order }),
  ]
  return verdictOf('proof', did, checks, { subject: bundle.assetId, at: bundle.capsule.issuedAt, signer, order })
}

export async function judgeAsset(value: unknown, means: Means): Promise<Verdict> {
  const [z, { assetRecordSchema, assetTransferEventSchema }] = await Promise.all([
    import('zod'),
    import('#protocol/ledger/assets'),
  ])
  const form = z.looseObject({ record: assetRecordSchema, transfers: z.array(assetTransferEventSchema) })
  const events = formed(form, value)
  const realms = expectedRealms(means)
  if (!realms) return verdictOf('asset', null, [unchecked('owner')], { needs: 'realm' })
  const { verifyAsset } = await import('../ledger/verify-asset.ts')
  let isMissing = false
  const rootKeysOf = async (did: string) => {
    if (means.client) return means.client.keyHistory.of(did)
    isMissing = true
    return []
  }
  try {
    const { did, minter } = await verifyAsset(events, { realms, rootKeysOf })
    const checks = [checked('minter', { did: minter }), checked('transfers', { count: events.transfers.length })]
    return verdictOf('asset', did, checks, { order: 'export' })
  } catch (error) {
    if (!isMissing) throw error
    return verdictOf('asset', null, [unchecked('replaced_key')], { needs: 'key_history' })
  }
}

/** Any file: who has registered or anchored it where others can find it, and whether that verifies. Only its hash is asked for. */
export async function judgeContent(file: Uint8Array, means: Means): Promise<Verdict> {
  const { hashOf } = await import('../ledger/hash-of.ts')
  const hash = await hashOf(file)
  const found = await registered(`asset:sha3-384:${hash}`, means.client)
  if (found) return judgeProof(found, { ...means, file })
  return (await anchored(hash, { ...means, file })) ?? nothingKnown('content', hash, means.client)
}

/** The hash of a file that somebody registered or anchored. */
export async function judgeHash(hash: string, means: Means): Promise<Verdict> {
  const assetId = `asset:sha3-384:${hash}`
  const found = await registered(assetId, means.client)
  const verdict = found ? await judgeProof(found, means) : await anchored(hash, means)
  if (!verdict) return nothingKnown('hash', hash, means.client)
  if (verdict.subject !== hash && verdict.subject !== assetId)
    throw unverified(found ? 'capsule' : 'anchor', 'asset_mismatch', 'The service answered evidence about another hash')
  return verdictOf(verdict.kind, verdict.did, [...verdict.checks, checked('same_hash', { hash })], verdict)
}

/** The address of a page or file: what its creator declared that machines may do with it. */
export async function judgePage(url: string, { client }: Means): Promise<Verdict> {
  if (!client) return verdictOf('page', null, [unchecked('consent')], { needs: 'network', subject: url })
  const record = await client.consent.read(url)
  if (!record.found) return { ...verdictOf('page', null, [unchecked('consent')], { subject: url }), verdict: 'unknown' }
  const { creator_did: did, preferences, signed } = record
  const declared = Object.entries(preferences).map(([name, choice]) => `${name}: ${choice}`)
  const isByDevice = signed?.signer.kind === 'device'
  return verdictOf(
    'page',
    did,
    [
      signed
        ? checked('consent', { preferences: declared.join(', ') })
        : unchecked('consent', { preferences: declared.join(', ') }),
      ...(isByDevice ? [unchecked('consent_device')] : []),
    ],
    // A record alone does not have the history of its acts.
    { subject: url, order: signed ? 'unknown' : null },
  )
}

function registered(assetId: string, client: Client | null): Promise<Bundle | null> {
  return client ? absentAsNull(() => client.provenance.proof(assetId)) : Promise.resolve(null)
}

/** As many as one answer names. */
const MAX_ANCHORS = 20

/**
 * Everybody who anchored it, oldest first, each with a bundle that verifies; null if nobody did. An anchor shows that its
 * owner knew the content then, and not who made it, so the verdict is of nobody if there are several.
 */
async function anchored(hash: string, means: Means): Promise<Verdict | null> {
  const { judgeAnchor } = await import('./judge-logs.ts')
  const verdicts: { readonly verdict: Verdict; readonly at: number }[] = []
  let isMore = false
  for await (const { anchorId, createdAt } of means.client?.anchors.all({ root: hash }) ?? []) {
    isMore = verdicts.length === MAX_ANCHORS
    if (isMore) break
    const verdict = await judgeAnchor(anchorId, means)
    // Its log does not have it yet.
    if (verdict.verdict !== 'unknown') verdicts.push({ verdict, at: Date.parse(createdAt) })
  }
  const [first, ...others] = verdicts
  if (!first) return null
  if (others.length === 0) return first.verdict
  const owners = new Set(verdicts.map(({ verdict }) => verdict.did))
  const checks = [
    ...first.verdict.checks,
    ...verdicts.map(({ verdict: { did }, at }) => checked('anchored_by', { did: did ?? '', at })),
    ...(isMore ? [unchecked('more_anchors', { count: MAX_ANCHORS })] : []),
  ]
  return verdictOf('anchor', owners.size === 1 ? first.verdict.did : null, checks, first.verdict)
}

function nothingKnown(kind: 'content' | 'hash', hash: string, client: Client | null): Verdict {
  const checks = [checked('hash', { hash }), unchecked('public_record')]
  if (!client) return verdictOf(kind, null, checks, { needs: 'network', subject: hash })
  return { ...verdictOf(kind, null, checks, { subject: hash }), verdict: 'unknown' }
}
