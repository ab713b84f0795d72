import { guardianRequestId } from '@svc/client/functions'
import type { Cast } from './cast.ts'

const SUBJECT = 'a7'.repeat(48)
const DAY_MS = 86_400_000

/** A request to guardians, and who joined an epoch. Packages and prekeys are in the load. */
export async function rememberKeys(cast: Cast): Promise<void> {
  await guardians(cast)
  await epoch(cast)
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

/** One for all parts of the load: two epochs cannot be open at the same time. */
const opened = new WeakSet<Cast>()

async function epoch(cast: Cast): Promise<void> {
  if (!opened.has(cast)) await openEpoch(cast)
  opened.add(cast)
  const { client } = await cast.someone()
  await client.epochs.join()
  const joined = async () => (await client.epochs.current()).epoch?.joined ?? 0
  const before = await joined()
  cast.memories.holds('who joined an epoch', async () => (await joined()) >= before)
}

async function openEpoch(cast: Cast): Promise<void> {
  const now = Date.now()
  const members = { epoch: Math.floor(now / 1000), opensAt: now, closesAt: now + DAY_MS }
  await cast.perform({ type: 'svc/operator-epoch/v1', service: 'keys', members })
}
