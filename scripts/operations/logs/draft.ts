/**
 * Log lists before they are published: a file that goes from one holder of a list key to the next, and collects their
 * signatures.
 *
 * @module
 */
import { SetupError } from '@svc/platform/workspace'
import { mlDsa65 } from '@svc/pqc'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { userIdOf } from '@svc/protocol/base/identity'
import { CHECKPOINT_TYPES, type LogCheckpoint } from '@svc/protocol/merkle/checkpoint'
import { logKeySeed } from '@svc/protocol/merkle/log-key'
import {
  type ListedLog,
  type ListKeys,
  listKeysSchema,
  logListSchema,
  MAX_LIST_KEYS,
  type SignedLogList,
  signedLogListSchema,
} from '@svc/protocol/merkle/log-list'
import { firstLogList, nextLogList, openedLog, signLogList } from '@svc/protocol/merkle/log-list-signing'
import type { LogEnd } from '@svc/protocol/merkle/log-name'
import { type Keeper, keeperOf, logSeedOf, type Reported } from './keepers.ts'
import { type KeyChange, keysAfter, type ListedMembers } from './listed-keys.ts'

const DAY_MS = 24 * 3_600_000

/** A list with the signatures so far. */
export type LogListDraft = SignedLogList

export function readDraft(file: string, value: unknown): LogListDraft {
  const { statement, signatures, ...others } = (value ?? {}) as Readonly<Record<string, unknown>>
  const list = logListSchema.safeParse(statement)
  const isUnsigned = Array.isArray(signatures) && signatures.length === 0
  const signed = isUnsigned ? null : signedLogListSchema.shape.signatures.safeParse(signatures)
  if (list.success && signed?.success !== false && Object.keys(others).length === 0)
    return { statement: list.data, signatures: signed?.data ?? [] }
  throw new SetupError(`${file} is not a log list.`)
}

/** The keys that sign a list. */
export function listKeysOf(publicKeysB64u: readonly string[], threshold: number): ListKeys {
  const keys = listKeysSchema.safeParse({ threshold, publicKeysB64u })
  if (keys.success) return keys.data
  throw new SetupError(
    `The list needs 1 to ${MAX_LIST_KEYS} distinct ML-DSA-65 public keys, and a threshold from 1 to their number.`,
  )
}

export interface Validity {
  readonly now: number
  readonly days: number
}

/** Version 1: the logs that the Workers write, the key of the labels that the directory proves, and the deployment's keys. */
export function firstDraft(
  keepers: readonly Keeper[],
  reported: Reported,
  keys: ListKeys,
  listed: ListedMembers,
  { now, days }: Validity,
): LogListDraft {
  const [keeper] = keepers
  if (!keeper) throw new SetupError('No Worker keeps a log.')
  const { namespace, realms } = keeper
  const times = { issuedAt: now, validUntil: now + days * DAY_MS }
  const logs = reported.logs.map((log) => openedLog(log, now))
  const { labelKeyB64u } = reported
  const members = { ...listed, realm: realms[0], namespace, labelKeyB64u, keys, logs, ...times }
  return { statement: firstLogList(members), signatures: [] }
}

/** What a new version changes. Logs are named in full. */
export interface ListChange {
  readonly announce: readonly ListedLog[]
  readonly open: readonly ListedLog[]
  /** The last checkpoints of the logs to close. */
  readonly close: readonly LogCheckpoint[]
  readonly keys: ListKeys | undefined
  /** The deployment's current keys, besides those of its logs. */
  readonly listed: KeyChange
  /** Where the Workers serve tiles and entries now: the hosts of a deployment may have changed. */
  readonly keepers: readonly Pick<Keeper, 'series' | 'tiles'>[]
}

/** The version after a list. Publishing verifies it; this only applies the changes. */
export function nextDraft(before: SignedLogList, change: ListChange, { now, days }: Validity): LogListDraft {
  const logs = new Map(before.statement.logs.map((one) => [one.log, one]))
  for (const final of change.close) {
    const { log } = final.statement
    const listed = logs.get(log)
    if (listed?.state !== 'open') throw new SetupError(`${log} is not open in version ${before.statement.version}.`)
    logs.set(log, { ...listed, state: 'closed', final })
  }
  for (const one of change.announce) {
    if (logs.has(one.log)) throw new SetupError(`${one.log} is in version ${before.statement.version} already.`)
    logs.set(one.log, { ...one, state: 'announced', openedAt: now })
  }
  for (const one of change.open) {
    const listed = logs.get(one.log) ?? one
    if (logs.has(one.log) && listed.state !== 'announced') throw new SetupError(`${one.log} was opened before.`)
    logs.set(one.log, { ...listed, state: 'open', openedAt: now, previous: endOf(one, change.close) })
  }
  const { keys = before.statement.keys, keepers } = change
  const listed = [...logs.values()].map((one) => ({
    ...one,
    tiles: keepers.find(({ series }) => series === one.series)?.tiles ?? one.tiles,
  }))
  const others = keysAfter(before.statement, change.listed, now)
  const members = { ...others, realm: others.realms[0], keys, logs: listed, issuedAt: now }
  return { statement: nextLogList(before, { ...members, validUntil: now + days * DAY_MS }), signatures: [] }
}

/** A log that opens continues the one of its series that closes with it. */
function endOf({ series }: ListedLog, closed: readonly LogCheckpoint[]): LogEnd | null {
  const last = closed.find(({ statement }) => statement.type === CHECKPOINT_TYPES[series])?.statement
  return last ? { log: last.log, size: last.size, root: last.root } : null
}

/** A log of the deployment with the key that its Worker derives for it, by default from the configured version of the seed. */
export async function derivedLog(
  keepers: readonly Keeper[],
  log: string,
  seedOf: (name: string) => string | undefined,
  version?: number,
): Promise<ListedLog> {
  const keeper = keeperOf(keepers, log)
  const { seed, keyVersion } = logSeedOf(keeper, log, seedOf, version)
  const key = await mlDsa65.publicKeyOf(logKeySeed(seed, keyVersion, log))
  return openedLog({ log, series: keeper.series, publicKeyB64u: encodeBase64url(key), tiles: keeper.tiles }, 0)
}

/** Adds the signature of one list key. Signing twice changes nothing. */
export async function signedDraft({ statement, signatures }: LogListDraft, seed: Uint8Array): Promise<LogListDraft> {
  const publicKey = await mlDsa65.publicKeyOf(seed)
  const signer = { publicKey, sign: (message: Uint8Array) => mlDsa65.sign(seed, message) }
  const own = encodeBase64url(publicKey)
  const others = signatures.filter(({ publicKeyB64u }) => publicKeyB64u !== own)
  const added = await signLogList(statement, [signer])
  return { statement, signatures: [...others, ...added.signatures] }
}

function span({ validFrom, validUntil }: { readonly validFrom: number; readonly validUntil: number | null }): string {
  const day = (at: number) => new Date(at).toISOString()
  return `from ${day(validFrom)}${validUntil === null ? '' : ` until ${day(validUntil)}`}`
}

/** What a holder of a key should read before signing. */
export function describeDraft({ statement, signatures }: LogListDraft): string[] {
  const { keys, logs, realm, realms, labelKeyB64u, services, beacon, witnesses, version, issuedAt, validUntil } =
    statement
  const shown = (key: string) => userIdOf(bytesOf(key)).slice(0, 16)
  const until = new Date(validUntil).toISOString()
  return [
    `log list ${version} of ${realm}, issued ${new Date(issuedAt).toISOString()}, valid until ${until}`,
    `keys: ${keys.threshold} of ${keys.publicKeysB64u.map(shown).join(', ')}`,
    `labels of accounts: key ${labelKeyB64u}`,
    ...logs.map(
      ({ log, state, publicKeyB64u, tiles }) =>
        `${state}: ${log}, key ${shown(publicKeyB64u)}, files at ${tiles ?? 'no address'}`,
    ),
    ...(realms.length > 1 ? [`also accepted: ${realms.slice(1).join(', ')}`] : []),
    ...services.map((key) => `${key.service} ${key.use}: key ${shown(key.publicKeyB64u)}, ${span(key)}`),
    ...beacon.map((key) => `beacon: ${key.verifierKey.split('+').slice(0, 2).join('+')}, ${key.alg}, ${span(key)}`),
    ...witnesses.keys.map((key) => `witness: key ${shown(key.publicKeyB64u)}, ${span(key)}`),
    `witnesses proposed: ${witnesses.threshold} of them`,
    `signed by: ${signatures.map(({ publicKeyB64u }) => shown(publicKeyB64u)).join(', ') || 'nobody'}`,
  ]
}
