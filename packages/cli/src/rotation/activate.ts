import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import type { Result } from '../result.ts'
import { NextKeys } from './next-keys.ts'
import { ownRotation } from './own-rotation.ts'
import { summaryOf } from './record-lines.ts'
import { type TakenOver, takeOver } from './take-over.ts'

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
  const taken = await takeOver(context, { did, keys, passphrase }, { successor, sheets })
  // Last, because a second run finds with it what the first one began. All requests for this epoch are void now.
  await nextKeys.delete(next.filter(({ successor: { epoch } }) => epoch <= successor.epoch))
  const { devices, ended, recovery } = taken
  return {
    data: { ...summaryOf(activated), devices, ended, recovery },
    text: [`${did} has a new root key.`, ...linesOfEnded(ended), afterANewKey(taken)],
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

/**
 * Says what to do with a new root key, in order. Devices write no notes before the registration, which publishes the keys
 * to encrypt to. Without the record of a sheet, the words of this sheet would not open new notes.
 */
export function afterANewKey({ recovery, missing }: Pick<TakenOver, 'recovery' | 'missing'>): string {
  const confirm = missing > 0 ? ['svc recovery confirm, for each other sheet'] : []
  const prepare = recovery === null ? ['svc recovery prepare'] : []
  return `Next: ${[...confirm, ...prepare, 'svc did register', 'svc id backup'].join('; then ')}`
}

export function linesOfEnded(ended: readonly string[]): string[] {
  if (ended.length === 0) return []
  const lead = 'These devices have ended. Pair each again with svc device pair, if you still use it:'
  return [lead, ...ended.map((deviceId) => `  ${deviceId}`)]
}
