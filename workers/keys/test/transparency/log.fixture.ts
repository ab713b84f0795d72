import { listDurableObjectIds, runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Transport } from '@svc/client'
import { mlDsa65 } from '@svc/client/functions'
import { LogFiles, LogReader, type PlacedLeaf, type SubmittedLeaf } from '@svc/log'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashTextHex } from '@svc/protocol/base/hash'
import { labels } from '@svc/protocol/keys/account-labels.fixture'
import { leafIdOf, updateLine } from '@svc/protocol/keys/account-updates'
import type { CheckpointAnswer, InclusionAnswer } from '@svc/protocol/keys/transparency'
import { logKeySeed } from '@svc/protocol/merkle/log-key'
import type { LogList } from '@svc/protocol/merkle/log-list'
import { fetchOf, REALM, type TestCaller } from '@svc/testing'
import { call, dataOf, send } from '../harness.ts'

export const LOG = `${REALM}/transparency/2027a`
export const LOG_SEED = logKeySeed(new Uint8Array(32).fill(0x11), 1, LOG)
export const LOG_KEY = encodeBase64url(await mlDsa65.publicKeyOf(LOG_SEED))
export const WITNESS_SEED = new Uint8Array(32).fill(0x12)
export { LIST_KEYS } from '@svc/testing'

export const log = () => env.TRANSPARENCY_LOG.getByName(LOG)
export const labelOf = (did: string) => labels.labelOf(did)
export const accountOf = ({ identity }: Pick<TestCaller, 'identity'>) =>
  env.ACCOUNT_DIRECTORIES.getByName(labelOf(identity.did))
export const transport = (fetch = send) => new Transport({ realm: REALM, fetch: fetchOf(fetch) })

/** The list that the deployment serves. */
export async function logList(): Promise<LogList> {
  const answer = await call(null, 'GET', '/api/transparency/logs')
  return dataOf<{ list: { statement: LogList } }>(answer).list.statement
}

/** Has leaves become part of the log. */
export async function submit(leaves: readonly SubmittedLeaf[]): Promise<PlacedLeaf[]> {
  const placed = await log().submit(LOG, Date.now(), leaves)
  if (!placed.ok) throw new Error(placed.error.reason)
  return placed.value
}

/** Has what an account has published become part of the log. */
export async function logged(owner: Pick<TestCaller, 'identity'>): Promise<void> {
  await runDurableObjectAlarm(accountOf(owner))
}

/** Has what earlier tests published become part of the log. */
export async function opened(): Promise<void> {
  const accounts = await listDurableObjectIds(env.ACCOUNT_DIRECTORIES)
  await Promise.all(accounts.map((id) => runDurableObjectAlarm(env.ACCOUNT_DIRECTORIES.get(id))))
}

/** The proof of a leaf that belongs to no account. */
export async function proofOf({ leafId, update }: MadeLeaf): Promise<InclusionAnswer> {
  const head = await log().head(LOG)
  const index = await log().locate(LOG, leafId)
  if (index === null) throw new Error('the log does not have the leaf')
  const proof = await new LogReader(new LogFiles(env.TILES, LOG)).inclusion(head, index)
  const { checkpoint } = dataOf<CheckpointAnswer>(await call(null, 'GET', '/api/transparency/checkpoint'))
  return { leafId, seq: update.seq, position: { log: LOG, index }, proof, checkpoint }
}

export interface MadeLeaf extends SubmittedLeaf {
  readonly update: { readonly label: string; readonly seq: number; readonly statementHash: string }
}

/** Leaves that nobody has published, each of an account of its own, for a log that must be long. */
export function leavesOf(from: number, count: number): MadeLeaf[] {
  return Array.from({ length: count }, (_, i) => {
    const statementHash = hashTextHex(`leaf ${from + i}`)
    const update = { label: statementHash.slice(0, 64), seq: 1, statementHash }
    return { leafId: leafIdOf(update.label, statementHash), entry: updateLine(update), update }
  })
}
