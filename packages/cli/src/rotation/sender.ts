import type { Client, KeptRecovery, RecoverOptions, RecoveryProgress, ServiceError } from '#client'
import type { KeySet } from '#client/backup'
import type { Context } from '../context.ts'

/**
 * Returns a client of a new identity that is used once. With it, a machine sends what carries its own signatures, which
 * any identity may send: core refuses requests of an old root key and of a device that was revoked, was suspended or has
 * expired.
 */
export async function temporarySender(context: Context): Promise<Client> {
  const { Identity } = await import('#client/identity')
  const sender = await context.clientOf({ identity: await Identity.create(), former: [], devices: [] })
  await sender.chain.genesis()
  return sender
}

/**
 * Does what can be done now for a recovery. Uses the keys of this machine, or a temporary identity if there are none or
 * core refuses them. Creates none while there is only something to wait for.
 */
export async function proceed(
  context: Context,
  keys: KeySet,
  kept: KeptRecovery,
  by: RecoverOptions,
): Promise<RecoveryProgress> {
  const { completedRecovery } = await import('#client/functions')
  const nobody = await context.client('nobody')
  const status = await nobody.recovery(await completedRecovery(kept, by.successor)).status()
  const { stage, next } = status
  if (next.act === 'finish' && stage !== 'due') return { status, acts: [], needs: null, request: null }
  const isSending = next.act === 'start' || next.act === 'contest' || next.act === 'finish'
  if (!isSending) return nobody.recovery(kept).recover(by)
  if (keys.identity !== null || keys.devices.some(({ membership }) => membership !== null)) {
    try {
      return await (await context.clientOf(keys)).recovery(kept).recover(by)
    } catch (error) {
      if (!isRefusedKey(error)) throw error
    }
  }
  return (await temporarySender(context)).recovery(kept).recover(by)
}

/** Refusals of what the key may do, beside 401. Another identity can send the same. */
const OF_THE_KEY = ['capability_required', 'device_keys_disabled']

function isRefusedKey(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'ServiceError') return false
  const { status, error: code } = error as ServiceError
  return status === 401 || OF_THE_KEY.includes(code)
}
