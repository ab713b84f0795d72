import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { mlDsa65 } from '@svc/client'
import { encodeBase64url } from '@svc/protocol/base64url'
import { hashTextHex } from '@svc/protocol/hash'
import { leafEntry } from '@svc/protocol/transparency'
import type { TestCaller } from '@svc/testing'
import type { TransparencyLogObject } from '../src/transparency/transparency-log-object.ts'

export const LOG_SEED = new Uint8Array(32).fill(0x11)
export const LOG_KEY = encodeBase64url(await mlDsa65.publicKeyOf(LOG_SEED))
export const WITNESS_SEED = new Uint8Array(32).fill(0x12)

export const log = () => env.TRANSPARENCY_LOG.getByName('log')

/** Has whatever waits become part of the log, without waiting for its second. */
export async function sequence(): Promise<void> {
  await runDurableObjectAlarm(log())
}

/** Has what an account has published become part of the log: delivered, and sequenced. */
export async function logged({ identity }: Pick<TestCaller, 'identity'>): Promise<void> {
  await runDurableObjectAlarm(env.ACCOUNT_DIRECTORIES.getByName(identity.did))
  await sequence()
}

/** Leaves that nobody has published, for a log that must be long. */
export function leavesOf(from: number, count: number): { leafId: string; entry: string }[] {
  return Array.from({ length: count }, (_, i) => {
    const leafId = hashTextHex(`leaf ${from + i}`)
    const [did, deviceId] = [`did:svc:${'A'.repeat(32)}`, 'B'.repeat(32)]
    return { leafId, entry: leafEntry({ kind: 'credential', did, deviceId, statementHash: leafId }) }
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
