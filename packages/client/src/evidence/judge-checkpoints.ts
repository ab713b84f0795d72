import type { DirectoryCheckpoint, LogCheckpoint, SignedCheckpoint } from '#protocol/merkle/checkpoint'
import type { ListedLogs } from '#protocol/merkle/log-list'
import type { Client } from '../client.ts'
import { ForkError, type Piece } from '../memory/errors.ts'
import { unverified } from '../verification/verification-error.ts'
import { expectedRealms, type Means } from './means.ts'
import { checked, type Need, unchecked, type Verdict, verdictOf } from './verdict/verdict.ts'

/**
 * One or more checkpoints: their signatures, and that each later state of a log contains the one before. Two states of
 * the same size are compared here; for others the log is asked for its proof. Throws a `ForkError` with both checkpoints
 * if the log signed two roots for one size.
 */
export async function judgeCheckpoints(given: unknown, means: Means): Promise<Verdict> {
  const ordered = (await parsed(given)).toSorted((a, b) => a.statement.size - b.statement.size)
  const missing = await verifySignatures(ordered, means)
  if (missing) return verdictOf('checkpoints', null, [unchecked('log_key')], { needs: missing })
  const last = ordered.at(-1)?.statement
  const logs = new Set(ordered.map(({ statement }) => statement.log))
  const signed = checked('signatures', { count: ordered.length, ...(logs.size === 1 && last && { log: last.log }) })
  const facts = { subject: last?.root ?? null, at: last?.issuedAt ?? null }
  if (ordered.length === 1) return verdictOf('checkpoints', null, [signed, unchecked('one_checkpoint')], facts)
  if (logs.size > 1) return verdictOf('checkpoints', null, [signed, unchecked('one_log')], facts)
  const sizes = ordered.map(({ statement }) => statement.size)
  const isProved = await verifyGrowth(ordered, means)
  if (!isProved)
    return verdictOf('checkpoints', null, [signed, unchecked('extension', { sizes: sizes.join(' → ') })], {
      ...facts,
      needs: 'network',
    })
  const isOneState = sizes.at(0) === sizes.at(-1)
  const compared = isOneState
    ? checked('same_root', { size: sizes[0] ?? 0 })
    : checked('extension', { sizes: sizes.join(' → ') })
  return verdictOf('checkpoints', null, [signed, compared], facts)
}

async function parsed(given: unknown): Promise<readonly LogCheckpoint[]> {
  const [{ array }, { logCheckpointSchema }, { formed }] = await Promise.all([
    import('zod'),
    import('#protocol/merkle/checkpoint'),
    import('./form.ts'),
  ])
  return formed(array(logCheckpointSchema), given)
}

/** By the key that was passed, or the signed list of logs. Returns what is missing for it. */
async function verifySignatures(given: readonly LogCheckpoint[], means: Means): Promise<Need | null> {
  const { client, logKeyB64u, known } = means
  if (logKeyB64u === null) {
    if (!client) return known?.logs ? verifyListed(given, known.logs, means) : 'log_key'
    for (const one of given) {
      const series = isOfAnchors(one) ? client.anchors : client.transparency
      await (await series.logs()).verify(one)
    }
    return null
  }
  const realms = expectedRealms(means)
  if (!realms) return 'realm'
  const [{ verifyStatement }, { bytesOf }] = await Promise.all([
    import('#protocol/base/statement'),
    import('#protocol/base/base64url'),
  ])
  for (const one of given)
    if (!(await verifyStatement(one, bytesOf(logKeyB64u), realms)))
      throw unverified(seriesOf(one), 'invalid_signature', 'The log did not sign the checkpoint', {
        where: { log: one.statement.log },
        evidence: one,
      })
  return null
}

/** By the list of logs of before, which may lack those that were opened later. */
async function verifyListed(given: readonly LogCheckpoint[], list: ListedLogs, means: Means): Promise<Need | null> {
  const realms = expectedRealms(means)
  if (!realms) return 'realm'
  const { verifyListedCheckpoint } = await import('#protocol/merkle/in-log')
  for (const one of given) {
    const listed = await verifyListedCheckpoint(one, list, realms)
    if (listed.ok) continue
    const { reason } = listed.error
    if (reason === 'unlisted_log') return 'log_key'
    throw unverified(seriesOf(one), reason, `The log is not trusted: ${reason}`, {
      where: { log: one.statement.log },
      evidence: one,
    })
  }
  return null
}

/** Whether all of it is proved; false if nobody can be asked. Ordered by size. */
async function verifyGrowth(ordered: readonly LogCheckpoint[], { client }: Means): Promise<boolean> {
  let isProved = true
  for (const [position, later] of ordered.entries()) {
    const earlier = ordered[position - 1]
    if (!earlier) continue
    if (earlier.statement.size === later.statement.size) refuseFork(earlier, later)
    else if (!client) isProved = false
    else await verifyExtension(client, earlier, later)
  }
  return isProved
}

function verifyExtension(client: Client, earlier: LogCheckpoint, later: LogCheckpoint): Promise<void> {
  if (isOfAnchors(earlier)) return client.anchors.verifyExtension(earlier, later as SignedCheckpoint)
  return client.transparency.verifyExtension(earlier, later as DirectoryCheckpoint)
}

/** Both are signed: whatever the log says about it, it has shown two histories. */
function refuseFork(first: LogCheckpoint, second: LogCheckpoint): void {
  if (first.statement.root === second.statement.root) return
  const log = { kind: seriesOf(first), of: first.statement.log }
  throw new ForkError({ log, remembered: pieceOf(first), received: pieceOf(second) })
}

function pieceOf(signed: LogCheckpoint): Piece {
  return { position: signed.statement.size, hash: signed.statement.root, signed }
}

function isOfAnchors(one: LogCheckpoint): one is SignedCheckpoint {
  return one.statement.type === 'svc/anchor-checkpoint/v1'
}

function seriesOf(one: LogCheckpoint): 'anchors' | 'transparency' {
  return isOfAnchors(one) ? 'anchors' : 'transparency'
}
