import type { Realms } from '#protocol/base/realm'
import type { AnchorRecord } from '#protocol/ledger/anchors'
import type { KeptBundle } from '#protocol/ledger/blind-root'
import type { AnchorBundle } from '#protocol/ledger/bundle/anchor-bundle'
import { isFormerBundle } from '#protocol/ledger/bundle/anchor-bundle'
import type { ListedLogs } from '#protocol/merkle/log-list'
import type { Client } from '../client.ts'
import { type AnchorSigning, anchorSigning, UNTOLD } from '../ledger/anchor-signing.ts'
import { unverified, VerificationError } from '../verification/verification-error.ts'
import { detectFile } from './detect/detect.ts'
import { absentAsNull, expectedRealms, type Means, serviceKeysOf } from './means.ts'
import { type Check, checked, signerChecks, unchecked, type Verdict, verdictOf } from './verdict/verdict.ts'

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
  if (isFormerBundle(bundle)) return verdictOf('anchor', null, [unchecked('former')], { needs: 'upgrade' })
  const { client, logKeyB64u, file, known } = means
  if (!client && logKeyB64u === null && !known?.logs)
    return verdictOf('anchor', null, [unchecked('log_key')], { needs: 'log_key' })
  const realms = expectedRealms(means)
  if (!realms) return verdictOf('anchor', null, [unchecked('in_log')], { needs: 'realm' })
  const verified = await verifiedBundle(bundle, means, realms)
  if (!verified) return verdictOf('anchor', null, [unchecked('log_key')], { needs: 'log_key' })
  const { record, checkpoint, nonceB64u } = verified
  if (file) await mustBeAnchored(file, record.root, nonceB64u)
  const { log, size, issuedAt } = checkpoint.statement
  const time = await timeCheck(verified, means)
  const signing = client ? await signingOf(record, client) : UNTOLD
  const checks = [
    checked('anchor_root', { root: record.root }),
    ...(file ? [checked('anchored_file')] : []),
    checked('in_log', { log, size, at: issuedAt }),
    time,
    unchecked('anchor_status', { status: record.status }),
    ...signerChecks(signing),
  ]
  return verdictOf('anchor', record.owner, checks, { subject: record.root, at: Number(time.found['at']), ...signing })
}

/** Null if no trusted list has the log. */
async function verifiedBundle(bundle: unknown, means: Means, realms: Realms): Promise<KeptBundle | null> {
  const { client, logKeyB64u, known } = means
  const { verifyAnchor } = await import('../ledger/verify-anchor.ts')
  if (logKeyB64u !== null) return verifyAnchor(bundle, { logKeyB64u }, realms)
  const list = client ? connectedList(client) : known?.logs
  // An older list does not have a log that was opened later.
  const verified = list ? await verifyAnchor(bundle, { list }, realms).catch(unlessUnlisted) : null
  if (verified || !client) return verified
  return verifyAnchor(bundle, { list: await (await client.anchors.logs()).list() }, realms)
}

/** The list that the client verified when it connected; null if it could not ask core for the newest. */
function connectedList({ discovery }: Client): ListedLogs | null {
  return discovery?.source === 'core' ? (discovery.pin.list?.statement ?? null) : null
}

/** When it was logged: proved by witnesses, or only claimed by the log. */
async function timeCheck(bundle: AnchorBundle, { witnesses }: Means): Promise<Check> {
  const { anchorTime } = await import('#protocol/ledger/cosigned/seen-by')
  const { at, by } = anchorTime(bundle, witnesses ?? null)
  return by === 'witnesses'
    ? checked('cosigned', { at, count: witnesses?.threshold ?? 0 })
    : unchecked('cosigned', { at, count: bundle.cosigned.length })
}

/** Unknown where no identity keys are available, such as in a mirror. */
async function signingOf(record: AnchorRecord, client: Client): Promise<AnchorSigning> {
  const keys = await client.keyHistory.of(record.owner).catch(unlessRefuted)
  return keys ? anchorSigning({ keys, record }) : UNTOLD
}

function unlessRefuted(error: unknown): null {
  if (error instanceof VerificationError) throw error
  return null
}

function unlessUnlisted(error: unknown): null {
  if (error instanceof VerificationError && error.reason === 'unlisted_log') return null
  throw error
}

/** The file by its hash, blinded if the bundle has a nonce. Of a chain that was anchored by its head, the file is its export, which has that block. */
async function mustBeAnchored(file: Uint8Array, root: string, nonceB64u: string | undefined): Promise<void> {
  const [{ hashOf }, { rootOfFile }] = await Promise.all([
    import('../ledger/hash-of.ts'),
    import('#protocol/ledger/blind-root'),
  ])
  if (rootOfFile(await hashOf(file), nonceB64u) !== root && !(await hasBlock(file, root)))
    throw unverified('anchor', 'content_mismatch', 'The file is not what was anchored')
}

async function hasBlock(file: Uint8Array, hash: string): Promise<boolean> {
  const { kind, value } = detectFile(file)
  if (kind !== 'chain') return false
  const { blockHash, chainBlockSchema, isSigned } = await import('#protocol/chain/chain')
  return (value as readonly unknown[]).some((one) => {
    const { data: block } = chainBlockSchema.safeParse(one)
    return block !== undefined && isSigned(block) && blockHash(block) === hash
  })
}

/** A receipt, by the keys that the deployment has published. */
export async function judgeReceipt(signed: unknown, means: Means): Promise<Verdict> {
  const keys = serviceKeysOf(means)
  const realms = expectedRealms(means)
  if (!keys || !realms) return verdictOf('receipt', null, [unchecked('service_key')], { needs: 'service_key' })
  const { verifyServiceStatement } = await import('../statements/verify-service-statement.ts')
  const { statement } = await verifyServiceStatement(signed, keys, realms)
  const { type, issuedAt: at, did } = statement
  const checks = [checked('statement', { type }), checked('signed', { at })]
  return verdictOf('receipt', typeof did === 'string' ? did : null, checks, { at })
}
