import type { Client } from '@svc/client'
import { usage } from '../cli-error.ts'
import { checked, timeOf, unchecked, type Verdict, verdictOf } from './verdict.ts'
import type { Means } from './verify.ts'

const LIST = 'run it without --offline, or pass --log-key with a key that you have from another source'

type Checkpoint = Parameters<Client['anchors']['verifyExtension']>[0]

export async function judgeAnchor(bundle: unknown, { client, realms, logKeyB64u }: Means): Promise<Verdict> {
  const list = logKeyB64u === null && client ? await (await client.anchors.logs()).list() : null
  const trust = logKeyB64u === null ? list && { list } : { logKeyB64u }
  if (!trust)
    return verdictOf('anchor', null, [unchecked('log', 'whose key it has is not known')], { next: LIST, isOpen: true })
  if (realms.length === 0) throw usage('An anchor needs the deployment that it must be for', 'pass --realm')
  const { verifyAnchor } = await import('@svc/client/verify')
  const { record, checkpoint } = await verifyAnchor(bundle, trust, realms as [string, ...string[]])
  return verdictOf('anchor', record.owner, [
    checked('root', record.root),
    checked(
      'in the log',
      `${checkpoint.statement.log}, of ${checkpoint.statement.size} entries at ${timeOf(checkpoint.statement.issuedAt)}`,
    ),
    unchecked('status', `${record.status}, as the service says`),
  ])
}

/** One or more checkpoints of a log: the signatures, and that each extends the one before. */
export async function judgeCheckpoints(given: readonly Checkpoint[], { client }: Means): Promise<Verdict> {
  const ordered = given.toSorted((a, b) => a.statement.size - b.statement.size)
  if (!client)
    return verdictOf('checkpoints', null, [unchecked('log', 'whose key it has is not known')], {
      next: LIST,
      isOpen: true,
    })
  const logs = await client.anchors.logs()
  for (const checkpoint of ordered) await logs.verify(checkpoint)
  const isOfAnchors = ordered.every(({ statement }) => statement.type === 'svc/anchor-checkpoint/v1')
  const signed = checked('signatures', `${ordered.length}, by keys of the list of logs`)
  if (!isOfAnchors)
    return verdictOf('checkpoints', null, [signed, unchecked('extension', 'svc directory audit follows this log')], {
      isOpen: ordered.length > 1,
    })
  for (const [position, later] of ordered.entries()) {
    const earlier = ordered[position - 1]
    if (earlier) await client.anchors.verifyExtension(earlier, later)
  }
  const sizes = ordered.map(({ statement }) => statement.size).join(' → ')
  return verdictOf('checkpoints', null, [signed, checked('extension', sizes)])
}

/** A receipt, by the keys that the deployment has published. */
export async function judgeReceipt(signed: unknown, { client, realms }: Means): Promise<Verdict> {
  const keys = client?.discovery?.pin.keys
  if (!keys)
    return verdictOf('receipt', null, [unchecked('key', 'the keys of the services are not known')], {
      next: 'run it without --offline, or with --evidence',
      isOpen: true,
    })
  const { verifyServiceStatement } = await import('@svc/client/verify')
  const { statement } = await verifyServiceStatement(signed, keys, realms as [string, ...string[]])
  return verdictOf('receipt', typeof statement['did'] === 'string' ? statement['did'] : null, [
    checked('statement', statement.type),
    checked('signed', timeOf(statement.issuedAt)),
  ])
}
