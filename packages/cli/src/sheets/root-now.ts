import type { KeySet } from '#client/backup'
import type { Context } from '../context.ts'

/** Returns the epoch and the commitment of the current root key, verified from the first key on. */
export async function rootNow(context: Context, did: string, keys: KeySet) {
  const client = await context.clientOf(keys)
  const [{ epoch, commitment }, [{ userId: scope }]] = await Promise.all([
    client.chain.root(did),
    client.keyHistory.of(did),
  ])
  return { scope, epoch, commitment }
}
