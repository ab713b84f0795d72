import type { Identity } from '#client'
import { usage } from '../cli-error.ts'
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
