import type { Client, Identity } from '#client'
import { locked, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import type { OpenedKeys } from './take-over.ts'

/** Opens the keys of the profile's identity. Throws if its root key is not among them. */
export async function rootHere(context: Context): Promise<OpenedKeys & { readonly identity: Identity }> {
  const did = await context.did()
  const { keys, passphrase } = await context.keys.open(did)
  const { identity } = keys
  if (!identity) throw usage('Only the root key can ask for a new one', 'run it where the root key is')
  return { did, keys, identity, passphrase }
}

/** Returns what core answers about the root key of this machine. Throws if the identity has another root key. */
export async function currentRoot({ chain }: Client, { did, userId }: Identity) {
  const root = await chain.root(did)
  if (root.userId === userId) return root
  throw locked(
    'key_superseded',
    'The identity has another root key than the one on this machine',
    'import the new root key with svc id import',
  )
}
