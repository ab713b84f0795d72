import type { AssertionRequest } from '@svc/assertion'
import { Client, Device, Identity } from '@svc/client'
import type { LoadRequest } from '@svc/platform/callers/send'
import type { Figure } from './figure.ts'
import { median, sendAll } from './load.ts'

const CONCURRENCY = 16
const ROUNDS = 8
const PER_ROUND = 100

interface Asserter {
  assertion(request: AssertionRequest): Promise<string>
}

/**
 * A version-2 request against a version-1 request, on core and on the DID Worker, in alternating rounds. On core, both
 * make one object call; on the DID Worker, both make one internal call, which the cache answers for a device.
 */
export async function measureDevices(core: string, did: string): Promise<Figure[]> {
  const { identity, device } = await ownerAndDevice(core, did)
  const figures: Figure[] = []
  for (const [service, url, audience] of [
    ['core', `${core}/api/chain/head`, 'chain'],
    ['did', `${did}/api/rotation/request`, 'identity'],
  ] as const) {
    const times = { root: [] as number[], device: [] as number[] }
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [kind, asserter] of [['root', identity] as const, ['device', device] as const]) {
        const requests = await signed(asserter, url, audience)
        const answers = await sendAll(requests, CONCURRENCY, 200)
        if (round > 0) times[kind].push(...answers.map(({ milliseconds }) => milliseconds))
      }
    }
    const [byDevice, byRoot] = [median(times.device), median(times.root)]
    figures.push({
      name: `version-2 request / version-1 request on ${service}, p50`,
      ratio: byDevice / byRoot,
      bar: { limit: 1.5, good: 'at most' },
      detail: `${byDevice.toFixed(2)} ms / ${byRoot.toFixed(2)} ms at concurrency ${CONCURRENCY}, ${times.root.length} each`,
    })
  }
  return figures
}

async function ownerAndDevice(core: string, did: string): Promise<{ identity: Identity; device: Device }> {
  const identity = await Identity.create()
  const client = new Client({ core, did, identity, origin: 'http://localhost:3000' })
  await client.chain.genesis()
  const fresh = await Device.create({ origin: 'app:bench', capabilities: ['chain:read', 'account:read'] })
  const attestation = await client.devices.attest(
    await fresh.acceptance(identity.did, { realm: client.realm, now: Date.now() }),
  )
  const device = await fresh.attested(attestation, await client.keyHistory.of(identity.did), client.realms)
  // Something for the DID Worker to return.
  await client.rotation.request(await client.rotation.makeRequest(await identity.successor(), { version: 2 }))
  return { identity, device }
}

function signed(asserter: Asserter, url: string, audience: string): Promise<LoadRequest[]> {
  const make = async (): Promise<LoadRequest> => {
    const authorization = await asserter.assertion({ audience, method: 'GET', url, now: Date.now() })
    return { method: 'GET', url, headers: { authorization } }
  }
  return Promise.all(Array.from({ length: PER_ROUND }, make))
}
