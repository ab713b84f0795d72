import type { Client, Identity } from '@svc/client'
import { recordOfSheet, recoveryReadiness, type SheetRecord, type SuccessorSheet } from '@svc/client/recovery-words'
import { keptSheets } from './kept-sheets.ts'
import type { MadeSheet } from './made-sheet.ts'

type RootKey = Pick<Identity, 'did' | 'scope' | 'epoch'>

/** What is used of a client. */
export interface RootReader {
  readonly chain: Pick<Client['chain'], 'root'>
}

/** The sheets that can follow a root key, as far as this browser knows them. */
export interface KnownSheets {
  readonly records: readonly SheetRecord[]
  /** Number of sheets that the identity commits to and this browser does not know. */
  readonly missing: number
  /** Whether the identity commits to any sheet. If not, the page creates new ones. */
  readonly isCommitted: boolean
  /** Whether root key and device may replace lost sheets. True unless the commitment forbids it. */
  readonly replaceable: boolean
}

/** Returns the given sheets, whose words were entered here, and those that this browser has stored. */
export async function knownSheets(
  client: RootReader,
  root: RootKey,
  given: readonly SuccessorSheet[],
): Promise<KnownSheets> {
  const { did } = root
  const now = Date.now()
  const [entered, kept, { commitment }] = await Promise.all([
    recordsOf(
      root,
      given.map((sheet) => ({ sheet, confirmedAt: now })),
    ),
    keptSheets(did),
    client.chain.root(did),
  ])
  if (commitment.next.length === 0) return { records: [], missing: 0, isCommitted: false, replaceable: true }
  const all = [...entered, ...(kept?.sheets ?? [])]
  const { sheets } = recoveryReadiness({ epoch: root.epoch, commitment, sheets: all, recovery: null })
  const named = all.filter((_, at) => sheets[at]?.isNamed)
  const records = named.filter((record, at) => named.findIndex((other) => isSameSheet(record, other)) === at)
  const { next, replaceable } = commitment
  return { records, missing: next.length - records.length, isCommitted: true, replaceable }
}

const isSameSheet = (a: SheetRecord, b: SheetRecord): boolean => a.kemPublicKeyB64u === b.kemPublicKeyB64u

/** Returns the records of sheets, from the epoch after this root key on. */
export function recordsOf({ scope, epoch }: RootKey, made: readonly MadeSheet[]): Promise<SheetRecord[]> {
  return Promise.all(
    made.map(({ sheet, confirmedAt }) => recordOfSheet(sheet, { scope, epoch: epoch + 1 }, { confirmedAt })),
  )
}
