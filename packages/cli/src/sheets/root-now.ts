import type { KeySet } from '#client/backup'
import type { Context } from '../context.ts'

/** The root key now, verified from the first one on: its epoch, and who may follow it. */
export async function rootNow(context: Context, did: string, keys: KeySet) {
  const client = await context.clientOf(keys)
  const [{ epoch, commitment }, [{ userId: scope }]] = await Promise.all([
    client.chain.root(did),
    client.keyHistory.of(did),
  ])
  return { scope, epoch, commitment }
}
