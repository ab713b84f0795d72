import type { KeySet } from '#client/backup'
import type { Context } from '../context.ts'

/** Returns the current root key, its epoch and its commitment, verified from the first key on. */
export async function rootNow(context: Context, did: string, keys: KeySet) {
  const client = await context.clientOf(keys)
  const [{ publicKeyB64u, epoch, commitment }, [{ userId: scope }]] = await Promise.all([
    client.chain.root(did),
    client.keyHistory.of(did),
  ])
  return { scope, publicKeyB64u, epoch, commitment }
}
