/**
 * An identity that is made, writes at every service, reads back what it wrote, and ends itself. The SDK verifies what it
 * reads, so an answer with a wrong signature is a fault like one that is missing.
 *
 * @module
 */
import { Client, Identity, ServiceError } from '@svc/client'
import type { WorkerName } from '@svc/platform/workspace'

export interface SyntheticPlaces {
  readonly urls: Readonly<Record<WorkerName, string>>
  readonly realm: string
  /** An Origin that the services allow, if they require one. */
  readonly origin?: string | undefined
}

export interface SyntheticOptions {
  /** Added to every request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof fetch
}

/** Throws an error that names the first step that fails. */
export async function syntheticRound(places: SyntheticPlaces, options: SyntheticOptions = {}): Promise<void> {
  const { urls, realm, origin } = places
  const identity = await Identity.create()
  const { discovery } = await Client.connect({ core: urls.core, realm, ...options })
  const client = new Client({
    core: urls.core,
    did: urls.did,
    pay: urls.pay,
    keys: urls.keys,
    provenance: urls.provenance,
    consent: urls.consent,
    realm,
    identity,
    // A request that is repeated hides the fault that this looks for.
    retries: false,
    ...(origin === undefined ? {} : { origin }),
    ...options,
    ...(discovery && { discovery }),
  })
  await step('core creates it', () => client.chain.genesis())
  try {
    await actsOf(client, identity)
  } finally {
    // Its keys end with this program. Whatever else failed is the better answer.
    await client.security.deactivate().catch(() => {})
  }
}

async function actsOf(client: Client, identity: Identity): Promise<void> {
  const payload = crypto.getRandomValues(new Uint8Array(64))
  const contentType = 'application/octet-stream'
  const { hash, index } = await step('core appends its block', () => client.chain.append({ payload, contentType }))
  await step('core returns the block and its chain', async () => {
    same((await client.chain.verify()).index, index)
    same(hexOf((await client.chain.payload(hash)).bytes), hexOf(payload))
  })
  await step('core keeps a note, and deletes it', async () => {
    const { noteId } = await client.notes.put({ title: 'Synthetic', body: hash })
    same((await client.notes.get(noteId)).body, hash)
    await client.notes.delete(noteId)
  })
  await step('the key directory reads its settings', () => client.keyDirectory.settings())
  await step('pay reads its entitlement', () => client.entitlement.current())
  await step('consent keeps a record, and revokes it', async () => {
    const subject = `synthetic/${crypto.randomUUID()}`
    await client.consent.publish(subject, { ai_training: 'disallow' })
    same((await client.consent.read(subject))?.hash, subject)
    await client.consent.revoke(subject)
  })
  await step('provenance registers a file, and deletes it', async () => {
    const signed = await client.provenance.sign(payload, { kind: 'image', mime: 'image/png' })
    const { assetId } = await client.provenance.register(signed)
    same((await client.provenance.verifyCapsule(assetId, identity.did)).valid, true)
    await client.provenance.deleteCapsule(assetId)
  })
  await step('the DID service resolves it', async () => {
    await client.did.register()
    same((await client.did.resolve(identity.did)).didDocument?.id, identity.did)
  })
}

async function step<T>(name: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw new Error(`the synthetic identity expects: ${name}. ${faultOf(error)}`, { cause: error })
  }
}

function faultOf(error: unknown): string {
  if (error instanceof ServiceError) return `Answered ${error.status} ${error.error}.`
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

function same(actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`read ${String(actual)} instead of ${String(expected)}`)
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
