import { join } from 'node:path'
import { Client, Identity, ServiceError } from '@svc/client'
import { FileStore, KeyFile } from '@svc/client/node'

export interface Vault {
  readonly client: Client
  readonly did: string
}

/**
 * A client for the identity whose keys are in a folder, encrypted with a passphrase. Without keys there, a new identity.
 * What the client has seen of its vault is kept too, so that a service cannot show an older one the next time.
 */
export async function openVault(core: string, folder: string, passphrase: string): Promise<Vault> {
  const file = new KeyFile(join(folder, 'keys.json'))
  const known = (await file.load(passphrase))?.identity
  const identity = known ?? (await Identity.create())
  // Before the service knows the identity: a crash in between leaves keys without an identity, and not the reverse.
  if (!known) await file.save({ identity }, passphrase)
  const client = await Client.connect({ core, identity, trustStore: new FileStore(join(folder, 'seen.json')) })
  if (!(await exists(client, identity.did))) await client.chain.genesis()
  return { client, did: identity.did }
}

/** Reading has a higher limit than creating, which one address can do five times a minute. */
async function exists(client: Client, did: string): Promise<boolean> {
  try {
    await client.chain.readGenesis(did)
    return true
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return false
    throw error
  }
}
