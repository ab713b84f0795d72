import { join } from 'node:path'
import { Client, Identity, ServiceError } from '@svc/client'
import { FileStore, KeyFile } from '@svc/client/node'

export interface Author {
  readonly client: Client
  readonly identity: Identity
}

export interface Place {
  readonly core: string
  /** Where the page is: registering an identity needs an allowlisted origin. */
  readonly origin: string
  /** Has the keys, and what the client has seen. */
  readonly folder: string
  readonly passphrase: string
}

/** The author whose keys are in the folder, encrypted with the passphrase; null without keys there. */
export async function openAuthor(place: Place): Promise<Author | null> {
  const keys = await keyFile(place).load(place.passphrase)
  return keys?.identity ? connected(keys.identity, place) : null
}

/** A new author. The keys are kept before the service knows them, so a crash leaves no identity without keys. */
export async function createAuthor(place: Place): Promise<Author> {
  const identity = await Identity.create()
  await keyFile(place).save({ identity }, place.passphrase)
  return connected(identity, place)
}

/** Makes the author reachable: an identity, and the key to which visitors encrypt. Can be repeated. */
export async function register({ client, identity }: Author): Promise<void> {
  if (!(await exists(client, identity.did))) await client.chain.genesis()
  await client.did.register()
}

const keyFile = ({ folder }: Place) => new KeyFile(join(folder, 'keys.json'))

async function connected(identity: Identity, { core, origin, folder }: Place): Promise<Author> {
  const trustStore = new FileStore(join(folder, 'seen.json'))
  return { identity, client: await Client.connect({ core, origin, identity, trustStore }) }
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
