import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Transport } from '@svc/client'
import { mlDsa65 } from '@svc/client/functions'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashTextHex } from '@svc/protocol/base/hash'
import { accountLabel, leafIdOf, updateLine } from '@svc/protocol/keys/account-updates'
import { logKeySeed } from '@svc/protocol/merkle/log-key'
import type { ListKeys, LogList } from '@svc/protocol/merkle/log-list'
import { fetchOf, REALM, type TestCaller } from '@svc/testing'
import type { TransparencyLogObject } from '../../src/transparency/object.ts'
import type { SubmittedLeaf } from '../../src/transparency/rules.ts'
import { call, dataOf, send } from '../harness.ts'

export const LOG = `${REALM}/transparency/2027a`
export const LOG_SEED = logKeySeed(new Uint8Array(32).fill(0x11), 1, LOG)
export const LOG_KEY = encodeBase64url(await mlDsa65.publicKeyOf(LOG_SEED))
export const WITNESS_SEED = new Uint8Array(32).fill(0x12)
const LIST_SEED = new Uint8Array(32).fill(0x21)
export const LIST_KEYS: ListKeys = {
  threshold: 1,
  publicKeysB64u: [encodeBase64url(await mlDsa65.publicKeyOf(LIST_SEED))],
}

export const log = () => env.TRANSPARENCY_LOG.getByName(LOG)
export const labelOf = (did: string) => accountLabel(REALM, did)
export const accountOf = ({ identity }: Pick<TestCaller, 'identity'>) =>
  env.ACCOUNT_DIRECTORIES.getByName(labelOf(identity.did))
export const transport = (fetch = send) => new Transport({ realm: REALM, fetch: fetchOf(fetch) })

/** The list that the deployment serves. */
export async function logList(): Promise<LogList> {
  const answer = await call(null, 'GET', '/api/transparency/logs')
  return dataOf<{ list: { statement: LogList } }>(answer).list.statement
}

/** Has whatever waits become part of the log, without waiting for its second. */
export async function sequence(): Promise<void> {
  await runDurableObjectAlarm(log())
}

/** Has what an account has published become part of the log: delivered, and sequenced. */
export async function logged(owner: Pick<TestCaller, 'identity'>): Promise<void> {
  await runDurableObjectAlarm(accountOf(owner))
  await sequence()
}

/** Has the log start: its first leaf opens it. What earlier tests published becomes part of it first. */
export async function opened(): Promise<void> {
  for (const id of await listDurableObjectIds(env.ACCOUNT_DIRECTORIES))
    await runDurableObjectAlarm(env.ACCOUNT_DIRECTORIES.get(id))
  await log().submit([])
  await sequence()
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

/** The log as it would be after a restart, over the same storage, with other bindings. */
export async function restarted<T>(
  bindings: Partial<Env>,
  work: (object: TransparencyLogObject) => Promise<T>,
): Promise<T> {
  return runInDurableObject(log(), async (instance, state) => {
    const Log = instance.constructor as typeof TransparencyLogObject
    return work(new Log(state, { ...env, ...bindings }))
  })
}
