import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { LogFiles } from '@svc/log'
import { updateEntryOf } from '@svc/protocol/keys/account-updates'
import { AccountMap } from '@svc/protocol/keys/map-in-memory'
import { BUCKETS } from '@svc/protocol/keys/map-pages'
import { REALM } from '@svc/testing'
import { logEntries } from '../../src/account-map/log-entries.ts'
import { LOG, log } from '../transparency/log.fixture.ts'

export const accountMap = () => env.ACCOUNT_MAP.getByName(REALM)
export const bucketAt = (bucket: number) =>
  env.MAP_BUCKETS.getByName(`${REALM}/${bucket.toString(16).padStart(2, '0')}`)

/** Has everything in the log become part of the map. */
export async function mapped(): Promise<void> {
  await accountMap().wake()
  await runDurableObjectAlarm(accountMap())
}

export async function entriesOf(to?: number): Promise<string[]> {
  const head = await log().head(LOG)
  return logEntries(new LogFiles(env.TILES, LOG), head, 0, to ?? head.size)
}

/** What the map of the first entries must be. */
export function mapOf(entries: readonly string[]): AccountMap {
  const map = new AccountMap()
  map.count(entries.flatMap((line) => updateEntryOf(line) ?? []))
  return map
}

export const rootOfEntries = (entries: readonly string[]) => mapOf(entries).root
export const ALL_BUCKETS = Array.from({ length: BUCKETS }, (_, bucket) => bucket)
