import type { Client, KeptRecovery, RecoverOptions, RecoveryProgress } from '#client'
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

/** Does what can be done now for a recovery. Creates no sender while there is only something to wait for. */
export async function proceed(context: Context, kept: KeptRecovery, by: RecoverOptions): Promise<RecoveryProgress> {
  const { completedRecovery } = await import('#client/functions')
  const nobody = await context.client('nobody')
  const status = await nobody.recovery(await completedRecovery(kept, by.successor)).status()
  const { stage, next } = status
  if (next.act === 'finish' && stage !== 'due') return { status, acts: [], needs: null, request: null }
  const isSending = next.act === 'start' || next.act === 'contest' || next.act === 'finish'
  const client = isSending ? await temporarySender(context) : nobody
  return client.recovery(kept).recover(by)
}
