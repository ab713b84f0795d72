import type { Commitment } from '#client'
import type { ReadinessOf, SheetRecord } from '#client/recovery-words'
import { usage } from '../cli-error.ts'

/** The epoch of the current root key, and the keys that may follow it. */
export type NamingRoot = Pick<ReadinessOf, 'epoch' | 'commitment'>

/** The sheets that the root key commits to, as far as this machine knows them. */
export interface NamedSheets {
  readonly commitment: Commitment
  /** One record for each sheet. */
  readonly records: readonly SheetRecord[]
  /** Number of sheets whose words are needed before the next rotation: they have no record, or too few keys left. */
  readonly missing: number
}

/**
 * Returns the records of the sheets that the root key commits to. Of two records of a sheet, returns the newer one, in
 * the place of the other.
 */
export async function namedSheets(
  known: readonly SheetRecord[],
  { epoch, commitment }: NamingRoot,
): Promise<NamedSheets> {
  const { recoveryReadiness } = await import('#client/recovery-words')
  const { sheets } = recoveryReadiness({ epoch, commitment, sheets: known, recovery: null })
  const named = new Map<string, SheetRecord>()
  for (const record of known.filter((_, at) => sheets[at]?.isNamed)) {
    const other = named.get(record.kemPublicKeyB64u)
    if (!other || !isOlder(record, other)) named.set(record.kemPublicKeyB64u, record)
  }
  const records = [...named.values()]
  // A rotation uses the key of the next epoch, and commits to the key of the epoch after it.
  const usable = records.filter((record) => lastEpochOf(record) >= epoch + 2)
  return { commitment, records, missing: commitment.next.length - usable.length }
}

/** Adds the record of a sheet whose words were typed. Throws if the root key does not commit to this sheet. */
export async function withTypedSheet(
  known: readonly SheetRecord[],
  typed: SheetRecord,
  root: NamingRoot,
): Promise<NamedSheets> {
  const named = await namedSheets([...known, typed], root)
  if (named.records.includes(typed)) return named
  throw usage(
    'The identity has not committed to the key of this sheet',
    'compare the words with the paper, and check the DID',
  )
}

/** Throws if sheets are missing. A request that leaves out a sheet ends it. */
export function refuseMissing({ commitment: { next }, missing }: NamedSheets, otherWay = ''): void {
  if (missing === 0) return
  const known = missing < next.length ? `only ${next.length - missing}` : 'none'
  throw usage(
    `The identity commits to ${next.length} sheets, but this machine knows ${known}: the others would end`,
    `svc recovery confirm, for each sheet${otherWay}`,
  )
}

/** Compares two records of one sheet. The words can extend its keys, or confirm it later. */
function isOlder(a: SheetRecord, b: SheetRecord): boolean {
  const [lastOfA, lastOfB] = [lastEpochOf(a), lastEpochOf(b)]
  return lastOfA === lastOfB ? (a.confirmedAt ?? 0) < (b.confirmedAt ?? 0) : lastOfA < lastOfB
}

/** Returns the last epoch for which the record has a key. */
function lastEpochOf({ firstEpoch, publicKeysB64u }: SheetRecord): number {
  return firstEpoch + publicKeysB64u.length - 1
}
