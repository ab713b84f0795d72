import { SetupError } from '@svc/platform/workspace'
import { keysOf, type ServiceKey } from '@svc/protocol/http/service-keys'
import {
  type ListKeys,
  listedLog,
  listHash,
  type SignedLogList,
  signedLogListSchema,
} from '@svc/protocol/merkle/log-list'
import { type ListFault, verifyNextList, verifyPinnedList } from '@svc/protocol/merkle/log-list-chain'
import { logListFiles, logListKey, NEWEST_LIST_KEY } from '@svc/protocol/merkle/log-list-files'
import type { CloudflareApi } from '../cloudflare-api.ts'
import { type Deployment, writeDeployment } from '../deployment.ts'
import type { LogListDraft } from './draft.ts'
import { type Configured, type Keeper, keepersOf, type Reported, reported, type Send } from './keepers.ts'

export interface Publication extends Configured {
  readonly draft: LogListDraft
  readonly now: number
  readonly print: (line: string) => void
  /** Verifies and prints, and writes nothing. */
  readonly isDryRun?: boolean
  readonly send?: Send
}

interface Store {
  readonly bucket: string
  readonly newest: SignedLogList | null
}

const REASONS: Readonly<Record<ListFault['reason'], string>> = {
  wrong_realm: 'it is for another realm',
  list_expired: 'its time is over',
  threshold_not_met: 'it lacks signatures: a threshold of its own keys and of those of the version before must sign',
  not_successor: 'it does not follow the newest version there; make it again with `next`',
  list_rolled_back: 'a later version is there',
  list_inconsistent: 'its logs or keys contradict each other, or the version before',
}

/** Verifies a list as clients will, then puts it into every bucket that lacks it. Can be run again after a failure. */
export async function publishLogList(publication: Publication, api: CloudflareApi): Promise<Deployment> {
  const { deployment, draft, now, print, isDryRun = false } = publication
  const keepers = keepersOf(publication)
  const list = await completeList(draft, keepers, now)
  requireReported(list, await reported(keepers, publication.send))
  const unlisted = unlistedKeys(list, deployment.serviceKeys)[0]
  if (unlisted)
    throw new SetupError(`The list lacks the key of ${unlisted.service} for ${unlisted.use}: make it again.`)
  const stores = await storesOf(keepers, api)
  const lacking = stores.filter(({ newest }) => newest === null || listHash(newest) !== listHash(list))
  for (const store of lacking) await requireSuccessor(store, list, keepers)
  if (lacking.length > 0) requirePinned(deployment, list, lacking)
  // Nothing was written before all of it was verified.
  for (const { bucket } of lacking)
    for (const { key, text } of logListFiles(list)) {
      const bytes = new TextEncoder().encode(text)
      if (!isDryRun) await api.writeObject(bucket, key, bytes)
      print(`${key} of ${bucket}: ${isDryRun ? 'would be written' : 'written'}, ${bytes.length} bytes`)
    }
  if (lacking.length === 0) print(`version ${list.statement.version} is in every bucket`)
  return isDryRun ? deployment : keepKeys(deployment, list.statement.keys, print)
}

/** The newest list of the deployment, which must be the same in every bucket. */
export async function newestLogList(keepers: readonly Keeper[], api: CloudflareApi): Promise<SignedLogList> {
  const [first, ...others] = await storesOf(keepers, api)
  if (!first?.newest) throw new SetupError('The deployment has no log list; make version 1 with `init`.')
  const hash = listHash(first.newest)
  const other = others.find(({ newest }) => newest === null || listHash(newest) !== hash)
  if (other)
    throw new SetupError(`${first.bucket} and ${other.bucket} have different lists: publish the newest one again.`)
  return first.newest
}

async function completeList(draft: LogListDraft, [keeper]: readonly Keeper[], now: number): Promise<SignedLogList> {
  const list = signedLogListSchema.safeParse(draft)
  if (!list.success) throw refused('threshold_not_met')
  const verified = await verifyPinnedList(list.data, list.data.statement.keys, keeper?.realms ?? [''], now)
  if (!verified.ok) throw refused(verified.error.reason)
  return list.data
}

/** Services serve only a list that names the log that they write, with the key that they sign with, and that of labels. */
function requireReported({ statement }: SignedLogList, { logs, labelKeyB64u }: Reported): void {
  if (statement.labelKeyB64u !== labelKeyB64u)
    throw new SetupError('The list has another key of labels than keys proves with: KEY_LABELS_SEED must never change.')
  for (const { log, publicKeyB64u } of logs) {
    const listed = listedLog(statement, log)
    if (listed?.state !== 'open') throw new SetupError(`The list does not name ${log} as open, and a Worker writes it.`)
    if (listed.publicKeyB64u !== publicKeyB64u)
      throw new SetupError(`The list has another key for ${log} than the Worker signs with.`)
  }
}

/** Published keys that a list does not have, or has for another time. Clients refuse what these sign. */
export function unlistedKeys({ statement }: SignedLogList, keys: readonly ServiceKey[]): readonly ServiceKey[] {
  return keys.filter(
    (key) =>
      !keysOf(statement.services, key).some(
        ({ publicKeyB64u, validFrom, validUntil }) =>
          publicKeyB64u === key.publicKeyB64u && validFrom === key.validFrom && validUntil === key.validUntil,
      ),
  )
}

async function storesOf(keepers: readonly Keeper[], api: CloudflareApi): Promise<Store[]> {
  return Promise.all(
    keepers.map(async ({ bucket }) => {
      const pointer = await api.readObject(bucket, NEWEST_LIST_KEY)
      if (pointer === null) return { bucket, newest: null }
      const key = logListKey(Number(textOf(pointer)))
      const stored = await api.readObject(bucket, key)
      const list = signedLogListSchema.safeParse(stored && parsed(textOf(stored)))
      if (!list.success) throw new SetupError(`${key} of ${bucket} is missing or malformed.`)
      return { bucket, newest: list.data }
    }),
  )
}

async function requireSuccessor({ bucket, newest }: Store, list: SignedLogList, [keeper]: readonly Keeper[]) {
  if (newest === null) {
    if (list.statement.version !== 1) throw new SetupError(`${bucket} has no log list: publish version 1 first.`)
    return
  }
  const verified = await verifyNextList(newest, list, keeper?.realms ?? [''])
  if (!verified.ok) throw refused(verified.error.reason, bucket)
}

/** The environment's file remembers the keys: a list that somebody else put into a bucket is not continued. */
function requirePinned({ name, logListKeys }: Deployment, list: SignedLogList, stores: readonly Store[]): void {
  if (logListKeys === null) return
  for (const { newest } of stores)
    if (JSON.stringify((newest ?? list).statement.keys) !== JSON.stringify(logListKeys))
      throw new SetupError(`deployments/${name}.json has other logListKeys than the list${newest ? ' before' : ''}.`)
}

function keepKeys(deployment: Deployment, keys: ListKeys, print: Publication['print']): Deployment {
  if (JSON.stringify(deployment.logListKeys) === JSON.stringify(keys)) return deployment
  print(`the keys of the list: kept in deployments/${deployment.name}.json. Commit it, and run scripts/deploy`)
  return writeDeployment(deployment, { logListKeys: keys })
}

function refused(reason: ListFault['reason'], bucket?: string): SetupError {
  return new SetupError(`The list is refused${bucket === undefined ? '' : ` for ${bucket}`}: ${REASONS[reason]}.`)
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
