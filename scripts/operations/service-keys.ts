import { firstKeys } from '@svc/platform/service-keys'
import { SetupError, type WorkerName } from '@svc/platform/workspace'
import {
  keysOf,
  SERVICE_KEY_USES,
  type ServiceKey,
  type ServiceKeyUse,
  signingKeyAt,
} from '@svc/protocol/http/service-keys'
import type { CloudflareApi } from './cloudflare-api.ts'
import { type Deployment, writeDeployment } from './deployment.ts'
import { nextSeedName, type SecretsFile } from './secrets.ts'
import type { RawConfig } from './worker-deployment.ts'

const DAY_MS = 86_400_000
/** Both keys may sign for a day: the clocks of two locations differ by less. */
const OVERLAP_MS = DAY_MS

/** Publishes the first key of every use. A key that is already published stays as it is. */
export async function publishFirstKeys(deployment: Deployment, secrets: SecretsFile): Promise<Deployment> {
  const first = await firstKeys((name) => secrets.get(name))
  const missing = first.filter((key) => keysOf(deployment.serviceKeys, key).length === 0)
  if (missing.length === 0) return deployment
  return writeDeployment(deployment, { serviceKeys: [...deployment.serviceKeys, ...missing] })
}

/** Reasons not to upload a Worker: it lacks the seed of a key that it must sign with, or no key is published. */
export async function keyFaults(
  worker: WorkerName,
  { serviceKeys, name }: Deployment,
  secrets: SecretsFile,
  now: number,
): Promise<string[]> {
  const seeds = await firstKeys((seed) => secrets.get(seed))
  const nextSeeds = await firstKeys((seed) => secrets.get(nextSeedName(seed)))
  const file = `deployments/${name}.json`
  return SERVICE_KEY_USES.filter(({ service }) => service === worker).flatMap((use) => {
    const own = keysOf(serviceKeys, use)
    if (own.length === 0) return [`${worker}: ${file} has no key for ${use.use}: run scripts/provision`]
    const held = keysOf([...seeds, ...nextSeeds], use).map(({ publicKeyB64u }) => publicKeyB64u)
    // Without the secrets at hand there is nothing to compare.
    if (held.length === 0) return []
    const signing = signingKeyAt(own, use, now)
    const needed = own.filter((key) => key === signing || key.validFrom > now)
    const isComplete = needed.every(({ publicKeyB64u }) => held.includes(publicKeyB64u))
    return isComplete ? [] : [`${worker}: ${use.seed} is not the seed of the key in ${file}`]
  })
}

export interface Announcement {
  readonly deployment: Deployment
  readonly configs: ReadonlyMap<WorkerName, RawConfig>
  readonly secrets: SecretsFile
  /** The seed whose key is replaced. */
  readonly seed: string
  /** How long the next key is announced before it signs. */
  readonly days: number
  readonly now: number
}

/**
 * Generates the next key of a use, sends its seed to the Worker, and publishes it with the time from which it signs;
 * the next list names it, and `scripts/deploy` hands it to the Workers. Until its time the Worker ignores the seed. Can be
 * run again after a failure.
 */
export async function announceNextKey(announcement: Announcement, api: CloudflareApi): Promise<ServiceKey> {
  const { deployment, configs, secrets, seed, days, now } = announcement
  const use = useOf(seed)
  const script = (configs.get(use.service)?.name ?? '') + deployment.suffix
  const announced = await announcedKey(deployment, secrets, use)
  if (announced && announced.validFrom > now)
    throw new SetupError(`The next key of ${seed} signs from ${new Date(announced.validFrom).toISOString()}.`)
  if (announced) {
    // First at the Worker: if this stops here, the Worker has one key twice and still signs.
    await api.putSecret(script, seed, secrets.get(nextSeedName(seed)) ?? '')
    secrets.promote(seed)
  }
  secrets.make(nextSeedName(seed))
  await api.putSecret(script, nextSeedName(seed), secrets.get(nextSeedName(seed)) ?? '')
  const validFrom = now + days * DAY_MS
  const signing = signingKeyAt(deployment.serviceKeys, use, now)
  const next: ServiceKey = { ...(await keyOfNextSeed(secrets, use)), validFrom }
  const ended = deployment.serviceKeys.map((key) =>
    key === signing ? { ...key, validUntil: validFrom + OVERLAP_MS } : key,
  )
  writeDeployment(deployment, { serviceKeys: [...ended, next] })
  return next
}

/**
 * Ends the key that signs for a use, for example because its seed was stolen. From the next list on, clients accept nothing
 * that is dated later. The service signs nothing until its next key begins.
 */
export function endKey({ deployment, seed, now }: Pick<Announcement, 'deployment' | 'seed' | 'now'>): ServiceKey {
  const use = useOf(seed)
  const signing = signingKeyAt(deployment.serviceKeys, use, now)
  if (!signing) throw new SetupError(`No key of ${seed} signs now.`)
  const ended = { ...signing, validUntil: Math.max(now, signing.validFrom + 1) }
  writeDeployment(deployment, { serviceKeys: deployment.serviceKeys.map((key) => (key === signing ? ended : key)) })
  return ended
}

function useOf(seed: string): ServiceKeyUse {
  const use = SERVICE_KEY_USES.find((one) => one.seed === seed)
  if (use) return use
  throw new SetupError(`${seed} is none of ${SERVICE_KEY_USES.map((one) => one.seed).join(', ')}.`)
}

async function announcedKey(deployment: Deployment, secrets: SecretsFile, use: ServiceKeyUse) {
  if (!secrets.has(nextSeedName(use.seed))) return undefined
  const { publicKeyB64u } = await keyOfNextSeed(secrets, use)
  return deployment.serviceKeys.find((key) => key.publicKeyB64u === publicKeyB64u)
}

async function keyOfNextSeed(secrets: SecretsFile, { seed }: ServiceKeyUse): Promise<ServiceKey> {
  const [key] = await firstKeys((name) => (name === seed ? secrets.get(nextSeedName(seed)) : undefined))
  if (!key) throw new SetupError(`${secrets.path} has no ${nextSeedName(seed)}.`)
  return key
}
