import { unverified } from '../verification/verification-error.ts'
import { absentAsNull, expectedRealms, type Means } from './means.ts'
import { checked, unchecked, type Verdict, verdictOf } from './verdict.ts'

/** The bundle of an anchor, or its id. */
export async function judgeAnchor(given: unknown, means: Means): Promise<Verdict> {
  const { client } = means
  if (typeof given !== 'string') return judgeBundle(given, means)
  if (!client) return verdictOf('anchor', null, [unchecked('registration')], { needs: 'network', subject: given })
  const bundle = await absentAsNull(() => client.anchors.bundle(given))
  if (bundle) return judgeBundle(bundle, means)
  return { ...verdictOf('anchor', null, [unchecked('registration')], { subject: given }), verdict: 'unknown' }
}

async function judgeBundle(bundle: unknown, means: Means): Promise<Verdict> {
  const { client, logKeyB64u, file } = means
  const list = logKeyB64u === null && client ? await (await client.anchors.logs()).list() : null
  const trust = logKeyB64u === null ? list && { list } : { logKeyB64u }
  if (!trust) return verdictOf('anchor', null, [unchecked('log_key')], { needs: 'log_key' })
  const realms = expectedRealms(means)
  if (!realms) return verdictOf('anchor', null, [unchecked('in_log')], { needs: 'realm' })
  const { verifyAnchor } = await import('../ledger/verify-anchor.ts')
  const { record, checkpoint } = await verifyAnchor(bundle, trust, realms)
  if (file) await mustBeAnchored(file, record.root)
  const { log, size, issuedAt: at } = checkpoint.statement
  const checks = [
    checked('anchor_root', { root: record.root }),
    ...(file ? [checked('anchored_file')] : []),
    checked('in_log', { log, size, at }),
    unchecked('anchor_status', { status: record.status }),
  ]
  return verdictOf('anchor', record.owner, checks, { subject: record.root, at })
}

async function mustBeAnchored(file: Uint8Array, root: string): Promise<void> {
  const { hashOf } = await import('../ledger/hash-of.ts')
  if ((await hashOf(file)) !== root) throw unverified('anchor', 'content_mismatch', 'The file is not what was anchored')
}

/** A receipt, by the keys that the deployment has published. */
export async function judgeReceipt(signed: unknown, means: Means): Promise<Verdict> {
  const keys = means.client?.discovery?.pin.keys
  const realms = expectedRealms(means)
  if (!keys || !realms) return verdictOf('receipt', null, [unchecked('service_key')], { needs: 'service_key' })
  const { verifyServiceStatement } = await import('../statements/verify-service-statement.ts')
  const { statement } = await verifyServiceStatement(signed, keys, realms)
  const { type, issuedAt: at, did } = statement
  const checks = [checked('statement', { type }), checked('signed', { at })]
  return verdictOf('receipt', typeof did === 'string' ? did : null, checks, { at })
}
