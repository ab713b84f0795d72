import type { Client, KeptRecovery } from '#client'
import type { KeySet } from '#client/backup'
import type { Context } from '../context.ts'

/** Longer than a command runs. */
const SOON_MS = 60_000

/**
 * Who sends a recovery: a key of this machine, or where there is none, an identity that is made for it and thrown away.
 * Everything is signed by the keys of the recovery, so anyone can send it.
 */
export async function senderFor(context: Context, keys: KeySet, kept: KeptRecovery): Promise<Client> {
  const isHere = keys.identity !== null || keys.devices.some(({ membership }) => membership !== null)
  if (isHere) return context.clientOf(keys)
  const nobody = await context.client('nobody')
  const { stage, next } = await nobody.recovery(kept).status()
  // Nothing is sent, and no sender made, while there is only something to wait for. It may become due meanwhile.
  const isSoon = next.act === 'finish' && (next.at ?? 0) < context.environment.now() + SOON_MS
  if (context.options.dryRun || (stage !== 'due' && next.act !== 'start' && !isSoon)) return nobody
  const { Identity } = await import('#client/identity')
  const sender = await context.clientOf({ identity: await Identity.create(), former: [], devices: [] })
  await sender.chain.genesis()
  return sender
}
