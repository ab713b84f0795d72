import type { Client, KeptRecovery } from '#client'
import type { KeySet } from '#client/backup'
import type { Context } from '../context.ts'

/** No command runs longer than this. */
const SOON_MS = 60_000

/**
 * Returns the client that sends a recovery. It uses a key of this machine or, without one, a temporary identity: the keys
 * of the recovery sign everything, so anyone can send it.
 */
export async function senderFor(context: Context, keys: KeySet, kept: KeptRecovery): Promise<Client> {
  const isHere = keys.identity !== null || keys.devices.some(({ membership }) => membership !== null)
  if (isHere) return context.clientOf(keys)
  const nobody = await context.client('nobody')
  const { stage, next } = await nobody.recovery(kept).status()
  // Creates no sender while the recovery only waits, unless it becomes due while this command runs.
  const isSoon = next.act === 'finish' && (next.at ?? 0) < context.environment.now() + SOON_MS
  if (context.options.dryRun || (stage !== 'due' && next.act !== 'start' && !isSoon)) return nobody
  const { Identity } = await import('#client/identity')
  const sender = await context.clientOf({ identity: await Identity.create(), former: [], devices: [] })
  await sender.chain.genesis()
  return sender
}
