import type { Client } from '@svc/client'
import { EpochVault } from '@svc/client/epoch-vault'
import { guardianRequestId } from '@svc/client/functions'
import type { StatementType } from '@svc/protocol/base/statement'
import type { Cast } from './cast.ts'

const SUBJECT = 'a7'.repeat(48)
const DAY_MS = 86_400_000

/** A request to guardians, and a note in the vault of an epoch. Packages and prekeys are in the load. */
export async function rememberKeys(cast: Cast): Promise<void> {
  await guardians(cast)
  await vault(cast)
}

async function guardians(cast: Cast): Promise<void> {
  const [owner, first, second] = [await cast.someone(), await cast.someone(), await cast.someone()]
  const request = await owner.client.guardians.makeRequest({
    subjectHash: SUBJECT,
    guardians: [first.identity.did, second.identity.did],
    threshold: 2,
  })
  const id = guardianRequestId(request.statement)
  await owner.client.guardians.open(request)
  for (const { client } of [first, second]) await client.guardians.attest(id, SUBJECT)
  cast.memories.holds('what guardians attest', async () => {
    return (await owner.client.guardians.status(id)).state === 'met'
  })
}

/** One vault for all parts of the load: two epochs cannot be open at the same time. */
const vaults = new WeakMap<Cast, { readonly client: Client; readonly epoch: number }>()

async function vault(cast: Cast): Promise<void> {
  const { client, epoch } = vaults.get(cast) ?? (await openVault(cast))
  const { noteId } = await (await EpochVault.open(client, epoch)).write({ title: 'Plan', body: 'Meet at noon' })
  cast.memories.holds('a note in the vault of an epoch', async () => {
    return (await (await EpochVault.open(client, epoch)).read(noteId)).body === 'Meet at noon'
  })
}

async function openVault(cast: Cast): Promise<{ readonly client: Client; readonly epoch: number }> {
  const now = Date.now()
  const epoch = Math.floor(now / 1000)
  const operator = (type: StatementType, members: Readonly<Record<string, unknown>>) =>
    cast.perform({ type, service: 'keys', members })
  await operator('svc/operator-epoch/v1', { epoch, opensAt: now, closesAt: now + DAY_MS })
  const { identity, client } = await cast.someone()
  await client.did.register()
  await client.epochs.join()
  await client.epochs.acknowledge(epoch)
  await operator('svc/operator-epoch-member/v1', { epoch, did: identity.did, action: 'admit' })
  vaults.set(cast, { client, epoch })
  return { client, epoch }
}
