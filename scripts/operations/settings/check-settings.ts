/**
 * Compares what the account has with what cannot be changed later: where databases, buckets and objects are.
 *
 * @module
 */
import { SetupError, type WorkerName } from '@svc/platform/workspace'
import type { CloudflareApi, DatabaseSettings } from '../cloudflare-api.ts'
import type { Deployment } from '../deployment.ts'
import { JURISDICTIONS, type Location } from '../location.ts'
import type { RawConfig } from '../worker-deployment.ts'

/** Refuses a database that is elsewhere; returns what differs and is only a wish. */
export function checkDatabase(name: string, found: DatabaseSettings, location: Location): string[] {
  if (found.jurisdiction !== location.jurisdiction)
    throw new SetupError(
      `The database ${name} is in the jurisdiction ${found.jurisdiction}, not ${location.jurisdiction}. ` +
        'That cannot be changed: set location.jurisdiction back, or provision under another suffix.',
    )
  return hintDiffers(found.region, location) ? [`  in ${found.region.toLowerCase()}, not ${location.locationHint}`] : []
}

/** Refuses a bucket of that name in another jurisdiction: the Workers would be bound to a new, empty one. */
export async function checkBucket(api: CloudflareApi, name: string, location: Location): Promise<string[]> {
  for (const jurisdiction of JURISDICTIONS)
    if (jurisdiction !== location.jurisdiction && (await api.bucketRegion(name, jurisdiction)) !== null)
      throw new SetupError(
        `The bucket ${name} is in the jurisdiction ${jurisdiction}, not ${location.jurisdiction}. ` +
          'That cannot be changed: set location.jurisdiction back, or provision under another suffix.',
      )
  const region = await api.bucketRegion(name, location.jurisdiction)
  return region !== null && hintDiffers(region, location)
    ? [`  in ${region.toLowerCase()}, not ${location.locationHint}`]
    : []
}

/** Refuses Workers whose objects are in another jurisdiction: each object would be another one, which is empty. */
export async function checkObjects(
  api: CloudflareApi,
  configs: ReadonlyMap<WorkerName, RawConfig>,
  { location, suffix }: Pick<Deployment, 'location' | 'suffix'>,
): Promise<void> {
  const scripts = await api.scripts()
  for (const { name, durable_objects } of configs.values()) {
    const script = name + suffix
    if (durable_objects === undefined || !scripts.has(script)) continue
    const found = (await api.variable(script, 'JURISDICTION')) ?? location.jurisdiction
    if (found !== location.jurisdiction)
      throw new SetupError(
        `The objects of ${script} are in the jurisdiction ${found}, not ${location.jurisdiction}. ` +
          'In another one each object is new and empty: set location.jurisdiction back.',
      )
  }
}

function hintDiffers(region: string, { locationHint }: Location): boolean {
  return locationHint !== '' && region !== '' && region.toLowerCase() !== locationHint
}
