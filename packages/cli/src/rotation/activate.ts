import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import type { Result } from '../result.ts'
import { NextKeys } from './next-keys.ts'
import { ownRotation } from './own-rotation.ts'
import { summaryOf } from './record-lines.ts'
import { takeOver } from './take-over.ts'

/**
 * Makes the new root key of this machine the root key. A rotation ends the attestations of devices, so those on this
 * machine are attested again. A second run finishes what the first one began.
 */
export async function activate(context: Context): Promise<Result> {
  const did = await context.did()
  const { keys, passphrase } = await context.keys.open(did)
  const nextKeys = new NextKeys(context, did)
  const next = await nextKeys.load(passphrase)
  const { record, successor, sheets } = await unlessUnlogged(ownRotation(context, { did, keys, next }))
  if (context.options.dryRun) return { data: summaryOf(record), text: `Would activate ${record.rotationId}.` }
  const client = await context.clientOf(keys)
  const activated = record.status === 'active' ? record : await unlessUnlogged(client.rotation.activate(record))
  const taken = await takeOver(context, { did, keys: { ...keys, sheets }, passphrase }, successor)
  // Last, because a second run finds with it what the first one began. All requests for this epoch are void now.
  await nextKeys.delete(next.filter(({ successor: { epoch } }) => epoch <= successor.epoch))
  return {
    data: { ...summaryOf(activated), ...taken },
    text: [`${did} has a new root key.`, ...linesOfEnded(taken.ended), afterANewKey(taken.recovery)],
  }
}

/** Says to wait if the log of the key directory does not prove a replacement yet, as in the minute after its activation. */
async function unlessUnlogged<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof Error && error.name === 'VerificationError')) throw error
    if (!('reason' in error && error.reason === 'not_in_log')) throw error
    throw new CliError({
      exitCode: EXIT.pending,
      code: 'not_in_log',
      message: 'The new root key is active, but the log of the key directory does not prove it yet',
      next: 'run svc rotate activate again in a minute',
      page: '/developer/successors#what-others-verify',
    })
  })
}

/** A new root key makes the prepared recovery void and the backup outdated. With sheets, the file was renewed already. */
export function afterANewKey(recovery: string | null): string {
  // Devices cannot write notes before the new root key has published the keys to encrypt to.
  const register = 'Next: svc did register'
  return recovery === null ? `${register}, svc recovery prepare, and svc id backup` : `${register}, and svc id backup`
}

export function linesOfEnded(ended: readonly string[]): string[] {
  if (ended.length === 0) return []
  const lead = 'These devices have ended. Pair each again with svc device pair, if you still use it:'
  return [lead, ...ended.map((deviceId) => `  ${deviceId}`)]
}
