/**
 * A log of two periods: the first is closed, the second open. Every verifier must accept it, and refuse it after any
 * change.
 */

import { REALM } from '../../test/realm.fixture.ts'
import { toHex } from '../base/hash.ts'
import { type Signed, signStatement } from '../base/statement.ts'
import { signerOf } from '../chain/chain.fixture.ts'
import { labels } from '../keys/account-labels.fixture.ts'
import { CHECKPOINT_TYPES, type LogCheckpoint } from './checkpoint.ts'
import { closeEntry, entryHash, openEntry } from './entries.ts'
import { type ListedLog, type ListKeys, type LogList, listHash, type SignedLogList } from './log-list.ts'
import { firstLogList } from './log-list-signing.ts'
import type { LogEnd } from './log-name.ts'
import { type LogSeries, logNameOf } from './log-name.ts'
import { consistencyProof, inclusionProof, merkleRoot } from './tree.ts'

export { REALM }
export const ISSUED_AT = 1_790_000_000_000
export const VALID_UNTIL = ISSUED_AT + 365 * 24 * 3_600_000

export type LogSigner = Awaited<ReturnType<typeof signerOf>>
/** The keys of the logs, of the list, and those that replace the list's. */
export const [firstKey, secondKey, ...rest] = (await Promise.all(
  [101, 102, 103, 104, 105, 106, 107].map(signerOf),
)) as [LogSigner, LogSigner, ...LogSigner[]]
export const listSigners: readonly LogSigner[] = rest.slice(0, 3)
export const nextListSigners: readonly LogSigner[] = rest.slice(3, 5)

/** One log with everything that a service answers about it. */
export interface FixtureLog {
  readonly log: string
  readonly key: LogSigner
  readonly lines: readonly string[]
  readonly end: LogEnd
  readonly checkpoint: (size?: number, members?: object, by?: LogSigner) => Promise<LogCheckpoint>
  readonly inclusion: (index: number, size?: number) => string[]
  readonly consistency: (first: number, second?: number) => string[]
}

export function fixtureLog(series: LogSeries, log: string, key: LogSigner, lines: readonly string[]): FixtureLog {
  const leaves = lines.map(entryHash)
  const rootAt = (size: number) => toHex(merkleRoot(leaves.slice(0, size)))
  return {
    log,
    key,
    lines,
    end: { log, size: lines.length, root: rootAt(lines.length) },
    checkpoint: async (size = lines.length, members = {}, by = key) => {
      const head = { type: CHECKPOINT_TYPES[series], realm: REALM, log, size, root: rootAt(size), issuedAt: ISSUED_AT }
      const signed = await signStatement({ ...head, ...members }, by.sign)
      return { ...signed, publicKeyB64u: by.ownerPublicKey } as LogCheckpoint
    },
    inclusion: (index, size = lines.length) => inclusionProof(leaves.slice(0, size), index).map(toHex),
    consistency: (first, second = lines.length) => consistencyProof(leaves.slice(0, second), first).map(toHex),
  }
}

export interface RolledLog {
  readonly first: FixtureLog
  readonly second: FixtureLog
  readonly list: SignedLogList
}

/** The entries of both periods, without those that open and close them. */
export async function rolledLog(
  series: LogSeries,
  [before, after]: readonly [readonly string[], readonly string[]],
  changed: { readonly close?: string | null; readonly previous?: Partial<LogEnd> } = {},
): Promise<RolledLog> {
  const names = [logNameOf(REALM, series, '2027a'), logNameOf(REALM, series, '2027b')] as const
  const close = changed.close === undefined ? closeEntry(names[1]) : changed.close
  const first = fixtureLog(series, names[0], firstKey, [
    openEntry(names[0], null),
    ...before,
    ...(close === null ? [] : [close]),
  ])
  const opened = openEntry(names[1], { ...first.end, ...changed.previous })
  const second = fixtureLog(series, names[1], secondKey, [opened, ...after])
  const list = await signedList({ logs: [await closedEntry(series, first), openedEntry(series, second, first.end)] })
  return { first, second, list }
}

const ALL = { bits: 0, value: 0 } as const

export async function closedEntry(series: LogSeries, { log, key, checkpoint }: FixtureLog): Promise<ListedLog> {
  return {
    log,
    series,
    slot: ALL,
    state: 'closed',
    publicKeyB64u: key.ownerPublicKey,
    openedAt: ISSUED_AT,
    previous: null,
    final: await checkpoint(),
    tiles: null,
  }
}

export function openedEntry(series: LogSeries, { log, key }: FixtureLog, previous: LogEnd | null): ListedLog {
  return {
    log,
    series,
    slot: ALL,
    state: 'open',
    publicKeyB64u: key.ownerPublicKey,
    openedAt: ISSUED_AT + 1,
    previous,
    final: null,
    tiles: null,
  }
}

export const keysOf = (signers: readonly LogSigner[], threshold = 2): ListKeys => ({
  threshold,
  publicKeysB64u: signers.map(({ ownerPublicKey }) => ownerPublicKey),
})

/** A list of version 1 unless `members` say otherwise, signed by the first two of its keys or by `signers`. */
export async function signedList(
  members: Partial<LogList> & Pick<LogList, 'logs'>,
  signers: readonly LogSigner[] = listSigners.slice(0, 2),
): Promise<SignedLogList> {
  const times = { issuedAt: ISSUED_AT, validUntil: VALID_UNTIL }
  const statement: LogList = {
    ...firstLogList({
      realm: REALM,
      labelKeyB64u: labels.publicKeyB64u,
      keys: keysOf(listSigners),
      ...times,
      ...members,
    }),
    ...members,
  }
  const signatures = await Promise.all(
    signers.map(async ({ ownerPublicKey, sign }) => {
      const { signatureB64u }: Signed<LogList> = await signStatement(statement, sign)
      return { publicKeyB64u: ownerPublicKey, signatureB64u }
    }),
  )
  return { statement, signatures }
}

/** The list after another one. */
export function nextList(
  before: SignedLogList,
  members: Partial<LogList> = {},
  signers?: readonly LogSigner[],
): Promise<SignedLogList> {
  const { version, logs, keys } = before.statement
  return signedList({ logs, keys, version: version + 1, previous: listHash(before), ...members }, signers)
}
