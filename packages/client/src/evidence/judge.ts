import { checkCall, type Members } from '../arguments/check.ts'
import { VerificationError } from '../verification/verification-error.ts'
import type { Detected } from './detect/formats.ts'
import type { Means } from './means.ts'
import { withComparison } from './verdict/comparison.ts'
import { refutedBy, unchecked, type Verdict, verdictOf } from './verdict/verdict.ts'

const DETECTED: Members<Detected> = { kind: 1, value: 0 }
const MEANS: Members<Means> = {
  client: 1,
  realms: 1,
  expectedDid: 1,
  file: 1,
  logKeyB64u: 1,
  witnesses: 0,
  known: 0,
  passphrase: 1,
}

/** Each kind loads only what verifies it. */
const identities = () => import('./judge-identity.ts')
const logs = () => import('./judge-logs.ts')
const proofs = () => import('./judge-proofs.ts')

/**
 * The verdict on what `detectFile` or `detectTyped` found; `bytes` are those of the file. It is valid only if what the
 * person holds was compared. Throws what the SDK throws if something does not verify: a `VerificationError` with the reason `malformed` if
 * it only looks like its kind.
 */
export async function judge(detected: Detected, bytes: Uint8Array | null, means: Means): Promise<Verdict> {
  checkCall('judge', [detected, bytes, means], [['detected', DETECTED], 'bytes', ['means', MEANS]])
  return withComparison(detected.kind, await judgeKind(detected, bytes, means), means.file)
}

/** `judge`, where evidence or a file that does not verify is a verdict too, `invalid`, with what is refuted. */
export async function judgeAll(detected: Detected, bytes: Uint8Array | null, means: Means): Promise<Verdict> {
  checkCall('judgeAll', [detected, bytes, means], [['detected', DETECTED], 'bytes', ['means', MEANS]])
  try {
    return await judge(detected, bytes, means)
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    const { reason, subject, message } = error
    return verdictOf(detected.kind, null, [refutedBy({ reason, subject, message })])
  }
}

async function judgeKind({ kind, value }: Detected, bytes: Uint8Array | null, means: Means): Promise<Verdict> {
  switch (kind) {
    case 'did':
      return (await identities()).judgeDid(String(value), means)
    case 'hash':
      return (await proofs()).judgeHash(String(value), means)
    case 'page':
      return (await proofs()).judgePage(String(value), means)
    case 'chain':
      return (await import('./judge-chain.ts')).judgeChain(value, means)
    case 'keys':
      return (await identities()).judgeKeys(value, means)
    case 'anchor':
      return (await logs()).judgeAnchor(value, means)
    case 'stamp':
      return verdictOf('stamp', null, [unchecked('stamp')], { needs: 'upgrade' })
    case 'proof':
      return (await proofs()).judgeProof(value, means)
    case 'capsule':
      return (await import('./judge-capsule.ts')).judgeCapsule(value, means)
    case 'commitment':
      return (await import('./judge-commitment.ts')).judgeCommitment(value, means)
    case 'notes':
      return (await import('./judge-notes.ts')).judgeNotes(value, means)
    case 'statement':
      return (await import('./judge-statement.ts')).judgeStatement(value, means)
    case 'draft':
      return (await import('./judge-draft.ts')).judgeDraft(value)
    case 'beacon':
      return (await import('./judge-beacon.ts')).judgeBeacon(String(value), means)
    case 'sealed':
      return (await import('./judge-sealed.ts')).judgeSealed(value)
    case 'asset':
      return (await proofs()).judgeAsset(value, means)
    case 'message':
      return (await identities()).judgeMessage(value, means)
    case 'checkpoints':
      return (await import('./judge-checkpoints.ts')).judgeCheckpoints(value, means)
    case 'receipt':
      return (await logs()).judgeReceipt(value, means)
    case 'export':
      return (await identities()).judgeExport(value, means)
    case 'content':
      return (await proofs()).judgeContent(bytes ?? new Uint8Array(), means)
  }
}
